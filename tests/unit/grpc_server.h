/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grpc_server.h - a scripted peer for the tests of client.c and podres.c
 *
 * A forked child accepts connections on a unix socket in a directory of its own and plays a script
 * on each.  The bytes are made by hand, so that a script can be as wrong as a test needs; for a
 * correct server there is tests/fake/kubelet.py.
 *
 *	server_start(&s, play, 1);	play(fd, nth) runs in the child
 *	... grpc_unary(s.root, SOCKET, ...)
 *	ok(server_stop(&s) == 0);	no expect() of the child failed
 */
#ifndef TESTS_UNIT_GRPC_SERVER_H
#define TESTS_UNIT_GRPC_SERVER_H

#include "base/attr.h"

#include <ctype.h>
#include <fcntl.h>
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOCKET "/kubelet.sock"

struct server {
	pid_t pid;
	int root;		/* of the directory */
	int listener;
	char dir[64];
};

static int expect_failed;

#define expect(cond)                                                                          \
	do {                                                                                  \
		if (!(cond)) {                                                                \
			expect_failed = 1;                                                    \
			(void)fprintf(stderr, "# server: %s:%d %s\n", __FILE__, __LINE__, #cond); \
		}                                                                             \
	} while (0)

/* -- life -- */

static inline void server_listen(struct server *s, int backlog)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	*s = (struct server){ .pid = -1, .dir = "/tmp/test-grpc-XXXXXX" };
	if (!mkdtemp(s->dir))
		abort();
	s->root = open(s->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	s->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	(void)snprintf(addr.sun_path, sizeof(addr.sun_path), "%s%s", s->dir, SOCKET);
	if (bind(s->listener, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    listen(s->listener, backlog) < 0)
		abort();
}

static inline void server_start(struct server *s, void (*play)(int fd, int nth), int connections)
{
	server_listen(s, 8);
	(void)fflush(stdout);
	s->pid = fork();
	if (s->pid != 0)
		return;
	(void)signal(SIGPIPE, SIG_IGN);
	(void)alarm(30);
	for (int i = 0; i < connections; i++) {
		int fd = accept(s->listener, NULL, NULL);

		play(fd, i);
		(void)close(fd);
	}
	_exit(expect_failed);
}

static inline int server_stop(struct server *s)
{
	int status = 0;
	char path[128];

	if (s->pid > 0)
		(void)waitpid(s->pid, &status, 0);
	(void)close(s->listener);
	(void)close(s->root);
	(void)snprintf(path, sizeof(path), "%s%s", s->dir, SOCKET);
	(void)unlink(path);
	(void)rmdir(s->dir);
	return status;
}

/* -- what the client sent -- */

struct request {
	char headers[1024];		/* "name: value\n" each */
	char path[128];
	unsigned char msg[64 * 1024];	/* of DATA, prefix included */
	size_t len;
	size_t reads;			/* calls of read(2) it took */
	int saw_window_update;
};

static inline void request_headers(struct request *r, unsigned char *p, size_t len)
{
	nghttp2_hd_inflater *inflater;
	size_t used = 0;

	if (nghttp2_hd_inflate_new(&inflater))
		abort();
	for (int flags = 0; !(flags & NGHTTP2_HD_INFLATE_FINAL);) {
		nghttp2_nv nv;
		ssize_t n = nghttp2_hd_inflate_hd2(inflater, &nv, &flags, p, len, 1);

		if (n < 0)
			abort();
		p += n, len -= (size_t)n;
		if (!(flags & NGHTTP2_HD_INFLATE_EMIT))
			continue;
		used += (size_t)snprintf(r->headers + used, sizeof(r->headers) - used, "%s: %s\n",
					 (char *)nv.name, (char *)nv.value);
		if (strcmp((char *)nv.name, ":path") == 0)
			(void)snprintf(r->path, sizeof(r->path), "%s", (char *)nv.value);
	}
	nghttp2_hd_inflate_del(inflater);
}

/* One frame at p; 1 when it ends the request. */
static inline int request_frame(struct request *r, unsigned char *p, size_t len)
{
	unsigned char type = p[3], flags = p[4];

	if (type == NGHTTP2_WINDOW_UPDATE)
		r->saw_window_update = 1;
	if (type == NGHTTP2_HEADERS)
		request_headers(r, p + 9, len);
	if (type != NGHTTP2_DATA || r->len + len > sizeof(r->msg))
		return 0;
	memcpy(r->msg + r->len, p + 9, len);
	r->len += len;
	return flags & NGHTTP2_FLAG_END_STREAM;
}

/* Read up to the end of the request. */
static inline void request_read(int fd, struct request *r)
{
	static unsigned char buf[256 * 1024];
	size_t have = 0, at = NGHTTP2_CLIENT_MAGIC_LEN;

	memset(r, 0, sizeof(*r));
	for (;;) {
		ssize_t n = read(fd, buf + have, sizeof(buf) - have);

		expect(n > 0);
		if (n <= 0)
			return;
		have += (size_t)n;
		r->reads++;
		while (have >= at + 9) {
			size_t len = (size_t)buf[at] << 16 | (size_t)buf[at + 1] << 8 | buf[at + 2];

			if (have < at + 9 + len)
				break;
			if (request_frame(r, buf + at, len)) {
				expect(memcmp(buf, NGHTTP2_CLIENT_MAGIC,
					      NGHTTP2_CLIENT_MAGIC_LEN) == 0);
				return;
			}
			at += 9 + len;
		}
	}
}

/* -- what the server sends -- */

struct wire {
	unsigned char *data;
	size_t len, size;
};

static inline void wire_done(struct wire *w)
{
	free(w->data);
	*w = (struct wire){ 0 };
}

#define auto_wire auto_with(wire_done)

static inline void put(struct wire *w, const void *data, size_t len)
{
	if (w->len + len > w->size || !w->data) {
		w->size = 2 * (w->len + len) + 64;
		w->data = realloc(w->data, w->size);
		if (!w->data)
			abort();
	}
	if (len > 0)
		memcpy(w->data + w->len, data, len);
	w->len += len;
}

static inline void put_frame(struct wire *w, int type, int flags, int stream, const void *data,
			     size_t len)
{
	unsigned char head[9] = { (unsigned char)(len >> 16), (unsigned char)(len >> 8),
				  (unsigned char)len, (unsigned char)type, (unsigned char)flags,
				  0, 0, 0, (unsigned char)stream };

	put(w, head, sizeof(head));
	put(w, data, len);
}

/* HPACK, literal without indexing, new name, no Huffman: text up to 126 bytes. */
static inline void put_header(struct wire *w, const char *name, const char *value)
{
	unsigned char n = (unsigned char)strlen(name), v = (unsigned char)strlen(value);

	put(w, "\0", 1);
	put(w, &n, 1);
	put(w, name, n);
	put(w, &v, 1);
	put(w, value, v);
}

/* SETTINGS, the acknowledgement of the client's. */
static inline void put_settings(struct wire *w)
{
	put_frame(w, NGHTTP2_SETTINGS, 0, 0, NULL, 0);
	put_frame(w, NGHTTP2_SETTINGS, NGHTTP2_FLAG_ACK, 0, NULL, 0);
}

static inline void put_head(struct wire *w, const char *status)
{
	auto_wire struct wire h = { 0 };

	put_header(&h, ":status", status);
	put_header(&h, "content-type", "application/grpc");
	put_frame(w, NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1, h.data, h.len);
}

/* A grpc prefix and the message, in frames of at most 16 KiB. */
static inline void put_message(struct wire *w, int compressed, size_t announced, const void *data,
			       size_t len)
{
	auto_wire struct wire m = { 0 };
	unsigned char prefix[5] = { (unsigned char)compressed, (unsigned char)(announced >> 24),
				    (unsigned char)(announced >> 16),
				    (unsigned char)(announced >> 8), (unsigned char)announced };

	put(&m, prefix, sizeof(prefix));
	put(&m, data, len);
	for (size_t at = 0; at < m.len; at += 16384)
		put_frame(w, NGHTTP2_DATA, 0, 1, m.data + at,
			  m.len - at < 16384 ? m.len - at : 16384);
}

static inline void put_trailers(struct wire *w, const char *status, const char *message)
{
	auto_wire struct wire h = { 0 };

	put_header(&h, "grpc-status", status);
	put_header(&h, "grpc-message", message);
	put_frame(w, NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM, 1, h.data,
		  h.len);
}

/* An error as grpc-go sends it: one HEADERS frame. */
static inline void put_refusal(struct wire *w, const char *status, const char *message)
{
	auto_wire struct wire h = { 0 };

	put_settings(w);
	put_header(&h, ":status", "200");
	put_header(&h, "content-type", "application/grpc");
	put_header(&h, "grpc-status", status);
	put_header(&h, "grpc-message", message);
	put_frame(w, NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM, 1, h.data,
		  h.len);
}

static inline void put_answer(struct wire *w, const void *msg, size_t len)
{
	put_settings(w);
	put_head(w, "200");
	put_message(w, 0, len, msg, len);
	put_trailers(w, "0", "");
}

/* step is how much to write at a time, 0 for all at once. */
static inline void wire_send(int fd, const struct wire *w, size_t step)
{
	for (size_t at = 0; at < w->len;) {
		size_t rest = w->len - at;
		ssize_t n = write(fd, w->data + at, step > 0 && step < rest ? step : rest);

		if (n < 0)
			return;		/* the client has seen enough */
		at += (size_t)n;
		if (step > 0)
			(void)usleep(100);
	}
}

/* Let the client close first, so that no answer is lost in the closing. */
static inline void wait_for_close(int fd)
{
	char buf[4096];

	while (read(fd, buf, sizeof(buf)) > 0)
		;
}

/* -- recordings -- */

static inline size_t unhex(const char *text, unsigned char *ret, size_t size)
{
	size_t n = 0;

	for (; n < size && isxdigit((unsigned char)text[0]) && isxdigit((unsigned char)text[1]);
	     text += 2) {
		unsigned int byte;

		(void)sscanf(text, "%2x", &byte);
		ret[n++] = (unsigned char)byte;
	}
	return n;
}

/* All that the kubelet said in a recording. */
static inline void put_recording(struct wire *w, const char *file)
{
	static char line[8192];
	static unsigned char bytes[4096];
	FILE *f = fopen(file, "re");

	while (f && fgets(line, sizeof(line), f))
		if (line[0] == '<')
			put(w, bytes, unhex(line + 2, bytes, sizeof(bytes)));
	if (!f || w->len == 0)
		abort();
	(void)fclose(f);
}

/* Where the frame at this offset ends. */
static inline size_t frame_end(const struct wire *w, size_t at)
{
	const unsigned char *p = w->data + at;

	return at + 9 + ((size_t)p[0] << 16 | (size_t)p[1] << 8 | p[2]);
}

/*
 * Send the kubelet's lines of a recording.  Where the recorded client spoke, wait for ours: for
 * ever the first time, which brings the request, later a moment, as it may have nothing to say.
 */
static inline void replay(int fd, const char *file, size_t step)
{
	static char line[8192];
	static unsigned char bytes[4096];
	FILE *f = fopen(file, "re");
	int wait = -1;

	expect(f);
	while (f && fgets(line, sizeof(line), f)) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		auto_wire struct wire w = { 0 };

		if (line[0] == '>') {
			if (poll(&p, 1, wait) > 0 && read(fd, bytes, sizeof(bytes)) <= 0)
				expect(wait > 0);	/* later it may be content and gone */
			wait = 20;
			continue;
		}
		put(&w, bytes, unhex(line + 2, bytes, sizeof(bytes)));
		expect(w.len > 0);
		wire_send(fd, &w, step);
	}
	wait_for_close(fd);
}

#endif
