/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recording.c - a node as an archive: which files are in it
 *
 * What is written of a file is in recording_file.c, of /sys in recording_sysfs.c.
 */
#include "manager/inventory/recording.h"

#include "base/fs.h"
#include "base/mem.h"
#include "cni/call/cache.h"
#include "devinfo/journal/earlier.h"
#include "manager/inventory/known.h"
#include "manager/inventory/recording_part.h"
#include "manager/inventory/tar.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* -- files of ours and of others -- */

/* Configurations; multus.d/ has a key to the cluster. */
#define NET_D	"/etc/cni/net.d"

static const char *const lines[] = {
	"/proc/sys/kernel/osrelease", "/proc/sys/kernel/random/boot_id",
	"/sys/module/vfio/parameters/enable_unsafe_noiommu_mode",
	"/sys/fs/selinux/enforce",
	"/sys/devices/virtual/dmi/id/sys_vendor", "/sys/devices/virtual/dmi/id/product_name",
};

static void put_below(struct recording *r, const char *dir, const char *sub, enum form form)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s%s", dir, sub);
	recording_dir(r, path, form);
}

static int put_earlier(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	(void)j, (void)e;
	put_below(arg, there->set.state_dir, "", FORM_NONE);
	put_below(arg, there->set.state_dir, "/attachments", FORM_RECORD);
	return 0;
}

/* Also what is left in the directories of earlier settings. */
static void put_all_earlier(struct recording *r)
{
	struct err ignored;		/* what can be read is recorded */

	recording_dir(r, EARLIER_DIR, FORM_EARLIER);
	(void)!earlier_each(r->host, JOURNAL_READ, put_earlier, r, &ignored);
}

static void put_ours(struct recording *r)
{
	const struct settings *s = &r->host->set;

	put_below(r, s->state_dir, "", FORM_NONE);
	put_below(r, s->state_dir, "/attachments", FORM_RECORD);
	put_below(r, s->state_dir, "/pods", FORM_LEDGER);
	put_below(r, s->devinfo_dir, "", FORM_NONE);
	put_below(r, s->devinfo_dir, "/dp", FORM_DEVICE_INFO);
	put_below(r, s->devinfo_dir, "/cni", FORM_DEVICE_INFO);
	put_below(r, s->run_dir, "", FORM_NONE);
	put_below(r, s->run_dir, "/status", FORM_STATUS);
	put_below(r, s->run_dir, "/links", FORM_NONE);
}

static void put_others(struct recording *r)
{
	const struct settings *s = &r->host->set;

	recording_dir(r, NET_D, FORM_CONF);
	recording_dir(r, NET_D "/devinfo.d", FORM_NODE_FILE);
	recording_dir(r, LIBCNI_CACHE, FORM_CACHE);
	recording_dir(r, MULTUS_RESULTS, FORM_CACHE);
	recording_dir(r, MULTUS_CACHE, FORM_EMPTY);	/* who its files are of is in their names */
	put_below(r, s->sriov_state_dir, "/pci", FORM_WORD);
	put_below(r, "/run", "/netns", FORM_EMPTY);
	put_below(r, "/var/run", "/netns", FORM_EMPTY);
	put_below(r, s->kubelet_dir, "", FORM_NONE);
	put_below(r, s->kubelet_dir, "/device-plugins", FORM_CHECKPOINT);
}

static int put_huge_pages(const char *name, void *arg, struct err *e)
{
	char path[PATH_MAX];

	(void)e;
	if (snprintf(path, sizeof(path), "/sys/kernel/mm/hugepages/%s/nr_hugepages", name) <
	    (int)sizeof(path))
		recording_file(arg, path, FORM_TEXT);
	return 0;
}

/* What rules of Node Feature Discovery ask for; the kernel's configuration would be too much. */
static void put_features(struct recording *r, const struct inventory *inv)
{
	char path[PATH_MAX];
	struct err ignored;

	recording_modules(r);
	(void)snprintf(path, sizeof(path), "/lib/modules/%s/modules.builtin", inv->node.kernel);
	if (!strchr(inv->node.kernel, '/'))
		recording_file(r, path, FORM_TEXT);
	(void)recording_link(r, "/etc/os-release", NULL);	/* where it is a file, it is none */
	recording_file(r, "/etc/os-release", FORM_ASSIGNED);
	recording_file(r, "/usr/lib/os-release", FORM_ASSIGNED);
	(void)recording_bare_dir(r, "/sys/fs");
	(void)recording_bare_dir(r, "/sys/devices/virtual/misc/kvm");
	recording_dir(r, "/sys/bus/node/devices", FORM_NONE);
	(void)!fs_each(r->host->root, "/sys/kernel/mm/hugepages", put_huge_pages, r, &ignored);
	recording_dir(r, "/etc/kubernetes/node-feature-discovery/features.d", FORM_ASSIGNED);
}

static int put_device_node(const char *name, void *arg, struct err *e)
{
	(void)e;
	if (strncmp(name, "vhost-vdpa-", strlen("vhost-vdpa-")) == 0)
		recording_node(arg, "/dev/", name);
	return 0;
}

static int put_vfio_node(const char *name, void *arg, struct err *e)
{
	(void)e;
	recording_node(arg, "/dev/vfio/", name);
	return 0;
}

static void put_device_nodes(struct recording *r)
{
	struct err ignored;

	recording_node(r, "/dev/", "vhost-net");
	recording_node(r, "/dev/vduse/", "control");
	(void)!fs_each(r->host->root, "/dev", put_device_node, r, &ignored);
	(void)!fs_each(r->host->root, "/dev/vfio", put_vfio_node, r, &ignored);
}

/* The newest file: who asks how old another is, asks from then. */
static int put_facts(struct recording *r, json_t *facts, struct err *e)
{
	auto_free char *text = NULL;

	known_keep(facts, &known_facts);
	scrub_json(&r->scrub, facts);
	text = json_dumps(facts, JSON_INDENT(1));
	if (!text)
		return err_set(e, ERR_IO, 0, "write the facts of the node");
	tar_put_file(r->to, INVENTORY_FACTS, 0644, time(NULL), text, strlen(text));
	return 0;
}

int recording_write(const struct host *host, const struct inventory *inv, json_t *facts, FILE *to,
		    struct err *e)
{
	auto_recording struct recording r = { .host = host, .to = to };
	int ret;

	recording_init(&r);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		recording_line(&r, lines[i]);
	recording_sysfs(&r, inv);
	put_features(&r, inv);
	put_device_nodes(&r);
	put_ours(&r);
	put_all_earlier(&r);
	put_others(&r);
	ret = put_facts(&r, facts, e);
	return tar_end(to, e) < 0 ? -1 : ret;
}
