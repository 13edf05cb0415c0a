/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_plugin.c - a device plugin and a kubelet in one loop: register, serve, go away, come back
 *
 * This kubelet is made of our own parts; tests/net/devinfod.bats has one of another implementation.
 */
#include "daemon/plugin/plugin.h"

#include "base/log.h"
#include "base/octets.h"
#include "base/unix_socket.h"
#include "daemon/plugin/messages.h"
#include "tests/unit/grpc_client.h"
#include "tests/unit/logged.h"
#include "tests/unit/offered.h"

#include <sys/un.h>

#define ALL "{'resourceList': [{'resourceName': 'vf', 'selectors': {'pfNames': ['ens4f0']}}]}"
#define DIR_NAME "var/lib/kubelet/device-plugins"
#define SOCKET_NAME DIR_NAME "/devinfo-intel.com_vf.sock"
#define DP_FILE "var/run/k8s.cni.cncf.io/devinfo/dp/intel.com-vf-0000:01:10.0-device.json"
#define API "/v1beta1.DevicePlugin/"

/* -- kubelet's half of Register -- */

struct kubelet {
	struct loop *loop;
	int fd;
	struct loop_source *source, *client_source;
	struct grpc_connection *client;
	struct grpc_service service;
	enum grpc_status status;	/* its answer */
	int registered;			/* how many times */
	bool served;			/* the plugin's socket was there, and listened */
	char request[512];		/* digits of the last */
};

static struct offered_node n;
static struct kubelet kubelet;
static struct plugin *plugin;

static int dial(void)
{
	struct deadline d = deadline_in(1000);
	struct err e = { 0 };

	return unix_socket_connect(n.node.host.root, "/" SOCKET_NAME, SOCK_STREAM, &d, ERR_IO, &e);
}

static void registered(struct grpc_call *call, const unsigned char *msg, size_t len, void *arg)
{
	struct kubelet *k = arg;
	int fd = dial();

	k->registered++;
	k->served = fd >= 0;
	mem_close_fd(&fd);
	octets_format(msg, len < 250 ? len : 250, '\0', k->request);
	if (k->status != GRPC_OK)
		grpc_call_end(call, k->status, "not now");
	else if (grpc_call_send(call, NULL, 0) == 0)
		grpc_call_end(call, GRPC_OK, NULL);
}

static const struct grpc_method kubelet_methods[] = {
	{ "/v1beta1.Registration/Register", registered },
};

static void kubelet_hang_up(struct kubelet *k)
{
	loop_remove(k->client_source);
	grpc_connection_free(k->client);
	k->client = NULL;
	k->client_source = NULL;
}

static void kubelet_ready(short revents, void *arg)
{
	struct kubelet *k = arg;
	struct err e;

	if (grpc_connection_go_on(k->client, revents, &e) < 0)
		kubelet_hang_up(k);
	else
		loop_change(k->client_source, grpc_connection_events(k->client));
}

static void kubelet_accept(short revents, void *arg)
{
	struct kubelet *k = arg;
	struct err e;

	(void)revents;
	if (k->client)
		kubelet_hang_up(k);
	k->client = grpc_connection_new(accept4(k->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC),
					&k->service, &e);
	k->client_source = loop_add(k->loop, grpc_connection_fd(k->client),
				    grpc_connection_events(k->client), kubelet_ready, k, &e);
}

static void kubelet_start(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct err e;

	kubelet.service = (struct grpc_service){ .methods = kubelet_methods, .n = 1,
						 .max_request = 4096, .max_calls = 4,
						 .arg = &kubelet };
	node_sh(&n.node, "mkdir -p " DIR_NAME);
	(void)snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/" DIR_NAME "/kubelet.sock",
		       n.node.dir);
	kubelet.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (bind(kubelet.fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    listen(kubelet.fd, 4) < 0)
		bail_out("kubelet.sock");
	kubelet.source = loop_add(kubelet.loop, kubelet.fd, POLLIN, kubelet_accept, &kubelet, &e);
}

/* It leaves its socket behind. */
static void kubelet_stop(void)
{
	if (kubelet.client)
		kubelet_hang_up(&kubelet);
	loop_remove(kubelet.source);
	mem_close_fd(&kubelet.fd);
}

/* -- time -- */

static void stop(void *arg)
{
	loop_stop(arg);
}

