/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_template.c - templates of NFD's rules make what Go's text/template makes
 *
 * What is wanted was made by Go 1.19's text/template from the same data, where it has no comment.
 */
#include "base/jx.h"
#include "base/mem.h"
#include "manager/template/template.h"
#include "tests/unit/tap.h"

#include <stdlib.h>

struct template_case {
	const char *text, *want;
};

static const char data_text[] =
	"{\"pci\":{\"device\":["
	"{\"vendor\":\"15b3\",\"class\":\"0200\",\"device\":\"101e\"},"
	"{\"vendor\":\"8086\",\"class\":\"0200\",\"device\":\"154c\"},"
	"{\"vendor\":\"8086\",\"class\":\"0300\",\"device\":\"5917\"}]},"
	"\"cpu\":{\"cpuid\":[{\"Name\":\"AVX\"},{\"Name\":\"AVX2\"}],\"empty\":[]},"
	"\"system\":{\"osRelease\":[{\"Name\":\"ID\",\"Value\":\"debian\"}]},"
	"\"kernel\":{\"version\":[{\"Name\":\"major\",\"Value\":\"6\"}]},"
	"\"none\":null,\"n\":7,\"r\":1.5,\"yes\":true,\"no\":false,\"s\":\"text\",\"e\":\"\","
	"\"m\":{\"b\":\"2\",\"a\":\"1\"},\"nested\":[[1,2],[],[\"x\"]]}";

static json_t *data;

/* What a template makes, or the message. */
static char *made(const char *text, bool *parsed)
{
	struct err e = { 0 };
	auto_template struct template *t = template_parse(text, &e);
	char *ret = NULL;
	int rc = -1;

	*parsed = t;
	if (t)
		rc = template_run(t, data, &ret, &e);
	ok((rc < 0) == (e.code != ERR_OK));
	return rc == 0 ? ret : strdup(e.msg);
}

static void check_made(const struct template_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool parsed;
		auto_free char *have = made(cases[i].text, &parsed);

		if (strcmp(have, cases[i].want) != 0)
			(void)printf("# %s\n", cases[i].text);
		ok(parsed);
		eq(have, cases[i].want);
	}
}

/* The message has to have this in it; it comes from the parser, or from the run. */
static void check_refused(const struct template_case *cases, size_t n, bool by_parser)
{
	for (size_t i = 0; i < n; i++) {
		bool parsed;
		auto_free char *have = made(cases[i].text, &parsed);

		if (!strstr(have, cases[i].want))
			(void)printf("# %s\n# have %s\n# want %s\n", cases[i].text, have,
				     cases[i].want);
		contains(have, cases[i].want);
		ok(parsed == !by_parser);
	}
}

static void texts(void)
{
	static const struct template_case cases[] = {
		{ "", "" },
		{ "plain } text {", "plain } text {" },
		{ "a{{/* a comment }} */}}b", "ab" },
		{ "a {{- /* a comment */ -}} b", "ab" },
		{ "a {{/* x */ -}} b", "a b" },
		{ "a \n\t{{- 1 -}} \n b", "a1b" },
		{ "a {{- 1}} b", "a1 b" },
		{ "a {{1 -}} b", "a 1b" },
		{ "{{1}}{{-1}}", "1-1" },
		{ "{{ 1\n}}", "1" },
		{ "{{\"}}\"}}", "}}" },
		{ "{{`a\n\\n`}}", "a\n\\n" },
		{ "{{\"a\\tb\\\"c\\\\\"}}", "a\tb\"c\\" },
		{ "{{\"\\x41\\101\\u00e4\\U0001F600\"}}", "AA\xc3\xa4\xf0\x9f\x98\x80" },
		{ "{{\"\xc3\xa4\"}}", "\xc3\xa4" },
		{ "{{\"\\u0041\\u20ac\"}}", "A\xe2\x82\xac" },
		{ "{{true}} {{false}}", "true false" },
		{ "{{12}} {{-3}} {{+4}} {{0x1f}} {{0X1F}} {{017}} {{0o17}} {{0b101}}",
		  "12 -3 4 31 31 15 15 5" },
		{ "{{1_000}} {{0x_1f}} {{0x1p-2}} {{0X1.8P3}} {{-9223372036854775808}} {{08.5}}",
		  "1000 31 0.25 12 -9223372036854775808 8.5" },
		{ "{{1e5}} {{1e6}} {{123456789.0}} {{1e20}} {{-0}} {{-0.0}}",
		  "100000 1e+06 1.23456789e+08 1e+20 0 -0" },
		{ "{{1.5}} {{.5}} {{1e3}} {{1e21}} {{0.00001}} {{-2.50}} {{1E+2}} {{123456.789}}",
		  "1.5 0.5 1000 1e+21 1e-05 -2.5 100 123456.789" },
	};

	test("N68: texts, trim markers, comments and literals");
	check_made(cases, ARRAY_SIZE(cases));
}

