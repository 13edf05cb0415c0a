/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rdma_counter.c - the counters of RDMA devices, after /sys/class/infiniband, a device at a time
 *
 * `ports/<n>/counters` has those that InfiniBand defines, `ports/<n>/hw_counters` those of the
 * driver; each is a file.  Which there are depends on kernel and driver, so their names are labels,
 * but for the four that all devices have and that a pod is measured by.
 */
#include "daemon/metrics/rdma_counter.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"
#include "daemon/metrics/snapshot.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 256, WORD_BYTES = 4 };

static const struct {
	const char *file;
	enum family family;
	unsigned int factor;
} known[] = {
	{ "port_rcv_data", FAMILY_RDMA_RX_BYTES, WORD_BYTES },
	{ "port_xmit_data", FAMILY_RDMA_TX_BYTES, WORD_BYTES },
	{ "port_rcv_packets", FAMILY_RDMA_RX_PACKETS, 1 },
	{ "port_xmit_packets", FAMILY_RDMA_TX_PACKETS, 1 },
};

/* -- the devices -- */

/* That of a sub-function has its own holder, that of a function the function's. */
static void add_device(const struct inventory *inv, const struct inv_rdma *d, struct labels *l)
{
	int auxiliary = inventory_auxiliary(inv, d->parent);

	labels_add(l, "device", d->name);
	if (auxiliary != INV_NONE && inv->auxiliaries[auxiliary].has_sf) {
		labels_add(l, "auxiliary", d->parent);
		snapshot_add_holder(inv, inv->auxiliaries[auxiliary].holder, INV_NONE, l);
	} else if (d->function != INV_NONE) {
		snapshot_add_function(inv, d->function, l);
	}
}

int rdma_counters_begin(struct rdma_counters *r, const struct inventory *inv, struct exposition *x)
{
	r->list = calloc(inv->n_rdmas + 1, sizeof(*r->list));
	r->names = calloc(RDMA_COUNTERS_MAX, sizeof(*r->names));
	if (!r->list || !r->names)
		return -1;
	for (size_t i = 0; i < inv->n_rdmas; i++) {
		struct labels l = { .len = 0 };
		struct rdma_target *t = &r->list[r->n];

		if (!name_is_file(inv->rdmas[i].name))
			continue;
		add_device(inv, &inv->rdmas[i], &l);
		memcpy(t->name, inv->rdmas[i].name, sizeof(t->name));
		t->labels = exposition_keep(x, &l);
		r->n++;
	}
	return 0;
}

void rdma_counters_done(struct rdma_counters *r)
{
	free(r->list);
	free(r->names);
}

/* -- the files of one -- */

struct reading {
	struct rdma_counters *r;
	const struct rdma_target *device;
	struct exposition *x;
	int dir;			/* ports/, then that of the counters */
	char port[16];
	enum family family;		/* of counters that have none of their own */
	unsigned int left;		/* files that may still be read */
};

/* A number and nothing else: some drivers write words where they have none. */
static bool read_number(int dir, const char *name, uint64_t *ret)
{
	auto_close int fd = fs_open_name(dir, name, O_RDONLY | O_NONBLOCK, 0);
	char text[32], *end;
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;

	if (n <= 0)
		return false;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	errno = 0;
	*ret = strtoull(text, &end, 10);
	return errno == 0 && end != text && !*end && isdigit((unsigned char)*text);
}

/* Labels that were made for another device are used again. */
static exposition_labels name_labels(struct reading *now, const char *counter)
{
	struct rdma_counters *r = now->r;
	struct labels l = { .len = 0 };
	size_t i = 0;

	labels_add(&l, "port", now->port);
	labels_add(&l, "counter", counter);
	while (i < r->n_names && strcmp(r->names[i].text, l.text) != 0)
		i++;
	if (i < r->n_names)
		return r->names[i].labels;
	if (i == RDMA_COUNTERS_MAX || l.len >= RDMA_COUNTER_TEXT)
		return exposition_keep(now->x, &l);
	memcpy(r->names[i].text, l.text, l.len + 1);
	r->names[i].labels = exposition_keep(now->x, &l);
	r->n_names++;
	return r->names[i].labels;
}

static size_t known_of(const struct reading *now, const char *name)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(known) && strcmp(known[i].file, name) != 0)
		i++;
	return now->family == FAMILY_RDMA_PORT_COUNTER ? i : ARRAY_SIZE(known);
}

/* How long a driver keeps what it has read is beside the counters. */
static int take_file(const char *name, void *arg, struct err *e)
{
	struct reading *now = arg;
	size_t i = known_of(now, name);
	bool is_known = i < ARRAY_SIZE(known);
	struct sample s = { .labels = now->device->labels };

	(void)e;
	if (now->left == 0)
		return 1;
	now->left--;
	if (strcmp(name, "lifespan") == 0 || !read_number(now->dir, name, &s.value))
		return 0;
	s.extra = name_labels(now, is_known ? NULL : name);
	s.value *= is_known ? known[i].factor : 1;
	exposition_add(now->x, is_known ? known[i].family : now->family, &s);
	return 0;
}

static void take_dir(const struct reading *port, const char *name, enum family family)
{
	auto_close int dir = fs_open_name(port->dir, name, O_RDONLY | O_DIRECTORY, 0);
	struct reading now = *port;
	struct err ignored;

	now.dir = dir;
	now.family = family;
	now.left = FILES_MAX;
	if (dir >= 0)
		(void)!fs_each_in(dir, name, take_file, &now, &ignored);
}

static int take_port(const char *name, void *arg, struct err *e)
{
	const struct reading *device = arg;
	auto_close int dir = fs_open_name(device->dir, name, O_RDONLY | O_DIRECTORY, 0);
	struct reading port = *device;

	(void)e;
	if (dir < 0 || !name_is_numbered(name, ""))
		return 0;
	port.dir = dir;
	(void)snprintf(port.port, sizeof(port.port), "%.15s", name);
	take_dir(&port, "counters", FAMILY_RDMA_PORT_COUNTER);
	take_dir(&port, "hw_counters", FAMILY_RDMA_HW_COUNTER);
	return 0;
}

/* One that is gone, or in another namespace, is left out. */
bool rdma_counters_step(struct rdma_counters *r, const struct host *host, struct exposition *x)
{
	struct reading now = { .r = r, .x = x };
	char path[PATH_MAX];
	auto_close int dir = -1;
	struct err ignored;

	if (r->next == r->n)
		return false;
	now.device = &r->list[r->next++];
	(void)snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports", now.device->name);
	if (fs_find_dir(host->root, path, &dir, &ignored) <= 0)
		return true;
	now.dir = dir;
	(void)!fs_each_in(dir, path, take_port, &now, &ignored);
	return true;
}
