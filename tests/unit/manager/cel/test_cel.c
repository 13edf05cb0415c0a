/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_cel.c - expressions: what they are for one device, what is refused and where, limits, traces
 *
 * Many rows are the cases of Kubernetes' own tests (dynamic-resource-allocation/cel and
 * apiserver/pkg/cel/library, 1.36) and the examples of cel-go's documentation, said in our words.
 */
#include "manager/cel/cel.h"

#include "base/mem.h"
#include "manager/cel/ast.h"
#include "tests/unit/tap.h"

#define DOMAIN "device.attributes[\"dra.example.com\"]"
#define ROOM "device.capacity[\"dra.example.com\"]"

static const char attributes_text[] =
	"{\"model\":{\"string\":\"fish\"},\"cores\":{\"int\":8},\"ecc\":{\"bool\":true},"
	"\"firmware\":{\"version\":\"1.10.2\"},\"dra.example.com/qualified\":{\"int\":-1},"
	"\"resource.kubernetes.io/pciBusID\":{\"string\":\"0000:65:00.1\"},"
	"\"other.example.com/colors\":{\"strings\":[\"red\",\"blue\"]},"
	"\"other.example.com/nodes\":{\"ints\":[0,1]},\"other.example.com/on\":{\"bools\":[true]},"
	"\"other.example.com/builds\":{\"versions\":[\"1.0.0\",\"2.0.0\"]},"
	"\"other.example.com/model\":{\"string\":\"bird\"},\"bad\":{\"version\":\"v1\"},"
	"\"odd\":{\"color\":\"red\"},\"empty\":{},\"wrong\":{\"int\":\"1\"},"
	"\"wrongs\":{\"strings\":[\"a\",1]},\"list\":{\"ints\":1},"
	"\"text\":{\"string\":1},\"number\":{\"version\":1},\"none\":{\"ints\":[]},"
	"\"greek\":{\"string\":\"αβγ-αβγ\"},\"loud\":{\"string\":\"  TacoCÆt \"}}";

static const char capacity_text[] =
	"{\"memory\":{\"value\":\"10Gi\"},\"queues\":{\"value\":16},\"rate\":{\"value\":\"1500m\"},"
	"\"other.example.com/memory\":{\"value\":\"1Gi\"},\"bad\":{\"value\":\"10Mo\"},\"odd\":{}}";

struct device {
	json_t *attributes, *capacity;
	struct cel_device d;
};

static struct device make_device(void)
{
	struct device ret = { .attributes = json_loads(attributes_text, 0, NULL),
			      .capacity = json_loads(capacity_text, 0, NULL) };

	ret.d = (struct cel_device){ .driver = "dra.example.com", .attributes = ret.attributes,
				     .capacity = ret.capacity };
	return ret;
}

static void done(struct device *v)
{
	json_decref(v->attributes);
	json_decref(v->capacity);
}

/* 1, 0, -1: the answer; -2: not even compiled. */
static int answer(const char *text, struct err *e)
{
	struct device v = make_device();
	auto_cel struct cel *c = cel_compile(text, e);
	int ret = c ? cel_matches(c, &v.d, e) : -2;

	done(&v);
	return ret;
}

/* What is wrong is a part of the message, of a row that fails. */
struct row {
	const char *text;
	int want;
	const char *wrong, *place;
};

static void check_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct err e = { 0 };
		int have = answer(rows[i].text, &e);

		ok(have == rows[i].want);
		if (have != rows[i].want)
			(void)printf("#  %s\n#  have %d %s, want %d\n", rows[i].text, have, e.msg,
				     rows[i].want);
		if (have >= 0)
			continue;
		ok(e.code == ERR_NETCONF && strstr(e.msg, rows[i].wrong ? rows[i].wrong : ""));
		if (!strstr(e.msg, rows[i].wrong ? rows[i].wrong : ""))
			(void)printf("#  %s\n#  have %s\n", rows[i].text, e.msg);
		if (rows[i].place)
			eq(e.details, rows[i].place);
	}
}

#define CHECK_ROWS(rows) check_rows(rows, ARRAY_SIZE(rows))

static const struct row variables[] = {
	{ "true", 1, 0, 0 },
	{ "false", 0, 0, 0 },
	{ "device.driver == \"dra.example.com\"", 1, 0, 0 },
	{ "device.driver == 'other.example.com'", 0, 0, 0 },
	{ "device.driver.endsWith('.example.com')", 1, 0, 0 },
	{ DOMAIN ".model == 'fish'", 1, 0, 0 },
	{ DOMAIN "['model'] == 'fish'", 1, 0, 0 },
	{ DOMAIN ".ecc", 1, 0, 0 },
	{ "!" DOMAIN ".ecc", 0, 0, 0 },
	{ DOMAIN ".cores > 0", 1, 0, 0 },
	{ DOMAIN ".cores >= 9", 0, 0, 0 },
	{ DOMAIN ".cores != 8", 0, 0, 0 },
	{ DOMAIN ".cores - 1 == 7", 1, 0, 0 },
	{ ROOM ".memory == quantity('10Gi')", 1, 0, 0 },
	{ ROOM ".queues == quantity('16')", 1, 0, 0 },
	{ ROOM "['rate'].isGreaterThan(quantity('1'))", 1, 0, 0 },
	{ "device.allowMultipleAllocations == false", 1, 0, 0 },
	{ "device.allowMultipleAllocations", 0, 0, 0 },
	{ "device.attributes['resource.kubernetes.io'].pciBusID.startsWith('0000:65:')", 1, 0, 0 },
};

/* The example of the document about prioritized lists, for a device that is not it. */
static const struct row documented[] = {
	{ "device.attributes[\"resource-driver.example.com\"].color == \"black\" &&\n"
	  "device.attributes[\"resource-driver.example.com\"].size == \"large\"\n",
	  -1, "no such key: color", "line 1, column 50" },
	{ "device.driver == \"resource-driver.example.com\" &&\n"
	  "device.attributes[\"resource-driver.example.com\"].color == \"white\"",
	  0, 0, 0 },
};

static const struct row domains[] = {
	{ DOMAIN ".qualified == -1", 1, 0, 0 },
	{ "device.attributes['other.example.com'].model == 'bird'", 1, 0, 0 },
	{ "device.attributes['other.example.com'].cores == 8", -1, "no such key: cores", 0 },
	{ "device.capacity['other.example.com'].memory == quantity('1Gi')", 1, 0, 0 },
	{ "'model' in " DOMAIN, 1, 0, 0 },
	{ "'qualified' in " DOMAIN, 1, 0, 0 },
	{ "'dra.example.com/qualified' in " DOMAIN, 0, 0, 0 },
	{ "device.attributes['dra.example.com/qualified'].x == 1", -1, "no such key: x", 0 },
	{ "device.attributes['dra.example.com/qualified']['x'] == 1", -1, "no such key: x", 0 },
	{ "device.attributes.exists_one(x, x == 'dra.example.com')", 1, 0, 0 },
	{ "device.attributes.size() == 3", 1, 0, 0 },
	{ DOMAIN ".exists_one(x, x == 'qualified')", 1, 0, 0 },
	{ "device.capacity.exists_one(x, x == 'other.example.com')", 1, 0, 0 },
	{ ROOM ".exists_one(x, x == 'memory')", 1, 0, 0 },
	{ "size(" ROOM ") == 5", 1, 0, 0 },
};

static const struct row unknown[] = {
	{ "device.attributes['no.such']", -2, "is of type map", 0 },
	{ "device.attributes['no.such'].size() == 0", 1, 0, 0 },
	{ "device.attributes['no.such'] == {}", 1, 0, 0 },
	{ "'no.such' in device.attributes", 0, 0, 0 },
	{ "'other.example.com' in device.attributes", 1, 0, 0 },
	{ "has(device.attributes['no.such'].x)", 0, 0, 0 },
	{ "has(device.attributes.nosuch)", 1, 0, 0 },
	{ "device.attributes['no.such'].x", -1, "no such key: x", "line 1, column 30" },
	{ "device.attributes['no.such']['x']", -1, "no such key: x", "line 1, column 30" },
	{ "device.capacity['no.such'].x.isGreaterThan(quantity('0'))", -1, "no such key: x", 0 },
	{ DOMAIN ".nosuch == 1", -1, "no such key: nosuch", 0 },
	{ DOMAIN ".bad == semver('1.0.0')", -1, "version 'v1'", 0 },
	{ DOMAIN ".odd == 1", -1, "of a type that is supported", 0 },
	{ DOMAIN ".empty == 1", -1, "of a type that is supported", 0 },
	{ DOMAIN ".wrong == 1", -1, "of a type that is supported", 0 },
	{ DOMAIN ".wrongs.size() == 1", -1, "of a type that is supported", 0 },
	{ DOMAIN ".list.size() == 1", -1, "of a type that is supported", 0 },
	{ DOMAIN ".text == ''", -1, "of a type that is supported", 0 },
	{ DOMAIN ".number.major() == 1", -1, "of a type that is supported", 0 },
	{ "sign(" ROOM ".bad) == 1", -1, "quantity '10Mo'", 0 },
	{ "sign(" ROOM ".odd) == 1", -1, "has no value", 0 },
};