static void values(void)
{
	static const struct template_case cases[] = {
		{ "{{.s}}{{ .n }}{{.r}}{{.yes}}{{.no}}{{.e}}", "text71.5truefalse" },
		{ "{{$.s}} {{$.m.a}}", "text 1" },
		{ "{{1 |}}{{.s |print|}}{{print print 2}}{{print println}}", "1text2\n" },
		{ "{{$ := 1}}{{$}}{{$ = 2}}{{$}}", "12" },
		{ "{{index .pci \"x\"}} {{index .pci \"x\" | len}}", "[] 0" },
		{ "{{range $a, $.nested}}{{end}}{{with $x := .s}}{{$x}}{{end}}", "text" },
		/* what Go finds only when it runs */
		{ "{{if false}}{{len}}{{nil}}{{.s 1}}{{1 2}}{{$y = 1}}{{$y}}{{$z := $z}}"
		  "{{.s | .m}}{{print.x}}{{18446744073709551615}}{{index nil}}{{end}}ok", "ok" },
		{ "{{if true}}{{$x := 1}}{{else}}{{$x}}{{end}}", "" },
		{ "{{.none}}", "<no value>" },
		{ "{{.m}}", "map[a:1 b:2]" },
		{ "{{.nested}}", "[[1 2] [] [x]]" },
		{ "{{.cpu.cpuid}}", "[map[Name:AVX] map[Name:AVX2]]" },
		{ "{{(index .pci.device 1).vendor}}", "8086" },
		{ "{{index .pci.device 1 \"class\"}}", "0200" },
		{ "{{(.m).a}}", "1" },
		{ "{{(index .cpu \"cpuid\" 0).Name}}", "AVX" },
		{ "{{index .m \"a\"}}{{index .m \"zzz\"}}.", "1." },
		{ "{{index .cpu \"zzz\"}}", "[]" },
		{ "{{index .s 0}}", "116" },
		{ "{{index .s}}", "text" },
		{ "{{index .nested 0 1}}", "2" },
		{ "{{len .s}} {{len .m}} {{len .pci.device}} {{len \"\xc3\xa4\"}} {{len .e}}",
		  "4 2 3 2 0" },
		{ "{{.pci.device | len}}", "3" },
		{ "{{.s | len | printf \"%03d\"}}", "004" },
		{ "{{print 1 2 \"a\" \"b\" 3 4}}", "1 2ab3 4" },
		{ "{{print}}{{print nil true}}", "<nil> true" },
		{ "{{println 1 \"a\" \"b\"}}", "1 a b\n" },
		{ "{{printf \"%v|%v|%v|%v\" 1 \"a\" true .m}}", "1|a|true|map[a:1 b:2]" },
		{ "{{printf \"%s-%q-%t-%%\" \"a\" \"b\\n\\\"\" false}}", "a-\"b\\n\\\"\"-false-%" },
		{ "{{printf \"%5d|%-5d|%05d|%+d|%d\" 42 42 42 42 -42}}",
		  "   42|42   |00042|+42|-42" },
		{ "{{printf \"%05d|%+06d|%-05d|\" -42 42 42}}", "-0042|+00042|42   |" },
		{ "{{printf \"%x|%04x|%x|%x\" 255 10 -255 \"hi\"}}", "ff|000a|-ff|6869" },
		{ "{{printf \"%6s|%-6s|%.2s|\" \"abc\" \"abc\" \"\xc3\xa4\xc3\xb6\xc3\xbc\"}}",
		  "   abc|abc   |\xc3\xa4\xc3\xb6|" },
		{ "{{printf \"%5.2s|%-3.1s|\" \"abc\" \"xyz\"}}", "   ab|x  |" },
		{ "{{printf \"%4s|\" \"\xc3\xa4\"}}", "   \xc3\xa4|" },
		{ "{{printf \"plain\"}}", "plain" },
		{ "{{printf \"%v\" nil}}", "<nil>" },
		{ "{{\"a\" | printf \"%s%s\" \"b\"}}", "ba" },
		{ "{{.s|print}}", "text" },
		{ "{{(print 1)|len}}", "1" },
	};

	test("N68: fields, index, len, pipelines, print and printf");
	check_made(cases, ARRAY_SIZE(cases));
}