static void spin(unsigned int ms)
{
	struct err e;
	struct loop_timer *t = loop_timer_new(kubelet.loop, stop, kubelet.loop, &e);

	loop_timer_set(t, ms);
	if (loop_run(kubelet.loop, &e) < 0)
		bail_out("loop");
	loop_timer_free(t);
}

/* Until it has registered so many times, 3 s at most. */
static int registrations(int want)
{
	for (int i = 0; i < 300 && kubelet.registered < want; i++)
		spin(10);
	spin(20);
	return kubelet.registered;
}

/* -- a client of the plugin's -- */

static struct peers *peer_make(void)
{
	struct peers *p = peers_make(&kubelet.service, 0);
	int fd = dial();

	peers_server_ends(p);
	if (fd < 0 || dup2(fd, p->fd) < 0)
		bail_out("dial");
	mem_close_fd(&fd);
	return p;
}

static void talk(struct peers *p)
{
	for (int i = 0; i < 20; i++) {
		while (peers_client_step(p))
			;
		spin(2);
	}
}

/* Digits of DATA from `from`, without the prefix of its first message. */
static const char *data_of(const struct answer *a, size_t from)
{
	static char text[2 * ANSWER_MAX + 1];
	size_t len = a->len < ANSWER_MAX ? a->len : ANSWER_MAX;

	if (from + GRPC_PREFIX > len)
		return "";
	octets_format(a->data + from + GRPC_PREFIX, len - from - GRPC_PREFIX, '\0', text);
	return text;
}

/* -- the life of a plugin -- */

static void begin(const struct plugin_options *o)
{
	struct err e = { 0 };

	offered_open("fleet/igb-pods", "rm -r var/lib/cni/devinfo/attachments", ALL, &n);
	n.offer[0].n = 2;
	kubelet = (struct kubelet){ .loop = loop_new(&e), .fd = -1 };
	plugin = plugin_new(kubelet.loop, &n.node.host, o, &e);
	if (!kubelet.loop || !plugin)
		bail_out(e.msg);
}

static void offer(void)
{
	plugin_set_offers(plugin, &n.pools, &n.inv, &n.offers);
}

static void end(void)
{
	plugin_free(plugin);
	if (kubelet.fd >= 0)
		kubelet_stop();
	loop_free(kubelet.loop);
	offered_close(&n);
}

static const struct plugin_options plain;

static void test_register(void)
{
	begin(&plain);
	test("before something is on offer nothing is registered");
	kubelet_start();
	plugin_dir_changed(plugin);
	spin(30);
	eqi(kubelet.registered, 0);

	test("a resource is served first and then registered, by the name of its socket");
	offer();
	eqi(registrations(1), 1);
	ok(kubelet.served);
	eq(kubelet.request, "0a07763162657461311219646576696e666f2d696e74656c2e636f6d5f76662e736f"
			    "636b1a0c696e74656c2e636f6d2f766622021001");
	ok(node_holds(&n.node, "\"$(stat -c '%F %a' " SOCKET_NAME ")\" = 'socket 600'"));
	test("its device-info files are there by then");
	ok(node_holds(&n.node, "-e " DP_FILE));

	test("an event without a change is none");
	plugin_dir_changed(plugin);
	offer();
	spin(150);
	eqi(kubelet.registered, 1);

	test("at the end socket and files are removed");
	plugin_free(plugin);
	plugin = NULL;
	ok(!node_holds(&n.node, "-e " SOCKET_NAME));
	ok(!node_holds(&n.node, "-e " DP_FILE));
	end();
}

