/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count.h - a number that a preload tells at the end, in a file of the test's
 *
 * The file is opened and mapped at the start: the program closes what it did not open, and may give
 * up to write anywhere but in its own directories.
 */
#ifndef TESTS_TOOL_COUNT_H
#define TESTS_TOOL_COUNT_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { COUNT_TEXT = 24 };

static char *count_text;	/* NULL: nobody asks */

static void count_tell(long n)
{
	char text[COUNT_TEXT + 1];

	if (!count_text)
		return;
	(void)snprintf(text, sizeof(text), "%*ld\n", COUNT_TEXT - 1, n);
	memcpy(count_text, text, COUNT_TEXT);
}

static void count_open(const char *file)
{
	int fd = open(file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, COUNT_TEXT) < 0)
		abort();
	count_text = mmap(NULL, COUNT_TEXT, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (count_text == MAP_FAILED)
		abort();
	(void)close(fd);
	count_tell(0);
}

#endif