static void logic(void)
{
	static const struct template_case cases[] = {
		{ "{{eq 1 1}} {{eq 1 2}} {{eq \"a\" \"a\"}} {{eq 1 2 1}} {{eq true false}}",
		  "true false true true false" },
		{ "{{ne 1 2}} {{ne \"a\" \"a\"}}", "true false" },
		{ "{{lt 1 2}} {{le 2 2}} {{gt \"b\" \"a\"}} {{ge 1.5 2.5}}",
		  "true true true false" },
		{ "{{lt \"10\" \"9\"}} {{gt 10 9}}", "true true" },
		{ "{{lt 2 2}} {{le 3 2}} {{gt 2 2}} {{ge 2 2}}", "false false false true" },
		{ "{{eq .none nil}}", "true" },
		{ "{{eq 1.5 .r}}", "true" },
		{ "{{and 1 0 2}} {{and 1 2}} {{or 0 \"\" \"x\" 1}} {{or 0 \"\"}}.", "0 2 x ." },
		{ "{{and 0 .zzz}} {{or 1 .zzz}}", "0 1" },
		{ "{{not 1}} {{not \"\"}} {{not .m}} {{not .cpu.empty}}", "false true false true" },
		{ "{{2 | and 1}} {{2 | or 0}} {{2 | and 0}}", "2 2 0" },
		{ "{{if .yes}}a{{end}}{{if .no}}b{{end}}", "a" },
		{ "{{if .e}}a{{else}}b{{end}}", "b" },
		{ "{{if .no}}a{{else if .yes}}b{{else}}c{{end}}", "b" },
		{ "{{if 0}}a{{else if 0.0}}b{{else if not nil}}c{{end}}", "c" },
		{ "{{if .none}}a{{else}}b{{end}}", "b" },
		{ "{{if .cpu.empty}}a{{end}}{{if .m}}b{{end}}{{if .r}}c{{end}}", "bc" },
		{ "{{if and (gt (len .s) 3) (eq .s \"text\")}}y{{end}}", "y" },
		{ "{{with .m}}{{.a}}{{$.s}}{{end}}", "1text" },
		{ "{{with .e}}a{{else}}{{.s}}{{end}}", "text" },
		/* Go 1.23 has that */
		{ "{{with .e}}a{{else with .m}}{{.b}}{{else}}c{{end}}", "2" },
		{ "{{with $x := .m}}{{$x.b}}{{.a}}{{end}}", "21" },
		{ "{{if $x := .s}}{{$x}}{{end}}", "text" },
		{ "{{if $x := .e}}a{{else}}{{len $x}}{{end}}", "0" },
	};

	test("N68: comparisons, and, or, not, if and with");
	check_made(cases, ARRAY_SIZE(cases));
}

