package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log"
	"time"
)

// games is how many games it can play at once.
const games = 64

// patience is how long answers are kept back while more questions lie ready.
const patience = 10 * time.Millisecond

// talk answers all questions there are, waits for more, and returns when the referee hangs up.
func talk(from io.Reader, to io.Writer) error {
	in := bufio.NewReaderSize(from, 1<<16)
	out := bufio.NewWriterSize(to, 1<<16)
	encoder := json.NewEncoder(out)
	sent := time.Now()
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return out.Flush()
		}
		if err != nil {
			return err
		}
		if answer := hear(line); answer != nil {
			if err := encoder.Encode(answer); err != nil {
				return err
			}
		}
		// One write for many answers is fast. But the clock runs until an answer is sent, so
		// none is kept back while you think about the next question.
		waiting, _ := in.Peek(in.Buffered())
		if bytes.IndexByte(waiting, '\n') < 0 || time.Since(sent) > patience {
			if err := out.Flush(); err != nil {
				return err
			}
			sent = time.Now()
		}
	}
}

// hear gives the answer to a line, a Ready or a Choose; nil if it wants none or is not known.
func hear(line []byte) any {
	var message struct {
		Type string `json:"type"`
	}
	err := read(line, &message)
	if err == nil {
		switch message.Type {
		case "hello":
			return Ready{Type: "ready", Games: games}
		case "start":
			var begin Start
			if err = read(line, &begin); err == nil {
				start(&begin)
			}
		case "decide":
			var question Decide
			if err = read(line, &question); err == nil {
				choice, note := choose(&question)
				return Choose{Type: "choose", ID: question.ID, Choice: choice, Note: note}
			}
		case "result":
			var end Result
			if err = read(line, &end); err == nil {
				result(&end)
			}
		case "fault":
			var fault Fault
			if err = read(line, &fault); err == nil {
				log.Printf("The referee says: %s", fault.Text)
			}
		}
	}
	if err != nil {
		log.Printf("A line was not understood: %v", err)
	}
	return nil
}

// read is json.Unmarshal, but takes 7.0 for 7: both are the same number in JSON, not to Go.
func read(text []byte, into any) error {
	err := json.Unmarshal(text, into)
	if misfit := new(json.UnmarshalTypeError); errors.As(err, &misfit) {
		if respelt, ok := whole(text); ok {
			return json.Unmarshal(respelt, into)
		}
	}
	return err
}

// whole spells the same JSON with whole numbers that have neither fraction nor exponent.
func whole(text []byte) ([]byte, bool) {
	var value any
	if json.Unmarshal(text, &value) != nil {
		return nil, false
	}
	respelt, err := json.Marshal(withWhole(value))
	return respelt, err == nil
}

func withWhole(value any) any {
	switch value := value.(type) {
	case float64:
		if n := int64(value); float64(n) == value {
			return n
		}
	case []any:
		for place, item := range value {
			value[place] = withWhole(item)
		}
	case map[string]any:
		for name, field := range value {
			value[name] = withWhole(field)
		}
	}
	return value
}