static const struct row absorbed[] = {
	{ DOMAIN ".nosuch == 1 || true", 1, 0, 0 },
	{ "true || " DOMAIN ".nosuch == 1", 1, 0, 0 },
	{ DOMAIN ".nosuch == 1 && false", 0, 0, 0 },
	{ "false && " DOMAIN ".nosuch == 1", 0, 0, 0 },
	{ DOMAIN ".nosuch == 1 || false", -1, "nosuch", 0 },
	{ DOMAIN ".nosuch == 1 && true", -1, "nosuch", 0 },
	{ DOMAIN ".nosuch || " DOMAIN ".other || true", 1, 0, 0 },
	{ DOMAIN ".nosuch || " DOMAIN ".other || false", -1, "nosuch", 0 },
	{ DOMAIN ".model || true", 1, 0, 0 },
	{ DOMAIN ".model && true", -1, "must be true or false, and is: string", 0 },
	{ "!(" DOMAIN ".nosuch == 1) || true", 1, 0, 0 },
	{ DOMAIN ".nosuch == 1 ? true : true", -1, "nosuch", 0 },
	{ "true ? true : " DOMAIN ".nosuch", 1, 0, 0 },
	{ "false ? " DOMAIN ".nosuch : true", 1, 0, 0 },
	{ DOMAIN ".model ? true : true", -1, "must be true or false", 0 },
	{ "[1, 2].exists(x, x == 2 || " DOMAIN ".nosuch)", 1, 0, 0 },
	{ "[1, 2].exists(x, x / 0 == 1 || x == 2)", 1, 0, 0 },
	{ "[1, 2].exists(x, x == 3 || x / 0 == 1)", -1, "division by zero", 0 },
	{ "[1, 0].all(x, 1 / x == 2)", 0, 0, 0 },
	{ "[0, 1].all(x, 1 / x == 2)", 0, 0, 0 },
	{ "[0, 1].all(x, 1 / x == 1)", -1, "division by zero", 0 },
	{ "[0, 1].exists_one(x, 1 / x == 1)", -1, "division by zero", 0 },
	{ "[0, 1].filter(x, 1 / x == 1).size() == 1", -1, "division by zero", 0 },
	{ "cel.bind(x, 1 / 0, true)", 1, 0, 0 },
	{ "cel.bind(x, 1 / 0, x == 1)", -1, "division by zero", 0 },
};

