/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_device_plugin.c - requests of kubelet to a device plugin, each of the three messages */
#include "base/name.h"
#include "daemon/plugin/messages.h"
#include "tests/fuzz/fuzz.h"

static void must_be_ids(const struct id_list *l)
{
	must(l->n <= MESSAGE_MAX_IDS && (l->id || l->n == 0));
	for (size_t i = 0; i < l->n; i++)
		must(strnlen(l->id[i], MESSAGE_ID_SIZE) < MESSAGE_ID_SIZE &&
		     name_is_device_id(l->id[i]));
}

static void check_allocate(const char *text, size_t len)
{
	struct allocate_request r = { .n = 0 };
	struct err e = { 0 };
	int rc = allocate_request_decode((const unsigned char *)text, len, &r, &e);

	must_agree(rc, &e);
	must(rc == 0 || (!r.ids && !r.list && r.n == 0));
	must(r.n <= MESSAGE_MAX_CONTAINERS);
	for (size_t i = 0; i < r.n; i++)
		must_be_ids(&r.list[i]);
	if (rc == 0)
		accepted();
	allocate_request_done(&r);
}

static void check_preferred(const char *text, size_t len)
{
	struct preferred_request r = { .n = 0 };
	struct err e = { 0 };
	int rc = preferred_request_decode((const unsigned char *)text, len, &r, &e);

	must_agree(rc, &e);
	must(rc == 0 || (!r.ids && !r.list && r.n == 0));
	must(r.n <= MESSAGE_MAX_CONTAINERS);
	for (size_t i = 0; i < r.n; i++) {
		must_be_ids(&r.list[i].available);
		must_be_ids(&r.list[i].must_include);
	}
	preferred_request_done(&r);
}

static void fuzz_one(const char *text, size_t len)
{
	struct id_list l = { .n = 0 };
	struct err e = { 0 };
	int rc = prestart_request_decode((const unsigned char *)text, len, &l, &e);

	must_agree(rc, &e);
	must(rc == 0 || (!l.id && l.n == 0));
	must_be_ids(&l);
	id_list_done(&l);
	check_allocate(text, len);
	check_preferred(text, len);
}