static void loops(void)
{
	static const struct template_case cases[] = {
		{ "{{range .pci.device}}{{.vendor}} {{end}}", "15b3 8086 8086 " },
		{ "{{range $i, $d := .pci.device}}{{$i}}={{$d.device}},{{end}}",
		  "0=101e,1=154c,2=5917," },
		{ "{{range $d := .cpu.cpuid}}{{$d.Name}}{{.Name}},{{end}}", "AVXAVX,AVX2AVX2," },
		{ "{{range $k, $v := .m}}{{$k}}{{$v}}{{end}}", "a1b2" },
		{ "{{range .m}}{{.}}{{end}}", "12" },
		{ "{{range .cpu.empty}}a{{else}}none{{end}}", "none" },
		{ "{{range .none}}a{{else}}none{{end}}", "none" },
		{ "{{range .nested}}{{range .}}{{.}}{{else}}-{{end}};{{end}}", "12;-;x;" },
		{ "{{range .pci.device}}{{if eq .vendor \"8086\"}}{{break}}{{end}}"
		  "{{.vendor}}{{end}}",
		  "15b3" },
		{ "{{range .pci.device}}{{if eq .vendor \"15b3\"}}"
		  "{{continue}}{{end}}{{.class}} {{end}}",
		  "0200 0300 " },
		{ "{{range .nested}}{{range .}}{{break}}{{end}}x{{end}}", "xxx" },
		{ "{{$n := 0}}{{range .pci.device}}{{$n = .class}}{{end}}{{$n}}", "0300" },
		{ "{{$x := 1}}{{if true}}{{$x := 2}}{{$x}}{{end}}{{$x}}", "21" },
		{ "{{$x := 1}}{{if true}}{{$x = 2}}{{end}}{{$x}}", "2" },
		{ "{{$x := 1}}{{$x := 2}}{{$x}}", "2" },
		{ "{{$x := .m}}{{$x.a}}{{$y := $x.b | printf \"<%s>\"}}{{$y}}", "1<2>" },
		{ "{{range $i, $_ := .pci.device}}{{if $i}},{{end}}{{.vendor}}{{end}}",
		  "15b3,8086,8086" },
		{ "{{$a := 1}}{{range $a = .cpu.cpuid}}{{end}}{{$a.Name}}", "AVX2" },
		{ "{{$s := \"\"}}{{range .cpu.cpuid}}{{$s = print $s .Name}}{{end}}{{$s}}",
		  "AVXAVX2" },
		/* Go 1.22 has these */
		{ "{{range 3}}{{.}}{{end}}{{range $i := 2}}{{$i}}{{end}}", "01201" },
		{ "{{range 0}}a{{else}}none{{end}}", "none" },
	};

	test("N68: range over lists, maps and numbers, break and continue, variables");
	check_made(cases, ARRAY_SIZE(cases));
}

