// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/rand"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode"
)

// RegexpCase is a pattern and texts, each of which it may be in.
type RegexpCase struct {
	Kind    string   `json:"kind"`
	Pattern string   `json:"pattern"`
	Texts   []string `json:"texts"`
}

// Go has (?<name>) since 1.22.
var since122 = regexp.MustCompile(`\(\?<([A-Za-z0-9_]+)>`)

func (c RegexpCase) compile() (*regexp.Regexp, error) {
	re, err := regexp.Compile(c.Pattern)
	if err != nil && since122.MatchString(c.Pattern) && !strings.Contains(c.Pattern, `\Q`) {
		return regexp.Compile(since122.ReplaceAllString(c.Pattern, "(?P<$1>"))
	}
	return re, err
}

func (c RegexpCase) Judge() (interface{}, bool) {
	re, err := c.compile()
	if err != nil && strings.Contains(c.Pattern, `\Q`) && since122.MatchString(c.Pattern) {
		return nil, false // the name may be text
	}
	if err != nil {
		return Refused{}, true
	}
	verdicts := []bool{}
	for _, text := range c.Texts {
		verdicts = append(verdicts, re.MatchString(text))
	}
	return verdicts, true
}

func (c RegexpCase) Smaller() []Case {
	var all []Case
	if len(c.Texts) > 1 {
		for _, text := range c.Texts {
			all = append(all, RegexpCase{c.Kind, c.Pattern, []string{text}})
		}
	}
	for _, pattern := range shorter(c.Pattern) {
		all = append(all, RegexpCase{c.Kind, pattern, c.Texts})
	}
	for i, text := range c.Texts {
		for _, less := range shorter(text) {
			texts := append([]string{}, c.Texts...)
			texts[i] = less
			all = append(all, RegexpCase{c.Kind, c.Pattern, texts})
		}
	}
	return all
}

const letters = "aabbcckKsSzZ019_- \t\n\v\f\r.+*?()[]{}|^$\\/:,=\"'éÉαΑΣσςſKµμΜßẞÅåǅǆǄIiİı中\u00a0\u0085\u2003\u200d😀"

func letter(r *rand.Rand) string {
	all := []rune(letters)
	return string(all[r.Intn(len(all))])
}

var perlClasses = words(`\d \D \s \S \w \W`)
var posixClasses = words("alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit")
var properties = words(`\pL \PL \p{Lu} \P{Lu} \p{^Lu} \p{Ll} \p{Lt} \pN \p{Nd} \PN \p{Greek} \P{Greek} \p{^Greek} \p{Latin} ` +
	`\p{Han} \pZ \p{Zs} \pP \p{Sc} \pM \p{Common} \p{Any} \P{Any} \p{Cyrillic}`)
var escapes = words(`\a \f \n \r \t \v \x41 \x{3b1} \x{17f} \101 \012 \0 \07 \. \* \\ \- \] \^ \_ \/ \x{212a} \x6b`)

func classItem(r *rand.Rand) string {
	switch r.Intn(9) {
	case 0:
		return pick(r, perlClasses...)
	case 1:
		return "[:" + pick(r, "", "", "^") + pick(r, posixClasses...) + ":]"
	case 2:
		return pick(r, properties...)
	case 3:
		return pick(r, escapes...)
	case 4, 5:
		a, b := []rune(letter(r))[0], []rune(letter(r))[0]
		if a > b && r.Intn(30) > 0 {
			a, b = b, a
		}
		return escaped(r, string(a)) + "-" + escaped(r, string(b))
	default:
		return escaped(r, letter(r))
	}
}

