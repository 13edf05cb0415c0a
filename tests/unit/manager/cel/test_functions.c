/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_functions.c - what Kubernetes 1.36 has besides: optional values, macros with two variables,
 * sets, sums, times, bytes, matches, formats, URLs, addresses
 *
 * What Go makes of times, URLs and addresses was asked of Go (time, net/url, net/netip).
 */
#include "tests/unit/expressions.h"

#include "manager/regexp/regexp.h"

#define D "device.attributes['d.io']"
#define O "device.attributes['o.io']"

static const struct expression optionals[] = {
	{ D ".?s.orValue('x') == 'fish' && " D ".?nope.orValue('x') == 'x'", 1, NULL },
	{ D "[?'s'].value() == 'fish' && !" D "[?'nope'].hasValue()", 1, NULL },
	{ "device.attributes['nope'].?s.hasValue() || device.attributes[?'nope'].s.hasValue()",
	  0, NULL },
	{ "device.?driver.value() == 'd.io' && device.capacity[?'d.io'].m.hasValue()", 1, NULL },
	{ D ".?nope.value() == 1", -1, "none" },
	{ D ".?s.x.hasValue()", 0, NULL },
	{ O ".?ints[0].value() == 0 && !" O ".?ints[9].hasValue() && !" O ".ints[?9].hasValue()",
	  1, NULL },
	{ O ".ints[?'a'].hasValue()", -1, "place in a list" },
	{ "optional.of(1).or(optional.of(2)).value() == 1", 1, NULL },
	{ "optional.none().or(optional.of(2)).value() == 2", 1, NULL },
	{ "optional.of(1).orValue(1 / 0) == 1 && optional.of(1).or(optional.of(1 / 0)).hasValue()",
	  1, NULL },
	{ "optional.none().orValue(1 / 0) == 1", -1, "division by zero" },
	{ "optional.ofNonZeroValue(0).hasValue() || optional.ofNonZeroValue('').hasValue()",
	  0, NULL },
	{ "optional.ofNonZeroValue([]).hasValue() || optional.ofNonZeroValue({}).hasValue()",
	  0, NULL },
	{ "optional.ofNonZeroValue(0.0).hasValue() || optional.ofNonZeroValue(false).hasValue()",
	  0, NULL },
	{ "optional.ofNonZeroValue(device.attributes['nope']).hasValue()", 0, NULL },
	{ "optional.ofNonZeroValue(1).hasValue() && optional.ofNonZeroValue(" D ".v).hasValue()",
	  1, NULL },
	{ "optional.of(1) == optional.of(1) && optional.none() != optional.of(1)", 1, NULL },
	{ "optional.of(1).optMap(x, x + 1).value() == 2 && !optional.none().optMap(x, "
	  "x).hasValue()", 1, NULL },
	{ "optional.of(1).optFlatMap(x, optional.of(x + 1)).value() == 2", 1, NULL },
	{ "optional.of(1).optFlatMap(x, x + 1).value() == 2", -2, "expected an optional value" },
	{ "[1].optMap(x, x).hasValue()", -2, "optMap() is for optional values" },
	{ "optional.of([1]).map(x, x) == [1]", -2, "map() is for lists and maps" },
	{ "dyn([1]).optMap(x, x).hasValue()", -1, "is for optional values, not for: list" },
	{ "[1, ?optional.of(2), ?optional.none()] == [1, 2]", 1, NULL },
	{ "{?'a': optional.of(1), ?'b': optional.none(), 'c': 3} == {'a': 1, 'c': 3}", 1, NULL },
	{ "{'a': 1, 'b': 2, ?'a': optional.none()} == {'b': 2}", 1, NULL },
	{ "[1, ?2] == [1]", -2, "only an optional value" },
	{ "{?'a': 1} == {}", -2, "only an optional value" },
	{ "[?dyn(1)] == []", -1, "no optional value: int" },
	{ "{?'a': dyn(1)} == {}", -1, "no optional value: int" },
	{ "[?optional.of(1), 'a'] == []", -2, "of one type: int, string" },
	{ "[[1, 2]][?0][?1].value() == 2 && {'a': {'b': 1}}.?a.b.value() == 1", 1, NULL },
	{ "has({'a': {'b': 1}}.?a.b) && !has({'a': {'b': 1}}.?x.b)", 1, NULL },
	{ "'a'.?b.hasValue()", -2, "no members" },
	{ "{}.?a()", -2, "expected an operator" },
	{ "[1, 2].first().value() == 1 && [1, 2].last().value() == 2 && ![].first().hasValue()",
	  1, NULL },
	{ "optional.unwrap([optional.of(1), optional.none()]) == [1]", 1, NULL },
	{ "[optional.of(1)].unwrapOpt() == [1]", 1, NULL },
};

