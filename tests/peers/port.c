/* SPDX-License-Identifier: Apache-2.0 */
/*
 * port.c - cni/switch/switch.h by hand: what an ADD, a DEL ... does to the switch, and nothing else
 *
 *	port VERB KEY=VALUE...
 *
 * VERB is attach, detach, forget (a DEL without a record), check, socket, probe or gc.  Keys: db,
 * bridge, socketDir, exec, timeoutMs; stateDir; network, containerID, ifname; path (switchPath when
 * it is not said), switchPath, listens (0, 1), vlan, trunk (one VLAN each), mtu, mac, forget (1: no
 * configuration, as in a DEL without one); for gc, keep: a container id each.
 *
 * Prints what check and socket have to tell.  An error is "code: message" and its details, on
 * stderr; exit status 1.
 */
#include "cni/switch/switch.h"

#include "base/deadline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_MAX = 16 };

struct scene {
	struct host host;
	struct owner owner;
	struct switch_conf conf;
	struct socket_state state;
	struct switch_port port;
	struct idset trunk;
	uint8_t mac[MAC_LEN];
	const char *state_dir;
	const char *kept[KEPT_MAX];
	size_t nkept;
	bool forget;
};

static bool set_text(struct scene *s, const char *key, const char *value)
{
	const struct {
		const char *key, **to;
	} texts[] = {
		{ "db", &s->host.set.ovs_db },
		{ "bridge", &s->conf.bridge },
		{ "socketDir", &s->host.set.ovs_socket_dir },
		{ "exec", &s->conf.path },
		{ "network", &s->owner.network },
		{ "containerID", &s->owner.container_id },
		{ "ifname", &s->owner.ifname },
		{ "netns", &s->owner.netns },
		{ "switchPath", &s->port.switch_path },
		{ "stateDir", &s->state_dir },
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (strcmp(texts[i].key, key) == 0) {
			*texts[i].to = value;
			return true;
		}
	return false;
}

static bool set_number(struct scene *s, const char *key, const char *value)
{
	long n = strtol(value, NULL, 10);

	if (strcmp(key, "listens") == 0)
		s->state.app_listens = n;
	else if (strcmp(key, "forget") == 0)
		s->forget = n;
	else if (strcmp(key, "timeoutMs") == 0)
		s->conf.timeout_ms = (unsigned int)n;
	else if (strcmp(key, "vlan") == 0)
		s->port.vlan = (int)n;
	else if (strcmp(key, "trunk") == 0)
		idset_add(&s->trunk, (unsigned int)n);
	else if (strcmp(key, "mtu") == 0)
		s->port.mtu = n;
	else
		return false;
	return true;
}

static bool set(struct scene *s, const char *key, const char *value)
{
	if (set_text(s, key, value) || set_number(s, key, value))
		return true;
	if (strcmp(key, "keep") == 0 && s->nkept < KEPT_MAX)
		s->kept[s->nkept++] = value;
	else if (strcmp(key, "mac") == 0 && mac_parse(value, s->mac))
		s->port.mac = s->mac;
	else if (strcmp(key, "path") == 0 && strlen(value) < sizeof(s->state.path))
		(void)strcpy(s->state.path, value);
	else
		return false;
	return true;
}

static bool keeps(const char *container_id, const char *ifname, const void *arg)
{
	const struct scene *s = arg;

	(void)ifname;
	for (size_t i = 0; i < s->nkept; i++)
		if (strcmp(s->kept[i], container_id) == 0)
			return true;
	return false;
}

static void print(void *arg, const char *text)
{
	(void)arg;
	(void)puts(text);
}

static int print_socket(const struct switch_port *p, struct err *e)
{
	char path[108];

	if (switch_socket(p, path, e) < 0)
		return -1;
	(void)puts(path);
	return 0;
}

static int run(struct scene *s, const char *verb, struct err *e)
{
	struct deadline d = deadline_in(s->conf.timeout_ms);

	if (strcmp(verb, "probe") == 0)
		return switch_probe(&s->host, &s->conf, &d, e);
	if (strcmp(verb, "forget") == 0)
		return switch_forget(&s->host, &s->conf, &s->owner, e);
	if (strcmp(verb, "gc") == 0)
		return switch_gc(&s->host, &s->conf, s->owner.network, keeps, s, e);
	if (switch_plan(&s->host, &s->conf, &s->owner, &s->state, e) < 0)
		return -1;
	if (strcmp(verb, "attach") == 0)
		return switch_attach(&s->port, e);
	if (strcmp(verb, "detach") == 0)
		return switch_detach(&s->port, e);
	if (strcmp(verb, "check") == 0)
		return switch_check(&s->port, print, NULL, e);
	if (strcmp(verb, "socket") == 0)
		return print_socket(&s->port, e);
	return err_set(e, ERR_ENV, 0, "no verb '%s'", verb);
}

static struct scene s = {
	.owner = { .network = "net", .container_id = "c1", .ifname = "net1" },
	.conf = { .kind = SWITCH_OVS, .bridge = "br0", .timeout_ms = 5000 },
	.state = { .app_listens = true },
	.port = { .switch_path = "/run/devinfo/sockets/c1/net1.sock", .vlan = -1, .mtu = -1 },
};

int main(int argc, char *argv[])
{
	struct err e;

	if (argc < 2 || host_open(NULL, &s.host, &e) < 0)
		return 2;
	for (int i = 2; i < argc; i++) {
		char *value = strchr(argv[i], '=');

		if (value)
			*value++ = '\0';
		if (!value || !set(&s, argv[i], value)) {
			(void)fprintf(stderr, "port: what is '%s'?\n", argv[i]);
			return 2;
		}
	}
	if (s.state_dir)
		s.host.set.state_dir = s.state_dir;
	if (!*s.state.path)
		(void)snprintf(s.state.path, sizeof(s.state.path), "%s", s.port.switch_path);
	s.conf.kind = s.conf.path ? SWITCH_EXEC : SWITCH_OVS;
	s.port.host = &s.host;
	s.port.owner = &s.owner;
	s.port.conf = s.forget ? NULL : &s.conf;
	s.port.state = &s.state;
	s.port.trunk = &s.trunk;
	deadline_catch_signals();
	if (run(&s, argv[1], &e) == 0)
		return 0;
	(void)fprintf(stderr, "%d: %s\n%s\n", e.code, e.msg, e.details);
	return 1;
}
