/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_report.c - what devinfod tells, and what it is asked: there and back again */
#include "manager/report/report.h"
#include "tests/fuzz/fuzz.h"

static void must_be_device(const struct report_device *d)
{
	must(d->resource && d->id && d->reason && d->pod_namespace && d->pod_name && d->pod_uid &&
	     d->container && d->interface && d->network);
}

static void must_be_report(const struct report *r)
{
	for (size_t i = 0; i < r->n_devices; i++)
		must_be_device(&r->devices[i]);
	for (size_t i = 0; i < r->n_gone; i++)
		must(r->gone[i]);
	for (size_t i = 0; i < r->n_past; i++)
		must_be_device(&r->past[i].device);
}

/* What was read is written, and read again: the same. */
static void check_back(const struct report *r)
{
	struct report_message once = { .len = 0 }, twice = { .len = 0 };
	struct report back = { .n_devices = 0 };
	struct err e = { 0 };

	must(report_encode(r, &once, &e) == 0);
	must(report_decode(once.data, once.len, &back, &e) == 0);
	must(back.n_devices == r->n_devices && back.n_gone == r->n_gone &&
	     back.n_past == r->n_past && back.complete == r->complete);
	must(report_encode(&back, &twice, &e) == 0);
	must(once.len == twice.len && memcmp(once.data, twice.data, once.len) == 0);
	report_message_done(&once);
	report_message_done(&twice);
	report_done(&back);
}

static void check_request(const char *text, size_t len)
{
	struct err e = { 0 };
	bool past = false;
	int rc = report_request_decode((const unsigned char *)text, len, &past, &e);

	must_agree(rc, &e);
	must(rc == 0 || !past);
}

static void fuzz_one(const char *text, size_t len)
{
	struct report r = { .n_devices = 4711 };
	struct err e = { 0 };
	int rc = report_decode((const unsigned char *)text, len, &r, &e);

	must_agree(rc, &e);
	check_request(text, len);
	if (rc < 0) {
		must(e.code == ERR_DECODE && r.n_devices == 4711);
		return;
	}
	accepted();
	must_be_report(&r);
	check_back(&r);
	report_done(&r);
}