static const struct expression macros[] = {
	{ "[1, 2].all(i, v, i < v) && {'a': 1}.exists(k, v, k == 'a' && v == 1)", 1, NULL },
	{ "[5, 6].existsOne(i, v, v == 6) && ![5, 5].exists_one(i, v, v == 5)", 1, NULL },
	{ "device.attributes.all(d, m, m.all(n, v, n != 'x'))", 1, NULL },
	{ O ".strings.exists(i, v, i == 1 && v == 'green')", 1, NULL },
	{ "[1, 2, 3].transformList(i, v, i * v) == [0, 2, 6]", 1, NULL },
	{ "[1, 2, 3].transformList(i, v, v > 1, v) == [2, 3]", 1, NULL },
	{ "{'a': 1, 'b': 2}.transformMap(k, v, v + 1) == {'a': 2, 'b': 3}", 1, NULL },
	{ "[5, 6].transformMap(i, v, v > 5, v) == {1: 6}", 1, NULL },
	{ "{'a': 'b'}.transformMapEntry(k, v, {v: k}) == {'b': 'a'}", 1, NULL },
	{ "['x', 'y'].transformMapEntry(i, v, i > 0, {v: i}) == {'y': 1}", 1, NULL },
	{ "['x', 'x'].transformMapEntry(i, v, {v: i}).size() == 1", -1, "there twice: x" },
	{ "[1].transformMapEntry(i, v, v).size() == 1", -2, "expected a map" },
	{ "[1].transformMapEntry(i, v, dyn(v)).size() == 1", -1, "expected a map, not: int" },
	{ "[1].all(i, v, 1 / i == 1 || true) && [0].exists(i, v, 1 / v == 1 || true)", 1, NULL },
	{ "[1, 0].all(i, v, 1 / v == 1)", -1, "division by zero" },
	{ "[1].all(i, i, i == 1)", 1, NULL },
	{ "[1].all(1, true)", -2, "the name of a variable" },
	{ "[1].transformList(i, v) == []", -2, "transformList" },
	{ "[3, 1, 2].sortBy(x, -x) == [3, 2, 1] && ['bb', 'a'].sortBy(x, x.size()) == ['a', 'bb']",
	  1, NULL },
	{ "[1, 2].sortBy(x, [x]) == []", -1, "has an order" },
};

static const struct expression lists[] = {
	{ "sets.contains([1, 2], [2, 2]) && !sets.contains([1], [2]) && sets.contains([], [])",
	  1, NULL },
	{ "sets.intersects([1], [1, 2]) && !sets.intersects([1], [2])", 1, NULL },
	{ "sets.equivalent([1, 1, 2], [2, 1]) && !sets.equivalent([1], [1, 2])", 1, NULL },
	{ "[1, 2].sum() == 3 && [1u].sum() == 1u && [1.5, 2.0].sum() == 3.5", 1, NULL },
	{ "[duration('1s'), duration('2s')].sum() == duration('3s')", 1, NULL },
	{ "[9223372036854775807, 1].sum() == 1", -1, "does not fit" },
	{ "[dyn(1), dyn(1.5)].sum() == 1", -1, "of one type" },
	{ "['a'].sum() == 'a'", -2, "no such overload" },
};

