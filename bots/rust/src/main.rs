//! The program: it talks to the referee until that hangs up.

use std::io;

fn main() -> io::Result<()> {
    bot::referee::talk(io::stdin().lock(), io::stdout().lock())
}
