/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.c - the floor: one question of a gRPC server behind a socket, and nothing else
 *
 *	ask SOCKET
 *
 * The bytes of the question are written by hand, and of the answer the frames alone are told apart:
 * no HTTP/2 library, no protobuf, no configuration, no output.  Exits with 0 when the server has
 * answered on the stream and ended it.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { FRAME = 9, DATA = 0, HEADERS = 1, SETTINGS = 4, END_STREAM = 1, END_HEADERS = 4 };

static char out[1024], in[65536];
static size_t len;

static void put(const void *bytes, size_t n)
{
	memcpy(out + len, bytes, n);
	len += n;
}

static void put_frame(int type, int flags, int stream, size_t size)
{
	const char head[FRAME] = { 0, (char)(size >> 8), (char)size, (char)type, (char)flags,
				   0, 0, 0, (char)stream };

	put(head, sizeof(head));
}

/* Literal, without an index and without Huffman's code: a length each, and the bytes. */
static size_t put_header(char *to, const char *name, const char *value)
{
	return (size_t)snprintf(to, 128, "%c%c%s%c%s", 0, (char)strlen(name), name,
				(char)strlen(value), value);
}

static void compose(void)
{
	static const char question[] = { 0, 0, 0, 0, 0 };	/* not compressed, of no bytes */
	char headers[512];
	size_t n = 0;

	n += put_header(headers + n, ":method", "POST");
	n += put_header(headers + n, ":scheme", "http");
	n += put_header(headers + n, ":path", "/v1.PodResourcesLister/List");
	n += put_header(headers + n, ":authority", "localhost");
	n += put_header(headers + n, "content-type", "application/grpc");
	n += put_header(headers + n, "te", "trailers");
	put("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24);
	put_frame(SETTINGS, 0, 0, 0);
	put_frame(HEADERS, END_HEADERS, 1, n);
	put(headers, n);
	put_frame(DATA, END_STREAM, 1, sizeof(question));
	put(question, sizeof(question));
}

/* 1: the stream has ended; 0: more is to come. */
static int has_ended(size_t have)
{
	for (size_t at = 0; at + FRAME <= have;) {
		const unsigned char *f = (const unsigned char *)in + at;

		if ((f[3] == DATA || f[3] == HEADERS) && f[4] & END_STREAM && f[8] == 1)
			return 1;
		at += FRAME + ((size_t)f[0] << 16 | (size_t)f[1] << 8 | f[2]);
	}
	return 0;
}

int main(int argc, char *argv[])
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	size_t have = 0;

	if (argc != 2 || strlen(argv[1]) >= sizeof(to.sun_path))
		return 2;
	(void)strcpy(to.sun_path, argv[1]);
	compose();
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0 ||
	    write(fd, out, len) != (ssize_t)len) {
		perror(to.sun_path);
		return 1;
	}
	while (!has_ended(have)) {
		ssize_t n = read(fd, in + have, sizeof(in) - have);

		if (n <= 0)
			return 1;
		have += (size_t)n;
	}
	return 0;
}