static const struct row functions[] = {
	/* has, in, cel.bind */
	{ "has(" DOMAIN ".model)", 1, 0, 0 },
	{ "has(" DOMAIN ".nosuch)", 0, 0, 0 },
	{ "has(" ROOM ".memory) && !has(" ROOM ".model)", 1, 0, 0 },
	{ "has({'a': 1}.a)", 1, 0, 0 },
	{ "has({'a': 1}.b)", 0, 0, 0 },
	{ "has(" DOMAIN ".model.x)", 0, 0, 0 },
	{ "1 in [1, 2]", 1, 0, 0 },
	{ "1 in {1: 2}", 1, 0, 0 },
	{ "2 in {1: 2}", 0, 0, 0 },
	{ DOMAIN ".model in ['bird', 'fish']", 1, 0, 0 },
	{ "'memory' in " ROOM " && " ROOM ".memory.isGreaterThan(quantity('1Ki'))", 1, 0, 0 },
	{ "!('x' in " ROOM ") || " ROOM ".x.isGreaterThan(quantity('1Ki'))", 1, 0, 0 },
	{ "1 in " DOMAIN ".cores", -1, "no such overload: in(int, int)", 0 },
	{ "cel.bind(dra, " DOMAIN ", dra.ecc && dra.cores == 8 && has(dra.model))", 1, 0, 0 },
	{ "cel.bind(a, 1, cel.bind(b, 2, a < b))", 1, 0, 0 },
	{ "cel.bind(a, 1, cel.bind(a, 2, a == 2) && a == 1)", 1, 0, 0 },
	{ "cel.bind(d, device, d.driver == 'dra.example.com')", 1, 0, 0 },
	{ "cel.bind(d, device.attributes, d['other.example.com'].model == 'bird')", 1, 0, 0 },

	/* strings */
	{ "'hello'.contains('ell') && !'hello'.contains('elk')", 1, 0, 0 },
	{ "'hello'.contains('') && ''.contains('')", 1, 0, 0 },
	{ "'hello'.startsWith('he') && !'hello'.startsWith('hello!')", 1, 0, 0 },
	{ "'hello'.endsWith('lo') && !'lo'.endsWith('hello')", 1, 0, 0 },
	{ "'asymetric'.matches('[^a]?sym')", 1, 0, 0 },
	{ DOMAIN ".model.matches('^f[a-z]+$')", 1, 0, 0 },
	{ "matches(" DOMAIN ".model, '^f$')", 0, 0, 0 },
	{ "'fish'.matches(" DOMAIN ".model)", 1, 0, 0 },
	{ "'fish'.matches(" DOMAIN ".model + '(')", -1, "regular expression 'fish('", 0 },
	{ "'hello'.size() == 5 && size('hello') == 5", 1, 0, 0 },
	{ DOMAIN ".greek.size() == 7", 1, 0, 0 },
	{ "'TacoCat'.lowerAscii() == 'tacocat'", 1, 0, 0 },
	{ DOMAIN ".loud.trim().lowerAscii() == 'tacocÆt'", 1, 0, 0 },
	{ "'TacoCÆt Xii'.upperAscii() == 'TACOCÆT XII'", 1, 0, 0 },
	{ "'  \\ttrim\\n    '.trim() == 'trim'", 1, 0, 0 },
	{ "'\\u00a0 a b\\u2003'.trim() == 'a b'", 1, 0, 0 },
	{ "' '.trim() == '' && ''.trim() == ''", 1, 0, 0 },
	{ "'hello hello'.replace('he', 'we') == 'wello wello'", 1, 0, 0 },
	{ "'hello hello'.replace('he', 'we', -1) == 'wello wello'", 1, 0, 0 },
	{ "'hello hello'.replace('he', 'we', 1) == 'wello hello'", 1, 0, 0 },
	{ "'hello hello'.replace('he', 'we', 0) == 'hello hello'", 1, 0, 0 },
	{ "'ab'.replace('', '-') == '-a-b-'", 1, 0, 0 },
	{ "'hello'.replace('l', '') == 'heo'", 1, 0, 0 },
	{ "'hello hello hello'.split(' ') == ['hello', 'hello', 'hello']", 1, 0, 0 },
	{ "'hello hello hello'.split(' ', 0) == []", 1, 0, 0 },
	{ "'hello hello hello'.split(' ', 1) == ['hello hello hello']", 1, 0, 0 },
	{ "'hello hello hello'.split(' ', 2) == ['hello', 'hello hello']", 1, 0, 0 },
	{ "'hello hello hello'.split(' ', -1).size() == 3", 1, 0, 0 },
	{ "'αβ'.split('') == ['α', 'β'] && ''.split('') == []", 1, 0, 0 },
	{ "'abc'.split('', 2) == ['a', 'bc'] && ''.split(',') == ['']", 1, 0, 0 },
	{ "[1].join() == ''", -2, "no such overload", 0 },
	{ "'hello mellow'.indexOf('') == 0 && 'hello mellow'.indexOf('ello') == 1", 1, 0, 0 },
	{ "'hello mellow'.indexOf('jello') == -1 && 'hello mellow'.indexOf('', 2) == 2", 1, 0, 0 },
	{ "'hello mellow'.indexOf('ello', 2) == 7", 1, 0, 0 },
	{ "'hello mellow'.indexOf('ello', 20) == -1", 1, 0, 0 },
	{ DOMAIN ".greek.indexOf('β', 2) == 5", 1, 0, 0 },
	{ DOMAIN ".greek.indexOf(1) == 5", -1, "no such overload: indexOf(string, int)", 0 },
	{ "'hello mellow'.lastIndexOf('') == 12", 1, 0, 0 },
	{ "'hello mellow'.lastIndexOf('ello') == 7", 1, 0, 0 },
	{ "'hello mellow'.lastIndexOf('ello', 6) == 1", 1, 0, 0 },
	{ "'hello mellow'.lastIndexOf('jello') == -1 && ''.lastIndexOf('a') == -1", 1, 0, 0 },
	{ "'hello mellow'.lastIndexOf('ello', -1) == 1", -1, "a place that the string", 0 },
	{ "'tacocat'.substring(4) == 'cat' && 'tacocat'.substring(0, 4) == 'taco'", 1, 0, 0 },
	{ DOMAIN ".greek.substring(3, 5) == '-α'", 1, 0, 0 },
	{ "'tacocat'.substring(-1) == ''", -1, "a place that the string", 0 },
	{ "'tacocat'.substring(2, 1) == ''", -1, "a place that the string", 0 },
	{ "'tacocat'.substring(0, 8) == ''", -1, "a place that the string", 0 },
	{ "'hello'.charAt(4) == 'o' && 'αβ'.charAt(1) == 'β'", 1, 0, 0 },
	{ "'hello'.charAt(5) == ''", 1, 0, 0 },
	{ "'hello'.charAt(-1) == ''", -1, "a place that the string", 0 },
	{ "'a' + 'b' == 'ab' && 'a' < 'b' && 'a' < 'aa' && 'Z' < 'a'", 1, 0, 0 },
	{ "'\\x41\\u00c6\\U0001F600\\101' == 'AÆ😀A'", 1, 0, 0 },
	{ "'\\u007f\\u0080\\u07ff\\u0800\\uffff' == '\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf'",
	  1, 0, 0 },
	{ "r'\\d' == '\\\\d' && '''a'b''' == \"a'b\" && \"\"\"a\nb\"\"\" == 'a\\nb'", 1, 0, 0 },
	{ "'\\a\\b\\f\\n\\r\\t\\v\\\\\\?\\\"\\'\\`'.size() == 12", 1, 0, 0 },

	/* quantities */
	{ "quantity('200M') == quantity('0.2G') && quantity('2000k') == quantity('2M')", 1, 0, 0 },
	{ "quantity('200M') == quantity('0.3G')", 0, 0, 0 },
	{ "quantity('50M').isLessThan(quantity('50Mi'))", 1, 0, 0 },
	{ "quantity('100M').isLessThan(quantity('50M'))", 0, 0, 0 },
	{ "quantity('150Mi').isGreaterThan(quantity('100Mi'))", 1, 0, 0 },
	{ "quantity('50M').compareTo(quantity('50Mi')) == -1", 1, 0, 0 },
	{ "quantity('200M').compareTo(quantity('0.2G')) == 0", 1, 0, 0 },
	{ "quantity('50k').add(quantity('20')) == quantity('50.02k')", 1, 0, 0 },
	{ "quantity('50k').add(20).isLessThan(quantity('50020'))", 0, 0, 0 },
	{ "quantity('50k').sub(quantity('20')) == quantity('49.98k')", 1, 0, 0 },
	{ "quantity('50k').add(20).sub(quantity('100k')).sub(-50000).asInteger() == 20", 1, 0, 0 },
	{ "quantity('50k').asInteger() == 50000 && quantity('50').isInteger()", 1, 0, 0 },
	{ "quantity('0.5').isInteger()", 0, 0, 0 },
	{ "quantity('0.5').asInteger() == 0", -1, "no integer", 0 },
	{ "quantity('50.703k').asApproximateFloat() == 50703.0", 1, 0, 0 },
	{ "sign(quantity('-1')) == -1 && sign(quantity('0')) == 0", 1, 0, 0 },
	/* a method by its documentation, a function by what Kubernetes declares */
	{ "quantity('-1').sign() == -1", -2, "there is no method 'sign'", 0 },
	{ "isQuantity('20Mi') && !isQuantity('20Mo') && !isQuantity('10Mm')", 1, 0, 0 },
	{ "sign(quantity('10Mo')) == 1", -1, "quantity '10Mo'", 0 },
	{ ROOM ".memory > quantity('1')", -2, "no such overload: >(quantity, quantity)", 0 },

	/* versions */
	{ DOMAIN ".firmware.isGreaterThan(semver('1.9.0'))", 1, 0, 0 },
	{ DOMAIN ".firmware.isLessThan(semver('1.9.0'))", 0, 0, 0 },
	{ DOMAIN ".firmware.compareTo(semver('1.10.2')) == 0", 1, 0, 0 },
	{ DOMAIN ".firmware == semver('1.10.2+build')", 1, 0, 0 },
	{ DOMAIN ".firmware == '1.10.2'", -1, "no such overload", 0 },
	{ DOMAIN ".firmware.major() == 1 && " DOMAIN ".firmware.minor() == 10", 1, 0, 0 },
	{ DOMAIN ".firmware.patch() == 2", 1, 0, 0 },
	{ "semver('v0.0.1', true).isLessThan(semver('1.0', true))", 1, 0, 0 },
	{ "isSemver('v1.0.0', true) && !isSemver('v1.0.0') && isSemver('1.0.0', false)", 1, 0, 0 },
	{ "semver('200K').major() == 1", -1, "version '200K'", 0 },
	{ "semver('1.0.0').isLessThan(" ROOM ".memory)", -2, "no such overload", 0 },
	{ DOMAIN ".model.isGreaterThan(semver('1.0.0'))", -1, "isGreaterThan(string, semver)", 0 },

	/* lists and maps */
	{ "'red' in device.attributes['other.example.com'].colors", 1, 0, 0 },
	{ "device.attributes['other.example.com'].colors.includes('blue')", 1, 0, 0 },
	{ "device.attributes['other.example.com'].nodes.includes(2)", 0, 0, 0 },
	{ DOMAIN ".model.includes('fish')", 1, 0, 0 },
	{ DOMAIN ".cores.includes(9)", 0, 0, 0 },
	{ "device.attributes['other.example.com'].nodes.exists(x, x > 0)", 1, 0, 0 },
	{ "device.attributes['other.example.com'].on.all(x, x)", 1, 0, 0 },
	{ "device.attributes['other.example.com'].builds.all(x, x.isGreaterThan(semver('0.0.1')))",
	  1, 0, 0 },
	{ DOMAIN ".none.all(x, x > 0) && !" DOMAIN ".none.exists(x, x > 0)", 1, 0, 0 },
	{ DOMAIN ".cores.exists(x, x > 0)", -1, "for lists and maps, not for: int", 0 },
	{ "[1, 2, 3].all(x, x > 0) && [].all(x, false)", 1, 0, 0 },
	{ "[1, 2, 3].exists_one(x, x > 2) && !['a', 'a'].exists_one(x, x == 'a')", 1, 0, 0 },
	{ "[1, 2, 3].filter(x, x % 2 == 1) == [1, 3]", 1, 0, 0 },
	{ "[1, 2, 3].map(x, x * x) == [1, 4, 9]", 1, 0, 0 },
	{ "[1, 2, 3].map(x, x > 1, x * 10) == [20, 30]", 1, 0, 0 },
	{ "[1, 2].all(x, [3, 4].all(y, x < y))", 1, 0, 0 },
	{ "{'a': 1, 'b': 2}.all(k, k < 'c') && {'a': 1}['a'] == 1 && {'a': 1}.a == 1", 1, 0, 0 },
	{ "{1: 'x', 2: 'y'}[2] == 'y' && {true: 1}[true] == 1 && {1u: 2}[1u] == 2", 1, 0, 0 },
	{ "{'a': 1}['b'] == 1", -1, "no such key: b", 0 },
	{ "{1: 1}[2] == 1", -1, "no such key", 0 },
	{ "{'a': 1, 'a': 2}.size() == 1", 1, 0, 0 },
	{ "{dyn(1.5): 1}.size() == 1", 1, 0, 0 },
	{ "{'a': 1, 'b': 2} == {'b': 2, 'a': 1} && {'a': 1} != {'a': 2}", 1, 0, 0 },
	{ "[1, 2][0] == 1 && [1, 2][dyn(1.0)] == 2 && [1, 2][dyn(1u)] == 2", 1, 0, 0 },
	{ "[1, 2][2] == 1", -1, "no such place", 0 },
	{ "[1, 2][-1] == 1", -1, "no such place", 0 },
	{ "[1] + [2] == [1, 2] && size([1]) == 1 && [[1], [2]] == [[1], [2]]", 1, 0, 0 },
	{ "[1, 2, 2].indexOf(2) == 1 && [1, 2, 2].lastIndexOf(2) == 2 && [].indexOf('x') == -1",
	  1, 0, 0 },
	{ "[1, 3].min() == 1 && [1, 3].max() == 3 && [1, 2, 2].isSorted()", 1, 0, 0 },
	{ "[2.0, 1.0].isSorted()", 0, 0, 0 },
	{ "[].min() == 1", -1, "the list is empty", 0 },
	{ "[[1], [2]].max() == [2]", -2, "no such overload", 0 },
	{ "device.attributes['other.example.com'] == device.attributes['other.example.com']", 1,
	  0, 0 },
	{ "device.attributes['other.example.com'] == {'model': 'bird'}", 0, 0, 0 },
	{ "device.capacity == {'other.example.com': {'memory': quantity('1024Mi')}}", 0, 0, 0 },
	{ "dyn(device).size() == 4 && 'driver' in dyn(device) && !('x' in dyn(device))", 1, 0, 0 },
	{ "dyn(device)[1] == 1", -1, "no such key", 0 },
	{ "[1, 2] == [2, 1] || {'a': 1} == {'b': 1} || [1] == [1, 2]", 0, 0, 0 },
	{ "[1, 2]['a' + '' == 'a' ? dyn('0') : dyn(0)] == 1", -1, "is a number, not: string", 0 },
	{ "[1].map(x, " DOMAIN ".nosuch) == []", -1, "no such key: nosuch", 0 },
	{ "[" DOMAIN ".nosuch] == [] || [1][" DOMAIN ".other] == 1", -1, "nosuch", 0 },
	{ "{" DOMAIN ".nosuch: 1} == {}", -1, "no such key: nosuch", 0 },
	{ DOMAIN ".nosuch.a == 1 || has(" DOMAIN ".nosuch.a)", -1, "nosuch", 0 },
	{ DOMAIN ".nosuch['a'] == 1", -1, "no such key: nosuch", 0 },
	{ "'" "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" "'.split('').includes('a')", -1,
	  "lists of at most 48 values", 0 },
	{ "[dyn(1), dyn('a')].isSorted()", 1, 0, 0 },
	{ "[1, 2,] == [1, 2] && {'a': 1,} == {'a': 1}", 1, 0, 0 },
};

