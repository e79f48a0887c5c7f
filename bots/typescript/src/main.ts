// A bot for Stichkampf: the referee asks on stdin, the answers go to stdout, stderr is its log.

import { run } from "./talk.js";

run();
