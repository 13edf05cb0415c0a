/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_exposition.c - the text of metrics: each form to the byte, labels of any content, and the
 * same text whatever pieces it is read in
 *
 * With the argument "names" it prints the names of all samples, with "rows" the table of metrics as
 * devinfod(8) has to print it.
 */
#include "daemon/metrics/exposition.h"

#include "base/mem.h"
#include "daemon/metrics/http.h"
#include "tests/unit/tap.h"

/* All of the text in pieces of that size; the caller frees it. */
static char *text_of(const struct exposition *x, enum form form, size_t piece)
{
	auto_free struct exposition_reader *r = calloc(1, sizeof(*r));
	size_t room = 1 << 20, len = 0, n;
	char *ret = calloc(1, room);

	r->form = form;
	while (len + piece < room && (n = exposition_read(x, r, ret + len, piece)) > 0)
		len += n;
	return ret;
}

static exposition_labels label(struct exposition *x, const char *name, const char *value)
{
	struct labels l = { .len = 0 };

	labels_add(&l, name, value);
	return exposition_keep(x, &l);
}

static struct exposition *example(void)
{
	struct exposition *x = exposition_new();
	struct sample s = { .part = PART_BUCKET, .value = 2 };

	exposition_put(x, FAMILY_VF_RX_BYTES, label(x, "vf", "0"), UINT64_MAX);
	exposition_put(x, FAMILY_BUILD, label(x, "version", "1"), 1);
	exposition_put(x, FAMILY_DAEMON_CPU, 0, 1500001);
	exposition_put(x, FAMILY_VF_RX_BYTES, label(x, "vf", "1"), 0);
	s.labels = label(x, "verb", "ADD");
	s.extra = label(x, "le", "+Inf");
	exposition_add(x, FAMILY_CALL_DURATION, &s);
	s.extra = 0;
	s.part = PART_COUNT;
	exposition_add(x, FAMILY_CALL_DURATION, &s);
	s.part = PART_SUM;
	s.value = 7;
	exposition_add(x, FAMILY_CALL_DURATION, &s);
	return x;
}

static void forms(void)
{
	struct exposition *x = example(), *empty = exposition_new();
	auto_free char *open = text_of(x, FORM_OPENMETRICS, 4096);
	auto_free char *old = text_of(x, FORM_PROMETHEUS, 4096);
	auto_free char *none = text_of(empty, FORM_OPENMETRICS, 4096);

	test("OpenMetrics: families in order, each with its head, suffixes, units, and an end");
	eq(open, "# TYPE devinfo_build info\n# HELP devinfo_build Version of devinfod.\n"
	   "devinfo_build_info{version=\"1\"} 1\n"
	   "# TYPE devinfo_call_duration_seconds histogram\n"
	   "# UNIT devinfo_call_duration_seconds seconds\n"
	   "# HELP devinfo_call_duration_seconds How long calls of the CNI plugin took, by verb.\n"
	   "devinfo_call_duration_seconds_bucket{verb=\"ADD\",le=\"+Inf\"} 2\n"
	   "devinfo_call_duration_seconds_count{verb=\"ADD\"} 2\n"
	   "devinfo_call_duration_seconds_sum{verb=\"ADD\"} 0.000007\n"
	   "# TYPE devinfo_daemon_cpu_seconds counter\n# UNIT devinfo_daemon_cpu_seconds seconds\n"
	   "# HELP devinfo_daemon_cpu_seconds Processor time that devinfod has used.\n"
	   "devinfo_daemon_cpu_seconds_total 1.500001\n"
	   "# TYPE devinfo_vf_receive_bytes counter\n# UNIT devinfo_vf_receive_bytes bytes\n"
	   "# HELP devinfo_vf_receive_bytes Bytes that a VF received.\n"
	   "devinfo_vf_receive_bytes_total{vf=\"0\"} 18446744073709551615\n"
	   "devinfo_vf_receive_bytes_total{vf=\"1\"} 0\n# EOF\n");
	test("the older form: samples' names in heads, no units, an info is a gauge");
	begins(old, "# TYPE devinfo_build_info gauge\n");
	contains(old, "\n# TYPE devinfo_vf_receive_bytes_total counter\n");
	contains(old, "\n# TYPE devinfo_call_duration_seconds histogram\n");
	ok(!strstr(old, "# UNIT"));
	test("without samples there is an end alone");
	eq(none, "# EOF\n");
	exposition_release(empty);
	exposition_release(x);
}

static void pieces(void)
{
	struct exposition *x = example();
	auto_free char *whole = text_of(x, FORM_OPENMETRICS, 4096);
	unsigned int same = 0;

	test("the text is the same in pieces of any size, and to several at once");
	for (size_t size = 1; size <= 200; size++) {
		auto_free char *text = text_of(exposition_share(x), FORM_OPENMETRICS, size);

		same += strcmp(text, whole) == 0;
		exposition_release(x);
	}
	eqi(same, 200);
	exposition_release(x);
}