static void faults_of_texts(void)
{
	static const struct template_case cases[] = {
		{ "a\n{{", "line 2: the action has no }}" },
		{ "{{.x", "the action has no }}" },
		{ "{{/* x", "the comment has no end" },
		{ "{{/* x */ }}", "expected }} right behind the comment" },
		{ "{{ /* x */}}", "unexpected character '/'" },
		{ "{{\"abc}}", "the string has no end" },
		{ "{{\"a\nb\"}}", "the string has no end" },
		{ "{{`abc}}", "the string has no end" },
		{ "{{\"\\z\"}}", "an escape that is not Go's" },
		{ "{{\"\\'\"}}", "an escape that is not Go's" },
		{ "{{\"\\x4\"}}", "an escape that is not Go's" },
		{ "{{\"\\x00\"}}", "an escape that is not Go's" },
		{ "{{\"\\777\"}}", "an escape that is not Go's" },
		{ "{{\"\\xff\"}}", "it is not UTF-8" },
		{ "{{\"\\ud800\"}}", "it is not UTF-8" },
		{ "{{\"\\U00110000\"}}", "an escape that is not Go's" },
		{ "\xff", "the text is not UTF-8" },
		{ "{{.a-b}}", "unexpected character '-'" },
		{ "{{.a\x01}}", "unexpected character \\x01" },
		{ "{{\n'a'}}", "line 2: character constants are not supported" },
		{ "{{.a\x7f}}", "unexpected character \\x7f" },
		{ "{{range $a, 'b'}}{{end}}", "character constants are not supported" },
		{ "{{08}}", "08: it is no number" },
		{ "{{1__0}}", "1__0: it is no number" },
		{ "{{1_}}", "1_: it is no number" },
		{ "{{0x1p}}", "it is no number" },
		{ "{{1_.5}}", "it is no number" },
		{ "{{-9223372036854775809}}", "it is no number" },
		{ "{{18446744073709551616}}", "it is no number" },
		{ "{{1x}}", "1x: it is no number" },
		{ "{{0x}}", "0x: it is no number" },
		{ "{{0b2}}", "0b2: it is no number" },
		{ "{{0b-1}}", "it is no number" },
		{ "{{1.2.3}}", "1.2.3: it is no number" },
		{ "{{1e999}}", "it is no number" },
		{ "{{99999999999999999999}}", "it is no number" },
		{ "{{1i}}", "1i: it is no number" },
		{ "{{$x=1}}", "unexpected character '='" },
	};

	test("N68: what is no token is refused, with its line");
	check_refused(cases, ARRAY_SIZE(cases), true);
}

static void faults_of_structure(void)
{
	static const struct template_case cases[] = {
		{ "{{}}", "an action has no value" },
		{ "{{if}}a{{end}}", "if has no value" },
		{ "{{if true}}\na", "line 2: the if of line 1 has no end" },
		{ "{{range .x}}{{else}}", "the range of line 1 has no end" },
		{ "{{end}}", "end without a block" },
		{ "{{else}}", "else without a block" },
		{ "{{if true}}{{else}}{{else}}{{end}}", "a second else" },
		{ "{{range .x}}{{else if true}}{{end}}", "unexpected if in else" },
		{ "{{if true}}{{end x}}", "unexpected x in end" },
		{ "{{break}}", "break outside range" },
		{ "{{if true}}{{continue}}{{end}}", "continue outside range" },
		{ "{{range .x}}{{else}}{{break}}{{end}}", "break outside range" },
		{ "{{range .x}}{{break 1}}{{end}}", "unexpected 1 in break" },
		{ "{{define \"a\"}}{{end}}", "'define' is not supported" },
		{ "{{template \"a\"}}", "'template' is not supported" },
		{ "{{block \"a\" .}}{{end}}", "'block' is not supported" },
		{ "{{html .x}}", "'html' is not supported" },
		{ "{{js .x}}", "'js' is not supported" },
		{ "{{urlquery .x}}", "'urlquery' is not supported" },
		{ "{{call .x}}", "'call' is not supported" },
		{ "{{slice .x 1}}", "'slice' is not supported" },
		{ "a\n\n{{.x | upper}}",
		  "line 3: 'upper' is not supported, only the functions and" },
		{ "{{env \"HOME\"}}", "'env' is not supported" },
		{ "{{abcdefghijabcdefghijabcdefghijabcdefghijabcdefghij}}",
		  "'abcdefghijabcdefghijabcdefghijabcdefghij' is not supported" },
		{ "{{| len}}", "an action has no value" },
		{ "{{.x | \"a\"}}", "what is behind | is no function" },
		{ "{{(1}}", "unexpected }} in an operand" },
		{ "{{(1 }}", "unexpected }} in a command" },
		{ "{{1)}}", "unexpected )" },
		{ "{{()}}", "parentheses has no value" },
		{ "{{len(.x)}}", "unexpected ( in an operand: a blank is missing" },
		{ "{{print \"a\"\"b\"}}", "a blank is missing" },
		{ "{{1.x}}", "1.x: it is no number" },
		{ "{{\"a\".x}}", "unexpected .x in an operand" },
		{ "{{..x}}", "unexpected .x in an operand" },
		{ "{{$x}}", "there is no variable $x" },
		{ "{{if true}}{{$x := 1}}{{end}}{{$x}}", "there is no variable $x" },
		{ "{{range $i, $v := .x}}{{end}}{{$v}}", "there is no variable $v" },
		{ "{{$a, $b := .x}}", "unexpected , in an action" },
		{ "{{range $a, .x}}{{end}}", "unexpected .x in range" },
		{ "{{range $a, $b}}{{end}}", "there is no variable $b" },
		{ "{{.x | .}}", "what is behind | is no function" },
		{ "{{.x | nil}}", "what is behind | is no function" },
		{ "{{.x | | print}}", "an action has no value behind |" },
		{ "{{| print}}", "an action has no value" },
		{ "{{range $a, := .x}}{{end}}", "unexpected := in range" },
		{ "{{:= 1}}", "unexpected := in a command" },
		{ "{{= 1}}", "unexpected = in a command" },
		{ "{{range $a, $b, $c := .x}}{{end}}", "unexpected $c in range" },
		{ "{{.x := 1}}", "unexpected := in a command" },
		{ "{{,}}", "unexpected , in an action" },
	};

	test("N68: what is no template is refused, and so is a function that we do not have");
	check_refused(cases, ARRAY_SIZE(cases), true);
}

