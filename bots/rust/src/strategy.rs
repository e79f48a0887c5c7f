//! Your strategy: a method for each kind of decision, which returns one of the options, with a note
//! for the replay if you like.

use std::cmp::Reverse;
use std::collections::HashSet;

use crate::messages::{self, Decide, Start};

/// One of the options, and a note to find beside it in the replay; `card.into()` is without one.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    pub option: String,
    pub note: Option<String>,
}

impl Choice {
    /// The same with a note: `Choice::from(card).note("to lose the lead")`.
    pub fn note(self, text: impl Into<String>) -> Self {
        let note = Some(text.into());
        Self { note, ..self }
    }
}

impl From<&str> for Choice {
    fn from(option: &str) -> Self {
        let option = option.to_owned();
        Self { option, note: None }
    }
}

/// Has room for what you want to remember; if it is about a game, by the `game` of its messages.
#[derive(Debug, Default)]
pub struct Strategy {}

impl Strategy {
    /// A game begins.
    pub fn start(&mut self, _start: &Start) {}

    /// A game has ended, unless you lost it by a fault.
    pub fn result(&mut self, _result: &messages::Result) {}

    /// Asks the method for the kind of decision; what it does not know gets the first option.
    pub fn choose(&mut self, question: &Decide) -> Choice {
        if question.options.is_empty() {
            return "".into(); // the referee never asks that
        }
        match question.kind.as_str() {
            "designate" => self.designate(question),
            "play" => self.play(question),
            "delayed" => self.delayed(question),
            "token" => self.token(question),
            "pick" => self.pick(question),
            "task" => self.task(question),
            "discard" => self.discard(question),
            _ => question.options[0].as_str().into(),
        }
    }

    /// Sticheln, Stick 'Em: the card, or pair `B3+R1`, that makes its colour special for you.
    ///
    /// The card counts as won by you, so it is a low one, or with Reverse a high one.
    pub fn designate(&mut self, question: &Decide) -> Choice {
        best(question, |option| total(option.split('+'))).into()
    }

    /// All games: the card you play to the trick. A low one seldom does harm.
    pub fn play(&mut self, question: &Decide) -> Choice {
        if let Some(view) = question.hat_trick() {
            let colours: HashSet<_> = view.trick.iter().map(|card| colour(card)).collect();
            if colours.len() == 2 {
                // A card of the third colour would be a pass and cost 2 points.
                let joins = |card: &&String| colours.contains(&colour(card));
                let joining = question.options.iter().filter(joins);
                if let Some(card) = joining.min_by_key(|card| number(card)) {
                    return card.as_str().into();
                }
            }
        }
        lowest(question, number).into()
    }

    /// With Delayed: the special colour, or pair `B+R`, that you name after the last trick.
    pub fn delayed(&mut self, question: &Decide) -> Choice {
        let view = question.designating().unwrap_or_default();
        let mine = view.tricks.iter().filter(|t| t.winner == Some(view.seat));
        let won: Vec<&str> = mine.flat_map(|t| &t.cards).map(String::as_str).collect();
        best(question, |option| {
            let counts = |card: &&str| colour(card).is_some_and(|c| option.contains(c));
            total(won.iter().copied().filter(counts))
        })
        .into()
    }

    /// Was sticht: the task token you take before the first round.
    pub fn token(&mut self, question: &Decide) -> Choice {
        lowest(question, difficulty).into()
    }

    /// Was sticht: the card you take from the column.
    pub fn pick(&mut self, question: &Decide) -> Choice {
        lowest(question, number).into()
    }

    /// Was sticht: the task among your tokens that you try in this round.
    pub fn task(&mut self, question: &Decide) -> Choice {
        lowest(question, difficulty).into()
    }

    /// Was sticht: the token you get rid of as a dealer who succeeded.
    pub fn discard(&mut self, question: &Decide) -> Choice {
        lowest(question, |task| Reverse(difficulty(task))).into()
    }
}

/// The tasks of Was sticht, by how often one fulfils them.
const EASY_FIRST: [&str; 12] = [
    "no_red",
    "no_blue",
    "no_green",
    "no_yellow",
    "last_trick",
    "exactly_2",
    "fewest_tricks",
    "exactly_3",
    "most_tricks",
    "exactly_1",
    "exactly_4",
    "no_trick",
];

fn difficulty(task: &str) -> usize {
    let place = EASY_FIRST.iter().position(|&known| known == task);
    place.unwrap_or(EASY_FIRST.len())
}

/// The colour of a card.
fn colour(card: &str) -> Option<char> {
    card.chars().next()
}

/// The number of a card.
fn number(card: &str) -> i64 {
    card.get(1..).and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// The sum of the numbers of cards.
fn total<'a>(cards: impl Iterator<Item = &'a str>) -> i64 {
    cards.map(number).sum()
}

/// The option for which a key is lowest; of equal ones the first.
fn lowest<K: Ord>(question: &Decide, key: impl Fn(&str) -> K) -> &str {
    let found = question.options.iter().min_by_key(|option| key(option));
    found.expect("a question has options")
}

/// Reckons with special colours: they cost what they are worth; with Reverse they bring it.
fn best(question: &Decide, worth: impl Fn(&str) -> i64) -> &str {
    if question.variant.contains("reverse") {
        lowest(question, |option| Reverse(worth(option)))
    } else {
        lowest(question, worth)
    }
}
