/* SPDX-License-Identifier: Apache-2.0 */
/* test_socket_slot.c - the paths of sockets that devinfod offers */
#include "conf/socket_slot.h"
#include "tests/unit/tap.h"

#include <string.h>

static const struct settings set = { .socket_dir = "/run/s/" };

static bool finds(const char *path, const char *resource, const char *id)
{
	struct socket_slot s = { .root = "" };

	return socket_slot_find(&set, path, resource, id, &s) && strcmp(s.path, path) == 0;
}

int main(void)
{
	const struct settings deep = {
		.socket_dir = "/run/a/directory/whose/name/is/longer/than/is/good/for/the/sockets/"
			      "of/a/pod/here",
	};
	struct socket_slot s;
	struct err e = { 0 };

	test("its directory is called after the prefix and the id");
	ok(socket_slot_make(&set, "intel.com/vhost", "vhost-3", &s, &e) == 0);
	eq(s.root, "/run/s");
	eq(s.dir, "_dp/intel.com/vhost-3");
	eq(s.mount, "/run/s/_dp/intel.com/vhost-3");
	eq(s.path, "/run/s/_dp/intel.com/vhost-3/socket");

	test("a path is that of a socket when prefix and id are the same");
	ok(finds("/run/s/_dp/intel.com/vhost-3/socket", "intel.com/vhost", "vhost-3"));
	ok(finds("/run/s/_dp/intel.com/vhost-3/socket", NULL, "vhost-3"));
	ok(!finds("/run/s/_dp/intel.com/vhost-3/socket", NULL, "vhost-4"));
	ok(!finds("/run/s/_dp/intel.com/vhost-3/socket", "example.com/vhost", "vhost-3"));
	ok(!finds("/run/s/_dp/intel.com/vhost-3/other", NULL, "vhost-3"));
	ok(!finds("/run/s/_dp/../pod/vhost-3/socket", NULL, "vhost-3"));
	ok(!finds("/run/s/_dp//vhost-3/socket", NULL, "vhost-3"));
	ok(!finds("/run/s/pod/socket", NULL, "pod"));
	ok(!finds("/run/sx/_dp/intel.com/vhost-3/socket", NULL, "vhost-3"));

	test("one that is too long for a socket is refused, and so is no name");
	ok(socket_slot_make(&deep, "intel.com/vhost", "vhost-3", &s, &e) < 0);
	contains(e.msg, "are over the 107 of a unix socket");
	ok(socket_slot_make(&set, "intel.com/vhost", "../x", &s, &e) < 0);
	ok(socket_slot_make(&set, "/x", "x-1", &s, &e) < 0);
	return tap_end();
}