static const struct expression times[] = {
	{ "duration('1h30m').getMinutes() == 90 && duration('1.5s').getMilliseconds() == 1500",
	  1, NULL },
	{ "duration('-1.5h').getHours() == -1 && duration('.5s').getSeconds() == 0", 1, NULL },
	{ "duration('1us') == duration('1000ns') && duration('1µs') == duration('1μs')",
	  1, NULL },
	{ "duration('0') == duration('+0s') && duration('1.s') == duration('1s')", 1, NULL },
	{ "string(duration('1h')) == '3600s' && string(duration('1500ms')) == '1.5s'", 1, NULL },
	{ "string(duration('-1ns')) == '-0.000000001s'", 1, NULL },
	{ "int(duration('1s')) == 1000000000 && duration(5) == duration('5ns')", 1, NULL },
	{ "duration('9223372036854775807ns') + duration('1ns') > duration('0')",
	  -1, "does not fit" },
	{ "duration('-9223372036854775808ns') < duration('0')", 1, NULL },
	{ "duration(" D ".s) == duration('1s')", -1, "no duration: fish" },
	{ "duration('1d') == duration('1s')", -2, "no duration: 1d" },
	{ "duration('9223372036854775808ns') == duration('1s')", -2, "no duration" },
	{ "duration('1e3s') == duration('1s')", -2, "no duration" },
	{ "duration('s') == duration('1s')", -2, "no duration" },
	{ "duration('1s') < duration('2s') && [duration('2s'), duration('1s')].min() == "
	  "duration('1s')", 1, NULL },
	{ "timestamp('2020-02-29T12:34:56.789Z').getFullYear() == 2020", 1, NULL },
	{ "timestamp('2020-02-29T12:34:56.789Z').getMonth() == 1", 1, NULL },
	{ "timestamp('2020-02-29T12:34:56.789Z').getDayOfYear() == 59", 1, NULL },
	{ "timestamp('2020-02-29T12:34:56.789Z').getDayOfMonth() == 28", 1, NULL },
	{ "timestamp('2020-02-29T12:34:56.789Z').getDate() == 29", 1, NULL },
	{ "timestamp('2020-02-29T12:34:56.789Z').getDayOfWeek() == 6", 1, NULL },
	{ "timestamp('2020-02-29T12:34:56.789Z').getMilliseconds() == 789", 1, NULL },
	{ "timestamp('2020-02-29T12:34:56.789Z').getHours('-02:00') == 10", 1, NULL },
	{ "timestamp('2020-02-29T12:34:56.789Z').getMinutes('+05:30') == 4", 1, NULL },
	{ "timestamp('1900-03-01T00:00:00Z').getDate('-00:01') == 28", 1, NULL },
	{ "timestamp('0001-01-01T00:00:00Z').getDayOfWeek() == 1", 1, NULL },
	{ "timestamp('2020-02-29T12:34:56Z').getHours('Europe/Berlin') == 13",
	  -1, "a time zone is UTC" },
	{ "string(timestamp('2020-01-01T00:00:00.5+01:00')) == '2020-01-01T00:00:00.5+01:00'",
	  1, NULL },
	{ "string(timestamp('2020-01-01T0:00:00,25Z')) == '2020-01-01T00:00:00.25Z'", 1, NULL },
	{ "timestamp('2020-01-01T00:00:00+24:00') == timestamp('2019-12-31T00:00:00Z')", 1, NULL },
	{ "timestamp('2020-01-01T00:00:00Z') + duration('1h') == timestamp('2020-01-01T01:00:00Z')",
	  1, NULL },
	{ "duration('1h') + timestamp('2020-01-01T00:00:00Z') == timestamp('2020-01-01T01:00:00Z')",
	  1, NULL },
	{ "timestamp('2020-01-01T00:00:00Z') - duration('1ns') < timestamp('2020-01-01T00:00:00Z')",
	  1, NULL },
	{ "timestamp('2020-01-01T00:00:00Z') - timestamp('2019-12-31T23:59:59Z') == duration('1s')",
	  1, NULL },
	{ "timestamp('9999-12-31T23:59:59Z') + duration('1s') == timestamp(0)", -1, "a year" },
	{ "timestamp('9999-12-31T23:59:59Z') - timestamp(0) > duration('0')", -1, "does not fit" },
	{ "timestamp(253402300800) > timestamp(0)", -2, "a year" },
	{ "int(timestamp('2020-01-01T00:00:00Z')) == 1577836800", 1, NULL },
	{ "timestamp('2020-02-30T00:00:00Z') > timestamp(0)", -2, "no timestamp" },
	{ "timestamp('2020-01-01T24:00:00Z') > timestamp(0)", -2, "no timestamp" },
	{ "timestamp('2020-01-01t00:00:00z') > timestamp(0)", -2, "no timestamp" },
	{ "timestamp('2020-01-01T00:00:00.Z') > timestamp(0)", -2, "no timestamp" },
	{ "timestamp('0000-01-01T00:00:00Z') > timestamp(0)", -2, "no timestamp" },
	{ "timestamp('2020-01-01T00:00:00+0100') > timestamp(0)", -2, "no timestamp" },
};