static const struct row numbers[] = {
	{ "1 + 2 * 3 == 7 && (1 + 2) * 3 == 9 && 7 / 2 == 3 && -7 / 2 == -3", 1, 0, 0 },
	{ "7 % 3 == 1 && -7 % 3 == -1 && 10 - 2 - 3 == 5", 1, 0, 0 },
	{ "1u + 2u == 3u && 5u / 2u == 2u && 5u % 2u == 1u && 2u * 3u == 6u", 1, 0, 0 },
	{ "1.5 + 1.5 == 3.0 && 1.0 / 4.0 == 0.25 && .5 * 2.0 == 1e0 && -1.5 < 0.0", 1, 0, 0 },
	{ "2.5 - 1.0 == 1.5 && -(1.5) == -1.5 && 5u - 2u == 3u", 1, 0, 0 },
	{ "5u % 0u == 0u", -1, "division by zero", 0 },
	{ "-9223372036854775808 % -1 == 0", -1, "does not fit", 0 },
	{ "uint(-1.5) == 0u", -2, "does not fit", 0 },
	{ "[-1][0] == -1 && -1 .size() == 1", -2, "no such overload: size(int)", 0 },
	{ "1e-1 == 0.1 && 1e+1 == 10.0 && 1E2 == 100.0", 1, 0, 0 },
	{ "0x1F == 31 && 0xau == 10u && -(-5) == 5 && - - 5 == 5 && !!true", 1, 0, 0 },
	{ "--dyn(2u) == 2u && --\"a\" == \"a\" && !! !true == false && ---5 == -5", 1, 0, 0 },
	{ "!!dyn(1) == 1 && !!!dyn(true) == false && -5 == - 5", 1, 0, 0 },
	{ "--9223372036854775808 == 0", -2, "does not fit into 64 bits", 0 },
	{ "---\"a\" == \"a\"", -2, "no such overload: -(string)", 0 },
	{ "!-dyn(1) == true || -!dyn(true) == true", -2, "expected a value", 0 },
	{ "-!dyn(true) == true", -2, "expected a value", 0 },
	{ "9223372036854775807 + 1 == 0", -1, "does not fit into 64 bits", 0 },
	{ "-9223372036854775808 - 1 == 0", -1, "does not fit into 64 bits", 0 },
	{ "-(-9223372036854775808) == 0", -1, "does not fit into 64 bits", 0 },
	{ "-9223372036854775808 / -1 == 0", -1, "does not fit into 64 bits", 0 },
	{ "9223372036854775807 * 2 == 0", -1, "does not fit into 64 bits", 0 },
	{ "0u - 1u == 0u", -1, "does not fit into 64 bits", 0 },
	{ "18446744073709551615u + 1u == 0u", -1, "does not fit into 64 bits", 0 },
	{ "1 / 0 == 0", -1, "division by zero", "line 1, column 3" },
	{ "1 % 0 == 0", -1, "division by zero", 0 },
	{ "1u / 0u == 0u", -1, "division by zero", 0 },
	{ "1.0 / 0.0 > 1e300 && -1.0 / 0.0 < -1e300", 1, 0, 0 },
	{ "0.0 / 0.0 == 0.0 / 0.0", 0, 0, 0 },
	{ "0.0 / 0.0 < 1.0 || 0.0 / 0.0 >= 1.0", -1, "NaN", 0 },
	/* numbers of two types are compared by what they are worth */
	{ "1 < 2u && 2u > 1 && 1 <= 1.5 && 2.5 > 2u && -1 < 1u", 1, 0, 0 },
	{ "dyn(1) == 1u && dyn(1) == 1.0 && dyn(1u) == 1.0 && dyn(-1) != 18446744073709551615u",
	  1, 0, 0 },
	{ "9007199254740993 > 9007199254740992.0 && 9223372036854775807 < 9223372036854775808.0",
	  1, 0, 0 },
	{ DOMAIN ".cores == 8.0 && " DOMAIN ".cores < 8.5 && " DOMAIN ".cores == 8u", 1, 0, 0 },
	{ DOMAIN ".cores == '8'", 0, 0, 0 },
	{ DOMAIN ".cores != '8' && " DOMAIN ".cores != null && " DOMAIN ".ecc != 1", 1, 0, 0 },
	{ DOMAIN ".cores < '9'", -1, "no such overload: <(int, string)", 0 },
	{ DOMAIN ".model + 1 == 2", -1, "no such overload: +(string, int)", 0 },
	{ "false < true && null == null", 1, 0, 0 },
	{ "int('42') == 42 && int(4.9) == 4 && int(7u) == 7 && int(-4.9) == -4", 1, 0, 0 },
	{ "uint(7) == 7u && uint('7') == 7u && uint(7.9) == 7u && double(1) == 1.0", 1, 0, 0 },
	{ "double('1.5') == 1.5 && double(2u) == 2.0", 1, 0, 0 },
	{ "bool('true') && !bool('F') && bool('1')", 1, 0, 0 },
	{ "string(42) == '42' && string(7u) == '7' && string(true) == 'true'", 1, 0, 0 },
	{ "string(1.5) == '1.5' && string('a') == 'a' && dyn('a') == 'a'", 1, 0, 0 },
	{ "int('4x') == 4", -2, "no int: 4x", 0 },
	{ "int(1e30) == 4", -2, "does not fit", 0 },
	{ "int(18446744073709551615u) == 4", -2, "does not fit", 0 },
	{ "uint(-1) == 4u", -2, "does not fit", 0 },
	{ "uint('-1') == 4u", -2, "no uint: -1", 0 },
	{ "double('0x1') == 4.0", -2, "no double: 0x1", 0 },
	{ "bool('yes')", -2, "no bool: yes", 0 },
};

