/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dra.h - what DRA drivers leave on a node, in the scratch directory of a test
 */
#ifndef TESTS_UNIT_DRA_H
#define TESTS_UNIT_DRA_H

#include "base/fs.h"
#include "base/mem.h"
#include "devinfo/kubelet/allocation.h"
#include "tests/unit/node.h"

#include <string.h>

#define PLUGINS		"/var/lib/kubelet/plugins/"
#define RECORDED_UID	"3787e052-a284-4393-b443-5d452160577d"
#define CDI_NAME	"test-driver.cdi.k8s.io/test=claim-" RECORDED_UID "-req0"
#define CDI_METADATA	"test-driver.cdi.k8s.io/metadata=" RECORDED_UID "_req0"

/* Resolved inside the root: no link of a test leads to the machine's own files. */
static inline void node_put(const struct fake_node *n, const char *path, const void *data,
			    size_t len)
{
	const char *name = strrchr(path, '/') + 1;
	auto_free char *parent = strndup(path, (size_t)(name - path));
	auto_close int dir = -1;
	struct err e;

	if (!parent)
		bail_out(path);
	dir = fs_open_dir(n->host.root, parent, 0755, &e);
	if (dir < 0 || fs_write_file(dir, name, data, len, 0644, 0, &e) < 0)
		bail_out(path);
}

/* Write a file, making its directories. */
static inline void node_write(const struct fake_node *n, const char *path, const char *text)
{
	node_put(n, path, text, strlen(text));
}

/* The whole of a recorded file, owned by the caller. */
static inline char *recorded(const char *name)
{
	char path[256];
	char *text = calloc(1, 65536);
	FILE *f = NULL;

	(void)snprintf(path, sizeof(path), "tests/node/dra/%s", name);
	f = fopen(path, "r");
	if (!text || !f || fread(text, 1, 65535, f) == 0)
		bail_out(path);
	(void)fclose(f);
	return text;
}

static inline void node_copy(const struct fake_node *n, const char *name, const char *path)
{
	auto_free char *text = recorded(name);

	node_write(n, path, text);
}

/* The claimed device of the recorded pod; the texts are the test's to change, nobody frees them. */
struct claimed_fixture {
	char name_space[512], claim[512], driver[512], pool[512], device[512];
	char cdi_text[ALLOCATION_MAX_CDI][256];
	char *cdi[ALLOCATION_MAX_CDI];
	char share[1];
	struct claimed_device it;
};

static inline void claimed_name(struct claimed_fixture *f, const char *cdi)
{
	size_t i = f->it.n_cdi++;

	(void)snprintf(f->cdi_text[i], sizeof(f->cdi_text[i]), "%s", cdi);
	f->cdi[i] = f->cdi_text[i];
}

static inline void claimed_init(struct claimed_fixture *f, const char *driver, const char *pool,
				const char *device)
{
	*f = (struct claimed_fixture){ .name_space = "default", .claim = "claim1" };
	(void)snprintf(f->driver, sizeof(f->driver), "%s", driver);
	(void)snprintf(f->pool, sizeof(f->pool), "%s", pool);
	(void)snprintf(f->device, sizeof(f->device), "%s", device);
	f->it = (struct claimed_device){
		.name_space = f->name_space,
		.claim = f->claim,
		.driver = f->driver,
		.pool = f->pool,
		.device = f->device,
		.share = f->share,
		.cdi = f->cdi,
	};
}

static inline void claimed_recorded(struct claimed_fixture *f)
{
	claimed_init(f, "test-driver.cdi.k8s.io", "realnode", "device-00");
	claimed_name(f, CDI_NAME);
	claimed_name(f, CDI_METADATA);
}

#endif
