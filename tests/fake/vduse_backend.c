/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vduse_backend.c - a vDPA device in user space: a virtio-net device that answers ARP and ping
 * and sends UDP back
 *
 *	vduse_backend [NAME [MAC [MTU]]]	vduse0 02:00:00:00:00:77 1500
 *
 * "ready" is said when `vdpa dev add name NAME mgmtdev vduse` can be called.  Whatever address is
 * asked for is its own.  SIGTERM ends it; so does SIGKILL, and then the kernel waits for answers
 * that never come.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/if_ether.h>
#include <linux/vduse.h>
#include <linux/virtio_config.h>
#include <linux/virtio_ids.h>
#include <linux/virtio_net.h>
#include <linux/virtio_ring.h>

enum { RX, TX, QUEUES };

enum {
	HEADER = sizeof(struct virtio_net_hdr_v1),
	MAPS = 64,
	FRAME = 2048,
	QUEUE_SIZE = 256,
	MAC_AT = 6,		/* of the sender */
	TYPE_AT = 12,
	ARP_OP_AT = 21, ARP_SENDER_AT = 22, ARP_TARGET_AT = 32, ARP_LEN = 10, ARP_END = 42,
	IP_AT = 14, IP_LEN_AT = 16, IP_PROTO_AT = 23, IP_SRC_AT = 26, IP_DST_AT = 30,
};

/* Memory of the driver's, as it calls it and where it is for us. */
struct map {
	uint64_t start, last;
	uint8_t *here;
	void *base;
	size_t len;
};

struct queue {
	bool ready;
	int kick;
	uint16_t num, last_avail, used;
	uint64_t desc, avail, ring;
};

struct rings {
	struct vring_desc *desc;
	struct vring_avail *avail;
	struct vring_used *used;
};

static int device;
static struct map map[MAPS];
static unsigned int maps;
static struct queue queue[QUEUES] = { { .kick = -1 }, { .kick = -1 } };
static const uint8_t us[ETH_ALEN] = { 2, 0, 0, 0, 0xec, 0x40 };
static volatile sig_atomic_t told_to_end;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* -- the driver's memory -- */

static struct map *map_anew(uint64_t at)
{
	struct vduse_iotlb_entry entry = { .start = at, .last = at + 1 };
	struct map *m = &map[maps];
	int fd = ioctl(device, VDUSE_IOTLB_GET_FD, &entry);

	if (fd < 0)
		return NULL;
	m->start = entry.start;
	m->last = entry.last;
	m->len = entry.last - entry.start + 1 + entry.offset;
	m->base = mmap(NULL, m->len,
		       (entry.perm & VDUSE_ACCESS_RO ? PROT_READ : 0) |
			       (entry.perm & VDUSE_ACCESS_WO ? PROT_WRITE : 0),
		       MAP_SHARED, fd, 0);
	(void)close(fd);
	if (m->base == MAP_FAILED)
		return NULL;
	m->here = (uint8_t *)m->base + entry.offset;
	maps++;
	return m;
}

/* NULL for what the driver has not given us. */
static void *here(uint64_t at, uint64_t len)
{
	struct map *m = NULL;

	for (unsigned int i = 0; i < maps && !m; i++)
		if (at >= map[i].start && at <= map[i].last)
			m = &map[i];
	if (!m && maps < MAPS)
		m = map_anew(at);
	return m && len > 0 && len - 1 <= m->last - at ? m->here + (at - m->start) : NULL;
}

static void forget(uint64_t start, uint64_t last)
{
	for (unsigned int i = 0; i < maps;)
		if (map[i].start <= last && map[i].last >= start) {
			(void)munmap(map[i].base, map[i].len);
			map[i] = map[--maps];
		} else {
			i++;
		}
}

/* -- queues -- */

