// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand"
	"regexp"
	"strings"
	"text/template"
	"unicode/utf8"
)

// Data is what a rule hands to a template: of each feature that it matched a list of elements.
type Data map[string]map[string][]map[string]string

// TemplateCase is a template and what it is run over.
type TemplateCase struct {
	Kind     string `json:"kind"`
	Template string `json:"template"`
	Data     Data   `json:"data"`
}

var overNumber = regexp.MustCompile("range can't iterate over -?[0-9.]+$")

// lines is what Node Feature Discovery makes of the text: KEY=VALUE, or nothing when a line is none.
func lines(text string) interface{} {
	made := map[string]string{}
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		parts := strings.SplitN(line, "=", 2)
		if len(parts) == 2 {
			made[parts[0]] = parts[1]
		} else if line != "" {
			return nil
		}
	}
	return made
}

// Go 1.19 gives what it goes over to the variables that were made last, newer ones to these.
var rangeAssigns = regexp.MustCompile(`range\s+\$\w*\s*(,\s*\$\w*\s*)?=`)

func (c TemplateCase) Judge() (interface{}, bool) {
	t, err := template.New("").Option("missingkey=error").Parse(c.Template)
	if err != nil {
		// "{{else with}}" is there since 1.23
		return Refused{}, !strings.Contains(err.Error(), "unexpected <with> in")
	}
	var b strings.Builder
	if err := t.Execute(&b, c.Data); err != nil {
		// a range over a number is there since 1.24; others it has refused always
		return Refused{}, !overNumber.MatchString(err.Error())
	}
	text := b.String()
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		return nil, false
	}
	return map[string]interface{}{"text": text, "lines": lines(text)}, true
}

func (c TemplateCase) Smaller() []Case {
	var all []Case
	for _, text := range shorter(c.Template) {
		all = append(all, TemplateCase{c.Kind, text, c.Data})
	}
	return all
}

var dataKeys = words("vendor device class name a b")
var dataValues = []string{"15b3", "8086", "0200", "", "true", "x=y", " z ", "é中", "<&'\">", "10"}

func makeData(r *rand.Rand) Data {
	element := func() map[string]string {
		e := map[string]string{}
		for i := r.Intn(4); i > 0; i-- {
			e[pick(r, dataKeys...)] = pick(r, dataValues...)
		}
		return e
	}
	list := func() []map[string]string {
		l := []map[string]string{}
		for i := r.Intn(3); i > 0; i-- {
			l = append(l, element())
		}
		return l
	}
	return Data{"pci": {"device": list(), "usb": list()}, "cpu": {"model": {{"name": "x86", "a": "1"}}}}
}

func number(r *rand.Rand) string {
	return pick(r, "0", "1", "2", "3", "-1", "+2", "10", "0x1f", "017", "0o17", "0b101", "1_000", "1.5", ".5", "2.", "-0.25", "1e3", "1e21",
		"1e20", "1e-5", "1e-4", "0x1p-2", "0X1.8P3", "1E+2", "123456789", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
		"08", "08.5", "1__0", "1_", "0x_1", "0x", "1e400", "1e", "0b2", "3.14159", "100000000000000000000.0", "1e6", "0.1", "-0", "-0.0", "1x")
}

func text(r *rand.Rand) string {
	return pick(r, `""`, `"a"`, `"15b3"`, `"vendor"`, `"device"`, `"pci"`, "`raw`", "`a\nb`", `"\n"`, `"\t\"\\"`, `"\x41"`, `"\u00e9"`, `"\101"`,
		`"\U0001f600"`, `"\q"`, `"\'"`, `"a=b"`, `"\ud800"`, "`\\x`", `"%d"`, `"é"`)
}

func path(r *rand.Rand) string {
	return pick(r, ".", ".", ".pci", ".pci.device", ".pci.device", ".cpu.model", ".cpu", ".pci.usb", ".vendor", ".name", ".a", ".nope", ".pci.nope",
		"$", "$.pci", "$.pci.device", "$x", "$x", "$y", "$i", "$x.vendor", "$x.a", "$nope", "(.pci).device", "(index .pci.device 0).vendor",
		"(index .cpu.model 0).name", ".pci.device.vendor", ".vendor.x")
}

func operand(r *rand.Rand, depth int) string {
	switch r.Intn(10) {
	case 0, 1:
		return number(r)
	case 2:
		return text(r)
	case 3:
		return pick(r, "true", "false", "nil", "nil")
	case 4, 5:
		if depth > 0 {
			return "(" + pipeline(r, depth-1) + ")"
		}
		return path(r)
	case 6:
		return pick(r, "print", "println", "len", "and", "print.x", path(r))
	default:
		return path(r)
	}
}