static void faults_of_runs(void)
{
	static const struct template_case cases[] = {
		{ "\n{{.zzz}}", "line 2: there is no key 'zzz'" },
		{ "{{index nil}}", "index of nil" },
		{ "{{9223372036854775808}}", "overflows an int" },
		{ "{{.s | .m}}", "what is behind | is no function" },
		{ "{{.s 1}}", "only a function has arguments" },
		{ "{{1 2}}", "only a function has arguments" },
		{ "{{nil}}", "nil is no command" },
		{ "{{if nil}}{{end}}", "nil is no command" },
		{ "{{len}}", "function len takes 1 argument, not 0" },
		{ "{{len 1 2}}", "function len takes 1 argument, not 2" },
		{ "{{1 | len 2}}", "function len takes 1 argument, not 2" },
		{ "{{eq 1}}", "function eq takes at least 2 arguments, not 1" },
		{ "{{ne 1 2 3}}", "function ne takes 2 arguments, not 3" },
		{ "{{printf}}", "function printf takes at least 1 argument, not 0" },
		{ "{{and}}", "function and takes at least 1 argument, not 0" },
		{ "{{print len}}", "function len takes 1 argument, not 0" },
		{ "{{print and}}", "function and takes at least 1 argument, not 0" },
		{ "{{print.x}}", "there is no .x in a string" },
		{ "{{$x = 1}}", "a variable is set that was not declared" },
		{ "{{$x := $x}}", "the variable has no value yet" },
		{ "{{if false}}{{$x := 1}}{{else}}{{$x}}{{end}}", "the variable has no value yet" },
		{ "{{.pci.zzz}}", "there is no key 'zzz'" },
		{ "{{range .pci.device}}\n{{.zzz}}{{end}}", "line 2: there is no key 'zzz'" },
		{ "{{range .cpu.cpuid}}{{.name}}{{end}}", "there is no key 'name'" },
		{ "{{.s.x}}", "there is no .x in a string" },
		{ "{{.pci.device.vendor}}", "there is no .vendor in a" },
		{ "{{.none.x}}", "there is no .x in" },
		{ "{{$.n.x}}", "there is no .x in an integer" },
		{ "{{len 3}}", "len of an integer" },
		{ "{{len nil}}", "len of" },
		{ "{{index .nested 3}}", "index 3: there are 3" },
		{ "{{index .nested -1}}", "index -1: there are 3" },
		{ "{{index .s 4}}", "index 4: there are 4" },
		{ "{{index .nested \"a\"}}", "expected an integer, got a string" },
		{ "{{index .m 1}}", "expected a text, got an integer" },
		{ "{{index .n 1}}", "index of an integer" },
		{ "{{eq 1 \"1\"}}", "an integer cannot be compared with a string" },
		{ "{{eq 1 1.0}}", "cannot be compared" },
		{ "{{ne 1 \"1\"}}", "an integer cannot be compared with a string" },
		{ "{{eq .m .m}}", "lists and maps cannot be compared" },
		{ "{{lt 1 \"2\"}}", "have no order" },
		{ "{{lt true false}}", "have no order" },
		{ "{{gt .m .m}}", "have no order" },
		{ "{{range .s}}{{end}}", "range over a string" },
		{ "{{range true}}{{end}}", "range over" },
		{ "{{range $i, $v := 3}}{{end}}", "range over a number has one variable" },
		{ "{{printf 1}}", "the format is an integer" },
		{ "{{printf \"%d\" \"x\"}}", "printf: %d of a string" },
		{ "{{printf \"%s\" 1}}", "printf: %s of an integer" },
		{ "{{printf \"%t\" 1}}", "printf: %t of an integer" },
		{ "{{printf \"%x\" .m}}", "printf: %x of" },
		{ "{{printf \"%5v\" .m}}", "printf: %Nv of" },
		{ "{{printf \"%s\"}}", "printf: there is no value for %s" },
		{ "{{printf \"a\" 1}}", "printf: 1 values for 0 verbs" },
		{ "{{printf \"%f\" 1.5}}", "printf: '%f' is not supported" },
		{ "{{printf \"%\"}}", "is not supported" },
		{ "{{printf \"%*d\" 1 2}}", "printf: '%*' is not supported" },
		{ "{{printf \"%#x\" 1}}", "printf: '%#' is not supported" },
		{ "{{printf \"%05s\" \"a\"}}", "a flag or precision that is not supported" },
		{ "{{printf \"%.1d\" 1}}", "a flag or precision that is not supported" },
		{ "{{printf \"%9999d\" 1}}", "a width over 1024" },
		{ "{{range 2000000}}{{end}}", "more than 1000000 steps" },
		{ "{{range 999}}{{range 999}}{{range 999}}{{end}}{{end}}{{end}}", "steps" },
		{ "{{$x := \"aaaaaaaaaaaaaaaa\"}}{{range 20}}{{$x = print $x $x}}{{end}}",
		  "longer than 65536 bytes" },
		{ "{{range 70000}}a{{end}}", "longer than 65536 bytes" },
		{ "{{range 100}}{{printf \"%1024d\" 1}}{{end}}", "longer than 65536 bytes" },
	};

	test("N68: a key that is not there is an error of its line, and so is what Go refuses");
	check_refused(cases, ARRAY_SIZE(cases), false);
}