static const struct expression texts[] = {
	{ "b'a\\x00b'.size() == 3 && bytes('αβ').size() == 4 && string(b'abc') == 'abc'",
	  1, NULL },
	{ "b'a' < b'b' && b'a' + b'b' == b'ab' && br'\\n' == b'\\\\n' && b'\\377'.size() == 1",
	  1, NULL },
	{ "b'\\u0041' == b'A'", -2, "no byte" },
	{ "string(bytes(" D ".s) + b'\\xff') == 'a'", -1, "no string" },
	{ "strings.quote('a\"b\\n') == '\"a\\\\\"b\\\\n\"'", 1, NULL },
	{ "'a1b22'.findAll('[0-9]+') == ['1', '22'] && 'a1b22'.findAll('[0-9]+', 1) == ['1']",
	  1, NULL },
	{ "'a1b22'.find('[0-9]+') == '1' && 'abc'.find('x') == '' && 'abc'.findAll('x') == []",
	  1, NULL },
	{ "'abc'.findAll('') == ['', '', '', ''] && 'abc'.findAll('b*') == ['', 'b', '']",
	  1, NULL },
	{ "'αβ'.findAll('.') == ['α', 'β'] && 'ab'.findAll('[a-z]', 0) == []", 1, NULL },
	{ "'abc'.find('(') == ''", -2, "'(', character 2" },
	{ "'abc'.findAll(" D ".s + '(') == []", -1, "regular expression" },
	{ "'%s is %d, %.2f, %x %X %o %b %%'.format(['a', 1, 1234.5, 255, -255, 8, 5]) == "
	  "'a is 1, 1,234.50, ff -FF 10 101 %'", 1, NULL },
	{ "'%s %s'.format([[1, 'a', 1.5, null], {'b': 1, 'a': true}]) == "
	  "'[1, \"a\", 1.500000, null] {\"a\":true, \"b\":1}'", 1, NULL },
	{ "'%s %s'.format([duration('1s'), [timestamp(0)]]) == "
	  "'1s [timestamp(\"1970-01-01T00:00:00Z\")]'", 1, NULL },
	{ "'%s %x %f'.format([b'a', 'αb', double('inf')]) == 'a ceb162 ∞'", 1, NULL },
	{ "'%s'.format([]) == ''", -2, "more clauses" },
	{ "'%s'.format(['a', 1]) == ''", -2, "more values" },
	{ "''.format(['a']) == '' && '%%'.format([1]) == '%'", -2, "more values" },
	{ "'%d'.format(['a']) == ''", -2, "%d of format() is not for this type: string" },
	{ "true || '%d'.format(['a']) == ''", -2, "not for this type" },
	{ "'%b %b %b'.format([true, 1, 1u]) == '1 1 1'", 1, NULL },
	{ "'%f'.format([1]) == ''", -2, "not for this type: int" },
	{ "'%x'.format([1.5]) == '' || '%o'.format([true]) == ''", -2, "%x of format()" },
	{ "'%s'.format([[semver('1.2.3')]]) == ''", -2, "not for this type: semver" },
	{ "'%s'.format([{'a': semver('1.2.3')}]) == ''", -2, "not for this type: semver" },
	{ "'%s'.format([[1].map(x, semver('1.2.3'))]) == ''", -1, "not for this type" },
	{ "'%d'.format([dyn('a')]) == ''", -1, "not for this type" },
	{ "('%' + 's').format([]) == ''", -1, "more clauses" },
	{ "('%' + 's').format(['a', 'b']) == 'a'", 1, NULL },
	{ "'%s'.format(['a'] + ['b']) == 'a'", 1, NULL },
	{ "'%s'.format([" D ".v]) == ''", -1, "not for this type" },
	{ "'%q'.format([1]) == ''", -2, "no such clause" },
	{ "('%' + 'q').format([1]) == ''", -1, "no such clause" },
	{ "'%'.format([1]) == ''", -2, "without its letter" },
	{ "'%.f'.format([1.0]) == ''", -2, "no such precision" },
	{ "'%.9999f'.format([1.0]) == ''", -1, "no such precision" },
	{ "'%.99999f'.format([1.0]) == ''", -1, "no such precision" },
	{ "'%e'.format([1.0]) == ''", -1, "%e of format() is not supported" },
	{ "['a', 1] == []", -2, "of one type: string, int" },
};

