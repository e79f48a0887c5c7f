//! The bot answers the games in transcripts/ as it would answer a referee.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use bot::messages::{Decide, FromBot, ToBot};
use bot::referee::{hear, read, talk};
use bot::strategy::Strategy;
use serde_json::{json, Value};

/// All that is said to the bot in a transcript.
fn said(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let to_bot = lines.filter(|line: &Value| line["to"] == "bot");
    to_bot.map(|line| line["message"].clone()).collect()
}

fn transcripts() -> Vec<Vec<Value>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("transcripts");
    let files = fs::read_dir(folder).unwrap();
    let games: Vec<_> = files.map(|file| said(&file.unwrap().path())).collect();
    assert!(!games.is_empty());
    games
}

/// The seat and the phase that the view of a question tells.
fn seat_and_phase(question: &Decide) -> (usize, String) {
    let designating = question.designating().map(|view| (view.seat, view.phase));
    let hat_trick = || question.hat_trick().map(|view| (view.seat, view.phase));
    let draft = || question.draft().map(|view| (view.seat, view.phase));
    designating.or_else(hat_trick).or_else(draft).unwrap()
}

#[test]
fn questions_are_answered_and_nothing_else() {
    let mut strategy = Strategy::default();
    for message in transcripts().concat() {
        let answer = hear(&mut strategy, message.to_string().as_bytes()).unwrap();
        match message["type"].as_str().unwrap() {
            "hello" => {
                let Some(FromBot::Ready(answer)) = answer else {
                    panic!("no answer to {message}");
                };
                assert_ne!(answer.games, Some(0));
            }
            "decide" => {
                let Some(FromBot::Choose(answer)) = answer else {
                    panic!("no answer to {message}");
                };
                assert_eq!(json!(answer.id), message["id"]);
                let options = message["options"].as_array().unwrap();
                assert!(options.contains(&json!(answer.choice)), "{answer:?}");
            }
            _ => assert_eq!(answer, None),
        }
    }
}

#[test]
fn views_are_read() {
    for game in transcripts() {
        let mut seats = HashMap::new();
        for message in game {
            match read(message.to_string().as_bytes()).unwrap() {
                ToBot::Start(start) => {
                    seats.insert(start.game, start.seat);
                }
                ToBot::Decide(question) => {
                    let expected = (seats[&question.game], question.kind.clone());
                    assert_eq!(seat_and_phase(&question), expected);
                }
                ToBot::Unknown => panic!("{message} has no type"),
                _ => {}
            }
        }
    }
}

#[test]
fn a_conversation_is_lines() {
    let heard = concat!(
        r#"{"later":[],"games":64.0,"limits":null,"type":"hello"}"#,
        "\nnonsense\n",
        r#"{"options":["\u00520","B1"],"kind":"new","id":9007199254740991.0,"type":"decide"}"#,
        "\n{\"type\":\"news\",\"view\":3}\n{\"type\":\"he",
    );
    let mut told = Vec::new();
    talk(heard.as_bytes(), &mut told).unwrap();
    let told = String::from_utf8(told).unwrap();
    assert!(told.ends_with('\n'));
    let lines: Vec<Value> = told.lines().map(|line| line.parse().unwrap()).collect();
    let [ready, choose] = &lines[..] else {
        panic!("it said {told}");
    };
    assert_eq!(ready["type"], "ready");
    assert_eq!(choose["type"], "choose");
    assert_eq!(choose["id"], json!(9007199254740991_u64));
    assert!(choose["choice"] == "R0" || choose["choice"] == "B1");
}
