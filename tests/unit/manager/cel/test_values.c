/* SPDX-License-Identifier: Apache-2.0 */
/* test_values.c - values as Kubernetes 1.36 has them: equality, order, keys, numbers, lists */
#include "tests/unit/expressions.h"

#define D "device.attributes['d.io']"
#define O "device.attributes['o.io']"
#define M "device.capacity['d.io'].m"

static const struct expression equality[] = {
	{ D ".v == 8", -1, "no such overload: ==(semver, int)" },
	{ D ".v == 'x'", -1, "no such overload: ==(semver, string)" },
	{ "dyn(" M ") == 3", -1, "no such overload: ==(quantity, int)" },
	{ D ".v != 8 && dyn(" M ") != 3", 1, NULL },
	{ "dyn(" D ".v) == null", 0, NULL },
	{ "8 == " D ".v || 'x' == dyn(" M ")", 0, NULL },
	{ D ".v == 8 || true", 1, NULL },
	{ D ".v == 8 && false", 0, NULL },
	{ D ".exists(k, " D "[k] == 'never')", -1, "no such overload" },
	{ D ".exists(k, " D "[k] == 'fish')", 1, NULL },
	{ O ".vs.exists(x, x == 1)", -1, "no such overload" },
	{ "[dyn(" D ".v)] == [dyn(1)] || {'a': dyn(" M ")} == {'a': dyn(1)}", 0, NULL },
	{ D ".v in ['fish', 'red']", -1, "semver" },
	{ D ".v in [dyn('fish')] || " D ".v in " O ".strings", 0, NULL },
	{ D ".s in ['fish', 'red'] && dyn(" M ") in [" M "]", 1, NULL },
};

static const struct expression order[] = {
	{ "0.0 / 0.0 < 1.0", -1, "NaN has no order" },
	{ "double('NaN') >= 1.0", -1, "NaN has no order" },
	{ "1 <= double('nan')", -1, "NaN has no order" },
	{ "1u > double('NaN')", -1, "NaN has no order" },
	{ "double('NaN') == double('NaN')", 0, NULL },
	{ "[dyn(1), dyn('a')].isSorted() && [dyn(true), dyn(0)].isSorted()", 1, NULL },
	{ "[dyn(2), dyn(1.0)].isSorted()", 0, NULL },
	{ "[dyn(1), dyn(null)].isSorted()", -1, "no order: null" },
	{ "[dyn(1), dyn('a')].max() == dyn(1) && [dyn('a'), dyn(1)].min() == dyn('a')", 1, NULL },
	{ "[dyn(1), dyn([])].max() == dyn(1)", -1, "no order: list" },
};

static const struct expression keys[] = {
	{ "{'a': 1, 'a': 2} == {'a': 2} && {'a': 1, 'b': 3, 'a': 2}.size() == 2", 1, NULL },
	{ "{1.5: 1}.size() == 1 && {1.5: 1}[1.5] == 1", 1, NULL },
	{ "dyn(1) in {1.0: 1}", 0, NULL },
	{ "{dyn(1): 'i', dyn(1u): 'u', dyn(1.0): 'd'}.size() == 3", 1, NULL },
	{ "{dyn(1): 'i', dyn(1u): 'u'}[dyn(1.0)] == 'i'", 1, NULL },
	{ "{1u: 'u'}[dyn(1)] == 'u' && {1: 'i'}[dyn(1u)] == 'i' && {1: 'i'}[dyn(1.0)] == 'i'",
	  1, NULL },
	{ "dyn(1.5) in {1: 'i'} || dyn(-1) in {18446744073709551615u: 'u'}", 0, NULL },
	{ "dyn(1e30) in {1: 'i'} || dyn(double('NaN')) in {1: 'i'}", 0, NULL },
	{ "{dyn(null): 1}[dyn(null)] == 1 && !(dyn([1]) in {dyn([1]): 1})", 1, NULL },
	{ "{" D ".v: 1}.size() == 1", -1, "no key of a map: semver" },
	{ "device.attributes[dyn(1)].size() == 0 && !(dyn(1) in device.attributes)", 1, NULL },
	{ D "[dyn(1)] == 1", -1, "no such key" },
};

