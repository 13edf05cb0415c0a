/* SPDX-License-Identifier: Apache-2.0 */
/* read_attr.c - attributes of an open directory of sysfs, and what its paths tell */
#include "manager/inventory/read.h"

#include "base/fs.h"
#include "base/name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool read_line(int dir, const char *attr, char *ret, size_t size)
{
	struct err ignored;

	return fs_read_line(dir, ret, size, &ignored, "%s", attr) > 0;
}

bool read_number(int dir, const char *attr, int *ret)
{
	char text[24], *end;
	long n;

	if (!read_line(dir, attr, text, sizeof(text)))
		return false;
	n = strtol(text, &end, 0);
	if (end == text || *end || n < 0 || n > INT_MAX)
		return false;
	*ret = (int)n;
	return true;
}

void read_texts(int dir, const struct read_text *t, size_t n, void *s)
{
	for (size_t i = 0; i < n; i++)
		(void)read_line(dir, t[i].attr, (char *)s + t[i].offset, t[i].size);
}

void read_base(int dir, const char *attr, char *ret, size_t size)
{
	struct err ignored;

	if (fs_readlink_base(dir, ret, size, &ignored, "%s", attr) <= 0)
		*ret = '\0';
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
