//! The talking: lines from the referee, answers to it.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value;

use crate::messages::{Choose, FromBot, ToBot};
use crate::strategy::Strategy;

/// How many games it can play at once.
const GAMES: u32 = 64;

/// How long answers are kept back while more questions lie ready.
const PATIENCE: Duration = Duration::from_millis(10);

/// Below this a float is a whole number exactly or has a fraction: 2^53.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Answers all questions there are, waits for more, and returns when the referee hangs up.
pub fn talk(from: impl Read, to: impl Write) -> io::Result<()> {
    let mut from = BufReader::with_capacity(1 << 16, from);
    let mut to = BufWriter::with_capacity(1 << 16, to);
    let mut strategy = Strategy::default();
    let mut line = Vec::new();
    let mut sent = Instant::now();
    while from.read_until(b'\n', &mut line)? > 0 {
        if !line.ends_with(b"\n") {
            break; // the referee hung up in the middle of a line
        }
        match hear(&mut strategy, &line) {
            Ok(Some(answer)) => {
                serde_json::to_writer(&mut to, &answer)?;
                to.write_all(b"\n")?;
            }
            Ok(None) => {}
            Err(error) => eprintln!("A line was not understood: {error}"),
        }
        line.clear();
        // One write for many answers is fast. But the clock runs until an answer is sent, so none
        // is kept back while you think about the next question.
        if !from.buffer().contains(&b'\n') || sent.elapsed() > PATIENCE {
            to.flush()?;
            sent = Instant::now();
        }
    }
    to.flush()
}

/// The answer to a line, if it wants one; what is not known is ignored.
pub fn hear(strategy: &mut Strategy, line: &[u8]) -> serde_json::Result<Option<FromBot>> {
    Ok(match read(line)? {
        ToBot::Hello(_) => Some(FromBot::ready(GAMES)),
        ToBot::Start(start) => {
            strategy.start(&start);
            None
        }
        ToBot::Decide(question) => {
            let chosen = strategy.choose(&question);
            Some(FromBot::Choose(Choose {
                id: question.id,
                choice: chosen.option,
                note: chosen.note,
            }))
        }
        ToBot::Result(result) => {
            strategy.result(&result);
            None
        }
        ToBot::Fault(fault) => {
            eprintln!("The referee says: {}", fault.text);
            None
        }
        ToBot::Unknown => None,
    })
}

/// The message in a line.
pub fn read(line: &[u8]) -> serde_json::Result<ToBot> {
    let mut message: Value = serde_json::from_slice(line)?;
    make_whole(&mut message);
    ToBot::deserialize(message)
}

/// Turns `7.0` into `7`, since both are the same number in JSON but not to serde.
fn make_whole(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(float) = number.as_f64().filter(|_| number.is_f64()) {
                if float.fract() == 0.0 && float.abs() < EXACT {
                    *value = Value::from(float as i64);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(make_whole),
        Value::Object(fields) => fields.values_mut().for_each(make_whole),
        _ => {}
    }
}
