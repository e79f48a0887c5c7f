package main

import (
	"encoding/json"
	"strings"
)

// Every message of protocol 1 has a type here. A field that is absent keeps its zero value, and a
// field that is not listed is ignored, so that the bot goes on playing when the protocol grows.

// A Hello is the referee's first line to a process that has just started.
type Hello struct {
	// Always "hello".
	Type string `json:"type"`
	// The version of the protocol spoken; this is 1.
	Protocol int `json:"protocol"`
	// The longest line a bot may send, in bytes, its newline included.
	Line int `json:"line"`
	// The most games a bot will be asked about at once, whatever it offers.
	Games int `json:"games"`
	// The time a bot has; nil: no clock runs.
	Limits *Limits `json:"limits"`
}

// Limits are the time a bot has, in seconds; all but Wall is CPU time of everything it has started.
type Limits struct {
	// From the launch to Ready.
	Start float64 `json:"start"`
	// For each decision.
	Move float64 `json:"move"`
	// For each game: it pays for what goes over Move.
	Bank float64 `json:"bank"`
	// However little CPU time it takes, no answer takes longer, and no start if that has less.
	Wall float64 `json:"wall"`
}

// A Start tells that a game begins, or begins again for a process that takes over.
type Start struct {
	// Always "start".
	Type string `json:"type"`
	// Stands for this game in all messages to this process.
	Game int64 `json:"game"`
	// The rules played, such as sticheln+mild.
	Variant string `json:"variant"`
	// How many sit at the table.
	Seats int `json:"seats"`
	// Where the bot sits; seats are numbered clockwise from 0.
	Seat int `json:"seat"`
	// How many rounds are played; nil: until somebody has finished.
	Rounds *int `json:"rounds"`
	// All cards there are in this game.
	Cards []string `json:"cards"`
	// For the bot's own chance, if it wants its games repeatable; tells nothing about the deal.
	Seed int64 `json:"seed"`
	// Who sits where; empty where the opponents are anonymous.
	Bots []string `json:"bots"`
}

// A Decide is a question, with everything the seat may know.
type Decide struct {
	// Always "decide".
	Type string `json:"type"`
	// The game it is about.
	Game int64 `json:"game"`
	// To be echoed in the answer.
	ID int64 `json:"id"`
	// The rules played, as in Start.
	Variant string `json:"variant"`
	// What is to be decided: "designate", "play", "delayed", "token", "pick", "task", "discard".
	Kind string `json:"kind"`
	// The legal choices.
	Options []string `json:"options"`
	// What the seat may know; Designating, HatTrick and Draft give it a type.
	View json.RawMessage `json:"view"`
	// The time there is; nil: no clock runs.
	Clock *Clock `json:"clock"`
}

// Designating gives the view in Sticheln, Stick 'Em and their variants, else nil.
func (d *Decide) Designating() *DesignatingView {
	return viewOf[DesignatingView](d, "sticheln", "stick-em")
}

// HatTrick gives the view in Hat Trick, else nil.
func (d *Decide) HatTrick() *HatTrickView {
	return viewOf[HatTrickView](d, "hat-trick")
}

// Draft gives the view in Was sticht, else nil.
func (d *Decide) Draft() *DraftView {
	return viewOf[DraftView](d, "was-sticht")
}

// viewOf reads the view of a question if it is about one of these games.
func viewOf[View any](question *Decide, games ...string) *View {
	played, _, _ := strings.Cut(question.Variant, "+")
	for _, game := range games {
		view := new(View)
		if played == game && read(question.View, view) == nil {
			return view
		}
	}
	return nil
}

// A Clock is the CPU time there is for one decision, in seconds.
type Clock struct {
	// For this decision alone.
	Move float64 `json:"move"`
	// What is left for this game beyond Move.
	Bank float64 `json:"bank"`
}

// A Result tells that a game is over.
type Result struct {
	// Always "result".
	Type string `json:"type"`
	// The game it is about.
	Game int64 `json:"game"`
	// The score of each seat.
	Scores []int `json:"scores"`
	// The rank of each seat, 1 is best; who is at fault ranks below all others.
	Ranks []int `json:"ranks"`
}