static const struct expression addresses[] = {
	{ "ip('10.0.0.1').family() == 4 && ip('::1').family() == 6 && isIP('::1')", 1, NULL },
	{ "string(ip('2001:db8:0:0:1:0:0:1')) == '2001:db8::1:0:0:1'", 1, NULL },
	{ "string(ip('::1.2.3.4')) == '::102:304' && string(ip('1:2:3:4:5:6:7::')) == "
	  "'1:2:3:4:5:6:7:0'", 1, NULL },
	{ "string(ip('::')) == '::' && string(ip('1::')) == '1::' && string(ip('10.0.0.1')) == "
	  "'10.0.0.1'", 1, NULL },
	{ "isIP('::ffff:1.2.3.4') || isIP('1.2.3') || isIP('fe80::1%eth0') || isIP('01.2.3.4')",
	  0, NULL },
	{ "ip(" D ".s).family() == 4", -1, "no IP address: fish" },
	{ "ip('127.1.2.3').isLoopback() && ip('::1').isLoopback() && ip('0.0.0.0').isUnspecified()",
	  1, NULL },
	{ "ip('224.0.0.9').isLinkLocalMulticast() && ip('ff12::1').isLinkLocalMulticast()",
	  1, NULL },
	{ "ip('169.254.1.1').isLinkLocalUnicast() && ip('febf::1').isLinkLocalUnicast()", 1, NULL },
	{ "ip('10.0.0.1').isGlobalUnicast() && !ip('255.255.255.255').isGlobalUnicast()", 1, NULL },
	{ "ip('ff00::1').isGlobalUnicast() || ip('::').isGlobalUnicast()", 0, NULL },
	{ "ip.isCanonical('::1') && !ip.isCanonical('0::1')", 1, NULL },
	{ "ip('1.2.3.4') == ip('1.2.3.4') && ip('::1') == ip('0::1')", 1, NULL },
	{ "ip('1.2.3.4') == dyn(1)", -1, "no such overload: ==(ip, int)" },
	{ "cidr('10.0.0.0/8').containsIP('10.1.1.1') && !cidr('10.0.0.0/8').containsIP(ip('::1'))",
	  1, NULL },
	{ "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", 1, NULL },
	{ "cidr('10.0.0.0/16').containsCIDR(cidr('10.0.0.0/8'))", 0, NULL },
	{ "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')", 1, NULL },
	{ "cidr('10.1.2.3/8').ip() == ip('10.1.2.3') && cidr('::/64').prefixLength() == 64",
	  1, NULL },
	{ "string(cidr('10.1.2.3/8')) == '10.1.2.3/8' && isCIDR('::/128')", 1, NULL },
	{ "isCIDR('1.2.3.4/33') || isCIDR('1.2.3.4/') || isCIDR('1.2.3.4') || "
	  "isCIDR('1.2.3.4/024')", 0, NULL },
	{ "url('https://e.com:80/a b?k=a&l=b&l=c+d').getEscapedPath() == '/a%20b'", 1, NULL },
	{ "url('https://e.com:80/?k=a&l=b&l=c+d&m;=1&%zz=2&q').getQuery() == "
	  "{'k': ['a'], 'l': ['b', 'c d'], 'q': ['']}", 1, NULL },
	{ "url('HTTPS://u:p@[::1]:80/x').getHostname() == '::1'", 1, NULL },
	{ "url('HTTPS://u:p@[::1]:80/x').getPort() == '80'", 1, NULL },
	{ "url('HTTPS://u:p@[::1]:80/x').getHost() == '[::1]:80'", 1, NULL },
	{ "url('HTTPS://u:p@[::1]:80/x').getScheme() == 'https'", 1, NULL },
	{ "url('//a/b').getHost() == 'a' && url('mailto:x@y').getHost() == ''", 1, NULL },
	{ "url('/path%2fx/ü').getEscapedPath() == '/path/x/%C3%BC'", 1, NULL },
	{ "url('http://a/%2f').getEscapedPath() == '/%2f' && url('*').getEscapedPath() == '*'",
	  1, NULL },
	{ "url('http://a/b') == url('HTTP://a/b') && url('http://a/b') != url('http://a/c')",
	  1, NULL },
	{ "isURL('http://a') && isURL('/p') && isURL('http:') && isURL('http://a:/')", 1, NULL },
	{ "isURL('') || isURL('a') || isURL('http://a:b/') || isURL('http://a b/')", 0, NULL },
	{ "isURL('http://a/%zz') || isURL('1http://a') || isURL('http://[::1') || isURL(':a')",
	  0, NULL },
	{ "isURL('http://a%41/') || isURL('http://us er@h/') || isURL('http://a#b') || isURL(' "
	  "/a')", 0, NULL },
	{ "url(" D ".s).getHost() == ''", -1, "no URL: fish" },
};

