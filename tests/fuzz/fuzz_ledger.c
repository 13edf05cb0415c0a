/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_ledger.c - the ledger's file of a pod, torn perhaps */
#include "base/name.h"
#include "devinfo/journal/ledger_file.h"
#include "tests/fuzz/scratch.h"

static const struct entry ours = {
	.device = "0000:01:00.7", .resource = "intel.com/nic", .network = "fuzz", .ifname = "net7",
	.container_id = "c7", .boot_id = "boot-7",
};

static void check_entries(const struct ledger *l)
{
	must(l->n <= ALLOCATION_MAX_DEVICES && (l->n == 0 || !*l->lost));
	for (size_t i = 0; i < l->n; i++) {
		const struct entry *n = &l->entries[i];

		must(name_is_device_id(n->device) && name_is_cni_id(n->network));
		must(name_is_ifname(n->ifname) && name_is_cni_id(n->container_id) && n->boot_id);
		must(!*n->resource || name_is_resource(n->resource));
	}
}

/* Whatever was there, what is added is in what is read the next time, and nothing of it twice. */
static void add_ours(struct ledger *l, const char *file, const struct pod *pod)
{
	auto_ledger struct ledger again = { 0 };
	struct err e = { 0 };
	size_t found = 0;

	must(ledger_put(l, &ours, &e) >= 0);
	must(ledger_write(scratch_dir(), file, l, pod, &e) == 0);
	must(ledger_read(scratch_dir(), file, pod, &again, &e) == 1);
	must(!*again.lost && again.n == l->n);
	check_entries(&again);
	for (size_t i = 0; i < again.n; i++)
		found += entry_is_of(&again.entries[i], ours.resource, ours.device);
	must(found == 1);
}

static void fuzz_one(const char *text, size_t len)
{
	static const uint8_t key[SIPHASH_KEY];
	static const struct pod pod = { .name_space = "default", .name = "web" };
	auto_ledger struct ledger l = { 0 };
	struct err e = { 0 };
	char file[256];

	must(ledger_file_name(key, &pod, file, &e) == 0 && ledger_is_file(file));
	scratch_write(file, text, len);
	must(ledger_read(scratch_dir(), file, &pod, &l, &e) == 1);
	check_entries(&l);
	if (l.n > 0)
		accepted();
	add_ours(&l, file, &pod);
	must(scratch_unlink(file));
}