static const struct expression numbers[] = {
	{ "string(20.0) == '20' && string(100000.0) == '100000' && string(-0.5) == '-0.5'",
	  1, NULL },
	{ "string(1000000.0) == '1e+06' && string(123456789.0) == '1.23456789e+08'", 1, NULL },
	{ "string(0.0001) == '0.0001' && string(0.00001) == '1e-05'", 1, NULL },
	{ "string(1e20) == '1e+20' && string(1e-7) == '1e-07' && string(1.5e300) == '1.5e+300'",
	  1, NULL },
	{ "string(double('inf')) == '+Inf' && string(double('-Infinity')) == '-Inf'", 1, NULL },
	{ "string(double('nan')) == 'NaN'", 1, NULL },
	{ "double('0x1p3') == 8.0 && double('-0X.8P1') == -1.0 && double('0x_1p0_1') == 2.0",
	  1, NULL },
	{ "double('1_000.5') == 1000.5 && double('+1e1_0') == 1e10 && double('.5') == 0.5",
	  1, NULL },
	{ "double('5.') == 5.0 && double('1e-400') == 0.0", 1, NULL },
	{ "double(" D ".empty) == 1.0", -1, "no double" },
	{ "double('x' + " D ".empty) == 1.0", -1, "no double: x" },
	{ "double('1e400' + " D ".empty) == 1.0", -1, "no double: 1e400" },
	{ "double('0x1' + " D ".empty) == 1.0", -1, "no double: 0x1" },
	{ "double('+nan' + " D ".empty) == 1.0", -1, "no double: +nan" },
	{ "double('1__0' + " D ".empty) == 1.0", -1, "no double: 1__0" },
	{ "double('_1' + " D ".empty) == 1.0", -1, "no double: _1" },
	{ "double('1e' + " D ".empty) == 1.0", -1, "no double: 1e" },
	{ "double('1.2.3' + " D ".empty) == 1.0", -1, "no double: 1.2.3" },
	{ "double('1e_5' + " D ".empty) == 1.0", -1, "no double: 1e_5" },
	{ "double(' 1' + " D ".empty) == 1.0", -1, "no double:  1" },
	{ M ".isInteger() && !device.capacity['o.io'].x.isInteger()", 1, NULL },
	{ "quantity('1.0').isInteger() || quantity('1000000000n').isInteger()", 0, NULL },
	{ "quantity('1.5Ki').asInteger() == 1536", -1, "no integer" },
	{ M ".sub(device.capacity['o.io'].x).isInteger()", 0, NULL },
};

static const struct expression places[] = {
	{ "'abc'.indexOf('c', 5) == -1 && 'abc'.lastIndexOf('c', 5) == -1", 1, NULL },
	{ "'abc'.indexOf('c', 3) == -1 && 'abc'.lastIndexOf('c', 3) == -1", 1, NULL },
	{ "'abc'.indexOf('', 9) == 3 && 'abc'.lastIndexOf('', 9) == 3", 1, NULL },
	{ "'abc'.indexOf('', 2) == 2 && 'abc'.lastIndexOf('', 1) == 1", 1, NULL },
	{ "'abc'.lastIndexOf('') == 3 && ''.lastIndexOf('') == 0 && ''.indexOf('') == 0", 1, NULL },
	{ "''.lastIndexOf('a') == -1 && ''.indexOf('a') == -1", 1, NULL },
	{ "'abcabc'.lastIndexOf('abc', 2) == 0 && 'abcabc'.lastIndexOf('bc', 4) == 4", 1, NULL },
	{ "'abcabc'.lastIndexOf('abc', 5) == 3", 1, NULL },
	{ D ".greek.indexOf('', 9) == 3 && " D ".greek.lastIndexOf('γ', 2) == 2", 1, NULL },
	{ "'abc'.indexOf('c', -1) == 2", -1, "a place" },
	{ "'abc'.lastIndexOf('', -1) == 2", -1, "a place" },
};

