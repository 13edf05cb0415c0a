/* SPDX-License-Identifier: Apache-2.0 */
/* bpf.c - BPF programs on an interface that netlink does not tell of, or take off */
#include "netlink/bpf.h"

#include "base/mem.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <sys/syscall.h>

enum {
	PROGRAMS_MAX = 64,		/* of one direction, the kernel's BPF_MPROG_MAX */
	LINKS_MAX = 1 << 20,		/* of the machine that are looked at */
};

/* linux/bpf.h of Linux 6.6 */
static const uint32_t directions[] = { 46 /* BPF_TCX_INGRESS */, 47 /* BPF_TCX_EGRESS */ };

struct tcx_query {
	uint32_t ifindex, attach_type, query_flags, attach_flags;
	uint64_t prog_ids;
	uint32_t count, unused;
	uint64_t prog_attach_flags, link_ids, link_attach_flags, revision;
};

struct programs {
	uint32_t n, prog[PROGRAMS_MAX], link[PROGRAMS_MAX];	/* link 0: held by none */
};

static int call(int cmd, void *attr, size_t size)
{
	return (int)syscall(SYS_bpf, cmd, attr, size);
}

/*
 * A kernel that does not know TCX, or has no BPF, has no program either.  And where we may not ask,
 * in a user namespace, nobody there may attach one.  An interface that has gone took its along.
 */
static bool has_none(int sys)
{
	return sys == EINVAL || sys == E2BIG || sys == ENOSYS || sys == EPERM ||
	       sys == ENODEV;
}

static int list(int ifindex, uint32_t direction, struct programs *ret, struct err *e)
{
	struct tcx_query q = {
		.ifindex = (uint32_t)ifindex, .attach_type = direction,
		.prog_ids = (uintptr_t)ret->prog, .link_ids = (uintptr_t)ret->link,
		.count = PROGRAMS_MAX,
	};

	*ret = (struct programs){ 0 };
	if (call(BPF_PROG_QUERY, &q, sizeof(q)) < 0)
		return has_none(errno) ?
			       0 : err_set(e, ERR_NETLINK, errno, "list the TCX programs");
	ret->n = q.count;
	return 0;
}

int bpf_find_tcx(int ifindex, uint32_t *id, struct err *e)
{
	struct programs found = { 0 };
	uint32_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(directions); i++) {
		if (list(ifindex, directions[i], &found, e) < 0)
			return -1;
		if (n == 0 && found.n > 0)
			*id = found.prog[0];
		n += found.n;
	}
	return (int)n;
}

static int open_by_id(int cmd, uint32_t id)
{
	union bpf_attr attr = { .prog_id = id };

	return call(cmd, &attr, sizeof(attr));
}

static int end_link(int fd)
{
	union bpf_attr attr = { .link_detach = { .link_fd = (uint32_t)fd } };

	return call(BPF_LINK_DETACH, &attr, sizeof(attr));
}

static int detach(int ifindex, uint32_t direction, const struct programs *p, uint32_t i)
{
	auto_close int fd = p->link[i] ? open_by_id(BPF_LINK_GET_FD_BY_ID, p->link[i]) :
					 open_by_id(BPF_PROG_GET_FD_BY_ID, p->prog[i]);
	union bpf_attr attr = {
		.target_fd = (uint32_t)ifindex, .attach_bpf_fd = (uint32_t)fd,
		.attach_type = direction,
	};

	if (fd < 0)
		return -1;
	return p->link[i] ? end_link(fd) : call(BPF_PROG_DETACH, &attr, sizeof(attr));
}

int bpf_detach_tcx(int ifindex, struct err *e)
{
	uint32_t n = 0;

	for (size_t d = 0; d < ARRAY_SIZE(directions); d++) {
		struct programs p = { 0 };

		if (list(ifindex, directions[d], &p, e) < 0)
			return -1;
		for (uint32_t i = 0; i < p.n && i < PROGRAMS_MAX; i++)
			/* ENOENT: whoever held it has just ended */
			if (detach(ifindex, directions[d], &p, i) < 0 && errno != ENOENT)
				return err_set(e, ERR_NETLINK, errno,
					       "take off the TCX program with id %u", p.prog[i]);
		n += p.n;
	}
	return (int)n;
}

/* The next link of the machine behind *id: 1 with its descriptor, 0 at the end, -1 with errno. */
static int next_link(uint32_t *id, int *fd)
{
	union bpf_attr attr = { .start_id = *id };

	if (call(BPF_LINK_GET_NEXT_ID, &attr, sizeof(attr)) < 0)
		return errno == ENOENT ? 0 : -1;
	*id = attr.next_id;
	*fd = open_by_id(BPF_LINK_GET_FD_BY_ID, *id);
	return *fd >= 0 || errno == ENOENT ? 1 : -1;
}

static bool is_xdp_of(int fd, int ifindex, uint32_t id)
{
	struct bpf_link_info info = { 0 };
	union bpf_attr attr = {
		.info = { .bpf_fd = (uint32_t)fd, .info_len = sizeof(info),
			  .info = (uintptr_t)&info },
	};

	return fd >= 0 && call(BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)) == 0 &&
	       info.type == BPF_LINK_TYPE_XDP && info.prog_id == id &&
	       info.xdp.ifindex == (uint32_t)ifindex;
}

int bpf_detach_xdp_link(int ifindex, uint32_t id, struct err *e)
{
	auto_close int found = -1;
	uint32_t at = 0;
	int r = 1;

	for (int i = 0; i < LINKS_MAX; i++) {
		auto_close int fd = -1;

		r = next_link(&at, &fd);
		if (r <= 0)
			break;
		if (!is_xdp_of(fd, ifindex, id))
			continue;
		if (found >= 0)
			return err_set(e, ERR_BUSY, EBUSY, "several BPF links hold the XDP program "
				       "with id %u on interfaces of that number", id);
		found = steal_fd(&fd);
	}
	if (r < 0 || (found >= 0 && end_link(found) < 0))
		return err_set(e, ERR_NETLINK, errno, "end the BPF link of the XDP program with "
			       "id %u", id);
	return found >= 0;
}