static const struct row results[] = {
	{ "1", -2, "must be true or false, and is of type int", "line 1, column 1" },
	{ "'true'", -2, "is of type string", 0 },
	{ "device", -2, "is of type device", 0 },
	{ "device.driver", -2, "is of type string", "line 1, column 8" },
	{ ROOM ".memory", -2, "is of type quantity", 0 },
	{ "[1].map(x, x)", -2, "is of type list", 0 },
	{ "true ? 1 : 2", -2, "is of type int", 0 },
	{ DOMAIN ".model", -1, "must be true or false, and is of type string", 0 },
	{ "device.attributes['other.example.com'].colors", -1, "and is of type list", 0 },
	{ "dyn(1)", -1, "and is of type int", 0 },
	{ "dyn(true)", 1, 0, 0 },
	{ "1 && true", -2, "is of type int", "line 1, column 1" },
	{ "true || 'x'", -2, "is of type string", "line 1, column 9" },
	{ "!1", -2, "no such overload: !(int)", 0 },
	{ "1 ? true : false", -2, "is of type int", 0 },
	{ "[1].all(x, 1)", -2, "is of type int", "line 1, column 12" },
};

static const struct row refused[] = {
	{ "", -2, "expected a value", "line 1, column 1" },
	{ "?!", -2, "expected a value", 0 },
	{ "true true", -2, "expected an operator or the end", "line 1, column 6" },
	{ "true &&\n  // more\n  1 +", -2, "expected a value", "line 3, column 6" },
	{ "(true", -2, "expected ')'", "line 1, column 6" },
	{ "[1, 2", -2, "expected ']' or ','", 0 },
	{ "{1 2}", -2, "expected ':'", "line 1, column 4" },
	{ "{1: 2", -2, "expected '}' or ','", 0 },
	{ "size(1", -2, "expected ')' or ','", 0 },
	{ "size('a',) == 1", -2, "expected a value", "line 1, column 10" },
	{ "[,,] == []", -2, "expected", 0 },
	{ "[1,,] == []", -2, "expected a value", 0 },
	{ "{,,} == {}", -2, "expected", 0 },
	{ "true ? false :", -2, "expected a value", 0 },
	{ "[1][y] == 1", -2, "there is no 'y'", 0 },
	{ "y[0] == 1", -2, "there is no 'y'", 0 },
	{ "(dyn(1) < dyn(2)) + 1 == 2", -2, "no such overload: +(bool, int)", 0 },
	{ "true ? false", -2, "expected ':'", 0 },
	{ "device.", -2, "expected a name behind '.'", 0 },
	{ "device.1", -2, "expected", 0 },
	{ "device[", -2, "expected a value", 0 },
	{ "true & false", -2, "a character that CEL does not have", "line 1, column 6" },
	{ "true = false", -2, "a character that CEL does not have", 0 },
	{ "a $ b", -2, "a character that CEL does not have", "line 1, column 3" },
	{ "'αβ' $", -2, "a character that CEL does not have", "line 1, column 6" },
	{ "'abc", -2, "a string without its end", "line 1, column 5" },
	{ "'a\nb'", -2, "a string without its end", 0 },
	{ "'''abc''", -2, "a string without its end", 0 },
	{ "'\\q'", -2, "an escape that CEL does not have", "line 1, column 2" },
	{ "'\\", -2, "an escape that CEL does not have", 0 },
	{ "'\\x4'", -2, "an escape with too few digits", 0 },
	{ "'\\u12g4'", -2, "an escape with too few digits", 0 },
	{ "'\\x00' == ''", -2, "no character of a string", 0 },
	{ "'\\ud800' == ''", -2, "no character of a string", 0 },
	{ "'\\U00110000' == ''", -2, "no character of a string", 0 },
	{ "'\\400' == ''", -2, "an escape that CEL does not have", 0 },
	{ "rb'abc' == rb'abc'", -2, "expected an operator", 0 },
	{ "9223372036854775808 > 0", -2, "does not fit into 64 bits", "line 1, column 1" },
	{ "18446744073709551616u > 0u", -2, "does not fit into 64 bits", 0 },
	{ "1a == 1", -2, "a number with a letter behind it", 0 },
	{ "0x == 1", -2, "a number with a letter behind it", 0 },
	{ "1e == 1", -2, "a number with a letter behind it", 0 },
	{ "if == 1", -2, "a word that CEL reserves", 0 },
	{ "in == 1", -2, "expected a value", 0 },
	{ "x == 1", -2, "there is no 'x'", "line 1, column 1" },
	{ "devices.driver == ''", -2, "there is no 'devices'", 0 },
	{ "[1].all(x, y == 1)", -2, "there is no 'y'", "line 1, column 12" },
	{ "[1].all(x, true) && x == 1", -2, "there is no 'x'", 0 },
	{ "device.name == ''", -2, "no 'name'", "line 1, column 8" },
	{ "has(device.name)", -2, "no 'name'", 0 },
	{ "device['driver'] == ''", -2, "no members in brackets", 0 },
	{ "device.driver.x == ''", -2, "type string has no members, so no 'x'", 0 },
	{ "device.attributes[1].x == ''", -2, "type int is no key of a map", 0 },
	{ "[1]['a'] == 1", -2, "type string is no key of a list", 0 },
	{ "1[0] == 1", -2, "type int has no members", 0 },
	{ ROOM ".x.y == 1", -2, "type quantity has no members", 0 },
	{ "nosuch(1)", -2, "there is no function 'nosuch'", "line 1, column 1" },
	{ "'a'.nosuch()", -2, "there is no method 'nosuch'", "line 1, column 5" },
	{ "device.size() == 4", -2, "no such overload: size(device)", 0 },
	{ "'driver' in device", -2, "no such overload: in(string, device)", 0 },
	{ "device.all(x, true)", -2, "for lists and maps, not for device", 0 },
	{ "contains('a', 'b')", -2, "there is no function 'contains'", 0 },
	{ "'1'.quantity() == quantity('1')", -2, "there is no method 'quantity'", 0 },
	{ "'a'.contains()", -2, "no such overload: contains(string)", 0 },
	{ "'a'.contains('a', 'b')", -2, "no such overload: contains(string, string, string)", 0 },
	{ "'a'.contains(1)", -2, "no such overload: contains(string, int)", "line 1, column 5" },
	{ "size(1) == 1", -2, "no such overload: size(int)", 0 },
	{ "f(1, 2, 3, 4, 5, 6)", -2, "there is no function", 0 },
	{ "size(1, 2, 3, 4, 5, 6) == 1", -2, "no such overload", 0 },
	{ "size() == 1", -2, "no such overload: size()", 0 },
	{ "type(1) == type(2)", -2, "is not supported: 'type'", 0 },
	{ "device.?driver == ''", -2, "==(optional(string), string)", 0 },
	{ "[1][?0] == 1", -2, "==(optional(int), int)", 0 },
	{ "Device{driver: 'x'} == 1", -2, "messages are not supported", 0 },
	{ "1 + 'a' == 1", -2, "no such overload: +(int, string)", "line 1, column 3" },
	{ "1 + 1u == 2", -2, "no such overload: +(int, uint)", 0 },
	{ "1 == 'a'", -2, "no such overload: ==(int, string)", 0 },
	{ "1 == 1.0", -2, "no such overload: ==(int, double)", 0 },
	{ "device.driver != 1", -2, "no such overload: !=(string, int)", 0 },
	{ "1 in ['a']", -2, "no such overload: in(int, list(string))", 0 },
	{ "1 in device.attributes", -2,
	  "no such overload: in(int, map(string, map(string, dyn)))", 0 },
	{ "1 in 1", -2, "no such overload: in(int, int)", 0 },
	{ "-1u == 1u", -2, "no such overload: -(uint)", 0 },
	{ "-'a' == 'a'", -2, "no such overload: -(string)", 0 },
	{ "1.0 % 2.0 == 1.0", -2, "no such overload: %(double, double)", 0 },
	{ "[1, 'a'] == []", -2, "of one type: int, string", "line 1, column 5" },
	{ "{1: 1, 'a': 1} == {}", -2, "of one type: int, string", 0 },
	{ "{1: 1, 2: 'a'} == {}", -2, "of one type: int, string", 0 },
	{ "(true ? 1 : 'a') == 1", -2, "of one type: int, string", 0 },
	{ "has(device)", -2, "has() asks for a field", 0 },
	{ "has('a')", -2, "has() asks for a field", 0 },
	{ "has(device.driver, 1)", -2, "has() asks for a field", 0 },
	{ "[1].all(1, true)", -2, "expected the name of a variable", "line 1, column 9" },
	{ "[1].all(x)", -2, "expected all(variable, expression)", 0 },
	{ "[1].exists(i, v, w, v == 1)", -2, "expected exists(variable, expression)", 0 },
	{ "1.all(x, true)", -2, "all() is for lists and maps, not for int", 0 },
	{ "'abc'.all(x, true)", -2, "all() is for lists and maps, not for string", 0 },
	{ "cel.bind(x, 1)", -2, "expected cel.bind(variable, value, expression)", 0 },
	{ "cel.bind(1, 1, true)", -2, "expected the name of a variable", 0 },
	{ "cel.unbind(x, 1, true)", -2, "there is no", 0 },
	{ "'a'.matches('(')", -2, "regular expression '('", "line 1, column 13" },
	{ "'a'.matches('(?=a)')", -2, "lookaround", 0 },
	{ "'a'.matches('(a)\\\\1')", -2, "back references", 0 },
	{ "'\xff' == ''", -2, "is no UTF-8", 0 },
};

