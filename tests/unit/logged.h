/* SPDX-License-Identifier: Apache-2.0 */
/* logged.h - what the code under test has logged, for unit tests */
#ifndef TESTS_UNIT_LOGGED_H
#define TESTS_UNIT_LOGGED_H

#include "tests/unit/tap.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* From here on standard error, and so the log, is kept for logged(), without what came before. */
static inline void keep_log(void)
{
	int fd = memfd_create("log", MFD_CLOEXEC);

	ok(dup2(fd, STDERR_FILENO) == STDERR_FILENO && close(fd) == 0);
}

/* Has the log this text? */
static inline bool logged(const char *text)
{
	char log[4096];
	ssize_t len = pread(STDERR_FILENO, log, sizeof(log) - 1, 0);

	log[len < 0 ? 0 : len] = '\0';
	return strstr(log, text) != NULL;
}

#endif
