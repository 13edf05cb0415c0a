/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.h - levelled key=value lines to stderr or a file; never stdout
 *
 * One line per event, each with the call's container id and interface.  Only cni/ and the programs
 * log above debug level: functions with a struct err report by that.  Whole configurations are
 * never logged, nor values that may be secrets.
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

/*
 * Append all later lines to this file, which the node's administrator chose (0600, created when
 * absent).
 */
int log_open(int root, const char *path, struct err *e) must_check;

/*
 * Append lines up to this level also to a file that the network chose, below dir.  fs_check_own()
 * must accept both, and the file must be regular with one hard link; symbolic links are not
 * followed.  The directory is made (0700) when absent.
 */
int log_open_below(int root, const char *dir, const char *path, enum log_level level,
		   struct err *e) must_check;

/* Check the path alone for log_open_below(): ERR_NETCONF when it is not in the directory. */
int log_check_below(const char *dir, const char *path, struct err *e) must_check;

/*
 * Log a line of key=value pairs; the only conversions are %s, %d and %u.  key=%s quotes a value
 * that is no plain word, key="%s" always does.  In quotes, '"' and '\' get a backslash in front,
 * and every byte but printable ASCII (control characters, all of UTF-8) becomes \xNN.  So a value
 * cannot pass for another pair or line, nor change how the text is shown.  A line is cut at 2048
 * bytes and still is valid pairs then.
 */
void log_line(enum log_level level, const char *fmt, ...) printflike(2, 3);

/*
 * Write the stderr of a plugin that we run, or a line, to our own stderr: at most PIPE_BUF bytes.
 * It is dropped when nobody reads them, for it must not block the call.
 */
void log_pass_on(const char *text, size_t len);
/* From now on log_pass_on() writes '?' for bytes that a terminal may take for a command. */
void log_pass_on_text_alone(void);

#define log_error(...)		log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...)	log_line(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...)		log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...)		log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
