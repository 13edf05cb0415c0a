/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_each.c - all that the ledger has chosen, for whoever looks at the whole node */
#include "devinfo/journal/ledger_file.h"

#include "base/fs.h"
#include "base/mem.h"

struct walk {
	int dir;
	ledger_entry_fn *fn;
	void *arg;
};

/* Of a file that cannot be read, or of another version, nothing is known. */
static int each_of(const char *name, void *arg, struct err *e)
{
	const struct walk *w = arg;
	auto_ledger struct ledger l = { 0 };
	struct err ignored;
	int r = 0;

	if (!ledger_is_file(name) || ledger_read(w->dir, name, NULL, &l, &ignored) <= 0)
		return 0;
	for (size_t i = 0; r == 0 && i < l.n; i++)
		r = w->fn(&l.entries[i], w->arg, e);
	return r;
}

int ledger_each_entry(const struct host *h, ledger_entry_fn *fn, void *arg, struct err *e)
{
	auto_close int dir = -1;
	struct walk w = { .fn = fn, .arg = arg };
	int r = ledger_open_dir(h, false, &dir, e);

	if (r <= 0)
		return r;
	w.dir = dir;
	return fs_each(dir, ".", each_of, &w, e);
}
