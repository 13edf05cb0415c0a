// SPDX-License-Identifier: Apache-2.0

package main

import "strings"

// known gives the reason why a case may differ, "" when there is none.  The manual's table has each.
func known(c Case, ours string, theirs interface{}) string {
	if _, regexp := c.(RegexpCase); regexp && strings.Contains(ours, "regular expression is too large") {
		return "a pattern that would take more than 64 KiB is refused"
	}
	if _, regexp := c.(RegexpCase); regexp && strings.Contains(ours, "': match limit exceeded") {
		return "a match that takes very long is an error"
	}
	if text, ok := c.(TextCase); ok && text.Kind == "quantity" && strings.Contains(ours, "is too large") &&
		len(strings.SplitN(strings.TrimPrefix(normal(theirs), `"-`), ".", 2)[0]) >= 30 {
		return "a quantity of 1.7e29 or more is refused"
	}
	if _, template := c.(TemplateCase); template && (strings.Contains(ours, "i: it is no number") ||
		strings.Contains(ours, "character constants are not supported")) {
		return "constants of characters and imaginary numbers are refused by name"
	}
	if _, template := c.(TemplateCase); template && strings.Contains(ours, ": printf: ") {
		return "what printf would write as %!d(string=x) is an error"
	}
	return ""
}
