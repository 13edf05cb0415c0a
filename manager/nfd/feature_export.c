/* SPDX-License-Identifier: Apache-2.0 */
/* feature_export.c - the node's devices as a feature file of NFD's local source */
#include "manager/nfd/feature_export.h"

#include "base/fs.h"
#include "base/mem.h"
#include "manager/nfd/feature_file.h"
#include "manager/nfd/name.h"
#include "manager/nfd/node_summary.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char ours[] = "# Made by devinfoctl export nfd: what is changed here is lost\n";

/* -- text -- */

json_t *feature_export_labels(const json_t *summary)
{
	json_t *labels = json_object(), *v;
	struct err ignored;
	const char *name;

	json_object_foreach((json_t *)(uintptr_t)summary, name, v) {
		char full[NFD_NAME_MAX + 1], label[sizeof(full)];

		(void)snprintf(label, sizeof(label), NODE_SUMMARY_PREFIX "%s", name);
		nfd_name_full(label, full);
		if (nfd_check_label(full, json_string_value(v), &ignored) == 0)
			(void)json_object_set(labels, full, v);
	}
	return labels;
}

static size_t put_head(char *to, size_t size, const struct feature_export *how)
{
	size_t n = (size_t)snprintf(to, size, "%s", ours);
	struct tm tm;

	if (how->expires && gmtime_r(&how->expires, &tm))
		n += strftime(to + n, size - n, "# +expiry-time=%Y-%m-%dT%H:%M:%SZ\n", &tm);
	return n;
}

char *feature_export_text(const json_t *labels, const struct feature_export *how,
			  size_t *left_out)
{
	char *text = malloc(FEATURE_FILE_MAX + 1);
	size_t n = text ? put_head(text, FEATURE_FILE_MAX, how) : 0;
	const char *name;
	json_t *v;

	*left_out = 0;
	json_object_foreach((json_t *)(uintptr_t)labels, name, v) {
		char line[2 * NFD_NAME_MAX];
		size_t len = (size_t)snprintf(line, sizeof(line), "%s%s=%s\n",
					      how->raw ? "# +no-label\n" : "", name,
					      json_string_value(v));

		if (!text || *left_out > 0 || len >= sizeof(line) ||
		    n + len > FEATURE_FILE_MAX) {
			++*left_out;
			continue;
		}
		memcpy(text + n, line, len + 1);
		n += len;
	}
	return text;
}

/* -- file -- */

/* 1 it is there, and ours; 0 there is none; -1. */
static int check_ours(int dir, const char *path, struct err *e)
{
	auto_free char *text = NULL;
	size_t len = 0;
	int r = fs_read_file(dir, FEATURE_EXPORT_FILE, FEATURE_FILE_MAX, &text, &len, e);

	if (r <= 0)
		return r;
	if (strncmp(text, ours, sizeof(ours) - 1) == 0)
		return 1;
	return err_set(e, ERR_IO, 0, "'%s/%s' was not made by export nfd: it stays as it is", path,
		       FEATURE_EXPORT_FILE);
}

int feature_export_write(const struct host *host, const char *dir, const char *text,
			 struct err *e)
{
	auto_close int fd = fs_open_dir(host->root, dir, 0755, e);

	if (fd < 0 || check_ours(fd, dir, e) < 0)
		return -1;
	return fs_write_file(fd, FEATURE_EXPORT_FILE, text, strlen(text), 0644, FS_SYNC_DIR, e);
}

int feature_export_remove(const struct host *host, const char *dir, struct err *e)
{
	auto_close int fd = -1;
	int r = fs_find_dir(host->root, dir, &fd, e);

	if (r > 0)
		r = check_ours(fd, dir, e);
	return r > 0 ? fs_remove(fd, FEATURE_EXPORT_FILE, e) : r;
}
