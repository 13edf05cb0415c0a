// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/rand"
	"strings"
)

// one of some texts
func pick(r *rand.Rand, from ...string) string {
	return from[r.Intn(len(from))]
}

// words of a text, for lists of what to pick from
func words(text string) []string {
	return strings.Fields(text)
}

// torn is a text of which a part is missing, twice there, or elsewhere, so that it may be wrong.
func torn(r *rand.Rand, s string, with string) string {
	runes := []rune(s)
	if len(runes) == 0 {
		return s
	}
	at := r.Intn(len(runes))
	to := at + 1 + r.Intn(3)
	if to > len(runes) {
		to = len(runes)
	}
	switch r.Intn(4) {
	case 0:
		return string(runes[:at]) + string(runes[to:])
	case 1:
		return string(runes[:to]) + string(runes[at:])
	case 2:
		more := []rune(with)
		return string(runes[:at]) + string(more[r.Intn(len(more))]) + string(runes[at:])
	default:
		return string(runes[:at])
	}
}

// shorter gives texts with less in them: a half, a quarter... and at last each character is missing.
func shorter(s string) []string {
	var all []string
	runes := []rune(s)
	for n := len(runes); n > 0; n /= 2 {
		for at := 0; at+n <= len(runes); at += n {
			all = append(all, string(runes[:at])+string(runes[at+n:]))
		}
	}
	return all
}
