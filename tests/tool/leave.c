/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leave.c - have BPF programs on a network device of this namespace, as a pod may leave them there
 *
 *	leave xdp IFNAME	XDP in its generic mode; it drops everything
 *	leave tcx IFNAME	TCX on the way in and on the way out; it drops everything
 *	leave links IFNAME	both by BPF links, which end with us: we say "ready" and wait
 *	leave show IFNAME	how many programs of TCX there are: "tcx 1 1" (ip(8) tells XDP's)
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TCX_INGRESS = 46, TCX_EGRESS = 47 };	/* of enum bpf_attach_type, Linux 6.6 */
enum { DROP_XDP = 1, DROP_TCX = 2 };

/* linux/bpf.h of Linux 6.6: a query of the programs of an interface. */
struct query {
	uint32_t ifindex, attach_type, flags, attach_flags;
	uint64_t prog_ids;
	uint32_t count, pad;
	uint64_t rest[4];
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static long bpf(int cmd, void *attr, size_t size, const char *what)
{
	long r = syscall(SYS_bpf, cmd, attr, size);

	if (r < 0)
		die(what);
	return r;
}

/* A program that says the same of each frame. */
static int load(uint32_t type, int verdict)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = verdict },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = type, .insns = (uintptr_t)insns, .insn_cnt = 2,
		.license = (uintptr_t)"GPL",
	};

	return (int)bpf(BPF_PROG_LOAD, &attr, sizeof(attr), "load a program");
}

static void attach_xdp(int ifindex)
{
	struct {
		struct nlmsghdr h;
		struct ifinfomsg i;
		struct rtattr xdp, fd;
		int32_t fd_value;
		struct rtattr flags;
		uint32_t flags_value;
	} r = {
		.h = { .nlmsg_len = sizeof(r), .nlmsg_type = RTM_SETLINK,
		       .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
		.i = { .ifi_index = ifindex },
		.xdp = { .rta_len = 20, .rta_type = IFLA_XDP | NLA_F_NESTED },
		.fd = { .rta_len = 8, .rta_type = IFLA_XDP_FD },
		.fd_value = load(BPF_PROG_TYPE_XDP, DROP_XDP),
		.flags = { .rta_len = 8, .rta_type = IFLA_XDP_FLAGS },
		.flags_value = XDP_FLAGS_SKB_MODE,
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	union {
		char buf[4096];
		struct nlmsghdr h;
	} answer;

	if (fd < 0 || send(fd, &r, sizeof(r), 0) < 0 ||
	    recv(fd, &answer, sizeof(answer), 0) < (ssize_t)NLMSG_LENGTH(sizeof(struct nlmsgerr)))
		die("ask the kernel");
	errno = -((struct nlmsgerr *)NLMSG_DATA(&answer.h))->error;
	if (errno)
		die("attach XDP");
	(void)close(fd);
}

static void attach_tcx(int ifindex)
{
	for (uint32_t type = TCX_INGRESS; type <= TCX_EGRESS; type++) {
		union bpf_attr attr = {
			.target_fd = (uint32_t)ifindex, .attach_type = type,
			.attach_bpf_fd = (uint32_t)load(BPF_PROG_TYPE_SCHED_CLS, DROP_TCX),
		};

		(void)bpf(BPF_PROG_ATTACH, &attr, sizeof(attr), "attach TCX");
	}
}

static void link_to(int ifindex, uint32_t prog_type, uint32_t type, int verdict, uint32_t flags)
{
	union bpf_attr attr = {
		.link_create = { .prog_fd = (uint32_t)load(prog_type, verdict),
				 .target_ifindex = (uint32_t)ifindex, .attach_type = type,
				 .flags = flags },
	};

	(void)bpf(BPF_LINK_CREATE, &attr, sizeof(attr), "make a link");
}

static void make_links(int ifindex)
{
	link_to(ifindex, BPF_PROG_TYPE_XDP, BPF_XDP, DROP_XDP, XDP_FLAGS_SKB_MODE);
	link_to(ifindex, BPF_PROG_TYPE_SCHED_CLS, TCX_INGRESS, DROP_TCX, 0);
	link_to(ifindex, BPF_PROG_TYPE_SCHED_CLS, TCX_EGRESS, DROP_TCX, 0);
	(void)puts("ready");
	(void)fflush(stdout);
	for (;;)
		(void)pause();
}

static unsigned int count_tcx(int ifindex, uint32_t type)
{
	struct query q = { .ifindex = (uint32_t)ifindex, .attach_type = type };

	(void)bpf(BPF_PROG_QUERY, &q, sizeof(q), "query TCX");
	return q.count;
}

int main(int argc, char **argv)
{
	int ifindex = argc == 3 ? (int)if_nametoindex(argv[2]) : 0;

	if (ifindex == 0)
		die("usage: leave xdp|tcx|links|show IFNAME");
	if (strcmp(argv[1], "xdp") == 0)
		attach_xdp(ifindex);
	else if (strcmp(argv[1], "tcx") == 0)
		attach_tcx(ifindex);
	else if (strcmp(argv[1], "links") == 0)
		make_links(ifindex);
	else if (strcmp(argv[1], "show") == 0)
		(void)printf("tcx %u %u\n", count_tcx(ifindex, TCX_INGRESS),
			     count_tcx(ifindex, TCX_EGRESS));
	else
		die("usage: leave xdp|tcx|links|show IFNAME");
	return 0;
}
