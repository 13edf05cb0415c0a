/* SPDX-License-Identifier: Apache-2.0 */
/*
 * echo.c - a bare gRPC server of devinfo/grpc/: it answers with what it was asked
 *
 *	echo SOCKET METHOD	... "/package.Service/Method"; until it is killed
 *
 * Prints "ready", and for each call of a Register, of kubelet's, whose part it plays then, the time
 * of the day in us.
 */
#include "devinfo/grpc/server.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { CLIENTS_MAX = 16 };

static struct grpc_connection *clients[CLIENTS_MAX];

static void tell_time(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_REALTIME, &t);
	(void)printf("%lld\n", (long long)t.tv_sec * 1000000 + t.tv_nsec / 1000);
	(void)fflush(stdout);
}

static void answer(struct grpc_call *call, const unsigned char *msg, size_t len, void *arg)
{
	const struct grpc_method *m = arg;

	if (strstr(m->path, "/Register"))
		tell_time();
	if (grpc_call_send(call, msg, len) == 0)
		grpc_call_end(call, GRPC_OK, NULL);
}

static void take_client(int listener, const struct grpc_service *s)
{
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), i = 0;
	struct err e;

	while (i < CLIENTS_MAX - 1 && clients[i])
		i++;
	if (fd >= 0 && clients[i])
		(void)close(fd);
	else if (fd >= 0)
		clients[i] = grpc_connection_new(fd, s, &e);
}

static void serve(int listener, const struct grpc_service *s)
{
	struct pollfd fds[CLIENTS_MAX + 1] = { { .fd = listener, .events = POLLIN } };
	struct err e;

	for (int i = 0; i < CLIENTS_MAX; i++)
		fds[i + 1] = (struct pollfd){
			.fd = clients[i] ? grpc_connection_fd(clients[i]) : -1,
			.events = clients[i] ? grpc_connection_events(clients[i]) : 0,
		};
	(void)poll(fds, CLIENTS_MAX + 1, -1);
	for (int i = 0; i < CLIENTS_MAX; i++) {
		if (!fds[i + 1].revents ||
		    grpc_connection_go_on(clients[i], fds[i + 1].revents, &e) == 0)
			continue;
		grpc_connection_free(clients[i]);
		clients[i] = NULL;
	}
	if (fds[0].revents)
		take_client(listener, s);
}

int main(int argc, char *argv[])
{
	struct grpc_method method = { .path = argc == 3 ? argv[2] : NULL, .begin = answer };
	const struct grpc_service service = {
		.methods = &method, .n = 1, .max_request = 65536, .max_calls = 16, .arg = &method,
	};
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (argc != 3 || strlen(argv[1]) >= sizeof(at.sun_path)) {
		(void)fprintf(stderr, "usage: echo SOCKET METHOD\n");
		return 2;
	}
	(void)strcpy(at.sun_path, argv[1]);
	(void)signal(SIGPIPE, SIG_IGN);
	if (bind(listener, (struct sockaddr *)&at, sizeof(at)) < 0 || listen(listener, 64) < 0) {
		perror(at.sun_path);
		return 1;
	}
	(void)puts("ready");
	(void)fflush(stdout);
	for (;;)
		serve(listener, &service);
}
