/* SPDX-License-Identifier: Apache-2.0 */
/*
 * announce.c - tell the neighbours where an address lives now: gratuitous ARP, unsolicited NA
 *
 * Theory of operation.  The usual way, a packet socket, costs as much as moving the
 * interface: closing one waits for an RCU grace period (16 ms measured), and so does
 * the exit of a process that leaves it open.  So nothing of that kind is opened.
 *
 * IPv4: a neighbour entry for our own address, NTF_USE set, makes the kernel ask
 * "who has <our address>, tell <our address>" by broadcast, which is a gratuitous
 * ARP in request form.  Nobody answers, so it asks three times in three seconds, which
 * also covers a link whose carrier comes late; the entry then fails and is collected.
 * The request for it travels with the addresses (addr.c).
 * The request is sent from the address itself because that is the one on the subnet
 * of the target; for a second address of one subnet the sender is the first.
 *
 * IPv6: a solicitation for our own address would reach nobody (its multicast group
 * has no member but us), so the advertisement goes out of a raw ICMPv6 socket, to
 * which the kernel adds the checksum.  The addresses are not tentative (addr.c).
 */
#include "netlink/announce.h"

#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

void announce_compose(struct nl_req *r, int ifindex, const struct ip *ip)
{
	struct ndmsg *nd = nl_req_init(r, RTM_NEWNEIGH, NLM_F_CREATE, sizeof(*nd));

	nd->ndm_family = (uint8_t)ip->family;
	nd->ndm_ifindex = ifindex;
	nd->ndm_flags = NTF_USE;
	nd->ndm_state = NUD_NONE;
	nl_put(r, NDA_DST, ip->bytes, ip_len(ip));
}

void announce_na(const uint8_t mac[6], const uint8_t ip[16], uint8_t ret[ANNOUNCE_NA_LEN])
{
	memset(ret, 0, ANNOUNCE_NA_LEN);
	ret[0] = ND_NEIGHBOR_ADVERT;
	ret[4] = 0x20;				/* override */
	memcpy(ret + 8, ip, 16);
	ret[24] = ND_OPT_TARGET_LINKADDR;
	ret[25] = 1;				/* of 8 bytes */
	memcpy(ret + 26, mac, 6);
}

static int open_socket(void *arg, struct err *e)
{
	int *fd = arg;

	*fd = socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_ICMPV6);
	if (*fd >= 0)
		return 1;
	return errno == EAFNOSUPPORT ? 0
				     : err_set(e, ERR_NETLINK, errno, "open an ICMPv6 socket");
}

int announce_open(int nsfd, int *ret_fd, struct err *e)
{
	return netns_do(nsfd, open_socket, ret_fd, e);
}

/* From the address itself to all nodes of the link; a receiver insists on hop limit 255. */
static int send_na(int fd, int ifindex, const uint8_t mac[6], const struct ip *ip, struct err *e)
{
	struct sockaddr_in6 from = { .sin6_family = AF_INET6, .sin6_scope_id = (uint32_t)ifindex };
	struct sockaddr_in6 to = from;
	const int hops = 255;
	uint8_t na[ANNOUNCE_NA_LEN];
	char text[IP_TEXT];

	memcpy(&from.sin6_addr, ip->bytes, 16);
	to.sin6_addr = (struct in6_addr){ .s6_addr = { 0xff, 0x02, [15] = 1 } };
	announce_na(mac, ip->bytes, na);
	if (setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &hops, sizeof(hops)) < 0 ||
	    setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, &ifindex, sizeof(ifindex)) < 0 ||
	    bind(fd, (struct sockaddr *)&from, sizeof(from)) < 0 ||
	    sendto(fd, na, sizeof(na), 0, (struct sockaddr *)&to, sizeof(to)) < 0)
		return err_set(e, ERR_NETLINK, errno, "announce %s", ip_format(ip, text));
	return 0;
}

int announce(int fd, int ifindex, const uint8_t mac[6], const struct ip_prefix *ips, size_t n,
	     struct err *e)
{
	struct err one;
	int r = 0;

	for (size_t i = 0; i < n; i++)
		if (ips[i].ip.family == AF_INET6 &&
		    send_na(fd, ifindex, mac, &ips[i].ip, &one) < 0) {
			if (r == 0)
				*e = one;
			r = -1;
		}
	return r;
}