/* What cel-go's checker knows of types, and what Kubernetes refuses besides. */
static const struct row types[] = {
	{ "[[], [1]] == [[1], []] || [[1], []].size() == 2", 1, 0, 0 },
	{ "[{}, {'a': 1}].size() == 2", 1, 0, 0 },
	{ "[1] == [dyn(1)] && [[dyn(1)]] != [['a']] && [] == ['a'] || [] == [1]", 0, 0, 0 },
	{ "device.attributes['a'] == {'a': 1}", 0, 0, 0 },
	{ "device.capacity['a'] == {'a': 1}", -2,
	  "no such overload: ==(map(string, quantity), map(string, int))", 0 },
	{ "[dyn(1), 'a'].size() == 2", -2, "of one type: dyn, string", "line 1, column 10" },
	{ DOMAIN ".model in [" DOMAIN ".model, 'fish']", -2, "of one type: dyn, string", 0 },
	{ "{'a': " DOMAIN ".cores, 'b': 1}.a == 8", -2, "of one type: dyn, int", 0 },
	{ "{dyn(1): 1, 'b': 1}.b == 8", -2, "of one type: dyn, string", 0 },
	{ "[[1], [[]]] == []", -2, "of one type: list(int), list(list(dyn))", 0 },
	{ "[null, quantity('1')].size() == 2", -2, "of one type: null, quantity", 0 },
	{ "null == quantity('1') || quantity('1') == null", 0, 0, 0 },
	{ "null == 1", -2, "no such overload: ==(null, int)", 0 },
	{ "['a'] + [1] == []", -2, "no such overload: +(list(string), list(int))", 0 },
	{ "(true ? [1] : ['a']) == []", -2, "of one type: list(int), list(string)", 0 },
	{ "(true ? [1] : [dyn('a')]) == [1]", 1, 0, 0 },
	{ "{'a': 1} == {1: 1}", -2, "==(map(string, int), map(int, int))", 0 },
	{ "{'a': {'b': [1]}} == {'a': {'b': ['c']}}", -2, "map(string, list(int)", 0 },
	{ "{'a': 1}[1] == 1", -2, "type int is no key of a map(string, int)", 0 },
	{ "[1]['a'] == 1", -2, "type string is no key of a list(int)", 0 },
	{ "['a'][0] + 1 == 2", -2, "no such overload: +(string, int)", 0 },
	{ "cel.bind(x, [], x == ['a'] || x == [1])", -2, "==(list(string), list(int))", 0 },
	{ "cel.bind(x, [], x == ['a'] || x + ['b'] == ['b'])", 1, 0, 0 },
	{ "[].all(x, x + 1 == 2)", 1, 0, 0 },
	{ "[].all(x, x > 1 && x.startsWith('a'))", -2, "startsWith(int, string)", 0 },
	{ "[].all(x, x.a == 1 && x.b == 'c')", 1, 0, 0 },
	{ "'x' in [].filter(x, x > 1)", -2, "no such overload: in(string, list(int))", 0 },
	{ "[1, 2].map(x, x > 1 ? 'a' : 'b') == ['b', 'a']", 1, 0, 0 },
	{ "[1].map(x, [x]) == [['a']]", -2, "==(list(list(int)), list(list(string)))", 0 },
	{ "{'a': 1}.map(k, k) == [1]", -2, "==(list(string), list(int))", 0 },
	{ "{}.all(k, k == 1) && {}.all(k, k == 'a')", 1, 0, 0 },
	{ "[3, 1].max() + 1 == 4 && [dyn(3)].max() == 3", 1, 0, 0 },
	{ "['a'].max() + 1 == 2", -2, "no such overload: +(string, int)", 0 },
	{ "[[1]].isSorted()", -2, "no such overload: isSorted(list(list(int)))", 0 },
	{ "[1].indexOf('a') == -1", -2, "no such overload: indexOf(list(int), string)", 0 },
	{ "[1].includes('a')", 0, 0, 0 },
	{ "int('x') == 1 || true", -2, "no int: x", "line 1, column 1" },
	{ "[1].all(x, uint(-1) == 1u) || true", -2, "does not fit", 0 },
	{ "dyn(int('x')) == 1 || int(dyn('x')) == 1", -2, "no int: x", 0 },
	{ "string(dyn([1])) == ''", -2, "no such overload: string(list)", 0 },
	{ "int(dyn('5')) == 5 && double(int('5')) == 5.0", 1, 0, 0 },
	{ "int(" DOMAIN ".model) == 5", -1, "no int: fish", 0 },
	{ "1e400 > 1.0", -2, "does not fit into 64 bits", "line 1, column 1" },
	{ "-1e400 < 1.0 && 1e-400 == 0.0", -2, "does not fit into 64 bits", 0 },
	{ "1e-400 == 0.0", 1, 0, 0 },
	{ "[true]", -2, "must be true or false, and is of type list(bool)", 0 },
	{ "semver('1.0.0')", -2, "must be true or false, and is of type semver", 0 },
	{ "{'a': 1}.true == 1", -2, "no names behind '.'", "line 1, column 10" },
	{ "has(" DOMAIN ".null)", -2, "no names behind '.'", 0 },
	{ "[1].all(__result__, true)", -2, "keeps the name '__result__'", 0 },
};

#define A80	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

#define NEST5		".map(a,{a:a}).map(a,{a:a}).map(a,{a:a}).map(a,{a:a}).map(a,{a:a})"
#define NEST25		NEST5 NEST5 NEST5 NEST5 NEST5
#define NEST100		"[1]" NEST25 NEST25 NEST25 NEST25

static const struct row limits[] = {
	{ "'" A80 A80 A80 A80 A80 "!'.matches('^(a+)+$') || true", -1,
	  "the regular expression takes too long", 0 },
	/* 0.3 s, were all of it matches that take long but not too long */
	{ "[1, 2, 3, 4, 5, 6, 7, 8].all(x, [1, 2, 3, 4, 5, 6, 7, 8].all(y, "
	  "!'" A80 "!'.matches('^(a+)+$')))",
	  -1, "takes more work", 0 },
	{ "[1, 2, 3, 4, 5, 6, 7, 8].all(x, !'aaaaaaaaaaaaaa!'.matches('^(a+)+$'))", 1, 0, 0 },
	{ "[1, 2, 3, 4, 5, 6, 7, 8].all(x, [1, 2, 3, 4, 5, 6, 7, 8].all(y, "
	  "[1, 2, 3, 4, 5, 6, 7, 8].all(z, 'fish'.matches('^f.*h$'))))",
	  1, 0, 0 },
	{ "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(x, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(y, "
	  "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(z, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(z2, "
	  "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(z3, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(z4, "
	  "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(z5, int('1') < 100)))))))",
	  -2, "may cost 65555551, and takes at most 1000000", 0 },
	{ "[0, 1].all(a, [0, 1].all(b, [0, 1].all(c, [0, 1].all(d, [0, 1].all(e, [0, 1].all(f, "
	  "[0, 1].all(g, [0, 1].all(h, [0, 1].all(i, [0, 1].all(j, [0, 1].all(k, [0, 1].all(l, "
	  "[0, 1].all(m, [0, 1].all(n, [0, 1].all(o, "
	  "1 / 0 == 1))))))))))))))) || true",
	  1, 0, 0 },
	{ "cel.bind(a, 'aaaaaaaaaaaaaaaa', cel.bind(b, a.replace('a', a), "
	  "cel.bind(c, b.replace('a', b), c.replace('a', c).size() > 0)))",
	  -1, "makes a string of more than 65536 bytes", 0 },
	{ "cel.bind(a, 0, cel.bind(b, 0, cel.bind(c, 0, cel.bind(d, 0, cel.bind(e, 0, "
	  "cel.bind(f, 0, cel.bind(g, 0, cel.bind(h, 0, cel.bind(i, 0, cel.bind(j, 0, "
	  "cel.bind(k, 0, cel.bind(l, 0, cel.bind(m, 0, cel.bind(n, 0, cel.bind(o, 0, "
	  "cel.bind(p, 0, cel.bind(q, 0, true)))))))))))))))))",
	  -2, "too many variables in each other", 0 },
	/* seconds, then minutes, were the parts that are compared not counted */
	{ NEST100 " == " NEST100, -2, "has types that are too large", 0 },
	{ "size([" NEST100 ", " NEST100 "]) == 2", -2, "has types that are too large", 0 },
	{ "cel.bind(a, {[]: []}, cel.bind(b, {a: a}, cel.bind(c, {b: b}, "
	  "cel.bind(d, {c: c}, cel.bind(e, {d: d}, cel.bind(f, {e: e}, "
	  "cel.bind(g, {f: f}, cel.bind(h, {g: g}, cel.bind(i, {h: h}, "
	  "cel.bind(j, {i: i}, cel.bind(k, {j: j}, cel.bind(l, {k: k}, "
	  "cel.bind(m, {l: l}, cel.bind(n, {m: m}, cel.bind(o, {n: n}, "
	  "cel.bind(p, {o: o}, p == p))))))))))))))))",
	  -2, "has types that are too large", 0 },
	{ "cel.bind(a, {0: 0}, cel.bind(b, {a: a}, cel.bind(c, {b: b}, "
	  "cel.bind(d, {c: c}, cel.bind(e, {d: d}, cel.bind(f, {e: e}, "
	  "cel.bind(g, {f: f}, cel.bind(h, {g: g}, cel.bind(i, {h: h}, "
	  "cel.bind(j, {i: i}, cel.bind(k, {j: j}, cel.bind(l, {k: k}, "
	  "cel.bind(m, {l: l}, cel.bind(n, {m: m}, cel.bind(o, {n: n}, "
	  "cel.bind(p, {o: o}, p == p))))))))))))))))",
	  1, 0, 0 },
};