static bool find_rings(const struct queue *q, struct rings *ret)
{
	if (!q->ready)
		return false;
	ret->desc = here(q->desc, sizeof(*ret->desc) * q->num);
	ret->avail = here(q->avail, sizeof(*ret->avail) + sizeof(uint16_t) * q->num);
	ret->used = here(q->ring,
			 sizeof(*ret->used) + sizeof(struct vring_used_elem) * q->num);
	return ret->desc && ret->avail && ret->used;
}

static bool take(struct queue *q, const struct rings *r, uint16_t *head)
{
	if (q->last_avail == __atomic_load_n(&r->avail->idx, __ATOMIC_ACQUIRE))
		return false;
	*head = r->avail->ring[q->last_avail++ % q->num];
	return *head < q->num;
}

static void give(struct queue *q, const struct rings *r, uint16_t head, size_t len)
{
	r->used->ring[q->used % q->num] =
		(struct vring_used_elem){ .id = head, .len = (uint32_t)len };
	__atomic_store_n(&r->used->idx, ++q->used, __ATOMIC_RELEASE);
}

static void interrupt(uint32_t which)
{
	(void)ioctl(device, VDUSE_VQ_INJECT_IRQ, &which);
}

/* Copy between a chain of descriptors and a buffer of `size` bytes: how many. */
static size_t copy(const struct queue *q, const struct rings *r, uint16_t i, uint8_t *buf,
		   size_t size, bool to_driver)
{
	size_t done = 0;

	for (unsigned int n = 0; n < q->num && done < size; n++) {
		const struct vring_desc *d = &r->desc[i];
		size_t len = d->len < size - done ? d->len : size - done;
		uint8_t *p = here(d->addr, len);

		if (p)
			memcpy(to_driver ? p : buf + done, to_driver ? buf + done : p, len);
		done += len;
		if (!(d->flags & VRING_DESC_F_NEXT) || d->next >= q->num)
			break;
		i = d->next;
	}
	return done;
}

static void deliver(uint8_t *packet, size_t len)
{
	struct queue *q = &queue[RX];
	struct rings r;
	uint16_t head;

	if (!find_rings(q, &r) || !take(q, &r, &head))
		return;
	memset(packet, 0, HEADER);
	((struct virtio_net_hdr_v1 *)(void *)packet)->num_buffers = 1;
	give(q, &r, head, copy(q, &r, head, packet, len, true));
	interrupt(RX);
}

/* -- answers -- */

static uint16_t checksum(const uint8_t *p, size_t len)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < len; i++)
		sum += i & 1 ? p[i] : (uint32_t)p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static void answer_arp(uint8_t *f)
{
	uint8_t target[4];

	memcpy(target, f + ARP_TARGET_AT + ETH_ALEN, sizeof(target));
	memcpy(f + ARP_TARGET_AT, f + ARP_SENDER_AT, ARP_LEN);
	memcpy(f + ARP_SENDER_AT, us, ETH_ALEN);
	memcpy(f + ARP_SENDER_AT + ETH_ALEN, target, sizeof(target));
	f[ARP_OP_AT] = 2;
}

static void swap_addresses(uint8_t *f)
{
	uint8_t from[4];

	memcpy(from, f + IP_SRC_AT, sizeof(from));
	memcpy(f + IP_SRC_AT, f + IP_DST_AT, sizeof(from));
	memcpy(f + IP_DST_AT, from, sizeof(from));
}

static bool answer_ping(uint8_t *f, size_t len)
{
	size_t header = (f[IP_AT] & 15U) * 4U;
	size_t total = (size_t)f[IP_LEN_AT] << 8 | f[IP_LEN_AT + 1];
	uint8_t *icmp = f + IP_AT + header;
	uint16_t sum;

	if (header < 20 || total < header + 8 || IP_AT + total > len || icmp[0] != 8)
		return false;
	swap_addresses(f);
	icmp[0] = icmp[2] = icmp[3] = 0;
	sum = checksum(icmp, total - header);
	icmp[2] = (uint8_t)(sum >> 8);
	icmp[3] = (uint8_t)sum;
	return true;
}

