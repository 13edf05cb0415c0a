/* SPDX-License-Identifier: Apache-2.0 */
/*
 * responder.c - a server that costs next to nothing: it answers every call as a kubelet once did
 *
 *	responder SOCKET RECORDING	one of tests/node/podresources/...hex; until SIGTERM
 */
#include "tests/unit/grpc_server.h"

int main(int argc, char *argv[])
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	static struct request request;
	struct wire answer = { 0 };
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (argc != 3 || strlen(argv[1]) >= sizeof(addr.sun_path)) {
		(void)fprintf(stderr, "usage: responder SOCKET RECORDING\n");
		return 2;
	}
	(void)strcpy(addr.sun_path, argv[1]);
	put_recording(&answer, argv[2]);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)unlink(addr.sun_path);
	if (bind(listener, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    listen(listener, 64) < 0) {
		perror(addr.sun_path);
		return 1;
	}
	(void)puts("ready");
	(void)fflush(stdout);
	for (;;) {
		int fd = accept(listener, NULL, NULL);

		request_read(fd, &request);
		wire_send(fd, &answer, 0);
		wait_for_close(fd);
		(void)close(fd);
	}
}