static void test_again(void)
{
	begin(&plain);
	test("without a directory it waits");
	node_sh(&n.node, "rm -rf " DIR_NAME);
	offer();
	spin(30);
	ok(!node_holds(&n.node, "-e " SOCKET_NAME));
	test("until there is one, and a kubelet");
	node_sh(&n.node, "mkdir -p " DIR_NAME);
	plugin_dir_changed(plugin);
	ok(node_holds(&n.node, "-S " SOCKET_NAME));
	kubelet_start();
	plugin_dir_changed(plugin);
	eqi(registrations(1), 1);

	test("kubelet's socket made anew is another kubelet");
	kubelet_stop();
	node_sh(&n.node, "rm " DIR_NAME "/*");
	kubelet_start();
	plugin_dir_changed(plugin);
	eqi(registrations(2), 2);
	ok(kubelet.served);

	test("a socket that vanished is made again");
	node_sh(&n.node, "rm " SOCKET_NAME);
	plugin_dir_changed(plugin);
	eqi(registrations(3), 3);
	ok(kubelet.served);

	test("so is one in whose place there is another file");
	node_sh(&n.node, "rm " SOCKET_NAME " && touch " SOCKET_NAME);
	plugin_dir_changed(plugin);
	eqi(registrations(4), 4);
	ok(kubelet.served);

	test("and a directory that vanished with all");
	kubelet_stop();
	node_sh(&n.node, "rm -r " DIR_NAME);
	plugin_dir_changed(plugin);
	kubelet_start();
	plugin_dir_changed(plugin);
	eqi(registrations(5), 5);
	ok(kubelet.served);
	end();
}

static void test_refused(void)
{
	begin(&plain);
	kubelet_start();
	test("a kubelet that refuses is asked again");
	keep_log();
	kubelet.status = GRPC_UNAVAILABLE;
	offer();
	eqi(registrations(2), 2);
	ok(logged("msg=\"not registered\" why=\"kubelet refuses it (14): not now\""));
	kubelet.status = GRPC_OK;
	eqi(registrations(3), 3);
	spin(600);
	eqi(kubelet.registered, 3);

	test("one that does not listen yet, too");
	kubelet_stop();
	plugin_dir_changed(plugin);
	node_sh(&n.node, "rm " DIR_NAME "/kubelet.sock");
	kubelet_start();
	plugin_dir_changed(plugin);
	eqi(registrations(4), 4);
	end();
}

static void test_calls(void)
{
	struct peers *p;
	int options, list, allocated, unknown, other;

	begin(&(struct plugin_options){ .reset = true });
	kubelet_start();
	offer();
	(void)registrations(1);
	p = peer_make();
	options = peers_ask(p, API "GetDevicePluginOptions", "", 0);
	list = peers_ask(p, API "ListAndWatch", "", 0);
	allocated = peers_ask(p, API "Allocate", "\x0a\x0e\x0a\x0c" "0000:01:10.2", 16);
	unknown = peers_ask(p, API "Allocate", "\x0a\x0e\x0a\x0c" "0000:09:00.0", 16);
	other = peers_ask(p, API "Nothing", "", 0);
	talk(p);

	test("options");
	eqi(p->answers[options].grpc_status, GRPC_OK);
	eq(data_of(&p->answers[options], 0), "08011001");
	test("an allocation");
	eqi(p->answers[allocated].grpc_status, GRPC_OK);
	begins(data_of(&p->answers[allocated], 0), "0a");
	test("one that is refused, with the reason");
	eqi(p->answers[unknown].grpc_status, GRPC_NOT_FOUND);
	eq(p->answers[unknown].message, "device 0000:09:00.0 of intel.com/vf is not known");
	test("a method that is none");
	eqi(p->answers[other].grpc_status, GRPC_UNIMPLEMENTED);

	test("the list, which stays open");
	eqi(p->answers[list].grpc_status, -1);
	contains(data_of(&p->answers[list], 0), "303030303a30313a31302e3012074865616c746879");
	end();
	peers_free(p);
}

/* A device without network device and driver, of which the file `reset` is as it is said. */
static void make_bare(const char *name, const char *reset)
{
	char command[256];

	(void)snprintf(command, sizeof(command), "cd sys/bus/pci/devices/%s && rm -rf net driver "
		       "reset && echo flr >reset_method && %s", name, reset);
	node_sh(&n.node, command);
}

static int failures;

static void on_failed(void *arg)
{
	(void)arg;
	failures++;
}

#define PRESTART(id) "\x0a\x0c" id, 14