/* The figures of Kubernetes' own test come first. */
static const struct {
	const char *text;
	uint64_t cost;
} estimates[] = {
	{ "true", 0 },
	{ DOMAIN ".name.isGreaterThan(quantity('0'))", 6 },
	{ DOMAIN "['name'].isGreaterThan(quantity('0'))", 6 },
	{ "'dra.example.com' in device.attributes", 3 },
	{ "device.driver == ''", 2 },
	{ "device.driver == 'dra.example.com'", 4 },
	{ DOMAIN "['name']", 4 },
	{ "cel.bind(dra, " DOMAIN ", dra.name)", 15 },
	{ DOMAIN ".name > 0", 5 },
	{ DOMAIN ".name == 'fish'", 5 },
	{ DOMAIN ".name.exists(x, x > 0)", 5 + (3 + 3) * 64 },
	{ DOMAIN ".names.all(x, x != '')", 5 + (2 + 2) * 64 },
	{ DOMAIN ".names.all(x, x.isGreaterThan(semver('0.0.1')))", 5 + (2 + 4) * 64 },
	{ DOMAIN ".name.includes('fish')", 4 + 48 },
	{ DOMAIN ".names.size() == 2", 6 },

	{ "has(" DOMAIN ".name)", 3 },
	{ "device.driver.substring(1).size() > 2", 2 + 7 + 1 + 1 },
	{ "[1, 2].exists_one(x, x == 1)", 10 + 2 + 2 * (2 + 2) },
	{ "[1, 2].filter(x, x == 1).size() == 2", 10 + 11 + 2 * (2 + 13) + 1 + 1 },
	{ "[1, 2].map(x, x + 1).size() == 2", 10 + 11 + 2 * (2 + 12) + 1 + 1 },
	{ "[1, 2].map(x, x > 1, x + 1).size() == 2", 10 + 11 + 2 * (2 + 2 + 12) + 1 + 1 },
	{ "{'a': 'bc'}.all(k, k == 'a')", 30 + 1 + (3 + 2) },
	{ "{'a': 'bcdefghijklmnopqrstuvw'}['a'] == 'bcdefghijklmnopqrstuvw'", 30 + 1 + 3 },
	{ "device.attributes.all(d, d == device.driver)", 2 + 1 + 32 * (3 + 1 + 2 + 7) },
	{ "(true ? [1] : [1, 2]).all(x, x == 1)", 20 - 10 + 1 + 2 * (3 + 2) },
	{ "'abcdefghij'.contains('abcdefghijk')", 1 * 2 },
	{ "'abcdefghij'.matches('abcde') && matches('abcdefghij', 'abcde')", 2 * 2 + 1 },
	{ "('a' + 'b').replace('', 'c').lowerAscii() == 'x'", 1 + 1 + 1 + 1 },
	{ "'abc'.replace('b', 'defg').lowerAscii() == 'abcdefghijkl'", 1 + 2 + 2 },
	{ "'abc'.replace('bcd', 'x').lowerAscii() == 'abcdefghijkl'", 1 + 1 + 1 },
	{ "'a,b'.split(',', 1).size() == 1", 1 + 1 + 1 },
	{ "(['a'] + ['bcdefghijklm']).all(x, x == 'bcdefghijklmn')", 21 + 1 + 2 * (3 + 1 + 2) },
	{ "semver('1.0.0') == semver('1.0.0')", 3 },
	{ "[1, 2, 3].slice(1, 3).all(x, x == 1)", 10 + 2 + 11 + 1 + 2 * (3 + 2) },
	{ "lists.range(40).reverse().size() == 40", 40 + 11 + 40 + 11 + 1 + 1 },
	{ "[[1], [2]].flatten().size() == 2", 30 + 2 + 11 + 1 + 1 },
	{ "[1, 1].distinct().size() == 1", 10 + 8 + 11 + 1 + 1 },
	{ "['b', 'a'].sort().size() == 2", 10 + 9 + 11 + 1 + 1 },
	{ "dyn('abcdefghijkl') == dyn('abcdefghijkl')", 1 + 1 + 2 },
};

static void test_estimates(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(estimates); i++) {
		struct err e = { 0 };
		uint64_t cost = UINT64_MAX;
		auto_cel struct cel *c = cel_compile_costly(estimates[i].text, &cost, &e);

		ok(c != NULL);
		if (!eqi((long long)cost, (long long)estimates[i].cost))
			(void)printf("#  %s %s\n", estimates[i].text, e.msg);
	}
}

/* What the API server refuses, though it could be evaluated. */
static const struct {
	const char *text;
	int want;
} costly_ones[] = {
	{ DOMAIN ".a.all(x, " DOMAIN ".b.all(y, " DOMAIN ".c.all(z, " DOMAIN ".d.all(w, true))))",
	  -1 },
	{ "device.driver.split('.').all(x, x.split('a').all(y, y == ''))", 0 },
	{ "['hello', 'mellow'].join() == 'hellomellow'", 1 },
	{ "['hello', 'mellow'].join(' ') == 'hello mellow' && [].join('/') == ''", 1 },
	{ "['a', 'b', 'b'].isSorted() && ['a', 'b'].max() == 'b'", 1 },
	{ "device.driver.charAt(0).matches('d')", 1 },
	{ "device.attributes.map(d, d).isSorted() || true", 1 },
};

static void test_costly(void)
{
	struct device v = make_device();

	for (size_t i = 0; i < ARRAY_SIZE(costly_ones); i++) {
		struct err e = { 0 };
		uint64_t cost = 0;
		auto_cel struct cel *c = cel_compile(costly_ones[i].text, &e);
		auto_cel struct cel *d = cel_compile_costly(costly_ones[i].text, &cost, &e);

		ok(!c && e.code == ERR_NETCONF && strstr(e.msg, "estimates that it may cost"));
		if (c || !d)
			(void)printf("#  %s %s\n", costly_ones[i].text, e.msg);
		ok(d && cost > CEL_COST_MAX && cel_matches(d, &v.d, &e) == costly_ones[i].want);
	}
	done(&v);
}

/* n times the text, and the same of the end. */
static char *repeat(const char *text, size_t n, const char *middle, const char *end)
{
	size_t room = n * (strlen(text) + strlen(end)) + strlen(middle) + 1;
	char *ret = calloc(1, room), *to = ret;

	for (size_t i = 0; i < n; i++)
		to = stpcpy(to, text);
	to = stpcpy(to, middle);
	for (size_t i = 0; i < n; i++)
		to = stpcpy(to, end);
	return ret;
}