/* `open` and `close` n times around "1". */
static bool nests(const char *open, const char *close, unsigned int n)
{
	auto_free char *text = NULL;
	size_t len = 0;
	bool parsed;

	FILE *f = open_memstream(&text, &len);

	for (unsigned int i = 0; i < n; i++)
		(void)fputs(open, f);
	(void)fputs("1", f);
	for (unsigned int i = 0; i < n; i++)
		(void)fputs(close, f);
	(void)fclose(f);
	free(made(text, &parsed));
	return parsed;
}

static void limits(void)
{
	auto_free char *text = malloc(TEMPLATE_MAX + 2);
	char args[512] = "{{print";
	bool parsed;

	test("N68: a template is bounded, in bytes, depth, arguments and variables");
	memset(text, 'a', TEMPLATE_MAX + 1);
	text[TEMPLATE_MAX + 1] = '\0';
	free(made(text, &parsed));
	ok(!parsed);
	text[TEMPLATE_MAX] = '\0';
	free(made(text, &parsed));
	ok(parsed);
	ok(nests("{{if 1}}", "{{end}}", 100));
	ok(!nests("{{if 1}}", "{{end}}", 101));
	ok(!nests("{{if 1}}a{{else if 1}}", "{{end}}", 101));
	for (int i = 0; i < 32; i++)
		strcat(args, " 1");
	strcat(args, "}}");
	free(made(args, &parsed));
	ok(parsed);
	memcpy(strstr(args, "}}"), " 1}}", 5);
	free(made(args, &parsed));
	ok(!parsed);
	ok(!nests("{{$x := 1}}", "", 100));
	ok(nests("{{$x := 1}}", "", 99));
	ok(nests("{{if $x := 1}}{{end}}", "", 200));
}