static void labels(void)
{
	struct labels l = { .len = 0 };
	char big[LABELS_SIZE];

	test("quotes, backslashes and ends of lines are escaped");
	labels_add(&l, "a", "\"} 1\n# EOF\n\\");
	eq(l.text, "a=\"\\\"} 1\\n# EOF\\n\\\\\"");
	test("other control characters are question marks");
	l = (struct labels){ .len = 0 };
	labels_add(&l, "a", "\r\t\x7f\x01x");
	eq(l.text, "a=\"????x\"");
	test("UTF-8 stays as it is, and of what is none each byte beyond ASCII is a question mark");
	l = (struct labels){ .len = 0 };
	labels_add(&l, "a", "gr\xc3\xbc\xc3\x9f");
	labels_add(&l, "b", "gr\xc3\xbc\xff!");
	eq(l.text, "a=\"gr\xc3\xbc\xc3\x9f\",b=\"gr?\?\?!\"");
	test("a label without a value is left out");
	l = (struct labels){ .len = 0 };
	labels_add(&l, "a", "");
	labels_add(&l, "b", NULL);
	labels_add_number(&l, "c", 7);
	eq(l.text, "c=\"7\"");
	test("what does not fit is never cut: all of it is worth nothing");
	memset(big, '"', sizeof(big));
	big[LABELS_SIZE / 2] = '\0';
	labels_add(&l, "d", big);
	ok(l.full && l.len < sizeof(l.text));
}

static void lost(void)
{
	struct labels full = { .full = true };
	struct exposition *x = exposition_new();
	auto_free char *text = NULL;

	test("a sample whose labels did not fit is not told, and others are");
	exposition_put(x, FAMILY_VF, exposition_keep(x, &full), 1);
	exposition_put(x, FAMILY_DAEMON_MEMORY, 0, 1);
	text = text_of(x, FORM_OPENMETRICS, 4096);
	ok(!strstr(text, "devinfo_vf") && strstr(text, "\ndevinfo_daemon_peak_memory_bytes 1\n"));
	ok(exposition_is_whole(x));
	exposition_release(x);
}

static void longest(void)
{
	struct exposition *x = exposition_new();
	struct labels l = { .len = 0 };
	struct sample s = { .value = UINT64_MAX };
	auto_free char *text = NULL;
	char big[LABELS_SIZE];

	test("the longest labels fit into a line");
	memset(big, 'x', sizeof(big));
	big[LABELS_SIZE - 10] = '\0';
	labels_add(&l, "a", big);
	ok(!l.full);
	s.labels = s.extra = exposition_keep(x, &l);
	exposition_add(x, FAMILY_VF_TX_DROPPED, &s);
	text = text_of(x, FORM_OPENMETRICS, 64);
	contains(text, "\"} 18446744073709551615\n# EOF\n");
	exposition_release(x);
}

static void accepted(void)
{
	test("OpenMetrics is for who asks for it");
	eqi(http_form(NULL), FORM_PROMETHEUS);
	eqi(http_form("*/*"), FORM_PROMETHEUS);
	eqi(http_form("text/plain;version=0.0.4"), FORM_PROMETHEUS);
	eqi(http_form("application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.1"),
	    FORM_OPENMETRICS);
}

/* -- the table -- */

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), of = strlen(end);

	return len >= of && strcmp(text + len - of, end) == 0;
}

static void rows(void)
{
	char row[512];
	static char page[256 * 1024];
	FILE *f = fopen("install/man/devinfod.8", "r");

	test("a name ends with its unit, a help with a full stop, and no name ends as a sample's");
	for (size_t i = 0; i < FAMILIES; i++) {
		const struct family_row *of = &families[i];

		ok(strncmp(of->name, "devinfo_", 8) == 0 && !ends_with(of->name, "_total") &&
		   !ends_with(of->name, "_info") && ends_with(of->help, "."));
		ok(!of->unit || ends_with(of->name, of->unit));
	}
	test("devinfod(8) has each metric, with what it says");
	ok(f && fread(page, 1, sizeof(page) - 1, f) > 0);
	for (size_t i = 0; i < FAMILIES; i++) {
		(void)snprintf(row, sizeof(row), "\n.It Li %s%s\n%s\n", families[i].name,
			       family_suffix(families[i].type), families[i].help);
		(void)contains(strstr(page, row) ? row : families[i].name, row);
	}
	if (f)
		(void)fclose(f);
}

static int print_names(void)
{
	for (size_t i = 0; i < FAMILIES; i++)
		if (families[i].type == FAMILY_HISTOGRAM)
			(void)printf("%s_bucket\n%s_count\n%s_sum\n", families[i].name,
				     families[i].name, families[i].name);
		else
			(void)printf("%s%s\n", families[i].name, family_suffix(families[i].type));
	return 0;
}

static int print_rows(void)
{
	for (size_t i = 0; i < FAMILIES; i++)
		(void)printf(".It Li %s%s\n%s\n", families[i].name, family_suffix(families[i].type),
			     families[i].help);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2)
		return strcmp(argv[1], "names") == 0 ? print_names() : print_rows();
	forms();
	pieces();
	labels();
	lost();
	longest();
	accepted();
	rows();
	return tap_end();
}