static const struct {
	const char *text, *middle, *end;
	size_t n;
	int want;
} repeated[] = {
	{ "(", "true", ")", 240, 1 },	      { "(", "true", ")", 260, -2 },
	{ "!(", "true", ")", 124, 1 },	      { "!(", "true", ")", 260, -2 },
	{ "!", "true", "", 5000, 1 },	      { "!", "true", "", 5001, 0 },
	{ "true && ", "true", "", 1000, 1 },  { "false || ", "true", "", 1000, 1 },
	{ "1 + ", "1 > 0", "", 240, 1 },	      { "1 + ", "1 > 0", "", 260, -2 },
	{ "[", "[]", "] == []", 130, -2 },    { "true ? true : ", "true", "", 260, -2 },
	{ "[", "", "", 9999, -2 },	      { "{1:", "", "", 3000, -2 },
	{ "- ", "1 == 1", "", 5000, 1 },      { "-(", "1", ") == 1", 3000, -2 },
	{ "a.", "a", "", 5000, -2 },	      { "!-", "true", "", 100, -2 },
	{ " ", "true", "", 10236, 1 },	      { " ", "true", "", 10237, -2 },
};

static void test_repeated(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(repeated); i++) {
		auto_free char *text = repeat(repeated[i].text, repeated[i].n, repeated[i].middle,
					      repeated[i].end);
		struct err e = { 0 };
		int have = answer(text, &e);

		ok(have == repeated[i].want);
		if (have != repeated[i].want)
			(void)printf("#  %zu times %s: %d %s\n", repeated[i].n, repeated[i].text,
				     have, e.msg);
	}
}

static const struct {
	const char *text, *trace;
} traces[] = {
	{ "true", "{\"term\":\"true\",\"value\":true}" },
	{ DOMAIN ".cores > 4 && device.driver == 'x'",
	  "{\"term\":\"device.attributes[\\\"dra.example.com\\\"].cores > 4 && device.driver == "
	  "'x'\",\"value\":false,\"terms\":["
	  "{\"term\":\"device.attributes[\\\"dra.example.com\\\"].cores > 4\",\"value\":true,"
	  "\"terms\":[{\"term\":\"device.attributes[\\\"dra.example.com\\\"].cores\","
	  "\"value\":8}]},"
	  "{\"term\":\"device.driver == 'x'\",\"value\":false,\"terms\":["
	  "{\"term\":\"device.driver\",\"value\":\"dra.example.com\"}]}]}" },
	{ "(1 + 1 == 3)",
	  "{\"term\":\"(1 + 1 == 3)\",\"value\":false,\"terms\":["
	  "{\"term\":\"1 + 1\",\"value\":2}]}" },
	{ "cel.bind(d, device.capacity['dra.example.com'], sign(d.nosuch) == 1) || true",
	  "{\"term\":\"cel.bind(d, device.capacity['dra.example.com'], sign(d.nosuch) == 1) || "
	  "true\",\"value\":true,\"terms\":[{\"term\":\"cel.bind(d, "
	  "device.capacity['dra.example.com'], sign(d.nosuch) == 1)\",\"error\":\"no such key: "
	  "nosuch\",\"terms\":[{\"term\":\"sign(d.nosuch) == 1\",\"error\":\"no such key: "
	  "nosuch\",\"terms\":[{\"term\":\"sign(d.nosuch)\",\"error\":\"no such key: nosuch\","
	  "\"terms\":[{\"term\":\"d.nosuch\",\"error\":\"no such key: nosuch\"}]}]}]}]}" },
	{ "[1u].map(x, {'a': [x]}) == []",
	  "{\"term\":\"[1u].map(x, {'a': [x]}) == []\",\"value\":false,\"terms\":["
	  "{\"term\":\"[1u].map(x, {'a': [x]})\",\"value\":[{\"a\":[1]}],\"terms\":["
	  "{\"term\":\"[1u]\",\"value\":[1]},"
	  "{\"term\":\"{'a': [x]}\",\"value\":{\"a\":[1]},\"terms\":["
	  "{\"term\":\"[x]\",\"value\":[1],\"terms\":[{\"term\":\"x\",\"value\":1}]}]}]},"
	  "{\"term\":\"[]\",\"value\":[]}]}" },
	{ ROOM ".rate.isInteger() || " DOMAIN ".firmware.major() > 1 || dyn(1.5) == null",
	  NULL },
};

static void test_traces(void)
{
	struct device v = make_device();

	for (size_t i = 0; i < ARRAY_SIZE(traces); i++) {
		struct err e = { 0 };
		auto_cel struct cel *c = cel_compile(traces[i].text, &e);
		json_auto_t *trace = NULL;
		auto_free char *text = NULL;
		int result = c ? cel_trace(c, &v.d, &trace, &e) : -2;

		ok(c && result == cel_matches(c, &v.d, &e));
		text = json_dumps(trace, JSON_COMPACT);
		if (traces[i].trace)
			eq(text, traces[i].trace);
		else
			ok(strstr(text, "\"1.5\"") && strstr(text, "\"1.10.2\"") &&
			   strstr(text, ":1.5}"));
	}
	done(&v);
}

#define COSTLY \
	"['a', 'b', 'c', 'd'].all(x, ['a', 'b', 'c', 'd'].all(y, ['a', 'b', 'c', 'd'].all(z, " \
	"['a', 'b', 'c', 'd'].all(v, ['a', 'b', 'c', 'd'].all(w, x + y + z + v + w != '')))))"

static json_t *trace_of(const char *expression, const struct device *v, int want)
{
	struct err e = { 0 };
	auto_cel struct cel *c = cel_compile(expression, &e);
	json_t *trace = NULL;

	ok(c && cel_trace(c, &v->d, &trace, &e) == want);
	return trace;
}

/* A trace of a long evaluation is no longer than it may be, and its end is told. */
static void test_long_trace(void)
{
	struct device v = make_device();
	json_auto_t *failed = trace_of(COSTLY " && 1 / 0 == 1", &v, -1);
	json_auto_t *true_at_last = trace_of(COSTLY, &v, 1);
	auto_free char *text = json_dumps(failed, JSON_COMPACT);

	ok(text && strlen(text) < 2000000);
	ok(json_string_value(json_object_get(failed, "error")) != NULL);
	ok(json_is_true(json_object_get(true_at_last, "value")));
	done(&v);
}

/* A device of which nothing is known, and one with the attribute under both its names. */
static void test_devices(void)
{
	json_auto_t *both = json_loads("{\"a\":{\"int\":1},\"d/a\":{\"int\":2}}", 0, NULL);
	const struct cel_device empty = { 0 };
	const struct cel_device twice = { .driver = "d", .attributes = both,
					  .allow_multiple = true };
	struct err e = { 0 };
	auto_cel struct cel *c = cel_compile("device.driver == '' && device.attributes == {} && "
					     "!has(device.capacity['d'].a)", &e);
	auto_cel struct cel *a = cel_compile("device.attributes['d'].a == 2 && "
					     "device.attributes['d'].size() == 1 && "
					     "device.allowMultipleAllocations", &e);

	ok(c && cel_matches(c, &empty, &e) == 1);
	ok(a && cel_matches(a, &twice, &e) == 1);
	ok(cel_matches(a, &empty, &e) == 0);
	ok(cel_matches(c, &twice, &e) == 0);
}

int main(void)
{
	test("D15, K40: device.driver, .attributes and .capacity, by domain and name");
	CHECK_ROWS(variables);
	test("D15: the document's example selects by its attributes");
	CHECK_ROWS(documented);
	test("D16, K17: a name without a domain belongs to the driver's");
	CHECK_ROWS(domains);
	test_devices();
	test("D17: an unknown domain is an empty map, an unknown name an error");
	CHECK_ROWS(unknown);
	test("D18: && and || absorb the errors of operands that do not decide");
	CHECK_ROWS(absorbed);
	test("D19: has, in, cel.bind, strings, quantities, versions, lists and maps");
	CHECK_ROWS(functions);
	test("D19: numbers are compared across types, and do not overflow");
	CHECK_ROWS(numbers);
	test("D20: the result is true or false, anything else is an error");
	CHECK_ROWS(results);
	test("D19: what is wrong or not supported is refused, and where it is");
	CHECK_ROWS(refused);
	test("types are known as far as cel-go knows them");
	CHECK_ROWS(types);
	test("D21: an expression has limits: its length, its depth, its work");
	CHECK_ROWS(limits);
	test_repeated();
	test("the cost is estimated as the API server does it, and refused by that");
	test_estimates();
	test_costly();
	test("a trace has each term and what it was");
	test_traces();
	test_long_trace();
	return tap_end();
}