// A Fault tells that the bot broke the protocol; the referee has chosen where a choice was due.
type Fault struct {
	// Always "fault".
	Type string `json:"type"`
	// The game it counts in; nil: none that is going on.
	Game *int64 `json:"game"`
	// The question that is settled by it; nil: none was open.
	ID *int64 `json:"id"`
	// What it is called: "exited", "illegal", "malformed", "memory", "out-of-turn", "start",
	// "timeout" or "too-long".
	Fault string `json:"fault"`
	// What was wrong, for a person to read.
	Text string `json:"text"`
}

// A Ready is a bot's first line: it can play.
type Ready struct {
	// Always "ready".
	Type string `json:"type"`
	// What the bot calls itself.
	Name string `json:"name,omitempty"`
	// Which one of its kind it is.
	Version string `json:"version,omitempty"`
	// How many games it can hold at once; absent: 1.
	Games int `json:"games,omitempty"`
	// The variants it plays, as names or patterns such as sticheln*; empty: all.
	Variants []string `json:"variants,omitempty"`
}

// A Choose is a bot's answer.
type Choose struct {
	// Always "choose".
	Type string `json:"type"`
	// The question it answers.
	ID int64 `json:"id"`
	// One of its options.
	Choice string `json:"choice"`
	// Something to find in the replay beside this decision; 1,000 characters are kept.
	Note string `json:"note,omitempty"`
}

// A DesignatingView is what a seat knows in Sticheln, Stick 'Em and all their variants.
type DesignatingView struct {
	// Whose view it is: the bot's own seat.
	Seat int `json:"seat"`
	// The phase of the round, which is the Kind of the question.
	Phase string `json:"phase"`
	// The round, counted from 0.
	Round int `json:"round"`
	// The points of each seat in the finished rounds.
	Scores []int `json:"scores"`
	// The cards in the seat's own hand, such as "R7": a colour's letter and a number.
	Hand []string `json:"hand"`
	// The seat that leads the trick on the table.
	Leader int `json:"leader"`
	// The cards of the trick on the table in the order of play; the first is the leader's.
	Trick []string `json:"trick"`
	// The finished tricks of this round, the first one first.
	Tricks []Trick `json:"tricks"`
	// The cards of this round that could not be dealt evenly.
	LeftOver []string `json:"left_over"`
	// The designating cards of each seat, nil where they lie face down; empty while there are none.
	Designated [][]string `json:"designated"`
	// The round before, until the first trick of this one is complete.
	Previous *DesignatingPast `json:"previous"`
}

// A Trick is a finished trick.
type Trick struct {
	// The seat that led it.
	Leader int `json:"leader"`
	// The cards in the order of play; the first is the leader's.
	Cards []string `json:"cards"`
	// The seat that won it; nil: nobody, it is set aside.
	Winner *int `json:"winner"`
}

// A DesignatingPast is the round before this one: all that lay face up at its end.
type DesignatingPast struct {
	// Its tricks, the first one first.
	Tricks []Trick `json:"tricks"`
	// What each seat scored in it.
	Points []int `json:"points"`
	// The designating cards of each seat; empty if there were none.
	Designated [][]string `json:"designated"`
	// The special colours of each seat.
	Special [][]string `json:"special"`
}

// A HatTrickView is what a seat knows in Hat Trick.
type HatTrickView struct {
	// Whose view it is: the bot's own seat.
	Seat int `json:"seat"`
	// The phase of the round, which is the Kind of the question.
	Phase string `json:"phase"`
	// The round, counted from 0.
	Round int `json:"round"`
	// The points of each seat in the finished rounds.
	Scores []int `json:"scores"`
	// The cards in the seat's own hand.
	Hand []string `json:"hand"`
	// The seat that leads the trick on the table.
	Leader int `json:"leader"`
	// The cards of the trick on the table in the order of play; the first is the leader's.
	Trick []string `json:"trick"`
	// The finished tricks of this round, the first one first.
	Tricks []DoubleTrick `json:"tricks"`
	// Empty: in Hat Trick all cards are dealt.
	LeftOver []string `json:"left_over"`
	// Empty: in Hat Trick nothing is designated.
	Designated [][]string `json:"designated"`
	// The round before, until the first trick of this one is complete.
	Previous *HatTrickPast `json:"previous"`
}