static void test_prestart(void)
{
	struct peers *p;
	int both, hangs, other, unknown;

	begin(&(struct plugin_options){ .reset = true, .failed = on_failed });
	node_sh(&n.node, "rm -rf var/lib/cni/devinfo/pods");
	make_bare("0000:01:10.0", "echo 0 >reset");
	make_bare("0000:01:10.2", "echo 0 >reset");
	kubelet_start();
	offer();
	(void)registrations(1);
	p = peer_make();

	test("a container's devices are reset one after the other, and then it may start");
	both = peers_ask(p, API "PreStartContainer",
			 "\x0a\x0c" "0000:01:10.0" "\x0a\x0c" "0000:01:10.2", 28);
	unknown = peers_ask(p, API "PreStartContainer", PRESTART("0000:09:00.0"));
	talk(p);
	for (int i = 0; i < 100 && p->answers[both].grpc_status < 0; i++) {
		spin(20);
		talk(p);
	}
	eqi(p->answers[both].grpc_status, GRPC_OK);
	ok(node_holds(&n.node, "$(cat sys/bus/pci/devices/0000:01:10.[02]/reset | tr -d '\\n') "
			       "= 11"));
	eqi(p->answers[unknown].grpc_status, GRPC_NOT_FOUND);
	eqi((int)plugin_failures(plugin)->n, 0);

	test("while a reset hangs others are answered");
	make_bare("0000:01:10.0", "mkfifo reset");
	hangs = peers_ask(p, API "PreStartContainer", PRESTART("0000:01:10.0"));
	talk(p);
	other = peers_ask(p, API "PreStartContainer", PRESTART("0000:01:10.2"));
	for (int i = 0; i < 20 && p->answers[other].grpc_status < 0; i++) {
		spin(20);
		talk(p);
	}
	eqi(p->answers[other].grpc_status, GRPC_OK);
	eqi(p->answers[hangs].grpc_status, -1);

	test("and it is refused after its time, with the reason, which the next offers get");
	for (int i = 0; i < 200 && p->answers[hangs].grpc_status < 0; i++) {
		spin(20);
		talk(p);
	}
	eqi(p->answers[hangs].grpc_status, GRPC_UNAVAILABLE);
	eq(p->answers[hangs].message, "reset of device 0000:01:10.0: it takes more than 2000 ms");
	if (eqi((int)plugin_failures(plugin)->n, 1)) {
		eq(plugin_failures(plugin)->list[0].id, "0000:01:10.0");
		eq(plugin_failures(plugin)->list[0].reason,
		   "reset of device 0000:01:10.0: it takes more than 2000 ms");
	}
	eqi(failures, 1);
	plugin_forget_failures(plugin);
	eqi((int)plugin_failures(plugin)->n, 0);

	test("a client that goes while its device is reset is not answered");
	(void)peers_ask(p, API "PreStartContainer", PRESTART("0000:01:10.0"));
	talk(p);
	peers_free(p);
	spin(100);
	end();
}

static void test_list(void)
{
	struct peers *p;
	size_t before;
	int list;

	begin(&plain);
	kubelet_start();
	offer();
	(void)registrations(1);
	p = peer_make();
	list = peers_ask(p, API "ListAndWatch", "", 0);
	talk(p);
	before = p->answers[list].len;

	test("what kubelet knows is not told again");
	offer();
	talk(p);
	eqi(p->answers[list].len, before);
	test("a change is, as a whole list");
	n.offer[0].list[1].healthy = false;
	offer();
	talk(p);
	ok(p->answers[list].len > before);
	contains(data_of(&p->answers[list], before),
		 "303030303a30313a31302e32" "1209556e6865616c746879");

	test("when kubelet stops listening it is told of the resource again");
	(void)registrations(1);
	peers_client_ends(p);
	eqi(registrations(2), 2);
	peers_free(p);
	end();
}

static void test_resources(void)
{
	struct peers *p;

	begin(&(struct plugin_options){ .use_cdi = true });
	kubelet_start();
	offer();
	(void)registrations(1);
	p = peer_make();
	(void)peers_ask(p, API "ListAndWatch", "", 0);
	talk(p);
	test("a resource that is not on offer any more ends, for its clients too");
	n.offers.n = 0;
	offer();
	spin(20);
	ok(!node_holds(&n.node, "-e " SOCKET_NAME));
	eqi(peers_client_step(p), 0);
	eqi(recv(p->fd, &(char){ 0 }, 1, MSG_DONTWAIT), 0);
	test("one that comes is registered");
	n.offers.n = 1;
	offer();
	eqi(registrations(2), 2);
	end();
	peers_free(p);
}

int main(void)
{
	log_set_level(LOG_LEVEL_INFO);
	keep_log();
	test_register();
	test_again();
	test_refused();
	test_calls();
	test_prestart();
	test_list();
	test_resources();
	return tap_end();
}