func escaped(r *rand.Rand, s string) string {
	c := []rune(s)[0]
	if c < 0x80 && !unicode.IsLetter(c) && !unicode.IsDigit(c) && r.Intn(30) > 0 {
		return `\` + s
	}
	return s
}

func class(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("[")
	b.WriteString(pick(r, "", "", "^", "]", "-", "^]"))
	for i := r.Intn(4); i >= 0; i-- {
		b.WriteString(classItem(r))
	}
	b.WriteString(pick(r, "", "", "", "", "-"))
	return b.String() + "]"
}

func flags(r *rand.Rand) string {
	if r.Intn(4) > 0 {
		return pick(r, "i", "i", "s", "m", "U", "-i", "i-s")
	}
	return pick(r, "i", "i", "i", "s", "m", "U", "is", "-i", "i-s", "-sm", "im-U", "", "i-", "-", "x", "ii", "i-i")
}

func quantifier(r *rand.Rand) string {
	if r.Intn(3) > 0 {
		return pick(r, "*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "+?", "??", "{1,3}?")
	}
	n := func() string { return strconv.Itoa(r.Intn(4)) }
	q := pick(r, "*", "+", "?", "{"+n()+"}", "{"+n()+",}", "{"+n()+","+n()+"}", "{,"+n()+"}", "{0"+n()+"}", "{"+n(),
		"{"+strconv.Itoa(r.Intn(40))+"}", "{"+strconv.Itoa(900+r.Intn(200))+"}", "{2,1001}", "{99999999999}", "{0}")
	if strings.HasPrefix(q, "{9") && r.Intn(4) > 0 {
		q = "*"
	}
	return q + pick(r, "", "", "", "", "", "", "", "?", "?", "?", "?", "+", "*", "{2}")
}

func atom(r *rand.Rand, depth int) string {
	if depth > 0 && r.Intn(3) == 0 {
		inner := alternatives(r, depth-1)
		switch r.Intn(8) {
		case 0:
			return "(?P<" + pick(r, "n", "n", "n2", "a1", "_", "é", "") + ">" + inner + ")"
		case 1:
			return "(?<" + pick(r, "n", "n", "m", "") + ">" + inner + ")"
		case 2, 3:
			return "(?" + flags(r) + ":" + inner + ")"
		case 4:
			return "(?:" + inner + ")"
		default:
			return "(" + inner + ")"
		}
	}
	switch r.Intn(48) {
	case 0, 1, 12, 13:
		return "."
	case 2, 14:
		return pick(r, "^", "$", "^", "$", `\b`, `\B`, `\A`, `\z`, "^", "$", "^", "$", `\b`, `\B`, `\A`, `\z`, `\Z`)
	case 3, 4, 5, 15, 16, 17:
		return class(r)
	case 6, 18:
		return pick(r, perlClasses...)
	case 7, 19:
		return pick(r, properties...)
	case 8, 20:
		return pick(r, escapes...)
	case 9, 21:
		return "(?" + flags(r) + ")"
	case 10, 22:
		return `\Q` + letter(r) + letter(r) + pick(r, `\E`, `\E`, `\E`, "")
	case 11:
		return pick(r, `\1`, `\C`, `\K`, `\h`, `\R`, `\X`, `\G`, `(?=a)`, `(?!a)`, `(?>a)`, `(?#a)`, `(?|a)`, `\u0041`, `\cA`, `\E`,
			`[[:foo:]]`, `[:alpha:]`, `\p{Foo}`, `\p{`, `[a`, `(?P=n)`, `(*UTF)`, `\8`, `\é`, `[[.a.]]`, `[[=a=]]`, `[b-a]`, `\x{110000}`,
			`[\x{d800}-\x{dfff}]`, `\x{}`, `\xg`, `()`, `(?:)`, `(|a)`, `[^\x00-\x{10FFFF}]`, `\pN`, `\N`, `\Q\E`)
	default:
		return escaped(r, letter(r))
	}
}

func sequence(r *rand.Rand, depth int) string {
	var b strings.Builder
	for i := r.Intn(5); i > 0; i-- {
		b.WriteString(atom(r, depth))
		if r.Intn(3) == 0 {
			b.WriteString(quantifier(r))
		}
	}
	return b.String()
}

func alternatives(r *rand.Rand, depth int) string {
	s := sequence(r, depth)
	for r.Intn(4) == 0 {
		s += "|" + sequence(r, depth)
	}
	return s
}

// sample walks a pattern and makes a text that is likely to match.
func sample(r *rand.Rand, re *syntax.Regexp, b *strings.Builder) {
	if b.Len() > 60 {
		return
	}
	times := func(min, max int) {
		if max < 0 || max > min+3 {
			max = min + 3
		}
		for i := min + r.Intn(max-min+1); i > 0; i-- {
			sample(r, re.Sub[0], b)
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		for _, c := range re.Rune {
			for i := r.Intn(4); re.Flags&syntax.FoldCase != 0 && i > 0; i-- {
				c = unicode.SimpleFold(c)
			}
			b.WriteRune(c)
		}
	case syntax.OpCharClass:
		if n := len(re.Rune) / 2; n > 0 {
			at := 2 * r.Intn(n)
			span := re.Rune[at+1] - re.Rune[at]
			if span > 300 {
				span = 300
			}
			b.WriteRune(re.Rune[at] + rune(r.Intn(int(span)+1)))
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteString(letter(r))
	case syntax.OpStar:
		times(0, 3)
	case syntax.OpPlus:
		times(1, 3)
	case syntax.OpQuest:
		times(0, 1)
	case syntax.OpRepeat:
		times(re.Min, re.Max)
	case syntax.OpAlternate:
		sample(r, re.Sub[r.Intn(len(re.Sub))], b)
	default:
		for _, sub := range re.Sub {
			sample(r, sub, b)
		}
	}
}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for i := r.Intn(8); i > 0; i-- {
		b.WriteString(letter(r))
	}
	return b.String()
}

// Texts here have no NUL, are UTF-8 as all JSON is, and have no character that this Go's Unicode does not know yet
// or that another version has in another script.
func clean(s string) string {
	return strings.Map(func(c rune) rune {
		if c == 0 || c == unicode.ReplacementChar || c > 0xffff && c != '😀' || !unicode.In(c, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S,
			unicode.Z, unicode.C) {
			return -1
		}
		return c
	}, s)
}

func makeRegexp(r *rand.Rand) Case {
	c := RegexpCase{Kind: "regexp", Pattern: alternatives(r, 3)}
	if r.Intn(6) == 0 {
		c.Pattern = "^" + c.Pattern + "$"
	}
	if r.Intn(8) == 0 {
		c.Pattern = pick(r, "(?i)", "(?s)", "(?m)", "(?U)", "(?im)") + c.Pattern
	}
	if r.Intn(6) == 0 {
		c.Pattern = torn(r, c.Pattern, `()[]{}|*+?.^$\-:`)
	}
	c.Pattern = clean(c.Pattern)
	c.Texts = []string{randomText(r), randomText(r)}
	if re, err := c.compile(); err == nil {
		parsed, err := syntax.Parse(re.String(), syntax.Perl)
		for i := 0; i < 2 && err == nil; i++ {
			var b strings.Builder
			sample(r, parsed, &b)
			text := b.String()
			if r.Intn(2) == 0 {
				text = torn(r, text, letters)
			}
			c.Texts = append(c.Texts, clean(text))
		}
	}
	return c
}