/* -- as rules have them -- */

static void expands(const char *text, const char *want)
{
	struct err e = { 0 };
	json_auto_t *ret = json_pack("{s:s}", "before", "x");
	auto_template struct template *t = template_parse(text, &e);
	auto_free char *have = NULL;
	int rc = t ? template_expand(t, data, ret, &e) : -1;

	ok((rc < 0) == (e.code != ERR_OK));
	have = json_dumps(ret, JSON_COMPACT | JSON_SORT_KEYS);
	ok(rc == 0 || json_object_size(ret) == 1);
	eq(rc == 0 ? have : e.msg, want);
}

static void of_rules(void)
{
	test("N70: the guide's range: a label for each device");
	expands("{{ range .pci.device }}vendor-{{ .class }}-{{ .device }}.present=true\n{{ end }}",
		"{\"before\":\"x\",\"vendor-0200-101e.present\":\"true\","
		"\"vendor-0200-154c.present\":\"true\",\"vendor-0300-5917.present\":\"true\"}");
	test("N71: the guide's len: how many devices");
	expands("num-of-devices={{ .pci.device | len }}",
		"{\"before\":\"x\",\"num-of-devices\":\"3\"}");
	test("N69: flags give .Name, attributes .Name and .Value, instances their attributes");
	expands("{{range .cpu.cpuid}}cpu-{{.Name}}=true\n{{end}}"
		"{{range .system.osRelease}}{{.Name}}={{.Value}}\n{{end}}",
		"{\"ID\":\"debian\",\"before\":\"x\",\"cpu-AVX\":\"true\",\"cpu-AVX2\":\"true\"}");
	test("N68: lines are trimmed, empty ones passed over, a value may have '=' or be empty");
	expands("\n  a=1 \r\n\n b=c=d\ne=\n\t\n f = g",
		"{\"a\":\"1\",\"b\":\"c=d\",\"before\":\"x\",\"e\":\"\",\"f \":\" g\"}");
	test("N68: a later line of the same key overrides, also what was there");
	expands("a=1\na=2\nbefore=y", "{\"a\":\"2\",\"before\":\"y\"}");
	test("N68: a line without '=' is an error, and nothing is added");
	expands("a=1\nb\n", "the template makes the line 'b': expected KEY=VALUE");
	expands("a=1\n{{.zzz}}", "line 2: there is no key 'zzz'");
}

static void cases_of_names(void)
{
	static const char text[] = "\n{{range .system.osrelease}}{{.Value}}{{end}}";
	struct err e = { 0 };
	auto_template struct template *t = template_parse(text, &e);
	auto_free char *ret = NULL;

	test("N56: a feature in other case is not there, as in NFD, and it is said which is");
	ok(template_run(t, data, &ret, &e) == -1);
	contains(e.msg, "line 2: ");
	contains(e.msg, "there is no key 'osrelease', NFD regards the case: there is 'osRelease'");
}

int main(void)
{
	struct err e;

	data = jx_parse(data_text, strlen(data_text), ERR_DECODE, "data", &e);
	texts();
	values();
	logic();
	loops();
	faults_of_texts();
	faults_of_structure();
	faults_of_runs();
	limits();
	of_rules();
	cases_of_names();
	json_decref(data);
	return tap_end();
}
