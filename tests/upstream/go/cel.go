// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"regexp"
	"strings"
)

// CelCase is an expression of the Common Expression Language, of any type, without a device.
type CelCase struct {
	Kind       string `json:"kind"`
	Expression string `json:"expression"`
}

// Judge asks @bufbuild/cel (../js/judge.js), which is started for the first of them.
func (c CelCase) Judge() (interface{}, bool) {
	if node == nil {
		started, err := start("node", *judge)
		if err != nil {
			panic(err)
		}
		node = started
	}
	line, err := node.ask(c)
	if err != nil {
		panic(err)
	}
	var said interface{}
	if err := json.Unmarshal([]byte(line), &said); err != nil {
		panic(err)
	}
	if m, ok := said.(map[string]interface{}); ok && m["refused"] != nil {
		return Refused{fmt.Sprint(m["refused"])}, true
	}
	return said, true
}

var node *Program

func (c CelCase) Smaller() []Case {
	var all []Case
	for _, text := range operands(c.Expression) {
		all = append(all, CelCase{c.Kind, text})
	}
	for _, text := range shorter(c.Expression) {
		all = append(all, CelCase{c.Kind, text})
	}
	return all
}

// operands gives what stands in brackets, as a whole and in the place of what is around it.
func operands(s string) []string {
	var all []string
	var open []int
	for i, c := range s {
		switch c {
		case '(', '[', '{':
			open = append(open, i)
		case ')', ']', '}':
			if len(open) == 0 {
				return all
			}
			from := open[len(open)-1]
			open = open[:len(open)-1]
			for _, text := range strings.Split(s[from+1:i], ", ") {
				all = append(all, text, s[:from]+text+s[i+1:])
			}
			all = append(all, s[from:i+1])
		}
	}
	return all
}

// What gives which type.  A type is a letter: b i u d s y (bytes) T (timestamp) r (duration), "lT" a list, "mKT" a
// map, "." any of them, not known before it is evaluated.  {T} is an expression of the type, A any type, K that of
// a key, N of a number, O of what has an order, each the same in all of a row.  {=A} makes v0, v1... of the type a variable,
// for what is behind it in the row.
//
// What is not among them, for the module has it otherwise than the specification or cel-go: int("") and int("0x1"),
// timestamp(1) (its are milliseconds), string() of doubles, timestamps and durations, double() of strings, the time zone
// "UTC" at midnight, replace() of "", split() into so many
// parts, two equal keys of uint, getMilliseconds() of durations,
// parts of a millisecond, the years before 100, format() of what is no string, int, uint or bool.
var celRows = parseRows(`
b true
b false
b ({b} && {b})
b ({b} || {b})
b !{b}
b ({A} == {A})
b ({A} != {A})
b ({.} == {.})
b ({.} != {.})
b ({O} < {O})
b ({O} >= {O})
b ({O} <= {O})
b ({O} > {O})
b ({.} < {.})
b ({.} >= {.})
b ({A} in {lA})
b ({K} in {mKA})
b {lA}.all({=A}, {b})
b {lA}.exists({=A}, {b})
b {lA}.exists_one({=A}, {b})
b {mKA}.all({=K}, {b})
b {mKA}.exists({=K}, {b})
b {s}.contains({s})
b {s}.startsWith({s})
b {s}.endsWith({s})
b {s}.matches({pattern})
b has({msA}.{field})
b (dyn({N}) in {miA})
b ({.} in [{.}, {.}])
b bool({truth})
i {int}
i -{i}
i ({i} + {i})
i ({i} - {i})
i ({i} * {i})
i ({i} / {i})
i ({i} % {i})
i int({N})
i int({digits})
i int({T})
i size({lA})
i size({mKA})
i {lA}.size()
i size({s})
i {s}.size()
i size({y})
i {s}.indexOf({s})
i {s}.indexOf({s}, {place})
i {s}.lastIndexOf({s})
i {s}.lastIndexOf({s}, {place})
i {T}.getFullYear()
i {T}.getMonth()
i {T}.getDate()
i {T}.getDayOfMonth()
i {T}.getDayOfWeek()
i {T}.getDayOfYear()
i {T}.getHours()
i {T}.getMinutes()
i {T}.getSeconds()
i {T}.getMilliseconds()
i {T}.getDate({zone})
i {T}.getHours({zone})
i {T}.getDayOfYear({zone})
i {T}.getMinutes({zone})
i {r}.getHours()
i {r}.getMinutes()
i {r}.getSeconds()
u {uint}
u ({u} + {u})
u ({u} - {u})
u ({u} * {u})
u ({u} / {u})
u ({u} % {u})
u uint({N})
u uint({natural})
d {double}
d -{d}
d ({d} + {d})
d ({d} - {d})
d ({d} * {d})
d ({d} / {d})
d double({N})
s {string}
s ({s} + {s})
s string({i})
s string({u})
s string({b})
s string({s})
s string({y})
s {s}.charAt({place})
s {s}.lowerAscii()
s {s}.upperAscii()
s {s}.trim()
s {s}.replace({word}, {s})
s {s}.replace({word}, {s}, {count})
s {s}.substring({place})
s {s}.substring({place}, {place})
s {ls}.join()
s {ls}.join({s})
s strings.quote({s})
s "%d%%".format([{i}])
s "%x %X".format([{s}, {i}])
s "%s, %s".format([{s}, {i}])
s "%b %s".format([{u}, {b}])
s ("%" + "o").format([{u}])
s ({format} + ".").format([{s}])
s {format}.format([{i}])
s {format}.format([{s}, {i}])
ls {s}.split({s})
y {bytes}
y ({y} + {y})
y bytes({s})
T {time}
T ({T} + {r})
T ({r} + {T})
T ({T} - {r})
r {span}
r ({r} + {r})
r ({r} - {r})
r ({T} - {T})
lA []
lA [{A}]
lA [{A}, {A}]
lA [{A}, {A}, {A}]
lA ({lA} + {lA})
lA {lA}.filter({=A}, {b})
lA {lB}.map({=B}, {A})
lA {lB}.map({=B}, {b}, {A})
lK {mKB}.map({=K}, {K})
lK {mKB}.filter({=K}, {b})
mKA {}
mKA {{K}: {A}}
mKA {{K}: {A}, {K}: {A}}
A ({b} ? {A} : {A})
A {lA}[{place}]
A [{A}, {A}][{place}]
A {mKA}[{K}]
A {"a": {A}, "b": {A}}.{field}
A {1: {A}, 2: {A}}[dyn({N})]
`)

