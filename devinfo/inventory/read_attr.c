/* SPDX-License-Identifier: Apache-2.0 */
/* read_attr.c - attributes of an open directory of sysfs, and what its paths tell */
#include "devinfo/inventory/read.h"

#include "base/fs.h"
#include "base/name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int read_texts(int dir, const struct read_text *t, size_t n, void *s, struct err *e)
{
	for (size_t i = 0; i < n; i++)
		if (fs_read_line(dir, (char *)s + t[i].offset, t[i].size, e, "%s", t[i].attr) < 0)
			return -1;
	return 0;
}

int read_number(int dir, const char *attr, int *ret, struct err *e)
{
	char text[24] = "", *end;
	int r = fs_read_line(dir, text, sizeof(text), e, "%s", attr);
	long n;

	if (r <= 0)
		return r;
	n = strtol(text, &end, 0);
	if (end == text || *end || n < 0 || n > INT_MAX)
		return 0;
	*ret = (int)n;
	return 1;
}

int read_base(int dir, const char *attr, char *ret, size_t size, struct err *e)
{
	char target[256] = "";

	if (fs_readlink_base(dir, target, sizeof(target), e, "%s", attr) < 0)
		return -1;
	(void)snprintf(ret, size, "%.*s", (int)size - 1, target);
	return 0;
}

void path_component(const char *path, unsigned int back, char *ret, size_t size)
{
	const char *end = path + strlen(path), *begin;

	*ret = '\0';
	for (;; back--) {
		begin = memrchr(path, '/', (size_t)(end - path));
		if (back == 0 || !begin)
			break;
		end = begin;
	}
	begin = begin ? begin + 1 : path;
	if (back == 0 && (size_t)(end - begin) < size)
		(void)snprintf(ret, size, "%.*s", (int)(end - begin), begin);
}

void path_function(const char *path, char ret[16])
{
	unsigned int depth = 0;

	*ret = '\0';
	for (const char *s = path; *s; s++)
		depth += *s == '/';
	for (unsigned int back = 1; back < depth && !*ret; back++) {
		path_component(path, back, ret, 16);
		if (!name_is_bdf(ret))
			*ret = '\0';
	}
}