static const struct expression formats[] = {
	{ "format.dns1123Label().validate('my-label').hasValue()", 0, NULL },
	{ "format.dns1123Label().validate('My').value()[0].startsWith('a lowercase RFC 1123 "
	  "label')", 1, NULL },
	{ "format.dns1123Label().validate('a-').hasValue()", 1, NULL },
	{ "format.dns1123LabelPrefix().validate('a-').hasValue()", 0, NULL },
	{ "format.dns1035Label().validate('1a').hasValue() && "
	  "!format.dns1035LabelPrefix().validate('a1-').hasValue()", 1, NULL },
	{ "format.dns1123Subdomain().validate('a.b-c.d').hasValue()", 0, NULL },
	{ "format.dns1123Subdomain().validate('a..b').hasValue() && "
	  "!format.dns1123SubdomainPrefix().validate('a.b-').hasValue()", 1, NULL },
	{ "format.labelValue().validate('').hasValue() || "
	  "format.labelValue().validate('A_b').hasValue()", 0, NULL },
	{ "format.qualifiedName().validate('e.com/Name').hasValue()", 0, NULL },
	{ "format.qualifiedName().validate('/Name').hasValue() && "
	  "format.qualifiedName().validate('a/b/c').hasValue()", 1, NULL },
	{ "format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()", 0, NULL },
	{ "format.uuid().validate('123').hasValue() && format.byte().validate('a').hasValue()",
	  1, NULL },
	{ "format.byte().validate('aGVsbG8=').hasValue() || "
	  "format.uri().validate('http://a').hasValue()", 0, NULL },
	{ "format.date().validate('2021-02-28').hasValue() || "
	  "format.datetime().validate('2021-01-01T00:00:00Z').hasValue()", 0, NULL },
	{ "format.date().validate('2021-02-29').hasValue() && "
	  "format.datetime().validate('x').hasValue()", 1, NULL },
	{ "format.named('uuid').value() == format.uuid() && !format.named('x').hasValue()",
	  1, NULL },
	{ "format.nope().validate('x').hasValue()", -2, NULL },
};

static const struct expression absent[] = {
	{ "type(1) == type(2)", -2, "not supported: 'type'" },
	{ "base64.encode(b'a') == ''", -2, "base64" },
	{ "math.greatest(1, 2) == 2", -2, "math" },
};

static void test_find(void)
{
	struct err e = { 0 };
	struct regexp *re = regexp_parse("b+", &e);
	size_t range[2] = { 0, 0 };
	char text[400] = "";

	ok(re && regexp_find(re, "abbab", 0, range, &e) == 1 && range[0] == 1 && range[1] == 3);
	ok(re && regexp_find(re, "abbab", 3, range, &e) == 1 && range[0] == 4 && range[1] == 5);
	ok(re && regexp_find(re, "abbab", 5, range, &e) == 0 && range[0] == 4);
	regexp_free(re);
	memset(text, 'a', sizeof(text) - 1);
	re = regexp_parse("^(a+)+(a+)+$|^(a|aa)+c$", &e);
	text[sizeof(text) - 2] = '!';
	ok(re && regexp_find(re, text, 0, range, &e) < 0);
	ok(e.code == ERR_NETCONF);
	regexp_free(re);
}

int main(void)
{
	test("optional values: a.?b, a[?b], ?x in lists and maps, and their functions");
	EXPRESSIONS(optionals);
	test("macros with two variables, and sortBy()");
	EXPRESSIONS(macros);
	test("sets and sums");
	EXPRESSIONS(lists);
	test("durations and timestamps are as Go reads, writes and adds them");
	EXPRESSIONS(times);
	test("bytes, quote(), find(), findAll() and format()");
	EXPRESSIONS(texts);
	test("IP addresses, networks and URLs are as Go reads them");
	EXPRESSIONS(addresses);
	test("named formats of Kubernetes");
	EXPRESSIONS(formats);
	test("what is not there is told");
	EXPRESSIONS(absent);
	test("regexp_find() gives the place of a match, or says that it takes too long");
	test_find();
	return tap_end();
}
