/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_podres.c - the message in an answer of kubelet, as one to each of the methods */
#include "devinfo/kubelet/podres.h"
#include "tests/fuzz/allocation.h"

static const char untouched[] = "untouched";

static void check(enum podres_method method, const char *text, size_t len)
{
	static const struct pod pod = { .name_space = "default", .name = "p6" };
	struct allocation found = { .source = untouched };
	struct err e = { 0 };
	enum podres_answer answer =
		podres_decode(method, (const unsigned char *)text, len, &pod, &found, &e);

	if (answer != PODRES_FOUND) {
		must(answer == PODRES_FAILED || answer == PODRES_NO_POD ||
		     answer == PODRES_AMBIGUOUS);
		must(e.code == ERR_PODRES && *e.msg);
		must(found.source == untouched && !found.devices && !found.claimed);
		return;
	}
	accepted();
	must(found.source == podres_name(method));
	must_be_allocation(&found);
	allocation_done(&found);
}

static int look(const struct podres_device *d, void *arg, struct err *e)
{
	(void)arg, (void)e;
	must(d->name_space && d->pod && d->container && !d->device != !d->claimed);
	return 0;
}

static void check_all(enum podres_method method, const char *text, size_t len)
{
	struct err e = { 0 };
	int r = podres_each_decode(method, (const unsigned char *)text, len, look, NULL, &e);

	must(r == 0 ? !e.code : e.code == ERR_PODRES && *e.msg);
}

static void fuzz_one(const char *text, size_t len)
{
	check(PODRES_GET, text, len);
	check(PODRES_LIST, text, len);
	check_all(PODRES_LIST, text, len);
	check_all(PODRES_ALLOCATABLE, text, len);
}
