/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metadata.c - the file in which a DRA driver describes the devices of a request (KEP-5304)
 *
 * The driver writes with a plain write(2) into the file's own name, so a reader may see none or
 * half of it.  What does not parse is therefore read again for a moment; what parses and is not
 * what it should be is passed over at once.
 *
 * A device that a driver describes later is not waited for: what a driver knows when the claim is
 * prepared it has written before the sandbox is made, and the rest it writes when the last plugin
 * of the sandbox has answered, so that an ADD would wait for its own end.
 *
 * Before Kubernetes 1.31 kubelet names neither driver nor device.  Then the file's path
 * is taken from the CDI device that mounts it into containers, which tells the driver and the
 * request, and the device is the only one in that file.
 */

#include "devinfo/kubelet/metadata.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"
#include "devinfo/kubelet/cdi.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define FILE_NAME	"metadata.json"
#define DIR_NAME	"dra-device-metadata"

enum {
	TORN_MS = 300,		/* a driver needs no longer to write one file */
	TORN_WAIT_MS = 20,
};

/* -- its files -- */

struct look {
	int dir;			/* of the claim */
	const char *kubelet_dir;
	const struct claimed_device *device;
	size_t n_requests;
	bool torn;			/* a file may be complete in a moment */
	bool found;
	struct claim_info info;		/* when found */
	char tried[CLAIM_TRIED_SIZE];
};

/* A directory in a directory of a driver's: 1 and *ret, 0, -1, which a link is as well. */
static int open_sub(int dir, const char *name, int *ret, struct err *e)
{
	int fd = fs_open(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);

	if (fd < 0)
		return errno == ENOENT ? 0 :
					 err_set(e, ERR_IO, errno, "open directory '%s'", name);
	*ret = fd;
	return 1;
}

static int read_request(const struct look *l, const char *request, bool *torn,
			struct claim_info *ret, struct err *e)
{
	auto_free char *text = NULL;
	auto_close int dir = -1;
	size_t len = 0;
	int r = open_sub(l->dir, request, &dir, e);

	if (r <= 0)
		return r;
	r = fs_read_file(dir, FILE_NAME, METADATA_MAX, &text, &len, e);
	*torn |= r < 0 && e->sys == EAGAIN;	/* it grew while it was read */
	if (r <= 0)
		return r;
	r = metadata_parse(text, len, l->device, ret, e);
	*torn |= r < 0;
	return r;
}

/* What is wrong with the file of a request, under its whole path. */
static void note_file(struct look *l, const char *request, const char *wrong)
{
	const struct claimed_device *c = l->device;

	claim_note(l->tried, "%s/plugins/%s/" DIR_NAME "/%s_%s/%s/" FILE_NAME ": %s",
		   l->kubelet_dir, c->driver, c->name_space, c->claim, request, wrong);
}

/* A device that is in several requests is that of the first by name, as the order is random. */
static int visit_request(const char *request, void *arg, struct err *e)
{
	struct look *l = arg;
	struct claim_info info = { 0 };
	struct err why;
	int r;

	if (l->n_requests++ == METADATA_MAX_REQUESTS) {
		claim_note(l->tried, "DRA metadata of claim %.64s: over %d requests",
			   l->device->claim, METADATA_MAX_REQUESTS);
		return 1;	/* enough */
	}
	r = read_request(l, request, &l->torn, &info, &why);
	if (r < 0 && claim_pass_over(info.tried, &why, e) < 0)
		return err_wrap(e, "request '%.64s'", request);
	if (*info.tried)
		note_file(l, request, info.tried);
	if (r > 0 && (!l->found || strcmp(info.request, l->info.request) < 0)) {
		l->found = true;
		l->info = info;
	}
	return 0;
}

/* Look once; request is "" for all there are. */
static int read_once(struct look *l, const char *request, struct err *e)
{
	l->n_requests = 0;
	l->torn = false;
	*l->tried = '\0';
	return *request ? visit_request(request, l, e) : fs_each(l->dir, ".", visit_request, l, e);
}

static int read_patiently(struct look *l, const char *request, const struct deadline *d,
			  struct err *e)
{
	struct deadline until = deadline_earlier(d, deadline_in(TORN_MS));

	for (;;) {
		if (read_once(l, request, e) < 0)
			return -1;
		if (l->found || !l->torn)
			return 0;
		if (deadline_interrupted())
			return deadline_error(ERR_INTERRUPTED, e, "wait for DRA metadata");
		if (deadline_left_ms(&until) == 0)
			return 0;
		deadline_sleep(&until, TORN_WAIT_MS);
	}
}

