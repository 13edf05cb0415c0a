/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rdma_scene.h - one attachment of the VF of rdma_kernel.h: its node, its pod, ADD and DEL
 *
 * Needs root, for a namespace.
 */
#ifndef TESTS_UNIT_RDMA_SCENE_H
#define TESTS_UNIT_RDMA_SCENE_H

#include "cni/attach/probe.h"
#include "cni/attach/release.h"
#include "cni/driver/driver.h"
#include "cni/netdev/netdev.h"
#include "cni/rdma/infiniband.h"
#include "cni/rdma/rdma.h"
#include "cni/representor/representor.h"
#include "cni/vdpa/vdpa.h"
#include "cni/verb.h"
#include "cni/vf/vf.h"
#include "tests/unit/rdma_answers.h"
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static struct attachment a;
static struct netconf nc;
static struct cni_call call;
static struct record rec;		/* what is on disk after ADD */
static char netns_path[64];

/* An attachment, and its configuration with some more members. */
static inline int attachment_reset(const char *members, struct err *e)
{
	char text[512];

	attach_done(&a);
	netconf_done(&nc);
	call = (struct cni_call){ .container_id = "c0ffee", .netns = netns_path, .ifname = "net1",
				  .path = "" };
	a = (struct attachment){ .host = &n.host, .call = &call, .conf = &nc, .netns = -1,
				 .icmp6 = -1, .sriov_lock = -1,
				 .journal = { .dir = -1, .lock = -1 } };
	(void)snprintf(text, sizeof(text),
		       "{\"cniVersion\":\"1.0.0\",\"name\":\"net\",\"deviceID\":\"" VF "\"%s}",
		       members);
	nc = (struct netconf){ .doc = NULL };
	return netconf_parse(text, strlen(text), &nc, e) < 0 ? -1 : netconf_attachment(&nc, e);
}

/* The first part of an ADD, without what is RDMA's. */
static inline void look_so_far(void)
{
	static const struct aspect *const aspects[] = {
		&vf_aspect, &vdpa_aspect, &netdev_aspect, &driver_aspect, &representor_aspect,
	};
	struct err e;

	ok(probe_context(&a, &e) == 0 && probe_device(&a, &e) == 0 &&
	   probe_name_device(&a, &e) == 0);
	for (size_t i = 0; i < ARRAY_SIZE(aspects); i++)
		ok(aspects[i]->probe(&a, &e) == 0);
	ok(probe_info(&a, &e) == 0);
}

static inline int look_all(struct err *e)
{
	return infiniband_probe(&a, e) < 0 || rdma_probe(&a, e) < 0 ||
			       infiniband_probe_rdma(&a, e) < 0 ?
		       -1 :
		       journal_write(&a.journal, &a.rec, e);
}

/* The plugin's own files. */
static inline void forget_all(void)
{
	char path[96];

	(void)snprintf(path, sizeof(path), "%s/var", n.dir);
	remove_all(path);
	(void)snprintf(path, sizeof(path), "%s/run", n.dir);
	remove_all(path);
}

/* A VF at home, in exclusive mode, with an RDMA device and, of InfiniBand, an interface on it. */
static inline void start(bool ethernet)
{
	struct err e;

	memset(k, 0, sizeof(*k));
	k->call = getpid();
	k->ethernet = ethernet;
	k->reports_guids = !ethernet;
	k->rdma_index = 7;
	(void)snprintf(k->rdma_name, sizeof(k->rdma_name), "mlx5_2");
	(void)snprintf(k->next_name, sizeof(k->next_name), "mlx5_2");
	k->rdma_ns = k->if_ns = home_ns;
	k->ifindex = 30;
	(void)snprintf(k->ifname, sizeof(k->ifname), "ibs3v1");
	k->mtu = 4092;
	k->guid = k->node_guid = GUID_A;
	(void)snprintf(k->driver, sizeof(k->driver), "mlx5_core");
	show();
	forget_all();
	make_file("", "driver_override", "(null)\n");
	ok(attachment_reset("", &e) == 0);
}

static inline void read_record(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	const struct owner o = { .network = "net", .container_id = "c0ffee", .ifname = "net1" };
	struct err e;

	record_done(&rec);
	if (journal_open(&n.host, JOURNAL_READ, &j, &e) != 1 ||
	    journal_find(&j, &o, &rec, &e) != 1)
		rec = (struct record){ .doc = NULL };
}

/* All of an ADD. */
static inline int add(const char *members, struct err *e)
{
	int r = attachment_reset(members, e) < 0 ? -1 : attach_add(&a, e);

	attach_done(&a);
	a = (struct attachment){ .netns = -1, .icmp6 = -1, .sriov_lock = -1,
				 .journal = { .dir = -1, .lock = -1 } };
	read_record();
	return r;
}

/* Neither an ADD nor a CHECK is the last call here. */
int __wrap_confine_add(struct attachment *it, struct err *e);
int __wrap_confine_add(struct attachment *it, struct err *e)
{
	(void)it;
	(void)e;
	return 0;
}

void __wrap_confine_look(const struct netconf *conf, const struct record *of);
void __wrap_confine_look(const struct netconf *conf, const struct record *of)
{
	(void)conf;
	(void)of;
}

/* All of a DEL: 1, 0 when there is no record, -1. */
static inline int del(struct err *e)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	const struct owner o = { .network = "net", .container_id = "c0ffee", .ifname = "net1" };
	const struct release_call none = { .request = NULL };

	int r = -1;

	k->log[0] = '\0';
	if (journal_open(&n.host, JOURNAL_UPDATE, &j, e) == 1)
		r = release_owner(&n.host, &j, &o, &none, e);
	return r > 0 ? 1 : r;
}