/* The frame becomes its answer; false when there is none. */
static bool answer(uint8_t *f, size_t len)
{
	uint16_t type;

	if (len < ARP_END)
		return false;
	type = (uint16_t)(f[TYPE_AT] << 8 | f[TYPE_AT + 1]);
	if (type == ETH_P_ARP && f[ARP_OP_AT] == 1)
		answer_arp(f);
	else if (type == ETH_P_IP && f[IP_PROTO_AT] == IPPROTO_UDP)
		swap_addresses(f);	/* which its checksum does not see */
	else if (type != ETH_P_IP || f[IP_PROTO_AT] != IPPROTO_ICMP || !answer_ping(f, len))
		return false;
	memcpy(f, f + MAC_AT, ETH_ALEN);
	memcpy(f + MAC_AT, us, ETH_ALEN);
	return true;
}

static void serve_frames(void)
{
	_Alignas(struct virtio_net_hdr_v1) uint8_t packet[HEADER + FRAME] = { 0 };
	struct queue *q = &queue[TX];
	struct rings r;
	uint16_t head;
	bool worked = false;

	if (!find_rings(q, &r))
		return;
	while (take(q, &r, &head)) {
		size_t len = copy(q, &r, head, packet, sizeof(packet), false);

		give(q, &r, head, 0);
		worked = true;
		if (len > HEADER && answer(packet + HEADER, len - HEADER))
			deliver(packet, len);
	}
	if (worked)
		interrupt(TX);
}

/* -- what the kernel asks -- */

static void start(void)
{
	for (uint32_t i = 0; i < QUEUES; i++) {
		struct vduse_vq_info info = { .index = i };
		struct vduse_vq_eventfd kick = { .index = i };
		struct queue *q = &queue[i];

		if (ioctl(device, VDUSE_VQ_GET_INFO, &info) < 0)
			die("VDUSE_VQ_GET_INFO");
		if (q->kick < 0)
			q->kick = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		kick.fd = q->kick;
		if (q->kick < 0 || ioctl(device, VDUSE_VQ_SETUP_KICKFD, &kick) < 0)
			die("VDUSE_VQ_SETUP_KICKFD");
		*q = (struct queue) {
			.ready = info.ready, .kick = q->kick, .num = (uint16_t)info.num,
			.last_avail = info.split.avail_index, .used = info.split.avail_index,
			.desc = info.desc_addr, .avail = info.driver_addr, .ring = info.device_addr,
		};
	}
}

static void stop(void)
{
	for (uint32_t i = 0; i < QUEUES; i++) {
		struct vduse_vq_eventfd none = { .index = i, .fd = VDUSE_EVENTFD_DEASSIGN };

		if (queue[i].ready)
			(void)ioctl(device, VDUSE_VQ_SETUP_KICKFD, &none);
		queue[i].ready = false;
	}
	forget(0, UINT64_MAX);
}

static void serve_request(const struct vduse_dev_request *r)
{
	struct vduse_dev_response done = { .request_id = r->request_id,
					   .result = VDUSE_REQ_RESULT_OK };

	if (r->type == VDUSE_GET_VQ_STATE && r->vq_state.index < QUEUES)
		done.vq_state.split.avail_index = queue[r->vq_state.index].last_avail;
	else if (r->type == VDUSE_SET_STATUS && r->s.status & VIRTIO_CONFIG_S_DRIVER_OK)
		start();
	else if (r->type == VDUSE_SET_STATUS && !r->s.status)
		stop();
	else if (r->type == VDUSE_UPDATE_IOTLB)
		forget(r->iova.start, r->iova.last);
	else if (r->type != VDUSE_SET_STATUS)
		done.result = VDUSE_REQ_RESULT_FAILED;
	if (write(device, &done, sizeof(done)) != sizeof(done))
		perror("answer the kernel");
}

