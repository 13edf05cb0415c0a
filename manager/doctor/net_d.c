/* SPDX-License-Identifier: Apache-2.0 */
/* net_d.c - the CNI configurations of the node, as a runtime finds them */
#include "manager/doctor/net_d.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BYTES_MAX = 1 << 20 };

struct walk {
	const struct host *host;
	net_d_fn *fn;
	void *arg;
};

static bool is_read(const char *name)
{
	static const char *const ends[] = { ".conf", ".conflist", ".json" };
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot && i < ARRAY_SIZE(ends); i++)
		if (strcmp(dot, ends[i]) == 0)
			return true;
	return false;
}

/* An administrator may have a link there. */
static json_t *read_object(const struct host *host, const char *path, struct err *e)
{
	auto_close int fd = fs_open(host->root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	auto_free char *text = malloc(BYTES_MAX + 1);
	json_auto_t *doc = NULL;
	struct stat st;
	ssize_t len;

	if (fd < 0 || !text || fstat(fd, &st) < 0) {
		(void)err_set(e, ERR_IO, errno, "open '%s'", path);
		return NULL;
	}
	if (!S_ISREG(st.st_mode) || st.st_size > BYTES_MAX) {
		(void)err_set(e, ERR_IO, 0, "'%s' is no file of at most %d bytes", path,
			      BYTES_MAX);
		return NULL;
	}
	len = read(fd, text, BYTES_MAX);
	if (len < 0) {
		(void)err_set(e, ERR_IO, errno, "read '%s'", path);
		return NULL;
	}
	doc = jx_parse(text, (size_t)len, ERR_DECODE, path, e);
	if (doc && !json_is_object(doc)) {
		(void)err_set(e, ERR_DECODE, 0, "%s: expected an object, got %s", path,
			      jx_type_name(doc));
		return NULL;
	}
	return steal_ptr(&doc);
}

static int visit_file(const char *name, void *arg, struct err *e)
{
	const struct walk *w = arg;
	struct net_d_file file = { .path = NULL };
	json_auto_t *doc = NULL;
	char path[NET_D_PATH];
	int r;

	if (!name_is_file(name) || !is_read(name))
		return 0;
	(void)snprintf(path, sizeof(path), NET_D "/%s", name);
	doc = read_object(w->host, path, &file.why);
	if (!doc && file.why.sys == ENOENT)	/* removed meanwhile */
		return 0;
	file.path = path;
	file.doc = doc;
	r = w->fn(&file, w->arg, e);
	return r < 0 ? -1 : 0;
}

int net_d_each(const struct host *host, net_d_fn *fn, void *arg, struct err *e)
{
	struct walk w = { host, fn, arg };

	return fs_each(host->root, NET_D, visit_file, &w, e);
}

/* As deep as the document goes, which the parser bounds. */
static void collect(const json_t *conf, json_t *ret)
{
	static const char *const lists[] = { "plugins", "delegates" };
	json_t *delegate = json_object_get(conf, "delegate"), *one;
	const json_t *list;
	size_t k;

	if (!json_is_object(conf))
		return;
	if (!json_object_get(conf, "plugins"))
		(void)json_array_append(ret, (json_t *)(uintptr_t)conf);
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		list = json_object_get(conf, lists[i]);
		json_array_foreach(list, k, one) {
			collect(one, ret);
		}
	}
	collect(delegate, ret);
}

json_t *net_d_plugins(const json_t *doc)
{
	json_t *ret = json_array();

	collect(doc, ret);
	return ret;
}

const char *net_d_type(const json_t *conf)
{
	const char *type = json_string_value(json_object_get(conf, "type"));

	return type ? type : "";
}
