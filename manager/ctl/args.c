/* SPDX-License-Identifier: Apache-2.0 */
/*
 * args.c - devinfoctl args: what DPDK or QEMU has to be told to use an attachment's device
 *
 * From the device-info file as a pod sees it.  Its mode and role are the application's; the peer,
 * a switch, gets the inverse.  One argument a line, as "mapfile -t" takes them.
 */
#include "manager/ctl/ctl.h"

#include "base/mem.h"
#include "conf/socket_path.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_DEFAULT	"1024M"

struct request {
	const struct ctl_options *opt;
	const struct device_info *di;
	bool peer;			/* not the application, but the other end */
	const char *index;		/* tells several devices of a program apart */
	const char *queues;		/* pairs of them */
	const char *id;			/* of memif */
	const char *path;		/* of a socket or node, "" of a PCI device */
	char mac[32];			/* ",mac=...", or "" */
	char secret[SOCKET_SECRET_MAX + 16];	/* ",secret=...", or "" */
};

/* -- DPDK -- */

static int only_app(const struct request *r, struct err *e)
{
	return r->peer ? err_set(e, ERR_DEVICE, 0, "a device of type %s has no peer to start",
				 device_kind_name(r->di->kind)) :
			 0;
}

static int dpdk_pci(const struct request *r, struct err *e)
{
	if (only_app(r, e) < 0)
		return -1;
	(void)printf("-a\n%s\n", r->di->pci.pci_address);
	return 0;
}

static int check_vhost_driver(const struct request *r, struct err *e)
{
	if (strcmp(r->di->vdpa.driver, "vhost") == 0)
		return only_app(r, e);
	return err_set(e, ERR_DEVICE, 0,
		       "vdpa.driver '%s': the kernel has this device, as a network device",
		       r->di->vdpa.driver);
}

static int dpdk_vdpa(const struct request *r, struct err *e)
{
	if (check_vhost_driver(r, e) < 0)
		return -1;
	(void)printf("--vdev=net_virtio_user%s,path=%s,queues=%s%s\n", r->index, r->path, r->queues,
		     r->mac);
	return 0;
}

/* Is it the end that is asked for that makes the socket? */
static bool listens(const struct request *r, const char *app, const char *listener)
{
	return (strcmp(app, listener) == 0) != r->peer;
}

/* What is a client to the socket is a client to DPDK, whichever end of vhost-user it is. */
static int dpdk_vhost_user(const struct request *r, struct err *e)
{
	bool server = listens(r, r->di->vhost_user.mode, "server");

	(void)e;
	if (r->peer)
		(void)printf("--vdev=net_vhost%s,iface=%s,queues=%s,client=%d\n", r->index,
			     r->path, r->queues, !server);
	else
		(void)printf("--vdev=net_virtio_user%s,path=%s,queues=%s,server=%d%s\n", r->index,
			     r->path, r->queues, server, r->mac);
	return 0;
}

/* Its sockets are abstract ones unless told otherwise. */
static int dpdk_memif(const struct request *r, struct err *e)
{
	const struct memif_info *m = &r->di->memif;

	if (strcmp(m->mode, "ethernet") != 0)
		return err_set(e, ERR_DEVICE, 0, "memif.mode '%s': DPDK has ethernet only",
			       m->mode);
	(void)printf("--vdev=net_memif%s,role=%s,id=%s,socket-abstract=no,socket=%s%s%s\n",
		     r->index, listens(r, m->role, "master") ? "server" : "client", r->id, r->path,
		     r->secret, r->mac);
	return 0;
}

/* -- QEMU -- */

static int qemu_pci(const struct request *r, struct err *e)
{
	if (only_app(r, e) < 0)
		return -1;
	(void)printf("-device\nvfio-pci,host=%s\n", r->di->pci.pci_address);
	return 0;
}

/* Of one pair QEMU's own defaults are right. */
static bool has_queues(const struct request *r)
{
	return strcmp(r->queues, "1") != 0;
}

static void print_netdev_queues(const struct request *r)
{
	(void)printf("%s%s\n", has_queues(r) ? ",queues=" : "", has_queues(r) ? r->queues : "");
}

/* An interrupt for each queue, one for changes and one for the control queue. */
static void print_nic(const struct request *r)
{
	(void)printf("-device\nvirtio-net-pci,netdev=net-devinfo%s%s", r->index, r->mac);
	if (has_queues(r))
		(void)printf(",mq=on,vectors=%lu", strtoul(r->queues, NULL, 10) * 2 + 2);
	(void)printf("\n");
}

static int qemu_vdpa(const struct request *r, struct err *e)
{
	if (check_vhost_driver(r, e) < 0)
		return -1;
	(void)printf("-netdev\nvhost-vdpa,id=net-devinfo%s,vhostdev=%s", r->index, r->path);
	print_netdev_queues(r);
	print_nic(r);
	return 0;
}

/* The guest's memory, which its NICs share with the switch; there is one, however many NICs. */
static void print_memory(const struct request *r)
{
	const char *size = r->opt->memory ? r->opt->memory : MEMORY_DEFAULT;

	if (r->opt->memory || strcmp(r->index, "0") == 0)
		(void)printf("-object\nmemory-backend-memfd,id=mem-devinfo,size=%s,share=on\n"
			     "-machine\nmemory-backend=mem-devinfo\n", size);
}

