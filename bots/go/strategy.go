package main

import (
	"strconv"
	"strings"
)

// strategy has a function for each kind of decision. It returns one of the question's options, and
// a note to find beside it in the replay; "" is none.
var strategy = map[string]func(*Decide) (choice, note string){
	"designate": designate,
	"play":      play,
	"delayed":   delayed,
	"token":     token,
	"pick":      pick,
	"task":      task,
	"discard":   discard,
}

// choose asks the function for the kind of decision; what it does not know gets the first option.
func choose(q *Decide) (choice, note string) {
	if len(q.Options) == 0 {
		return "", "" // the referee never asks that
	}
	if decide, known := strategy[q.Kind]; known {
		return decide(q)
	}
	return q.Options[0], ""
}

// start is called when a game begins. What you want to remember of a game, keep by s.Game: one
// process plays many at once.
func start(s *Start) {}

// result is called when a game has ended, unless you lost it by a fault.
func result(r *Result) {}

// designate is for Sticheln and Stick 'Em: the card, or pair "B3+R1", that makes its colour
// special for you. It counts as won by you, so it is a low one, or with Reverse a high one.
func designate(q *Decide) (choice, note string) {
	return best(q, func(option string) int { return total(strings.Split(option, "+")) }), ""
}

// play is for all games: the card you play to the trick. A low one seldom does harm.
func play(q *Decide) (choice, note string) {
	if view := q.HatTrick(); view != nil {
		colours := map[string]bool{}
		for _, card := range view.Trick {
			colours[colour(card)] = true
		}
		joining := filter(q.Options, func(card string) bool { return colours[colour(card)] })
		if len(colours) == 2 && len(joining) > 0 {
			// A card of the third colour would be a pass and cost 2 points.
			return lowest(joining, number), ""
		}
	}
	return lowest(q.Options, number), ""
}

// delayed is the special colour, or pair "B+R", that you name after the last trick.
func delayed(q *Decide) (choice, note string) {
	var won []string
	if view := q.Designating(); view != nil {
		for _, trick := range view.Tricks {
			if trick.Winner != nil && *trick.Winner == view.Seat {
				won = append(won, trick.Cards...)
			}
		}
	}
	return best(q, func(option string) int {
		return total(filter(won, func(card string) bool {
			return strings.Contains(option, colour(card))
		}))
	}), ""
}

// token is for Was sticht: the task token you take before the first round.
func token(q *Decide) (choice, note string) {
	return lowest(q.Options, difficulty), ""
}

// pick is for Was sticht: the card you take from the column.
func pick(q *Decide) (choice, note string) {
	return lowest(q.Options, number), ""
}

// task is for Was sticht: the task among your tokens that you try in this round.
func task(q *Decide) (choice, note string) {
	return lowest(q.Options, difficulty), ""
}

// discard is for Was sticht: the token you get rid of as a dealer who succeeded.
func discard(q *Decide) (choice, note string) {
	return highest(q.Options, difficulty), ""
}

// easyFirst has the tasks of Was sticht, by how often one fulfils them.
var easyFirst = strings.Fields(`
	no_red no_blue no_green no_yellow last_trick exactly_2
	fewest_tricks exactly_3 most_tricks exactly_1 exactly_4 no_trick`)

// difficulty is the place of a task in easyFirst.
func difficulty(task string) int {
	for place, name := range easyFirst {
		if name == task {
			return place
		}
	}
	return len(easyFirst)
}

// colour is the letter of a card, or the empty string for what is no card.
func colour(card string) string {
	if card == "" {
		return ""
	}
	return card[:1]
}

// number is the number of a card, or 0 for what is no card.
func number(card string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(card, colour(card)))
	if err != nil {
		return 0
	}
	return n
}

// total is the sum of the numbers of cards.
func total(cards []string) int {
	sum := 0
	for _, card := range cards {
		sum += number(card)
	}
	return sum
}

// filter gives the cards that are to be kept.
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

// highest is the option for which key gives most; of equal ones the first.
func highest(options []string, key func(string) int) string {
	return lowest(options, func(option string) int { return -key(option) })
}

// best reckons with special colours: they cost what they are worth; with Reverse they bring it.
func best(q *Decide, worth func(string) int) string {
	if strings.Contains(q.Variant, "reverse") {
		return highest(q.Options, worth)
	}
	return lowest(q.Options, worth)
}
