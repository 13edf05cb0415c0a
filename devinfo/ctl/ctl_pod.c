/* SPDX-License-Identifier: Apache-2.0 */
/* ctl_pod.c - what the commands about one pod have in common */
#include "devinfo/ctl/ctl_pod.h"

#include "base/name.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool ctl_split_pod(const char *text, char *buf, size_t size, struct pod *ret)
{
	char *slash;

	if (strlen(text) >= size)
		return false;
	memcpy(buf, text, strlen(text) + 1);
	slash = strchr(buf, '/');
	if (!slash)
		return false;
	*slash = '\0';
	ret->name_space = buf;
	ret->name = slash + 1;
	return name_is_dns_label(ret->name_space) && name_is_dns_subdomain(ret->name);
}

/* -- waiting -- */

static char awaited[64];

static void on_second(int sig)
{
	(void)sig;
	(void)!write(STDERR_FILENO, awaited, strlen(awaited));
}

void ctl_await(const char *whom)
{
	const struct sigaction sa = { .sa_handler = on_second, .sa_flags = SA_RESTART };

	(void)snprintf(awaited, sizeof(awaited), "devinfoctl: waiting for %.30s...\n", whom);
	(void)sigaction(SIGALRM, &sa, NULL);
	(void)alarm(1);
}

void ctl_await_end(void)
{
	(void)alarm(0);
}
