/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.h - levelled key=value lines to stderr or a file; never stdout
 *
 * One line per event, each with the call's container id and interface.  Nothing
 * below cni/ and the programs logs above debug: functions with a struct err speak
 * through it.  Whole configurations are never logged, nor values that may be secrets.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/attr.h"
#include "base/err.h"

#include <stddef.h>

/* sriov-cni's level names are accepted in any case: panic counts as error, verbose as debug. */
enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* 1 and *ret for a known name, 0 otherwise. */
int log_level_from_name(const char *name, enum log_level *ret) must_check;

/* Name the call in every later line; both are borrowed and may be NULL. */
void log_context(const char *container_id, const char *ifname);
void log_set_level(enum log_level level);

/* Append to this file of the administrator's from now on (0600, created when absent). */
int log_open(int root, const char *path, struct err *e) must_check;

/*
 * And to one that the network chose, up to a level that it chose: a file in this directory, both
 * as fs_check_own() wants them, and the file a regular one with one name.  Links are not followed.
 * The directory is made (0700) when absent.
 */
int log_open_below(int root, const char *dir, const char *path, enum log_level level,
		   struct err *e) must_check;

/* What of that the path alone tells: ERR_NETCONF when it is not in the directory. */
int log_check_below(const char *dir, const char *path, struct err *e) must_check;

/*
 * Text of key=value pairs, %s, %d and %u being the only conversions: key=%s puts what is no plain
 * word into quotes, key="%s" always does.  Within them quotes and backslashes have a backslash in
 * front, and every byte but printable ASCII (control characters, all of UTF-8) is \xNN.  So a value
 * cannot pass for another pair, nor for another line, nor change how the text is shown.  A line of
 * 2048 bytes is cut, and is pairs even so.
 */
void log_line(enum log_level level, const char *fmt, ...) printflike(2, 3);

/*
 * To our own stderr, what a program of ours has said, or a line; lost when nobody reads that, for
 * it must not hold the call.  At most PIPE_BUF bytes.
 */
void log_pass_on(const char *text, size_t len);
/* From now on what a terminal may take for a command is '?' there. */
void log_pass_on_text_alone(void);

#define log_error(...)		log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...)	log_line(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...)		log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...)		log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
