# A bot for Stichkampf: the referee asks on STDIN, the answers go to STDOUT, STDERR is its log.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Talk;

Talk::run();
