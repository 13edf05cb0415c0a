/* SPDX-License-Identifier: Apache-2.0 */
/*
 * announce.c - tell the neighbours where an address lives now: gratuitous ARP, unsolicited NA
 *
 * Whole Ethernet frames over one packet socket: an ICMPv6 socket could not send from an
 * address that is still tentative.  The socket is of protocol 0, so it hooks into no
 * receive path and its close waits for no RCU grace period.
 */
#include "netlink/announce.h"

#include "base/mem.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

static const uint8_t all_nodes[16] = { 0xff, 0x02, [15] = 1 };

void announce_arp(const uint8_t mac[6], const uint8_t ip[4], uint8_t ret[ANNOUNCE_ARP_LEN])
{
	static const uint8_t head[] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff,	/* 0: to everybody */
		0, 0, 0, 0, 0, 0,			/* 6: from mac */
		0x08, 0x06,				/* 12: ARP */
		0, 1, 0x08, 0, 6, 4,			/* 14: Ethernet, IPv4, their lengths */
		0, 1,					/* 20: request */
	};

	memset(ret, 0, ANNOUNCE_ARP_LEN);	/* the target's hardware address stays zero */
	memcpy(ret, head, sizeof(head));
	memcpy(ret + 6, mac, 6);
	memcpy(ret + 22, mac, 6);		/* sender */
	memcpy(ret + 28, ip, 4);
	memcpy(ret + 38, ip, 4);		/* target */
}

/* Sum of big-endian 16-bit words; len is even. */
static uint32_t sum16(uint32_t sum, const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i += 2)
		sum += (uint32_t)p[i] << 8 | p[i + 1];
	return sum;
}

/* RFC 8200, 8.1: over both addresses, length, next header and the message itself. */
static uint16_t icmp6_checksum(const uint8_t *ip6, const uint8_t *icmp, size_t len)
{
	uint32_t sum = sum16((uint32_t)len + IPPROTO_ICMPV6, ip6 + 8, 32);

	sum = sum16(sum, icmp, len);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

void announce_na(const uint8_t mac[6], const uint8_t ip[16], uint8_t ret[ANNOUNCE_NA_LEN])
{
	static const uint8_t head[] = {
		0x33, 0x33, 0, 0, 0, 1,			/* 0: to the group of all nodes */
		0, 0, 0, 0, 0, 0,			/* 6: from mac */
		0x86, 0xdd,				/* 12: IPv6 */
		0x60, 0, 0, 0, 0, 32,			/* 14: version, payload length */
		IPPROTO_ICMPV6, 255,			/* 20: next header, hop limit */
	};
	static const uint8_t na[] = {
		136, 0, 0, 0,				/* 54: type, code, checksum */
		0x20, 0, 0, 0,				/* 58: override */
	};
	uint16_t sum;

	memset(ret, 0, ANNOUNCE_NA_LEN);
	memcpy(ret, head, sizeof(head));
	memcpy(ret + 6, mac, 6);
	memcpy(ret + 22, ip, 16);
	memcpy(ret + 38, all_nodes, 16);
	memcpy(ret + 54, na, sizeof(na));
	memcpy(ret + 62, ip, 16);
	ret[78] = 2;				/* target link-layer address, in units of 8 bytes */
	ret[79] = 1;
	memcpy(ret + 80, mac, 6);
	sum = icmp6_checksum(ret + 14, ret + 54, 32);
	ret[56] = (uint8_t)(sum >> 8);
	ret[57] = (uint8_t)sum;
}

struct opening {
	int fd;
};

static int open_socket(void *arg, struct err *e)
{
	struct opening *o = arg;

	o->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return o->fd >= 0 ? 0 : err_set(e, ERR_NETLINK, errno, "open a packet socket");
}

static int send_one(int fd, int ifindex, const uint8_t mac[6], const struct ip *ip, struct err *e)
{
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET, .sll_ifindex = ifindex, .sll_halen = ETH_ALEN
	};
	uint8_t frame[ANNOUNCE_NA_LEN];
	size_t len = ip->family == AF_INET ? ANNOUNCE_ARP_LEN : ANNOUNCE_NA_LEN;
	char text[IP_TEXT];

	if (ip->family == AF_INET)
		announce_arp(mac, ip->bytes, frame);
	else
		announce_na(mac, ip->bytes, frame);
	memcpy(to.sll_addr, frame, ETH_ALEN);
	memcpy(&to.sll_protocol, frame + 12, sizeof(to.sll_protocol));
	if (sendto(fd, frame, len, 0, (struct sockaddr *)&to, sizeof(to)) < 0)
		return err_set(e, ERR_NETLINK, errno, "announce %s on interface %d",
			       ip_format(ip, text), ifindex);
	return 0;
}

int announce(int nsfd, int ifindex, const uint8_t mac[6], const struct ip_prefix *ips, size_t n,
	     struct err *e)
{
	struct opening o = { .fd = -1 };

	if (n == 0)
		return 0;
	if (netns_do(nsfd, open_socket, &o, e) < 0)
		return -1;

	auto_close int fd = o.fd;
	for (size_t i = 0; i < n; i++)
		if (send_one(fd, ifindex, mac, &ips[i].ip, e) < 0)
			return -1;
	return 0;
}
