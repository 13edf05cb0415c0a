/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_bpf.c - BPF programs of an interface are found and taken off, on a kernel that is played
 *
 * syscall(2) is ours (see WRAP in GNUmakefile).  The real one is asked by tests/net/leftovers.bats.
 */
#include "netlink/bpf.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>

static struct {
	int no, command;		/* this command is refused with that errno */
	uint32_t count[2];		/* TCX programs of each direction */
	uint32_t link;			/* the first is held by this link */
	struct bpf_link_info links[3];	/* of the machine */
	uint32_t n_links;
} played;
static char asked[256];			/* what was detached, and what was opened for that */
static uint32_t opened;			/* the last link that was */
static struct err err;

static void note(const char *what, uint32_t id)
{
	size_t used = strlen(asked);

	(void)snprintf(asked + used, sizeof(asked) - used, "%s%s %u", used ? ", " : "", what, id);
}

static long query(uint32_t *q)
{
	uint64_t progs, links;
	uint32_t n = played.count[q[1] - 46];

	memcpy(&progs, q + 4, sizeof(progs));
	memcpy(&links, q + 10, sizeof(links));
	ok(q[0] == 5 && q[6] == 64);
	for (uint32_t i = 0; i < n; i++) {
		((uint32_t *)(uintptr_t)progs)[i] = 100 * (q[1] - 45) + i;
		((uint32_t *)(uintptr_t)links)[i] = i == 0 ? played.link : 0;
	}
	q[6] = n;
	return 0;
}

static long answer(int command, union bpf_attr *a)
{
	switch (command) {
	case BPF_PROG_QUERY:
		return query((uint32_t *)(void *)a);
	case BPF_PROG_GET_FD_BY_ID:
	case BPF_LINK_GET_FD_BY_ID:
		opened = a->link_id;
		if (command == BPF_PROG_GET_FD_BY_ID)
			note("program", opened);
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	case BPF_PROG_DETACH:
		ok(a->target_fd == 5);
		note("off", a->attach_type);
		return 0;
	case BPF_LINK_DETACH:
		note("end link", opened);
		return 0;
	case BPF_LINK_GET_NEXT_ID:
		errno = ENOENT;
		a->next_id = a->start_id + 1;
		return a->start_id < played.n_links ? 0 : -1;
	case BPF_OBJ_GET_INFO_BY_FD:
		memcpy((void *)(uintptr_t)a->info.info, &played.links[opened - 1],
		       sizeof(played.links[0]));
		return 0;
	default:
		errno = EINVAL;
		return -1;
	}
}

long __wrap_syscall(long number, int command, void *attr, size_t size);
long __wrap_syscall(long number, int command, void *attr, size_t size)
{
	ok(number == SYS_bpf && size >= 64);
	if (command == played.command && played.no) {
		errno = played.no;
		return -1;
	}
	return answer(command, attr);
}

static void refuse(int command, int no)
{
	played.command = command;
	played.no = no;
	*asked = '\0';
	err = (struct err){ 0 };
}

static void test_tcx(void)
{
	static const int absent[] = { EINVAL, E2BIG, ENOSYS, EPERM, ENODEV };
	uint32_t id = 0;

	memset(&played, 0, sizeof(played));
	test("an interface without programs has none");
	ok(bpf_find_tcx(5, &id, &err) == 0 && bpf_detach_tcx(5, &err) == 0);
	eq(asked, "");
	test("those of both directions are counted, and the first is told");
	played.count[1] = 1;
	ok(bpf_find_tcx(5, &id, &err) == 1 && id == 200);
	played.count[0] = 2;
	ok(bpf_find_tcx(5, &id, &err) == 3 && id == 100);
	test("each is taken off by the program; one that a link holds, by the link");
	ok(bpf_detach_tcx(5, &err) == 3);
	eq(asked, "program 100, off 46, program 101, off 46, program 200, off 47");
	played.link = 9;
	*asked = '\0';
	ok(bpf_detach_tcx(5, &err) == 3);
	eq(asked, "end link 9, program 101, off 46, end link 9");
	test("what has gone meanwhile is off");
	refuse(BPF_PROG_DETACH, ENOENT);
	ok(bpf_detach_tcx(5, &err) == 3);
	test("one that stays is an error, which names it");
	refuse(BPF_PROG_DETACH, EBUSY);
	ok(bpf_detach_tcx(5, &err) == -1 && err.sys == EBUSY);
	eq(err.msg, "take off the TCX program with id 101");
	test("a kernel without TCX, or one that we may not ask, has no program");
	for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++) {
		refuse(BPF_PROG_QUERY, absent[i]);
		ok(bpf_find_tcx(5, &id, &err) == 0 && bpf_detach_tcx(5, &err) == 0);
	}
	test("another error is one");
	refuse(BPF_PROG_QUERY, EIO);
	ok(bpf_find_tcx(5, &id, &err) == -1 && bpf_detach_tcx(5, &err) == -1);
}

static struct bpf_link_info xdp_link(uint32_t type, uint32_t prog, uint32_t ifindex)
{
	struct bpf_link_info info = { .type = type, .prog_id = prog };

	info.xdp.ifindex = ifindex;
	return info;
}

static void test_xdp_link(void)
{
	memset(&played, 0, sizeof(played));
	refuse(0, 0);
	test("the link of an XDP program is found by program and interface, and ended");
	played.n_links = 3;
	played.links[0] = xdp_link(BPF_LINK_TYPE_XDP, 33, 6);
	played.links[1] = xdp_link(BPF_LINK_TYPE_XDP, 33, 5);
	played.links[2] = xdp_link(BPF_LINK_TYPE_CGROUP, 33, 5);
	ok(bpf_detach_xdp_link(5, 33, &err) == 1);
	eq(asked, "end link 3");	/* the last that was opened; see the next for which it is */
	test("there may be none");
	refuse(0, 0);
	ok(bpf_detach_xdp_link(5, 34, &err) == 0);
	eq(asked, "");
	test("of two nobody can say which it is: neither is ended");
	played.links[2] = xdp_link(BPF_LINK_TYPE_XDP, 33, 5);
	ok(bpf_detach_xdp_link(5, 33, &err) == -1 && err.code == ERR_BUSY);
	eq(asked, "");
	test("links that cannot be listed, or ended, are an error; one that has just gone is none");
	played.links[2] = xdp_link(BPF_LINK_TYPE_XDP, 33, 6);
	refuse(BPF_LINK_GET_NEXT_ID, EPERM);
	ok(bpf_detach_xdp_link(5, 33, &err) == -1 && err.sys == EPERM);
	refuse(BPF_LINK_DETACH, EBUSY);
	ok(bpf_detach_xdp_link(5, 33, &err) == -1 && err.sys == EBUSY);
	refuse(BPF_LINK_GET_FD_BY_ID, ENOENT);
	ok(bpf_detach_xdp_link(5, 33, &err) == 0);
	refuse(BPF_LINK_GET_FD_BY_ID, EMFILE);
	ok(bpf_detach_xdp_link(5, 33, &err) == -1 && err.sys == EMFILE);
}

int main(void)
{
	test_tcx();
	test_xdp_link();
	return tap_end();
}