static const struct expression lists[] = {
	{ "[3, 1, 2].sort() == [1, 2, 3] && ['b', 'a'].sort() == ['a', 'b'] && [].sort() == []",
	  1, NULL },
	{ "[dyn(1), dyn('a')].sort() == [1]", -1, "of one type" },
	{ "[dyn(1), dyn(1.0)].sort() == [1]", -1, "of one type" },
	{ "lists.range(40).reverse().sort() == lists.range(40)", 1, NULL },
	{ "[1, 1, 2, 1].distinct() == [1, 2] && [dyn(1), dyn(1.0), dyn('a')].distinct().size() "
	  "== 2", 1, NULL },
	{ "[[1], [2, 3], []].flatten() == [1, 2, 3] && dyn([dyn(1), dyn([2])]).flatten() == [1, 2]",
	  1, NULL },
	{ "[[[1]], [[2]]].flatten() == [[1], [2]]", 1, NULL },
	{ "[[[1]], [[2]]].flatten(2) == [1, 2] && [[[1]]].flatten(0) == [[[1]]]", 1, NULL },
	{ "[[1]].flatten(-1) == [1]", -1, "a depth" },
	{ "[1].flatten() == [1]", -2, "no such overload" },
	{ "[1, 2, 3].slice(1, 3) == [2, 3] && [1].slice(1, 1) == []", 1, NULL },
	{ "[1].slice(0, 2) == [1]", -1, "slice()" },
	{ "[1].slice(-1, 0) == [1]", -1, "slice()" },
	{ "[1, 2].slice(dyn(2), 1) == [1]", -1, "slice()" },
	{ "lists.range(3) == [0, 1, 2] && lists.range(0) == []", 1, NULL },
	{ "lists.range(-1) == []", -1, "no fewer" },
	{ "lists.range(9223372036854775807) == []", -2, "may cost" },
	{ "[1, 2, 3].reverse() == [3, 2, 1] && [].reverse() == []", 1, NULL },
	{ "'abc'.reverse() == 'cba'", -2, "no such overload" },
	{ "[1].existsOne(x, x == 1)", -2, NULL },
};

static const struct expression syntax[] = {
	{ ".device.driver == 'd.io' && [1].all(x, .device.driver == 'd.io')", 1, NULL },
	{ ". == 1", -2, "expected a name behind '.'" },
	{ ".1.device", -2, NULL },
	{ "[,] == [] && {,} == {} && [1,] == [1] && {'a': 1,} == {'a': 1}", 1, NULL },
	{ "[,,] == []", -2, "expected" },
	{ "[,1] == []", -2, "expected" },
	{ "{,'a': 1} == {}", -2, "expected" },
	{ "has(" D ".s.x) || has(" D ".i.x) || has(" D ".v.x)", 0, NULL },
	{ "has(" D ".nope.x)", -1, "no such key: nope" },
	{ "has(" O ".ints.x)", -1, "no members: list" },
};

/* A chain of 250 sums is as high as cel-go reads one. */
static void test_height(void)
{
	char text[1200] = "";
	struct err e = { 0 };

	for (int i = 1; i < 250; i++)
		(void)strcat(text, "1 + ");
	(void)strcat(text, "1 > 2");
	ok(expression_answer(text + strlen("1 + "), &e) == 1);
	ok(expression_answer(text, &e) == -2 && strstr(e.msg, "nested too deep"));
}

int main(void)
{
	test("a quantity or version is compared with its own type alone");
	EXPRESSIONS(equality);
	test("NaN has no order; of two types the order is no reason for isSorted(), min(), max()");
	EXPRESSIONS(order);
	test("keys of a map are of any type but version, the later of two counts");
	EXPRESSIONS(keys);
	test("numbers are read and written as Go does it");
	EXPRESSIONS(numbers);
	test("a place behind the end is none, or for the empty string the end");
	EXPRESSIONS(places);
	test("sort(), distinct(), flatten(), slice(), reverse(), lists.range()");
	EXPRESSIONS(lists);
	test("a leading point, a single comma, has() of what is no map");
	EXPRESSIONS(syntax);
	test("250 levels");
	test_height();
	return tap_end();
}
