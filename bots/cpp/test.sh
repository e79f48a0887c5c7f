# Builds the bot with its test, and runs that.
set -eu

sh build.sh -DBUILD_TESTING=ON
cd build
exec ctest --output-on-failure
