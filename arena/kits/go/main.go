// A bot for Stichkampf: one file, nothing but the standard library.
//
// The referee starts this program and asks it questions on stdin, one JSON object a line. The
// answers go to stdout in the same way; stderr is free for your own log (the package log). Your
// strategy goes into the functions after strategy: one for each kind of decision.
//
// A question holds everything that your seat may know, so there is nothing to remember from one
// question to the next. This is why one process can play 64 games at once, which is fast and
// costs you nothing: questions of different games just follow one another.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"log"
	"os"
	"strconv"
	"strings"
	"time"
)

// A Question is what is to be decided, and everything your seat may know.
type Question struct {
	ID      int64    `json:"id"`
	Game    int64    `json:"game"`    // stands for the game, should you want to remember something
	Variant string   `json:"variant"` // the rules, such as "sticheln+mild"; see `arena rules`
	Kind    string   `json:"kind"`
	Options []string `json:"options"` // the legal choices
	View    View     `json:"view"`
}

// A View is the table as your seat sees it. There is more in it; add the fields that you need.
type View struct {
	Seat       int        `json:"seat"`       // your seat, counted clockwise from 0
	Scores     []int      `json:"scores"`     // of every seat, in the rounds before
	Hand       []string   `json:"hand"`       // cards, such as "R7": a colour's letter and a number
	Leader     int        `json:"leader"`     // the seat that leads the trick on the table
	Trick      []string   `json:"trick"`      // the cards on the table; empty if you lead
	Tricks     []Trick    `json:"tricks"`     // the finished tricks of this round
	Designated [][]string `json:"designated"` // of every seat; nil while they lie face down
}

// A Trick is a finished trick, its cards in the order of play.
type Trick struct {
	Leader int      `json:"leader"`
	Cards  []string `json:"cards"`
	Winner *int     `json:"winner"` // nil if nobody won it
}

// strategy has a function for each kind of decision; it returns one of the question's options.
var strategy = map[string]func(*Question) string{
	"designate": designate,
	"play":      play,
	"delayed":   delayed,
	"token":     token,
	"pick":      pick,
	"task":      task,
	"discard":   discard,
}

// designate is for Sticheln and Stick 'Em: the card, or pair "B3+R1", that makes its colour
// special for you. It counts as won by you, so it is a low one, or with Reverse a high one.
func designate(q *Question) string {
	return best(q, func(option string) int { return total(strings.Split(option, "+")) })
}

// play is for all games: the card you play to the trick. A low one seldom does harm.
func play(q *Question) string {
	colours := map[byte]bool{}
	for _, card := range q.View.Trick {
		colours[card[0]] = true
	}
	if q.Variant == "hat-trick" && len(colours) == 2 {
		// A card of the third colour would be a pass and cost 2 points.
		joining := filter(q.Options, func(card string) bool { return colours[card[0]] })
		if len(joining) > 0 {
			return lowest(joining, number)
		}
	}
	return lowest(q.Options, number)
}

// delayed is the special colour, or pair "B+R", that you name after the last trick.
func delayed(q *Question) string {
	var won []string
	for _, trick := range q.View.Tricks {
		if trick.Winner != nil && *trick.Winner == q.View.Seat {
			won = append(won, trick.Cards...)
		}
	}
	return best(q, func(option string) int {
		return total(filter(won, func(card string) bool { return strings.Contains(option, card[:1]) }))
	})
}

// token is for Was sticht: the task token you take before the first round.
func token(q *Question) string { return lowest(q.Options, difficulty) }

// pick is for Was sticht: the card you take from the column.
func pick(q *Question) string { return lowest(q.Options, number) }

// task is for Was sticht: the task among your tokens that you try in this round.
func task(q *Question) string { return lowest(q.Options, difficulty) }

// discard is for Was sticht: the token you get rid of as a dealer who succeeded.
func discard(q *Question) string { return highest(q.Options, difficulty) }

// number is the number of a card; its colour is card[0].
func number(card string) int {
	n, _ := strconv.Atoi(card[1:])
	return n
}

func total(cards []string) int {
	sum := 0
	for _, card := range cards {
		sum += number(card)
	}
	return sum
}

var easyFirst = strings.Fields(`
	no_red no_blue no_green no_yellow last_trick exactly_2
	fewest_tricks exactly_3 most_tricks exactly_1 exactly_4 no_trick`)

func difficulty(task string) int {
	for place, name := range easyFirst {
		if name == task {
			return place
		}
	}
	return len(easyFirst)
}

func filter(cards []string, keep func(string) bool) (kept []string) {
	for _, card := range cards {
		if keep(card) {
			kept = append(kept, card)
		}
	}
	return kept
}

// lowest is the option for which key gives least; of equal ones the first.
func lowest(options []string, key func(string) int) string {
	found := options[0]
	for _, option := range options[1:] {
		if key(option) < key(found) {
			found = option
		}
	}
	return found
}

func highest(options []string, key func(string) int) string {
	return lowest(options, func(option string) int { return -key(option) })
}

// best reckons with special colours: they cost what they are worth; with Reverse they bring it.
func best(q *Question, worth func(string) int) string {
	if strings.Contains(q.Variant, "reverse") {
		return highest(q.Options, worth)
	}
	return lowest(q.Options, worth)
}

// A Ready is the first line of a bot: it can play.
type Ready struct {
	Type  string `json:"type"`
	Games int    `json:"games"` // how many games it can play at once
}

// A Choose is an answer.
type Choose struct {
	Type   string `json:"type"`
	ID     int64  `json:"id"`
	Choice string `json:"choice"`
}

// hear answers a message; what is not known is ignored.
func hear(line []byte, out *json.Encoder) {
	var message struct {
		Type string `json:"type"`
	}
	must(json.Unmarshal(line, &message))
	switch message.Type {
	case "hello":
		must(out.Encode(Ready{"ready", 64}))
	case "decide":
		var q Question
		must(json.Unmarshal(line, &q))
		choice := q.Options[0]
		if decide, known := strategy[q.Kind]; known {
			choice = decide(&q)
		}
		must(out.Encode(Choose{"choose", q.ID, choice}))
	case "fault":
		log.Printf("The referee says: %s", line)
	} // "start" and "result" tell when a game begins and how it ended
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// patience is how long answers are kept back while more questions lie ready.
const patience = 10 * time.Millisecond

// main answers all questions there are, waits for more, and ends when the referee hangs up.
func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	sent := time.Now()
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		must(err)
		hear(line, encoder)
		// One write for many answers is fast. But the clock runs until an answer is sent, so
		// none is kept back while you think about the next question.
		waiting, _ := in.Peek(in.Buffered())
		if bytes.IndexByte(waiting, '\n') < 0 || time.Since(sent) > patience {
			must(out.Flush())
			sent = time.Now()
		}
	}
}