/* QEMU 9.2 brought the milliseconds, and later ones lose the seconds: who has it, chooses. */
static void print_reconnect(const char *time)
{
	size_t digits = strspn(time, "0123456789");

	(void)printf(",%s=%.*s", time[digits] ? "reconnect-ms" : "reconnect", (int)digits, time);
}

static int qemu_vhost_user(const struct request *r, struct err *e)
{
	bool server = listens(r, r->di->vhost_user.mode, "server");

	if (only_app(r, e) < 0)
		return -1;
	if (server && r->opt->reconnect)
		return err_set(e, ERR_DEVICE, 0, "--reconnect is for mode client: as a server QEMU "
			       "waits for the switch");
	print_memory(r);
	(void)printf("-chardev\nsocket,id=chr-devinfo%s,path=%s,%s", r->index, r->path,
		     server ? "server=on,wait=off" : "server=off");
	if (r->opt->reconnect)
		print_reconnect(r->opt->reconnect);
	(void)printf("\n-netdev\nvhost-user,id=net-devinfo%s,chardev=chr-devinfo%s", r->index,
		     r->index);
	print_netdev_queues(r);
	print_nic(r);
	return 0;
}

static int qemu_memif(const struct request *r, struct err *e)
{
	(void)r;
	return err_set(e, ERR_DEVICE, 0, "QEMU has no memif");
}

/* -- the command -- */

static const struct program {
	const char *name;
	int (*print[DEVICE_KINDS])(const struct request *r, struct err *e);
} programs[] = {
	{ "dpdk", { [DEVICE_PCI] = dpdk_pci, [DEVICE_VDPA] = dpdk_vdpa,
		    [DEVICE_VHOST_USER] = dpdk_vhost_user, [DEVICE_MEMIF] = dpdk_memif } },
	{ "qemu", { [DEVICE_PCI] = qemu_pci, [DEVICE_VDPA] = qemu_vdpa,
		    [DEVICE_VHOST_USER] = qemu_vhost_user, [DEVICE_MEMIF] = qemu_memif } },
};

static const struct program *find_program(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		if (strcmp(programs[i].name, name) == 0)
			return &programs[i];
	return NULL;
}

/* Which options have a meaning for what is in the file. */
static enum ctl_status check_options(const struct ctl_options *o, enum device_kind kind, bool peer,
				     bool qemu)
{
	bool is_socket = kind == DEVICE_VHOST_USER || kind == DEVICE_MEMIF;
	const struct {
		const char *name, *value;
		bool fits;
	} options[] = {
		{ "path", o->path, is_socket },
		{ "id", o->id, kind == DEVICE_MEMIF },
		{ "secret-file", o->secret_file, kind == DEVICE_MEMIF },
		{ "mac", o->mac, kind != DEVICE_PCI && !peer },
		{ "queues", o->queues, kind == DEVICE_VHOST_USER || kind == DEVICE_VDPA },
		{ "memory", o->memory, kind == DEVICE_VHOST_USER && qemu },
		{ "reconnect", o->reconnect, kind == DEVICE_VHOST_USER && qemu },
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].value && !options[i].fits)
			return ctl_usage("--%s is not for the %s of a device of type %s",
					 options[i].name, peer ? "peer" : "application",
					 device_kind_name(kind));
	return CTL_OK;
}

/* A file of one line; what is in it is in no message. */
static int read_secret(const char *path, char *ret, size_t size, struct err *e)
{
	auto_free char *text = NULL;
	size_t len = 0;

	if (ctl_read_file(path, SOCKET_SECRET_MAX + 1, &text, &len, e) < 0)
		return -1;
	if (len > 0 && text[len - 1] == '\n')
		text[--len] = '\0';
	if (strlen(text) != len || !socket_is_secret(text))
		return err_set(e, ERR_NETCONF, 0,
			       "%s: expected a secret of 1 to %d printable bytes without blank, "
			       "'=' and ','", path, SOCKET_SECRET_MAX);
	(void)snprintf(ret, size, ",secret=%s", text);
	return 0;
}

static int prepare(struct request *r, struct err *e)
{
	const struct ctl_options *o = r->opt;

	r->index = o->index ? o->index : "0";
	r->queues = o->queues ? o->queues : "1";
	r->id = o->id ? o->id : "0";
	r->path = o->path ? o->path : device_info_path(r->di);
	if (o->mac)
		(void)snprintf(r->mac, sizeof(r->mac), ",mac=%s", o->mac);
	if (*r->path && socket_path_check(r->path, "path", e) < 0)
		return -1;
	return o->secret_file ? read_secret(o->secret_file, r->secret, sizeof(r->secret), e) : 0;
}

enum ctl_status ctl_args(const struct host *host, const struct ctl_options *opt,
			 char *const *operands)
{
	const struct program *program = find_program(operands[0]);
	auto_device_info struct device_info di = { 0 };
	struct request r = { .opt = opt, .di = &di };
	enum ctl_status status;
	struct err e = { 0 };

	(void)host;
	if (!program)
		return ctl_usage("'%s' is neither dpdk nor qemu", operands[0]);
	r.peer = opt->side && strcmp(opt->side, "peer") == 0;
	if (ctl_read_of_pod(operands[1], opt->interface, &di, &e) < 0)
		return ctl_error(&e);
	status = check_options(opt, di.kind, r.peer, strcmp(program->name, "qemu") == 0);
	if (status != CTL_OK)
		return status;
	if (prepare(&r, &e) < 0 || program->print[di.kind](&r, &e) < 0)
		return ctl_error(&e);
	return CTL_OK;
}