/* Change the record on disk. */
static inline void write_record_again(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct err e;

	ok(journal_open(&n.host, JOURNAL_UPDATE, &j, &e) == 1 && journal_write(&j, &rec, &e) == 0);
}

/* Run it in a child, which is killed at that point: 1, 0 when it does not come that far, -1. */
static inline int killed(int (*fn)(void), int at_point)
{
	int status = 0;
	pid_t pid;

	k->changes = 0;
	k->die_at = at_point;
	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		k->call = getpid();
		_exit(fn() < 0 ? 1 : 0);
	}
	(void)waitpid(pid, &status, 0);
	k->die_at = 0;
	k->call = getpid();
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return 1;
	return !WIFEXITED(status) || WEXITSTATUS(status) == 1 ? -1 : WEXITSTATUS(status) == 99;
}

static inline int del_in_child(void)
{
	struct err e;

	return del(&e);
}

/* The same in a child that was told to stop, whose waits end at once. */
static inline int hurried(int (*fn)(void))
{
	int status = 0;
	pid_t pid;

	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		k->call = getpid();
		deadline_catch_signals();
		(void)raise(SIGTERM);
		_exit(fn() + 1);
	}
	(void)waitpid(pid, &status, 0);
	k->call = getpid();
	return WIFEXITED(status) ? WEXITSTATUS(status) - 1 : -2;
}

/* What CHECK says is not as ADD left it: "" when all is. */
static inline const char *check(struct err *e)
{
	static const char text[] =
		"{\"cniVersion\":\"1.0.0\",\"name\":\"net\",\"guid\":\"00:11:22:33:44:55:66:02\","
		"\"prevResult\":{\"cniVersion\":\"1.0.0\",\"interfaces\":[{\"name\":\"net1\"}]}}";
	auto_netconf struct netconf conf = { 0 };
	const struct verb_input in = { .host = &n.host, .call = &call, .conf = &conf };

	e->details[0] = '\0';
	if (netconf_parse(text, sizeof(text) - 1, &conf, e) < 0)
		return "no configuration";
	return verb_check(&in, e) == 0 ? "" : e->details;
}

/* -- node and pod -- */

static pid_t pod_pid;

static inline void make_pod(void)
{
	char path[64];
	int ready[2];
	char c;

	if (pipe(ready) < 0)
		exit(1);
	pod_pid = fork();
	if (pod_pid == 0) {	/* ends with us, and does not hold the reader of our output */
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (unshare(CLONE_NEWNET) < 0)
			_exit(1);
		(void)close(STDOUT_FILENO);
		(void)close(STDERR_FILENO);
		(void)close(ready[1]);
		(void)pause();
		_exit(0);
	}
	(void)close(ready[1]);
	if (pod_pid < 0 || read(ready[0], &c, 1) != 0)	/* closed: it is in its namespace */
		exit(1);
	(void)close(ready[0]);
	(void)snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)pod_pid);
	(void)snprintf(netns_path, sizeof(netns_path), "%s", path);
	pod_fd = open(path, O_RDONLY | O_CLOEXEC);
	home_ns = this_ns();
	pod_ns = ns_of((uint32_t)pod_fd);
}

static inline void make_node(void)
{
	node_open(NULL, &n);
	sh("mkdir -p sys/bus/pci/devices sys/class/net " VF_DIR);
	sh("mkdir -p sys/bus/pci/drivers/mlx5_core sys/bus/pci/drivers/vfio-pci");
	sh("mkdir -p sys/devices/pci0000:00/" PF "/net/ibpf");
	sh("touch sys/bus/pci/drivers/mlx5_core/unbind sys/bus/pci/drivers/vfio-pci/unbind");
	sh("touch sys/bus/pci/drivers_probe");
	sh("mkdir -p dev/vfio proc/sys/kernel/random && echo b >proc/sys/kernel/random/boot_id");
	sh("mknod dev/vfio/3 c 0 0 && mkdir -p sys/kernel/iommu_groups/3/devices/" VF);
	sh("ln -s ../../../kernel/iommu_groups/3 " VF_DIR "/iommu_group");
	sh("ln -s ../../../devices/pci0000:00/" VF " sys/bus/pci/devices/" VF);
	sh("ln -s ../../../devices/pci0000:00/" PF " sys/bus/pci/devices/" PF);
	sh("ln -s ../" PF " " VF_DIR "/physfn");
	sh("ln -s ../" VF " sys/devices/pci0000:00/" PF "/virtfn1");
	sh("echo 5 >sys/devices/pci0000:00/" PF "/net/ibpf/ifindex");
	sh("echo 32 >sys/devices/pci0000:00/" PF "/net/ibpf/type");
	sh("ln -s ../../devices/pci0000:00/" PF "/net/ibpf sys/class/net/ibpf");
	sh("echo 0x020700 >" VF_DIR "/class");
}

static inline void scene_open(void)
{
	memset(socks, 0xff, sizeof(socks));
	k = mmap(NULL, sizeof(*k), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (k == MAP_FAILED)
		exit(1);
	make_pod();
	make_node();
	a.icmp6 = a.netns = a.sriov_lock = a.journal.dir = a.journal.lock = -1;
}

static inline int scene_close(void)
{
	attach_done(&a);
	netconf_done(&nc);
	record_done(&rec);
	(void)kill(pod_pid, SIGKILL);
	(void)waitpid(pod_pid, NULL, 0);
	node_close(&n);
	return tap_end();
}

#endif
