/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.c - calls of a gRPC server behind a socket, one after the other on one connection
 *
 *	call TIMES REQUEST SOCKET METHOD [SOCKET METHOD]	... "/package.Service/Method"
 *	call listen SOCKET METHOD
 *
 * As ask.c composes its question: by hand, so that next to nothing of the time is the client's.
 * REQUEST is the message, in hexadecimal digits.  Two servers are called in turns, so that a busy
 * moment of the machine hits both.  Prints a line for each, of the time of a call in us:
 *
 *	p50 p99
 *
 * listen: of a stream, for each message that has come the time of the day in us and its bytes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
	FRAME = 9, DATA = 0, HEADERS = 1, SETTINGS = 4, PING = 6, WINDOW_UPDATE = 8,
	ACK = 1, END_STREAM = 1, END_HEADERS = 4,
	WINDOW = 1 << 30, SERVERS = 2, TIMES_MAX = 1000000,
};

struct server {
	const char *method;
	int fd;
	uint32_t stream;		/* of the last call */
	unsigned char in[65536];
	size_t have;
	long *took;			/* ns, of each call */
};

static unsigned char message[4096];
static size_t message_len;

static void quit(const char *why)
{
	perror(why);
	exit(1);
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* -- out -- */

static void put_u32(unsigned char *to, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		to[i] = (unsigned char)(v >> (24 - 8 * i));
}

/* Returns its length. */
static size_t put_frame(unsigned char *to, int type, int flags, uint32_t stream,
			const void *payload, size_t len)
{
	put_u32(to, (uint32_t)len << 8 | (uint32_t)type);
	to[4] = (unsigned char)flags;
	put_u32(to + 5, stream);
	memcpy(to + FRAME, payload, len);
	return FRAME + len;
}

/* Literal, without an index and without Huffman's code: a length each, and the bytes. */
static size_t put_header(char *to, const char *name, const char *value)
{
	return (size_t)snprintf(to, 128, "%c%c%s%c%s", 0, (char)strlen(name), name,
				(char)strlen(value), value);
}

static void send_all(int fd, const void *bytes, size_t len)
{
	if (write(fd, bytes, len) != (ssize_t)len)
		quit("write");
}

static void send_call(struct server *s)
{
	unsigned char out[8192], data[sizeof(message) + 5] = { 0 };
	char headers[512];
	size_t n = 0, len = 0;

	s->stream = s->stream ? s->stream + 2 : 1;
	n += put_header(headers + n, ":method", "POST");
	n += put_header(headers + n, ":scheme", "http");
	n += put_header(headers + n, ":path", s->method);
	n += put_header(headers + n, ":authority", "localhost");
	n += put_header(headers + n, "content-type", "application/grpc");
	n += put_header(headers + n, "te", "trailers");
	put_u32(data + 1, (uint32_t)message_len);
	memcpy(data + 5, message, message_len);
	len += put_frame(out, HEADERS, END_HEADERS, s->stream, headers, n);
	len += put_frame(out + len, DATA, END_STREAM, s->stream, data, 5 + message_len);
	send_all(s->fd, out, len);
}

static void greet(struct server *s, const char *path)
{
	static const unsigned char window[] = { 0, SETTINGS, WINDOW >> 24, 0, 0, 0 };
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	unsigned char out[128], more[4];
	size_t len = 24;

	s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	(void)snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	if (connect(s->fd, (struct sockaddr *)&to, sizeof(to)) < 0)
		quit(path);
	memcpy(out, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", len);
	len += put_frame(out + len, SETTINGS, 0, 0, window, sizeof(window));
	put_u32(more, WINDOW);
	len += put_frame(out + len, WINDOW_UPDATE, 0, 0, more, sizeof(more));
	send_all(s->fd, out, len);
}

/* -- in -- */

/* The next frame, with its payload behind it; it is taken by take_frame(). */
static unsigned char *next_frame(struct server *s, size_t *len)
{
	for (;;) {
		ssize_t n;

		*len = (size_t)s->in[0] << 16 | (size_t)s->in[1] << 8 | s->in[2];
		if (s->have >= FRAME && s->have >= FRAME + *len)
			return s->in;
		n = read(s->fd, s->in + s->have, sizeof(s->in) - s->have);
		if (n <= 0)
			quit("read");
		s->have += (size_t)n;
	}
}

static void take_frame(struct server *s, size_t len)
{
	s->have -= FRAME + len;
	memmove(s->in, s->in + FRAME + len, s->have);
}

/* Until an end of a stream, or of one message: bytes of data.  A refusal ends us. */
static size_t await(struct server *s, int is_stream)
{
	size_t len, bytes = 0, want = SIZE_MAX;
	unsigned char out[32];
	int ends = 0;

	while (!ends) {
		unsigned char *f = next_frame(s, &len);

		if ((f[3] == SETTINGS || f[3] == PING) && !(f[4] & ACK))
			send_all(s->fd, out, put_frame(out, f[3], ACK, 0, f + FRAME,
						       f[3] == PING ? len : 0));
		if (f[3] == DATA && bytes == 0 && len >= 5)
			want = 5 + ((size_t)f[FRAME + 3] << 8 | f[FRAME + 4] |
				    (size_t)f[FRAME + 2] << 16);
		bytes += f[3] == DATA ? len : 0;
		ends = (f[3] <= HEADERS && f[4] & END_STREAM) || (is_stream && bytes >= want);
		if (f[3] <= HEADERS && f[4] & END_STREAM && bytes == 0) {
			(void)fprintf(stderr, "the server refuses the call\n");
			exit(1);
		}
		take_frame(s, len);
	}
	return bytes;
}

/* -- what is asked for -- */

static int compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

static void measure(struct server *servers, int n, int times)
{
	for (int round = 0; round < times; round++)
		for (int i = 0; i < n; i++) {
			int64_t start = clock_ns(CLOCK_MONOTONIC);

			send_call(&servers[i]);
			(void)await(&servers[i], 0);
			servers[i].took[round] = (long)(clock_ns(CLOCK_MONOTONIC) - start);
		}
	for (int i = 0; i < n; i++) {
		qsort(servers[i].took, (size_t)times, sizeof(long), compare);
		(void)printf("%.1f %.1f\n", (double)servers[i].took[times / 2] / 1000,
			     (double)servers[i].took[times * 99L / 100] / 1000);
	}
}

static void listen_on(struct server *s)
{
	send_call(s);
	for (;;) {
		size_t bytes = await(s, 1);

		(void)printf("%lld %zu\n", (long long)clock_ns(CLOCK_REALTIME) / 1000, bytes);
		(void)fflush(stdout);
	}
}

static void read_message(const char *hex)
{
	unsigned int byte;

	for (; message_len < sizeof(message) && sscanf(hex, "%2x", &byte) == 1; hex += 2)
		message[message_len++] = (unsigned char)byte;
}

int main(int argc, char *argv[])
{
	static struct server servers[SERVERS];
	int is_stream = argc == 4 && strcmp(argv[1], "listen") == 0, first = is_stream ? 2 : 3;
	int n = (argc - first) / 2, times = argc > 1 ? atoi(argv[1]) : 0;

	if (n < 1 || n > SERVERS || argc != first + 2 * n || (!is_stream && times < 1) ||
	    times > TIMES_MAX) {
		(void)fprintf(stderr, "usage: call TIMES REQUEST SOCKET METHOD [SOCKET METHOD]\n"
				      "       call listen SOCKET METHOD\n");
		return 2;
	}
	if (!is_stream)
		read_message(argv[2]);
	for (int i = 0; i < n; i++) {
		servers[i].method = argv[first + 2 * i + 1];
		servers[i].took = calloc((size_t)times + 1, sizeof(long));
		greet(&servers[i], argv[first + 2 * i]);
	}
	if (is_stream)
		listen_on(&servers[0]);
	measure(servers, n, times);
	return 0;
}
