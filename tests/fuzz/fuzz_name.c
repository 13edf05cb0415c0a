/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_name.c - texts of others that become names, and the templates of a socket's paths
 *
 * Lines: a name; then hostDir, containerDir, name; then the words that they may name.
 */
#include "base/guid.h"
#include "base/mac.h"
#include "base/name.h"
#include "conf/socket_path.h"
#include "tests/fuzz/fuzz.h"

enum { LINES = 10 };

static bool is_plain(const char *s)
{
	for (; *s; s++)
		if (*s == '/' || (unsigned char)*s < ' ' || *s == 0x7f)
			return false;
	return true;
}

/* Whatever is accepted is fit for a path. */
static void check_name(const char *s)
{
	bool fit = is_plain(s) && *s && strcmp(s, ".") != 0 && strcmp(s, "..") != 0;
	char file[256], path[300], bdf[NAME_BDF_SIZE] = "";

	must(!name_is_file(s) || (fit && strlen(s) <= 255));
	must(!name_is_ifname(s) || (fit && strlen(s) <= 15 && !strpbrk(s, ": %")));
	must(!name_is_cni_id(s) || fit);
	must(!name_is_dns_label(s) || (fit && strlen(s) <= 63));
	must(!name_is_dns_subdomain(s) || (fit && strlen(s) <= 253));
	must(!name_is_bdf(s) || (fit && strlen(s) <= 16));
	must(!name_to_bdf(s, bdf) || (name_is_bdf(bdf) && name_ids_equal(s, bdf)));
	must(!name_is_request(s) || (strlen(s) <= 255 && *s != '/'));
	must(!name_is_numbered(s, "virtio") || fit);
	(void)snprintf(path, sizeof(path), "/%.253s/", s);
	must(!name_is_device_id(s) || (!strstr(path, "/../") && !strstr(path, "//")));
	must(!name_is_resource(s) || !strstr(path, "/../"));
	name_to_file(s, file);
	must(*file && strlen(file) <= 255 && !strchr(file, '/'));
	must(strcmp(file, ".") != 0 && strcmp(file, "..") != 0);
}

static void must_be_below(const char *path)
{
	char all[SOCKET_PATH_MAX + 2];

	must(*path == '/' && strnlen(path, SOCKET_PATH_MAX) < SOCKET_PATH_MAX);
	(void)snprintf(all, sizeof(all), "%s/", path);
	must(!strstr(all, "/../") && !strstr(all, "/./") && !strstr(all, "//"));
}

static const char *word(const char *s)
{
	return *s ? s : NULL;
}

static void check_paths(char *const line[LINES])
{
	const struct socket_conf c = {
		.kind = SOCKET_VHOST_USER, .side = SOCKET_APP_CONNECTS, .host_dir = word(line[1]),
		.container_dir = word(line[2]), .name = word(line[3]),
	};
	const struct socket_vars words = {
		.pod_uid = word(line[4]), .pod_name = word(line[5]), .pod_namespace = word(line[6]),
		.container_id = word(line[7]), .network = word(line[8]), .ifname = word(line[9]),
	};
	const struct settings set = {
		.socket_dir = "/run/s", .run_dir = "/run/d", .switch_dir = "/v",
	};
	struct socket_paths p;
	struct err e = { 0 };
	int rc = 0;

	for (int i = 1; i <= 3 && rc == 0; i++)
		rc = socket_template_check(line[i], "key", &e);
	must_agree(rc, &e);
	if (rc == 0)
		rc = socket_paths_make(&c, &set, &words, &p, &e);
	must_agree(rc, &e);
	must(rc == 0 || e.code == ERR_NETCONF || e.code == ERR_ENV);
	if (rc < 0)
		return;
	accepted();
	must(strncmp(p.host, *p.link ? "/run/d/links/" : "/run/s/", *p.link ? 13 : 7) == 0);
	must(strstr(p.host, p.name) && !strchr(p.name, '/'));
	must(*p.link ? strncmp(p.host, p.link, strlen(p.link)) == 0 :
		       strstr(p.host, p.dir) != NULL);
	must_be_below(p.host);
	must_be_below(p.container);
	must(socket_path_check(p.host, "it", &e) == 0);
}

static void fuzz_one(const char *text, size_t len)
{
	auto_free char *copy = strndup(text, len);
	char *line[LINES], *rest = copy;
	static char none[] = "";

	must(copy);
	for (int i = 0; i < LINES; i++) {
		line[i] = strsep(&rest, "\n");
		if (!line[i])
			line[i] = none;
	}
	check_name(line[0]);
	check_paths(line);
}
