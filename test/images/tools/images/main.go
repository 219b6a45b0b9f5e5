// Registries and signers for tests of image verification; one program, so that it links once.
package main

import (
	"fmt"
	"os"

	"kyverno-ts/test/images/keyless"
	"kyverno-ts/test/images/notation"
	"kyverno-ts/test/images/registries"
)

var commands = map[string]func() error{
	"keyless":    keyless.Run,
	"notation":   notation.Run,
	"registries": registries.Run,
	"sigstore":   keyless.Serve,
}

func main() {
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: images keyless | notation | registries | sigstore")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
