/* SPDX-License-Identifier: Apache-2.0 */
/* tar.c - write an archive: ustar, with pax headers where a name is too long for that */
#include "manager/inventory/tar.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

enum { BLOCK = 512 };

/* POSIX.1-2017, pax, "ustar Interchange Format". */
struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type;
	char link[100], magic[6], version[2], owner[32], group[32], major[8], minor[8];
	char prefix[155], unused[12];
};
static_assert(sizeof(struct header) == BLOCK, "a header is a block");

struct member {
	char type;
	mode_t mode;
	time_t modified;
	const void *data;
	size_t len;
};

/* Octal digits and a NUL; what does not fit is not told: sizes are bounded by who reads. */
static void put_number(char *at, size_t size, uint64_t n)
{
	for (at[--size] = '\0'; size-- > 0; n >>= 3)
		at[size] = (char)('0' + (n & 7));
}

/* The place of the slash that parts prefix and name: 0, there needs to be none; -1. */
static ssize_t split_at(const char *path)
{
	size_t len = strlen(path), slash = len;

	if (len <= sizeof(((struct header *)NULL)->name))
		return 0;
	while (slash > 0 && (slash > 155 || path[slash] != '/'))
		slash--;
	return slash > 0 && len - slash - 1 <= 100 && len - slash > 1 ? (ssize_t)slash : -1;
}

/* A field need not end in NUL. */
static void put_field(char *at, size_t size, const char *text, size_t len)
{
	memcpy(at, text, len < size ? len : size);
}

static void put_name(struct header *h, const char *path)
{
	ssize_t slash = split_at(path);

	if (slash > 0)
		put_field(h->prefix, sizeof(h->prefix), path, (size_t)slash);
	path += slash > 0 ? slash + 1 : 0;
	put_field(h->name, sizeof(h->name), path, strlen(path));
}

static void put_checksum(struct header *h)
{
	const unsigned char *at = (const unsigned char *)h;
	unsigned int sum = 0;

	memset(h->checksum, ' ', sizeof(h->checksum));
	for (size_t i = 0; i < BLOCK; i++)
		sum += at[i];
	put_number(h->checksum, sizeof(h->checksum) - 1, sum);
}

static void put_block(FILE *to, const void *data, size_t len)
{
	static const char zeros[BLOCK];

	(void)fwrite(data, 1, len, to);
	(void)fwrite(zeros, 1, (BLOCK - len % BLOCK) % BLOCK, to);
}

static void put_member(FILE *to, const char *path, const char *target, const struct member *m)
{
	struct header h = { .type = m->type, .magic = "ustar", .version = { '0', '0' } };

	put_name(&h, path);
	put_field(h.link, sizeof(h.link), target, strlen(target));
	put_number(h.mode, sizeof(h.mode), m->mode & 0777);
	put_number(h.uid, sizeof(h.uid), 0);
	put_number(h.gid, sizeof(h.gid), 0);
	put_number(h.size, sizeof(h.size), m->len);
	put_number(h.mtime, sizeof(h.mtime), m->modified > 0 ? (uint64_t)m->modified : 0);
	put_number(h.major, sizeof(h.major), 0);
	put_number(h.minor, sizeof(h.minor), 0);
	put_checksum(&h);
	put_block(to, &h, sizeof(h));
	if (m->len > 0)
		put_block(to, m->data, m->len);
}

/* "LEN key=value\n", whose length counts its own digits. */
static size_t put_record(char *at, size_t size, const char *key, const char *value)
{
	size_t len = strlen(key) + strlen(value) + 3, digits = 1;

	for (size_t n = len + digits; n >= 10; n /= 10)
		digits++;
	if (snprintf(NULL, 0, "%zu", len + digits) > (int)digits)
		digits++;
	return (size_t)snprintf(at, size, "%zu %s=%s\n", len + digits, key, value);
}

static void put_long(FILE *to, const char *path, const char *target)
{
	char text[2 * 4096 + 64];
	size_t len = 0;

	if (split_at(path) < 0)
		len = put_record(text, sizeof(text), "path", path);
	if (strlen(target) > sizeof(((struct header *)NULL)->link))
		len += put_record(text + len, sizeof(text) - len, "linkpath", target);
	if (len > 0 && len < sizeof(text))
		put_member(to, "long-name", "",
			   &(struct member){ 'x', 0644, .data = text, .len = len });
}

static void put(FILE *to, const char *path, const char *target, const struct member *m)
{
	path += strspn(path, "/");
	put_long(to, path, target);
	put_member(to, path, target, m);
}

void tar_put_file(FILE *to, const char *path, mode_t mode, time_t modified, const void *data,
		  size_t len)
{
	put(to, path, "", &(struct member){ '0', mode, modified, data, len });
}

void tar_put_dir(FILE *to, const char *path, mode_t mode)
{
	put(to, path, "", &(struct member){ '5', mode, .len = 0 });
}

void tar_put_link(FILE *to, const char *path, const char *target)
{
	put(to, path, target, &(struct member){ '2', 0777, .len = 0 });
}

void tar_put_node(FILE *to, const char *path, mode_t mode)
{
	put(to, path, "", &(struct member){ '3', mode, .len = 0 });
}

int tar_end(FILE *to, struct err *e)
{
	static const char zeros[2 * BLOCK];

	(void)fwrite(zeros, 1, sizeof(zeros), to);
	if (fflush(to) != 0 || ferror(to))
		return err_set(e, ERR_IO, errno, "write the archive");
	return 0;
}
