/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - run a program and have all that it prints, or nothing
 */
#ifndef INSTALL_IMAGE_RUN_H
#define INSTALL_IMAGE_RUN_H

#include "base/err.h"

#include <stddef.h>

/*
 * Run argv[0], which execvp(3) finds, and wait for its end for ms at most; its standard error is
 * ours.  Its output becomes *ret, NUL-terminated, which the caller frees.  A program that cannot be
 * executed, is late, prints more than 16 MiB or ends with another status than 0 is an error.
 */
int run_program(char *const *argv, unsigned int ms, char **ret, size_t *len, struct err *e)
	must_check;

#endif