// A DoubleTrick is a finished trick or pair of tricks.
type DoubleTrick struct {
	// The seat that led it.
	Leader int `json:"leader"`
	// The cards in the order of play; the first is the leader's.
	Cards []string `json:"cards"`
	// The seat that took each card, in the order of Cards; nil for one that was passed and stays
	// with its owner.
	Takers []*int `json:"takers"`
}

// A HatTrickPast is the round before this one: all that lay face up at its end.
type HatTrickPast struct {
	// Its tricks, the first one first.
	Tricks []DoubleTrick `json:"tricks"`
	// What each seat scored in it.
	Points []int `json:"points"`
	// Empty: in Hat Trick nothing is designated.
	Designated [][]string `json:"designated"`
	// Empty: in Hat Trick no colour is special.
	Special [][]string `json:"special"`
}

// A DraftView is what a seat knows in Was sticht: everything but the trumps during the draft.
type DraftView struct {
	// Whose view it is: the bot's own seat.
	Seat int `json:"seat"`
	// The phase of the round, which is the Kind of the question.
	Phase string `json:"phase"`
	// The round, counted from 0.
	Round int `json:"round"`
	// How many tokens each seat has discarded.
	Scores []int `json:"scores"`
	// The seat that deals, and knows the trumps from the start.
	Dealer int `json:"dealer"`
	// The tokens each seat holds.
	Tokens [][]string `json:"tokens"`
	// The tokens each seat has discarded, the first one first.
	Discarded [][]string `json:"discarded"`
	// The tokens on the table while they are taken, later none.
	Supply []string `json:"supply"`
	// The layout of this round, column by column, as it was before any pick.
	Columns [][]string `json:"columns"`
	// The columns that are completely picked, the first one first.
	Picks []Column `json:"picks"`
	// The trumps of this round; nil while this seat does not know them.
	Trumps *Trumps `json:"trumps"`
	// The task each seat has chosen, nil for the dealer; empty until all have chosen.
	Tasks []*string `json:"tasks"`
	// The cards in the seat's own hand.
	Hand []string `json:"hand"`
	// The cards in the hand of each seat, which are public.
	Hands [][]string `json:"hands"`
	// The seat that leads the trick, or picks first from the column.
	Leader int `json:"leader"`
	// The cards of the trick in the order of play, or of the column as picked.
	Trick []string `json:"trick"`
	// The finished tricks of this round, the first one first.
	Tricks []Trick `json:"tricks"`
	// The round before, until the first column of this one is picked.
	Previous *DraftPast `json:"previous"`
}

// A Column is one that is picked, with who the dealer says would have won it as a trick.
type Column struct {
	// The seat that picked first.
	Leader int `json:"leader"`
	// Its cards in the order of picking; with three seats the last is the ghost's.
	Cards []string `json:"cards"`
	// The seat that would have won it as a trick; with three seats 3 is the ghost.
	Hint int `json:"hint"`
}

// Trumps are the trump colour and the trump number of a round.
type Trumps struct {
	// The trump colour; nil: there is none.
	Colour *string `json:"colour"`
	// The trump number; nil: there is none.
	Number *int `json:"number"`
}

// A DraftPast is the round before this one: all that lay face up at its end.
type DraftPast struct {
	// Its trumps.
	Trumps Trumps `json:"trumps"`
	// The task each seat had chosen, nil for its dealer.
	Tasks []*string `json:"tasks"`
	// Its tricks, the first one first.
	Tricks []Trick `json:"tricks"`
	// The token each seat discarded in it, nil for none.
	Discards []*string `json:"discards"`
}