func format(r *rand.Rand) (string, string) {
	verb := pick(r, "%v", "%s", "%d", "%x", "%q", "%t", "%5d", "%-5s", "%05d", "%+d", "%.2s", "%%", "%x", "%5v", "%3q")
	argument := map[byte][]string{
		'v': {"1", `"a"`, "true", "1.5", "1e21"}, 's': {`"abc"`, `"é中é"`, `""`}, 'd': {"1", "-12", "0x1f", "123456"},
		'x': {"255", "-1", `"hi"`}, 'q': {`"a\n"`, `"é\x01"`, `"\""`}, 't': {"true", "false"}, '%': {""},
	}
	return verb, pick(r, argument[verb[len(verb)-1]]...)
}

func command(r *rand.Rand, depth int) string {
	switch r.Intn(16) {
	case 0, 1, 2, 3:
		return operand(r, depth)
	case 4:
		verb, argument := format(r)
		return `printf "` + pick(r, "", "a", "é ") + verb + `" ` + argument
	case 5, 6:
		return "index " + path(r) + " " + pick(r, operand(r, depth), "0", "0", `"vendor"`, "1")
	case 7:
		return "len " + operand(r, depth)
	case 8:
		return pick(r, "not", "print", "println", "len", "index") + " " + operand(r, depth)
	case 9:
		return operand(r, depth) + " " + operand(r, depth)
	}
	name := pick(r, "and", "or", "eq", "ne", "lt", "le", "gt", "ge", "print", "println", "index", "eq", "eq", "nosuch")
	if name == "nosuch" && r.Intn(10) > 0 {
		name = "or"
	}
	for i := 1 + r.Intn(3); i > 0; i-- {
		name += " " + operand(r, depth)
	}
	return name
}

func pipeline(r *rand.Rand, depth int) string {
	s := command(r, depth)
	if r.Intn(12) == 0 {
		s = pick(r, "$x", "$y", "$", "$i") + pick(r, " := ", " = ", ":=") + s
	}
	for r.Intn(6) == 0 {
		s += pick(r, " | ", "|", " |") + pick(r, "print", "len", "not", `printf "%v"`, "eq 1", "index .pci", `or ""`, "println", ".", "", "1", command(r, depth))
	}
	return s
}

func action(r *rand.Rand, s string) string {
	return pick(r, "{{", "{{", "{{", "{{- ", "{{ ") + s + pick(r, "}}", "}}", "}}", " -}}", " }}")
}

func block(r *rand.Rand, depth int) string {
	head := pick(r, "if ", "with ", "range ", "range ")
	what := pipeline(r, 1)
	if head == "range " && r.Intn(3) > 0 {
		what = pick(r, "$x := ", "$i, $x := ", "$i, $x = ", "$x = ", "", "", "$x, ", "$i , $x:=") + pick(r, ".pci.device", ".pci", "$.cpu.model", path(r))
	}
	s := action(r, head+what) + body(r, depth-1)
	if r.Intn(3) == 0 {
		s += action(r, pick(r, "else", "else", "else", "else "+head+pipeline(r, 1), "else if "+pipeline(r, 1))) + body(r, depth-1)
	}
	return s + action(r, "end")
}

func body(r *rand.Rand, depth int) string {
	var b strings.Builder
	for i := r.Intn(4); i > 0; i-- {
		switch r.Intn(9) {
		case 0, 1:
			b.WriteString(pick(r, "a=b\n", " ", "\n", "x=", "é", "k=1\n", "line\n", "}}", "{ {", "\t=\n", "\u00a0\n"))
		case 2, 3:
			if depth > 0 {
				b.WriteString(block(r, depth))
				continue
			}
			fallthrough
		case 4:
			b.WriteString(action(r, pick(r, "$x := ", "$x = ", "$y := ")+command(r, 1)))
		case 5:
			b.WriteString(pick(r, "{{/* c */}}", "{{- /* c */ -}}", "{{break}}", "{{continue}}", action(r, path(r)), "{{end}}", action(r, path(r))))
		default:
			b.WriteString(action(r, pipeline(r, 2)))
		}
	}
	return b.String()
}

func makeTemplate(r *rand.Rand) Case {
	s := body(r, 2)
	if r.Intn(3) > 0 {
		s = fmt.Sprintf("{{range $i, $x := .pci.device}}%s{{end}}", s)
	}
	if r.Intn(8) == 0 {
		s = torn(r, s, `{}|"()$.,=:- `)
	}
	return TemplateCase{"template", s, makeData(r)}
}
