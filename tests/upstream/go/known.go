// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/big"
	"regexp"
	"strings"
)

// exceeds128Bits says whether a decimal number, in JSON, is more than 2^127 billionths.
func exceeds128Bits(decimal string) bool {
	value, ok := new(big.Rat).SetString(strings.Trim(decimal, `"`))
	most := new(big.Rat).SetFrac(new(big.Int).Lsh(big.NewInt(1), 127), big.NewInt(1e9))
	return ok && value.Abs(value).Cmp(most) >= 0
}

// What Go writes for these is always %!..., which a template can take in again: {{len (printf "%n")}}.
var isLostPrintf = regexp.MustCompile(`printf: ([0-9]+ values for |there is no value for |%N?[a-z] of |` +
	`'%[+# 0-9.-]*[^bcdoOqxXUeEfFgGspvtTw+# 0-9.-]?' is not supported)`)

// known gives the reason why a case may differ, "" when there is none.  The manual's table has each.
func known(c Case, ours string, theirs interface{}) string {
	if _, regexp := c.(RegexpCase); regexp && strings.Contains(ours, "regular expression is too large") {
		return "a pattern that would take more than 64 KiB is refused"
	}
	if _, regexp := c.(RegexpCase); regexp && strings.Contains(ours, "': match limit exceeded") {
		return "a match that takes very long is an error"
	}
	if text, ok := c.(TextCase); ok && text.Kind == "quantity" && strings.Contains(ours, "is too large") &&
		exceeds128Bits(normal(theirs)) {
		return "a quantity of 1.7e29 or more is refused"
	}
	if _, template := c.(TemplateCase); template && (strings.Contains(ours, "i: it is no number") ||
		strings.Contains(ours, "character constants are not supported")) {
		return "constants of characters and imaginary numbers are refused by name"
	}
	if _, template := c.(TemplateCase); template && strings.Contains(ours, ": printf: ") &&
		(strings.Contains(normal(theirs), "%!") || isLostPrintf.MatchString(ours)) {
		return "what printf would write as %!d(string=x) is an error"
	}
	if t, ok := c.(TemplateCase); ok && rangeAssigns.MatchString(t.Template) {
		return "range $x = of Debian's Go sets the variable that was made last"
	}
	if cel, ok := c.(CelCase); ok {
		return knownCel(cel.Expression, ours, theirs)
	}
	return ""
}
