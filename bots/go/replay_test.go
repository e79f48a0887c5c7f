package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// said gives all that is said to the bot in the transcripts, by file.
func said(t *testing.T) map[string][]json.RawMessage {
	t.Helper()
	files, err := filepath.Glob("transcripts/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no transcripts")
	}
	all := map[string][]json.RawMessage{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
			var entry struct {
				To      string
				Message json.RawMessage
			}
			understand(t, line, &entry)
			if entry.To == "bot" {
				all[file] = append(all[file], entry.Message)
			}
		}
	}
	return all
}

// understand reads JSON, or fails the test.
func understand(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

func TestQuestionsAreAnsweredAndNothingElse(t *testing.T) {
	for _, messages := range said(t) {
		for _, line := range messages {
			var message Decide
			understand(t, line, &message)
			switch answer := hear(line).(type) {
			case Ready:
				if message.Type != "hello" || answer.Type != "ready" || answer.Games < 0 {
					t.Errorf("%v answers %s", answer, line)
				}
			case Choose:
				if message.Type != "decide" || answer.Type != "choose" || answer.ID != message.ID {
					t.Errorf("%v answers %s", answer, line)
				}
				is := func(option string) bool { return option == answer.Choice }
				if len(filter(message.Options, is)) != 1 {
					t.Errorf("%q is none of %q", answer.Choice, message.Options)
				}
			default:
				if answer != nil || message.Type == "hello" || message.Type == "decide" {
					t.Errorf("%v answers %s", answer, line)
				}
			}
		}
	}
}

func TestViewsAreRead(t *testing.T) {
	for _, messages := range said(t) {
		seats := map[int64]int{}
		for _, line := range messages {
			var message Decide
			understand(t, line, &message)
			switch message.Type {
			case "start":
				var start Start
				understand(t, line, &start)
				seats[start.Game] = start.Seat
			case "decide":
				seat, phase := seatAndPhase(t, &message)
				if seat != seats[message.Game] || phase != message.Kind {
					t.Errorf("seat %d, phase %q: %s", seat, phase, line)
				}
			}
		}
	}
}

// seatAndPhase is what the view of a question tells of them.
func seatAndPhase(t *testing.T, question *Decide) (int, string) {
	t.Helper()
	if view := question.Designating(); view != nil {
		return view.Seat, view.Phase
	}
	if view := question.HatTrick(); view != nil {
		return view.Seat, view.Phase
	}
	if view := question.Draft(); view != nil {
		return view.Seat, view.Phase
	}
	t.Fatalf("the view has no type: %s", question.View)
	return 0, ""
}

func TestAConversationIsLines(t *testing.T) {
	heard := `{"later":[],"games":64.0,"limits":null,"type":"hello"}
nonsense
{"options":["\u00520","B1"],"kind":"new","id":9007199254740991.0,"type":"decide"}
{"type":"news","view":3}
{"type":"he`
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	var told bytes.Buffer
	if err := talk(strings.NewReader(heard), &told); err != nil {
		t.Fatal(err)
	}
	var ready Ready
	var choose Choose
	lines := bytes.SplitAfter(told.Bytes(), []byte("\n"))
	if len(lines) != 3 || len(lines[2]) != 0 {
		t.Fatalf("these are not two lines: %s", told.String())
	}
	understand(t, lines[0], &ready)
	understand(t, lines[1], &choose)
	if ready.Type != "ready" || choose.Type != "choose" || choose.ID != 9007199254740991 {
		t.Errorf("it said %s", told.String())
	}
	if choose.Choice != "R0" && choose.Choice != "B1" {
		t.Errorf("%q is none of the options", choose.Choice)
	}
}