/* The claim's directory: 1 and *ret, 0, -1. */
static int open_claim(const struct host *h, const struct claimed_device *c, int *ret,
		      struct err *e)
{
	char path[PATH_MAX], claim[256];
	const char *const names[] = { c->driver, DIR_NAME, claim };
	int n = snprintf(claim, sizeof(claim), "%s_%s", c->name_space, c->claim);
	auto_close int dir = -1;
	int r;

	if (n < 0 || (size_t)n >= sizeof(claim) || !name_is_file(claim) || !name_is_file(c->driver))
		return 0;	/* nobody can have made it */
	if (snprintf(path, sizeof(path), "%s/plugins", h->set.kubelet_dir) >= (int)sizeof(path))
		return err_set(e, ERR_IO, ENAMETOOLONG, "directory '%.64s...'", path);
	r = fs_find_dir(h->root, path, &dir, e);
	if (r <= 0)
		return r;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		int sub = -1;

		r = open_sub(dir, names[i], &sub, e);
		if (r <= 0)
			return r;
		(void)close(dir);
		dir = sub;
	}
	*ret = steal_fd(&dir);
	return 1;
}

/* -- where kubelet does not name the device -- */

/* Copy the component at *p, which must be a name, and move behind it. */
static bool take_component(const char **p, char ret[256])
{
	size_t len = strcspn(*p, "/");

	if (len >= 256)
		return false;
	memcpy(ret, *p, len);
	ret[len] = '\0';
	*p += len;
	return name_is_file(ret);
}

static bool skip_text(const char **p, const char *text, size_t len)
{
	if (strncmp(*p, text, len) != 0)
		return false;
	*p += len;
	return true;
}

/* Take apart the path of a metadata file of this claim. */
static bool split_path(const char *kubelet_dir, const struct claimed_device *c, const char *path,
		       char driver[256], char request[256])
{
	char claim[600];
	size_t len = strlen(kubelet_dir);
	int n = snprintf(claim, sizeof(claim), "/%s/%s_%s/", DIR_NAME, c->name_space, c->claim);

	while (len > 0 && kubelet_dir[len - 1] == '/')
		len--;
	return n > 0 && (size_t)n < sizeof(claim) && skip_text(&path, kubelet_dir, len) &&
	       skip_text(&path, "/plugins/", 9) && take_component(&path, driver) &&
	       skip_text(&path, claim, (size_t)n) && take_component(&path, request) &&
	       strcmp(path, "/" FILE_NAME) == 0;
}

/* Driver and request from the CDI device that mounts the file: 1, 0, -1. */
static int ask_cdi(const struct host *h, const struct claimed_device *c, const struct deadline *d,
		   char driver[256], char request[256], char tried[CLAIM_TRIED_SIZE], struct err *e)
{
	char path[CDI_TEXT_SIZE];
	int r = cdi_find_metadata(h, c, d, path, tried, e);

	if (r <= 0)
		return r;
	if (split_path(h->set.kubelet_dir, c, path, driver, request) &&
	    (!*c->driver || strcmp(c->driver, driver) == 0))
		return 1;
	claim_note(tried, "CDI mounts '%.128s', which is not where this claim's metadata lies",
		   path);
	return 0;
}

int metadata_find(const struct host *h, const struct claimed_device *c, const struct deadline *d,
		  struct claim_info *ret, struct err *e)
{
	char driver[256], request[256] = "";
	struct claimed_device device = *c;	/* nothing of it is released here */
	auto_close int dir = -1;
	struct look l = { .kubelet_dir = h->set.kubelet_dir, .device = &device };
	struct err why;
	int r = 1;

	if (!*c->device) {
		r = ask_cdi(h, c, d, driver, request, ret->tried, &why);
		device.driver = driver;
	}
	if (r > 0)
		r = open_claim(h, &device, &dir, &why);
	if (r < 0)
		return claim_pass_over(ret->tried, &why, e);
	if (r == 0)
		return 0;
	l.dir = dir;
	if (read_patiently(&l, request, d, e) < 0)
		return -1;
	if (l.found) {
		memcpy(l.info.tried, ret->tried, sizeof(l.info.tried));
		*ret = l.info;
	}
	if (*l.tried)
		claim_note(ret->tried, "%s", l.tried);
	return l.found;
}
