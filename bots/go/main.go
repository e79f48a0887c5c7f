// A bot for Stichkampf: it is asked questions on stdin and answers on stdout, a JSON object a line.
//
// Your strategy goes into strategy.go. A question holds everything that your seat may know, so
// there is nothing to remember from one question to the next. This is why one process can play 64
// games at once: questions of different games just follow one another.
package main

import (
	"log"
	"os"
)

// main talks to the referee until that hangs up.
func main() {
	if err := talk(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}
