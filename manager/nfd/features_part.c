/* SPDX-License-Identifier: Apache-2.0 */
/* features_part.c - how features are put together, and files of a node read for them */
#include "manager/nfd/features_part.h"

#include "base/fs.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The member of an object, which is made when it is not there. */
static json_t *member(json_t *o, const char *name, bool is_list)
{
	json_t *v = json_object_get(o, name);

	if (!v) {
		v = is_list ? json_array() : json_object();
		(void)json_object_set_new(o, name, v);
	}
	return v;
}

static json_t *elements(json_t *features, const char *type, const char *set, bool is_list)
{
	return member(member(member(features, type, false), set, false), "elements", is_list);
}

json_t *features_flags(json_t *features, const char *set)
{
	return elements(features, "flags", set, false);
}

json_t *features_attributes(json_t *features, const char *set)
{
	return elements(features, "attributes", set, false);
}

json_t *features_instances(json_t *features, const char *set)
{
	return elements(features, "instances", set, true);
}

json_t *features_text(const char *text)
{
	json_t *v = json_string(text);
	char *ascii;

	if (v)
		return v;
	ascii = strdup(text);
	for (char *p = ascii; p && *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
	v = json_string(ascii ? ascii : "");
	free(ascii);
	return v;
}

void features_set(json_t *attributes, const char *name, const char *value)
{
	(void)json_object_set_new(attributes, name, features_text(value));
}

void features_put_flag(json_t *features, const char *set, const char *name)
{
	(void)json_object_set_new(features_flags(features, set), name, json_object());
}

void features_put(json_t *features, const char *set, const char *name, const char *value)
{
	features_set(features_attributes(features, set), name, value);
}

void features_put_instance(json_t *features, const char *set, json_t *attributes)
{
	(void)json_array_append_new(features_instances(features, set),
				    json_pack("{s:o}", "attributes", attributes));
}

/* -- files -- */

/* The size of a file of /proc is 0 until it is read.  Number of bytes, or -1. */
static ssize_t read_up_to(int fd, char *to, size_t max)
{
	size_t n = 0;

	while (n <= max) {
		ssize_t r = read(fd, to + n, max + 1 - n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return r < 0 ? -1 : (ssize_t)n;
		n += (size_t)r;
	}
	return -1;	/* it is longer */
}

char *features_read(const struct host *host, size_t max, const char *fmt, ...)
{
	auto_free char *text = malloc(max + 1);
	auto_close int fd = -1;
	char path[PATH_MAX];
	struct stat st;
	ssize_t n;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	if (text && len >= 0 && len < (int)sizeof(path))
		fd = fs_open(host->root, path, O_RDONLY | O_NONBLOCK, 0);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	n = read_up_to(fd, text, max);
	if (n < 0)
		return NULL;
	text[n] = '\0';
	return steal_ptr(&text);
}

/* -- directories -- */

struct listing {
	bool (*fits)(const char *name);
	struct features_names *names;
};

/* Memory that cannot be had is a name that cannot be read. */
static int list_name(const char *name, void *arg, struct err *e)
{
	const struct listing *l = arg;
	struct features_names *names = l->names;
	char (*old)[sizeof(*names->list)] = names->list;

	(void)e;
	if (!l->fits(name) || names->n == FEATURES_NAMES_MAX)
		return 0;
	names->list = reallocarray(old, names->n + 1, sizeof(*old));
	if (names->list)
		(void)snprintf(names->list[names->n++], sizeof(*old), "%s", name);
	else
		names->list = old;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

void features_list(const struct host *host, const char *dir, bool (*fits)(const char *name),
		   struct features_names *ret)
{
	struct listing l = { .fits = fits, .names = ret };
	struct err ignored;

	(void)!fs_each(host->root, dir, list_name, &l, &ignored);
	if (ret->n > 0)
		qsort(ret->list, ret->n, sizeof(*ret->list), by_name);
}

void features_names_done(struct features_names *names)
{
	free(names->list);
}