// What is written.
var celTexts = map[string][]string{
	"int": {"0", "1", "2", "3", "-1", "7", "10", "60", "0x1F", "-0x10", "9223372036854775807", "-9223372036854775808",
		"4611686018427387904", "9007199254740993", "253402300799"},
	"uint":   {"0u", "1u", "2u", "3u", "0xFFu", "18446744073709551615u", "9223372036854775808u", "9007199254740993u"},
	"double": {"0.0", "1.0", "-0.0", "1.5", "-2.5", "2.0", ".5", "1e3", "1e300", "1e-300", "9007199254740992.0", "9223372036854775807.0", "(0.0 / 0.0)", "(1.0 / 0.0)"},
	"string": {`""`, `"a"`, `"b"`, `"ab"`, `"abab"`, `"A,b,C"`, `" x "`, `","`, `"αβ"`, `"ß"`, `'q"q'`, `"\n\t"`, `r"\d+"`, `"1"`, `"-7"`, `"12"`, `"true"`,
		`"\u00e9"`, `"""a"b"""`, `"\x41\101"`, `"0x10"`, `"+1"`, `"1.5"`, `""`, `"False"`, `"\u00a0a\u2003"`},
	"bytes":   {`b""`, `b"a"`, `b"abc"`, `b"\xff"`, `b"\303\277"`, `b"αβ"`, `b'\000'`},
	"pattern": {`"a"`, `"^a.*b$"`, `"[a-c]+"`, `"(a|b)*"`, `"\\d"`, `"(?i)A"`, `"("`, `"^$"`, `"\\pL"`, `"b"`},
	"field":   {"a", "a", "b", "b", "x_1"},
	"word":    {`"a"`, `"b"`, `"ab"`, `","`, `"α"`, `" "`},
	"place":   {"0", "0", "1", "1", "2", "3", "-1", "size([1])"},
	"digits":  {`"1"`, `"-7"`, `"12"`, `"+1"`, `"007"`, `"x"`, `"1.5"`, `"9223372036854775807"`, `"9223372036854775808"`, `"-9223372036854775808"`, `"18446744073709551615"`},
	"natural": {`"1"`, `"7"`, `"12"`, `"007"`, `"-1"`, `"x"`, `"1.5"`, `"18446744073709551615"`, `"18446744073709551616"`},
	"count":   {"0", "1", "1", "2", "7"},
	"truth":   {`"true"`, `"false"`, `"True"`, `"FALSE"`, `"t"`, `"1"`, `"0"`, `"f"`, `"tRUE"`, `"no"`},
	"zone":    {`"+00:00"`, `"+01:00"`, `"-05:30"`, `"+14:00"`, `"02:00"`},
	"time": {`timestamp("2020-02-29T12:34:56Z")`, `timestamp("1970-01-01T00:00:00Z")`, `timestamp("9999-12-31T23:59:59Z")`,
		`timestamp("0401-01-01T00:00:00Z")`, `timestamp("1969-12-31T23:59:59.5Z")`, `timestamp("2009-02-13T23:31:30.123+02:00")`, `timestamp("2021-12-31T22:00:00-03:00")`},
	"span": {`duration("0s")`, `duration("1h")`, `duration("1h30m")`, `duration("-1.5s")`, `duration("90m")`, `duration("1s")`, `duration("2562047h")`,
		`duration("1000000h")`, `duration("3ms")`, `duration("24h")`},
	"format": {`"%s"`, `"%d"`, `"%s,%s"`, `"%x"`, `"%X"`, `"%o"`, `"%b"`, `"%s %d"`, `"%q"`, `"%"`, `"%%"`},
}

type celRow struct {
	gives string
	parts []string // of text and holes, in turn
}

