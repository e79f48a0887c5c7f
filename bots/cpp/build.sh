# Builds the bot, in build/; where something is missing, one sentence says what to install.
set -u

for tool in cmake make c++; do
  if ! command -v "$tool" >/dev/null; then
    echo "The C++ bot needs $tool, which is not on the PATH: run 'apt install cmake make g++ nlohmann-json3-dev'."
    exit 1
  fi
done
if ! said=$(cmake -S . -B build -DCMAKE_BUILD_TYPE=Release "$@" 2>&1); then
  case $said in
    *"nlohmann-json is missing"*)
      echo "The C++ bot needs nlohmann-json 3.9 or later: run 'apt install nlohmann-json3-dev'." ;;
    *) echo "$said" ;;
  esac
  exit 1
fi
exec cmake --build build --parallel 2
