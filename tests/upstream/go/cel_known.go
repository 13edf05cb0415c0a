// SPDX-License-Identifier: Apache-2.0

package main

import "regexp"

const (
	anything = ``
	aValue   = `^([^r]|r[^e])` // it has one: it is not "refused ..."
)

// What the module decides otherwise than the specification, or than cel-go, whose ways ours are.  Each is what the
// expression has in it, what ours says and what theirs says, as why() writes it.
var celKnown = []struct{ reason, expression, ours, theirs string }{
	{"the module checks nothing before it evaluates, nor what it does not evaluate", anything,
		`^\{"refused":"expression: (the only variable is|there is no (function|method) |no such overload: |` +
			`values of a list or map are of one type: |both results are of one type: |must be true or false, and is of |` +
			`type [^ ]+ has no members|type [a-z]+ is no key of a map|is for lists and maps, not for |the place in a list is a number, not |` +
			`expected [a-zA-Z_]+[(]variable, |format[(][)] has |the clause %. of format[(][)]|a clause of format[(][)]|` +
			`no (int|uint|bool|double|timestamp|duration): |regular expression '|the result does not fit into 64 bits"|` +
			`a timestamp has a year |the bytes are no string")`, aValue},
	{"the module takes a literal of more than 64 bits", `[0-9]{19}|e[0-9]{3}`, `^\{"refused":"expression: the number does not fit into 64 bits"`, aValue},
	{"the module takes an escape for what it is written as when CEL does not have it", `\\`,
		`^\{"refused":"expression: an escape (with too few digits|that CEL does not have)"`, aValue},
	{"strings have no NUL here", `\\(000|x00|u0000)`,
		`^\{"refused":"(expression: an escape that is no character of a string|evaluated: the bytes are no string)"`, aValue},
	{"the module refuses a key that a map has twice: in cel-go the later counts", `\{`, anything, `^refused map key conflict:`},
	{`the module refuses an offset behind the end: cel-go finds nothing there, or ""`, `ndexOf\(`, anything,
		`^refused (index -?[0-9]+ out of bounds \[0, [0-9]+\)|unsupported key type)$`},
	{"the module has a remainder of -2^63 by -1: in cel-go that is an error", `%`, `^\{"refused":"evaluated: the result does not fit into 64 bits"`, aValue},
	{"the module divides a uint of more than 63 bits as an int", `u`, anything, `^refused (int overflow during divide by|unsupported key type)`},
	{"the module refuses format() of more values than clauses also where cel-go does not look: the text is no literal", `[+?].*format[(]`,
		anything, `^refused (invalid argument to function format: too many arguments for format string|unsupported key type)$`},
	{"the module has offsets of two digits and two, cel-go of numbers", `[0-9]*:[0-9]*["']\)`, anything, `^refused Invalid time zone specified: `},
	{"the module refuses an hour of one digit, which Go takes", `T[0-9]:`, anything, `^refused .*invalid RFC 3339 string$`},
}

func knownCel(expression string, ours string, theirs interface{}) string {
	for _, row := range celKnown {
		if regexp.MustCompile(row.expression).MatchString(expression) && regexp.MustCompile(row.ours).MatchString(ours) &&
			regexp.MustCompile(row.theirs).MatchString(why(theirs)) {
			return row.reason
		}
	}
	return ""
}
