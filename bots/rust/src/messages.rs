//! Every message of protocol 1, as a type.
//!
//! A field that is absent has its default, and a field that is not listed here is ignored, so that
//! the bot goes on playing when the protocol grows.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the referee says.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ToBot {
    Hello(Hello),
    Start(Start),
    Decide(Decide),
    Result(Result),
    Fault(Fault),
    /// A message of a later version; it wants no answer.
    #[serde(other)]
    Unknown,
}

/// What a bot says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum FromBot {
    Ready(Ready),
    Choose(Choose),
}

impl FromBot {
    /// The bot can play, so many games at once.
    pub fn ready(games: u32) -> Self {
        Self::Ready(Ready {
            games: Some(games),
            ..Ready::default()
        })
    }
}

/// The referee's first line to a process that has just started.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Hello {
    /// The version of the protocol spoken; this is 1.
    pub protocol: u32,
    /// The longest line a bot may send, in bytes, its newline included.
    pub line: u64,
    /// The most games a bot will be asked about at once, whatever it offers.
    pub games: u64,
    /// The time a bot has; none: no clock runs.
    pub limits: Option<Limits>,
}

/// The time a bot has, in seconds; all but `wall` is CPU time of everything it has started.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// From the launch to `ready`.
    pub start: f64,
    /// For each decision.
    #[serde(rename = "move")]
    pub decision: f64,
    /// For each game: it pays for what goes over `decision`.
    pub bank: f64,
    /// However little CPU time it takes, no answer takes longer in real time.
    pub wall: f64,
}

/// A game begins, or begins again for a process that takes over from one that ended.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Start {
    /// Stands for this game in all messages to this process.
    pub game: u64,
    /// The rules played, such as `sticheln+mild`.
    pub variant: String,
    /// How many sit at the table.
    pub seats: usize,
    /// Where the bot sits; seats are numbered clockwise from 0.
    pub seat: usize,
    /// How many rounds are played; none: until somebody has finished.
    pub rounds: Option<usize>,
    /// All cards there are in this game.
    pub cards: Vec<String>,
    /// For the bot's own chance, if it wants its games repeatable; tells nothing about the deal.
    pub seed: u64,
    /// Who sits where; none where the opponents are anonymous.
    pub bots: Option<Vec<String>>,
}

/// A question, with everything the seat may know.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Decide {
    /// The game it is about.
    pub game: u64,
    /// To be echoed in the answer.
    pub id: u64,
    /// The rules played, as in `Start`.
    pub variant: String,
    /// What is to be decided: designate, play, delayed, token, pick, task, discard.
    pub kind: String,
    /// The legal choices.
    pub options: Vec<String>,
    /// What the seat may know; `designating`, `hat_trick` and `draft` give it a type.
    pub view: Value,
    /// The time there is; none: no clock runs.
    pub clock: Option<Clock>,
}

impl Decide {
    /// The view, if this is Sticheln, Stick 'Em or a variant of them.
    pub fn designating(&self) -> Option<DesignatingView> {
        self.view_of(&["sticheln", "stick-em"])
    }

    /// The view, if this is Hat Trick.
    pub fn hat_trick(&self) -> Option<HatTrickView> {
        self.view_of(&["hat-trick"])
    }

    /// The view, if this is Was sticht.
    pub fn draft(&self) -> Option<DraftView> {
        self.view_of(&["was-sticht"])
    }

    fn view_of<View: DeserializeOwned>(&self, games: &[&str]) -> Option<View> {
        let game = self.variant.split('+').next()?;
        let view = || serde_json::from_value(self.view.clone()).ok();
        games.contains(&game).then(view).flatten()
    }
}

/// The CPU time there is for one decision, in seconds.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Clock {
    /// For this decision alone.
    #[serde(rename = "move")]
    pub decision: f64,
    /// What is left for this game beyond `decision`.
    pub bank: f64,
}

/// A game is over.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Result {
    /// The game it is about.
    pub game: u64,
    /// The score of each seat.
    pub scores: Vec<i64>,
    /// The rank of each seat, 1 is best; who is at fault ranks below all others.
    pub ranks: Vec<u32>,
}

/// The bot broke the protocol; the referee has chosen for it where a choice was due.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Fault {
    /// The game it counts in; none: none that is going on.
    pub game: Option<u64>,
    /// The question that is settled by it; none: none was open.
    pub id: Option<u64>,
    /// What it is called: exited, illegal, malformed, memory, out-of-turn, start, timeout, too-long.
    pub fault: String,
    /// What was wrong, for a person to read.
    pub text: String,
}

/// A bot's first line: it can play.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Ready {
    /// What the bot calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Which one of its kind it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// How many games it can hold at once; none: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<u32>,
    /// The variants it plays, as names or patterns such as `sticheln*`; none: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variants: Option<Vec<String>>,
}

/// A bot's answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Choose {
    /// The question it answers.
    pub id: u64,
    /// One of its options.
    pub choice: String,
    /// Something to find in the replay beside this decision; 1,000 characters are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What a seat knows in Sticheln, Stick 'Em and all their variants.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct DesignatingView {
    /// Whose view it is: the bot's own seat.
    pub seat: usize,
    /// The phase of the round, which is the `kind` of the question.
    pub phase: String,
    /// The round, counted from 0.
    pub round: usize,
    /// The points of each seat in the finished rounds.
    pub scores: Vec<i64>,
    /// The cards in the seat's own hand, such as `R7`: a colour's letter and a number.
    pub hand: Vec<String>,
    /// The seat that leads the trick on the table.
    pub leader: usize,
    /// The cards of the trick on the table in the order of play; the first is the leader's.
    pub trick: Vec<String>,
    /// The finished tricks of this round, the first one first.
    pub tricks: Vec<Trick>,
    /// The cards of this round that could not be dealt evenly.
    pub left_over: Vec<String>,
    /// The designating cards of each seat, none where they lie face down; empty while there are none.
    pub designated: Vec<Option<Vec<String>>>,
    /// The round before, until the first trick of this one is complete.
    pub previous: Option<DesignatingPast>,
}