static void serve(void)
{
	struct vduse_dev_request request;
	uint64_t kicks;

	while (!told_to_end) {
		struct pollfd p[2] = {
			{ .fd = device, .events = POLLIN },
			{ .fd = queue[TX].ready ? queue[TX].kick : -1, .events = POLLIN },
		};

		if (poll(p, 2, 1000) < 0 && errno != EINTR)
			die("poll");
		while (read(device, &request, sizeof(request)) == sizeof(request))
			serve_request(&request);
		if (queue[TX].ready && read(queue[TX].kick, &kicks, sizeof(kicks)) < 0 &&
		    errno != EAGAIN)
			die("read a kick");
		serve_frames();
	}
}

/* -- the device -- */

static void make(int control, const char *name, const char *mac, const char *mtu)
{
	static _Alignas(struct vduse_dev_config) unsigned char
		buf[sizeof(struct vduse_dev_config) + sizeof(struct virtio_net_config)];
	struct vduse_dev_config *c = (struct vduse_dev_config *)(void *)buf;
	struct virtio_net_config net = { .status = VIRTIO_NET_S_LINK_UP, .max_virtqueue_pairs = 1 };
	uint64_t api = VDUSE_API_VERSION;

	if (sscanf(mac, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &net.mac[0], &net.mac[1], &net.mac[2],
		   &net.mac[3], &net.mac[4], &net.mac[5]) != ETH_ALEN)
		die("the address");
	net.mtu = (uint16_t)strtoul(mtu, NULL, 10);
	(void)snprintf(c->name, sizeof(c->name), "%s", name);
	c->device_id = VIRTIO_ID_NET;
	c->features = 1ULL << VIRTIO_F_VERSION_1 | 1ULL << VIRTIO_F_ACCESS_PLATFORM |
		      1ULL << VIRTIO_NET_F_MAC | 1ULL << VIRTIO_NET_F_MTU |
		      1ULL << VIRTIO_NET_F_STATUS;
	c->vq_num = QUEUES;
	c->vq_align = (uint32_t)sysconf(_SC_PAGESIZE);
	c->config_size = sizeof(net);
	memcpy(c->config, &net, sizeof(net));
	if (ioctl(control, VDUSE_SET_API_VERSION, &api) < 0 ||
	    ioctl(control, VDUSE_CREATE_DEV, c) < 0)
		die("VDUSE_CREATE_DEV");
}

/* The node comes a moment after its device. */
static void open_device(const char *name)
{
	char path[VDUSE_NAME_MAX + 16];

	(void)snprintf(path, sizeof(path), "/dev/vduse/%s", name);
	for (int i = 0; i < 200; i++) {
		device = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
		if (device >= 0 || errno != ENOENT)
			break;
		(void)usleep(10000);
	}
	if (device < 0)
		die(path);
	for (uint32_t i = 0; i < QUEUES; i++) {
		struct vduse_vq_config q = { .index = i, .max_size = QUEUE_SIZE };

		if (ioctl(device, VDUSE_VQ_SETUP, &q) < 0)
			die("VDUSE_VQ_SETUP");
	}
}

static void on_signal(int sig)
{
	(void)sig;
	told_to_end = 1;
}

int main(int argc, char **argv)
{
	const struct sigaction end = { .sa_handler = on_signal };
	const char *name = argc > 1 ? argv[1] : "vduse0";
	int control = open("/dev/vduse/control", O_RDWR | O_CLOEXEC);
	char gone[VDUSE_NAME_MAX] = "";

	if (control < 0)
		die("/dev/vduse/control");
	make(control, name, argc > 2 ? argv[2] : "02:00:00:00:00:77",
	     argc > 3 ? argv[3] : "1500");
	open_device(name);
	(void)sigaction(SIGTERM, &end, NULL);
	(void)puts("ready");
	(void)fflush(stdout);
	serve();
	stop();
	(void)close(device);
	(void)snprintf(gone, sizeof(gone), "%s", name);
	return ioctl(control, VDUSE_DESTROY_DEV, gone) < 0 ? 1 : 0;
}
