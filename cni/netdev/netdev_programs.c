/* SPDX-License-Identifier: Apache-2.0 */
/* netdev_programs.c - BPF programs on a network device: refused before a pod, taken off after it */
#include "cni/netdev/netdev_programs.h"

#include "base/log.h"
#include "netlink/bpf.h"

#include <errno.h>

static int refuse_program(const struct link *link, const char *kind, uint32_t id, struct err *e)
{
	(void)err_set(e, ERR_DEVICE, EBUSY, "%s has a program of %s on the host (id %u), which "
		      "would go into the container", link->name, kind, id);
	return err_detail(e, "take it off; with releasePolicy known-clean ADD does");
}

int netdev_programs_refuse(const struct link *link, struct err *e)
{
	uint32_t id = 0;
	int r;

	for (size_t mode = 0; mode < XDP_MODES; mode++)
		if (link->xdp.id[mode])
			return refuse_program(link, "XDP", link->xdp.id[mode], e);
	r = bpf_find_tcx(link->ifindex, &id, e);
	if (r < 0)
		return err_wrap(e, "look at %s", link->name);
	return r > 0 ? refuse_program(link, "TCX", id, e) : 0;
}

/* One that a BPF link holds is that link's alone to take off. */
static int remove_xdp(struct nl *home, const struct link *link, unsigned int mode, struct err *e)
{
	uint32_t id = link->xdp.id[mode];
	struct err why;
	int r;

	log_info("msg=\"taking an XDP program off\" interface=%s id=%u", link->name, id);
	if (link_detach_xdp(home, link->ifindex, mode, e) == 0)
		return 0;
	if (!home->refused || e->sys != EBUSY)
		return -1;
	r = bpf_detach_xdp_link(link->ifindex, id, &why);
	if (r < 0)
		*e = why;
	return r > 0 ? 0 : -1;
}

int netdev_programs_remove(struct nl *home, const struct link *link, struct err *e)
{
	struct err all = { .code = ERR_OK }, one;
	int r;

	for (unsigned int mode = 0; mode < XDP_MODES; mode++)
		if (link->xdp.id[mode] && remove_xdp(home, link, mode, &one) < 0)
			err_join(&all, &one);
	r = bpf_detach_tcx(link->ifindex, &one);
	if (r < 0) {
		(void)err_wrap(&one, "%s", link->name);
		err_join(&all, &one);
	} else if (r > 0) {
		log_info("msg=\"took TCX programs off\" interface=%s count=%d", link->name, r);
	}
	return err_joined(&all, e);
}