/// A finished trick: the cards in the order of play, and the seat that won it, if any did.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Trick {
    /// The seat that led it.
    pub leader: usize,
    /// The cards in the order of play; the first is the leader's.
    pub cards: Vec<String>,
    /// The seat that won it; none: nobody, it is set aside.
    pub winner: Option<usize>,
}

/// The round before this one: all that lay face up at its end.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct DesignatingPast {
    /// Its tricks, the first one first.
    pub tricks: Vec<Trick>,
    /// What each seat scored in it.
    pub points: Vec<i64>,
    /// The designating cards of each seat; empty if there were none.
    pub designated: Vec<Vec<String>>,
    /// The special colours of each seat.
    pub special: Vec<Vec<String>>,
}

/// What a seat knows in Hat Trick.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct HatTrickView {
    /// Whose view it is: the bot's own seat.
    pub seat: usize,
    /// The phase of the round, which is the `kind` of the question.
    pub phase: String,
    /// The round, counted from 0.
    pub round: usize,
    /// The points of each seat in the finished rounds.
    pub scores: Vec<i64>,
    /// The cards in the seat's own hand.
    pub hand: Vec<String>,
    /// The seat that leads the trick on the table.
    pub leader: usize,
    /// The cards of the trick on the table in the order of play; the first is the leader's.
    pub trick: Vec<String>,
    /// The finished tricks of this round, the first one first.
    pub tricks: Vec<DoubleTrick>,
    /// Empty: in Hat Trick all cards are dealt.
    pub left_over: Vec<String>,
    /// Empty: in Hat Trick nothing is designated.
    pub designated: Vec<Option<Vec<String>>>,
    /// The round before, until the first trick of this one is complete.
    pub previous: Option<HatTrickPast>,
}

/// A finished trick or pair of tricks: the cards in the order of play, and who took each.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct DoubleTrick {
    /// The seat that led it.
    pub leader: usize,
    /// The cards in the order of play; the first is the leader's.
    pub cards: Vec<String>,
    /// The seat that took each card; none for one that was passed and stays with its owner.
    pub takers: Vec<Option<usize>>,
}

/// The round before this one: all that lay face up at its end.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct HatTrickPast {
    /// Its tricks, the first one first.
    pub tricks: Vec<DoubleTrick>,
    /// What each seat scored in it.
    pub points: Vec<i64>,
    /// Empty: in Hat Trick nothing is designated.
    pub designated: Vec<Vec<String>>,
    /// Empty: in Hat Trick no colour is special.
    pub special: Vec<Vec<String>>,
}

/// What a seat knows in Was sticht: everything but the trumps during the draft.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct DraftView {
    /// Whose view it is: the bot's own seat.
    pub seat: usize,
    /// The phase of the round, which is the `kind` of the question.
    pub phase: String,
    /// The round, counted from 0.
    pub round: usize,
    /// How many tokens each seat has discarded.
    pub scores: Vec<i64>,
    /// The seat that deals, and knows the trumps from the start.
    pub dealer: usize,
    /// The tokens each seat holds.
    pub tokens: Vec<Vec<String>>,
    /// The tokens each seat has discarded, the first one first.
    pub discarded: Vec<Vec<String>>,
    /// The tokens on the table while they are taken, later none.
    pub supply: Vec<String>,
    /// The layout of this round, column by column, as it was before any pick.
    pub columns: Vec<Vec<String>>,
    /// The columns that are completely picked, the first one first.
    pub picks: Vec<Column>,
    /// The trumps of this round; none while this seat does not know them.
    pub trumps: Option<Trumps>,
    /// The task each seat has chosen, none for the dealer; empty until all have chosen.
    pub tasks: Vec<Option<String>>,
    /// The cards in the seat's own hand.
    pub hand: Vec<String>,
    /// The cards in the hand of each seat, which are public.
    pub hands: Vec<Vec<String>>,
    /// The seat that leads the trick, or picks first from the column.
    pub leader: usize,
    /// The cards of the trick in the order of play, or of the column as picked.
    pub trick: Vec<String>,
    /// The finished tricks of this round, the first one first.
    pub tricks: Vec<Trick>,
    /// The round before, until the first column of this one is picked.
    pub previous: Option<DraftPast>,
}

/// A column in the order of picking, and who the dealer says would have won it as a trick.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Column {
    /// The seat that picked first.
    pub leader: usize,
    /// Its cards in the order of picking; with three seats the last is the ghost's.
    pub cards: Vec<String>,
    /// The seat that would have won it as a trick; with three seats 3 is the ghost.
    pub hint: usize,
}

/// The trump colour and the trump number of a round.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Trumps {
    /// The trump colour, if there is one.
    pub colour: Option<String>,
    /// The trump number, if there is one.
    pub number: Option<u32>,
}

/// The round before this one: all that lay face up at its end.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct DraftPast {
    /// Its trumps.
    pub trumps: Trumps,
    /// The task each seat had chosen, none for its dealer.
    pub tasks: Vec<Option<String>>,
    /// Its tricks, the first one first.
    pub tricks: Vec<Trick>,
    /// The token each seat discarded in it, none for none.
    pub discards: Vec<Option<String>>,
}