var celHole = regexp.MustCompile(`\{(=?[a-zA-Z.]+)\}`)

func parseRows(table string) []celRow {
	var rows []celRow
	for _, line := range strings.Split(strings.TrimSpace(table), "\n") {
		at := strings.Index(line, " ")
		row := celRow{gives: line[:at]}
		line = line[at+1:]
		last := 0
		for _, hole := range celHole.FindAllStringSubmatchIndex(line, -1) {
			row.parts = append(row.parts, line[last:hole[0]], line[hole[2]:hole[3]])
			last = hole[1]
		}
		row.parts = append(row.parts, line[last:])
		rows = append(rows, row)
	}
	return rows
}

// fits says whether the type is one of the pattern; then letters has what A, B and K stand for.
func fits(pattern, is string, letters map[byte]string) bool {
	for i := 0; i < len(pattern); i++ {
		if is == "" {
			return false
		}
		n := typeEnd(is)
		switch pattern[i] {
		case 'A', 'B':
			letters[pattern[i]] = is[:n]
			is = is[n:]
		case 'K':
			if !strings.Contains("isb", is[:n]) {
				return false
			}
			letters['K'] = is[:n]
			is = is[n:]
		default:
			if is[0] != pattern[i] {
				return false
			}
			is = is[1:]
		}
	}
	return is == ""
}

// typeEnd is where the first type of a text of types ends.
func typeEnd(is string) int {
	switch is[0] {
	case 'l':
		return 1 + typeEnd(is[1:])
	case 'm':
		key := 1 + typeEnd(is[1:])
		return key + typeEnd(is[key:])
	}
	return 1
}

type celMaker struct {
	r         *rand.Rand
	variables []string // their types
}

var celClasses = map[byte][]string{
	'A': {"i", "s", "b", "d", "u", "i", "s", "li", "ls", "msi", "T", "r", "y", "l."},
	'B': {"i", "s", "b", "d", "u"},
	'K': {"i", "s", "b", "s"},
	'N': {"i", "u", "d"},
	'O': {"i", "u", "d", "s", "b", "T", "r", "y"},
}

// filled is a pattern with types in the place of letters.
func (m *celMaker) filled(pattern string, letters map[byte]string) string {
	var all strings.Builder
	for i := 0; i < len(pattern); i++ {
		class := celClasses[pattern[i]]
		if class == nil {
			all.WriteByte(pattern[i])
			continue
		}
		if letters[pattern[i]] == "" {
			letters[pattern[i]] = pick(m.r, class...)
		}
		all.WriteString(letters[pattern[i]])
	}
	return all.String()
}

func (m *celMaker) hole(hole string, letters map[byte]string, depth int) string {
	if texts := celTexts[hole]; texts != nil {
		return pick(m.r, texts...)
	}
	if hole[0] == '=' {
		m.variables = append(m.variables, m.filled(hole[1:], letters))
		return fmt.Sprintf("v%d", len(m.variables)-1)
	}
	is := m.filled(hole, letters)
	if m.r.Intn(40) == 0 && is == hole && is != "." {
		// one of another type, where it is known which is wanted: told when it is evaluated
		return "dyn(" + m.make(pick(m.r, "s", "b", "i", "u"), depth+1) + ")"
	}
	return m.make(is, depth+1)
}

// candidates are the rows that give a type; at the end of the depth those that are written.
func (m *celMaker) candidates(is string, depth int) []celRow {
	var all, short, own []celRow
	for _, row := range celRows {
		if !fits(row.gives, is, map[byte]string{}) {
			continue
		}
		all = append(all, row)
		if row.gives != "A" {
			own = append(own, row)
		}
		if len(row.parts) == 1 || celTexts[row.parts[1]] != nil && len(row.parts) == 3 {
			short = append(short, row)
		}
	}
	if len(short) > 0 && (depth >= 4 || m.r.Intn(5) == 0) {
		return short
	}
	if len(own) > 0 && m.r.Intn(6) > 0 {
		return own
	}
	return all
}

func (m *celMaker) make(is string, depth int) string {
	if is == "." {
		return "dyn(" + m.make(pick(m.r, celClasses['A']...), depth) + ")"
	}
	for i, variable := range m.variables {
		if variable == is && m.r.Intn(3) == 0 {
			return fmt.Sprintf("v%d", i)
		}
	}
	rows := m.candidates(is, depth)
	row := rows[m.r.Intn(len(rows))]
	letters := map[byte]string{}
	fits(row.gives, is, letters)
	before := len(m.variables)
	var text strings.Builder
	for i, part := range row.parts {
		if i%2 == 0 {
			text.WriteString(part)
		} else {
			text.WriteString(m.hole(part, letters, depth))
		}
	}
	m.variables = m.variables[:before]
	return text.String()
}

func makeCel(r *rand.Rand) Case {
	m := &celMaker{r: r}
	text := m.make(pick(r, celClasses['A']...), 0)
	if r.Intn(20) == 0 {
		text = torn(r, text, `()[]{}"'.,?:!&|+-*/%<>=0123 x\`)
	}
	return CelCase{"cel", text}
}
