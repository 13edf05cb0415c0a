/* SPDX-License-Identifier: Apache-2.0 */
/* ctl_validate_conf.c - devinfoctl validate-conf: would the plugin take these configurations? */
#include "devinfo/ctl/ctl.h"

#include "base/jx.h"
#include "base/mem.h"
#include "conf/netconf.h"
#include "devinfo/doctor/conf_check.h"

#include <stdbool.h>
#include <stdio.h>

/* An object; new reference. */
static json_t *read_document(const char *file, struct err *e)
{
	auto_free char *text = NULL;
	json_auto_t *doc = NULL;
	size_t len = 0;

	if (ctl_read_file(file, NETCONF_MAX, &text, &len, e) < 0)
		return NULL;
	doc = jx_parse(text, len, ERR_DECODE, file, e);
	if (doc && !json_is_object(doc)) {
		(void)err_set(e, ERR_DECODE, 0, "%s: expected an object, got %s", file,
			      jx_type_name(doc));
		return NULL;
	}
	return steal_ptr(&doc);
}

/* arg: the file */
static void put_line(const char *text, bool is_note, void *arg)
{
	(void)is_note;
	ctl_put_line(stdout, "%s: %s", (const char *)arg, text);
}

static enum ctl_status validate_one(char *file)
{
	struct conf_report r = { .tell = put_line, .arg = file };
	json_auto_t *doc = NULL;
	const char *what;
	struct err e;

	doc = read_document(file, &e);
	if (!doc) {
		ctl_put_err(stdout, &e);
		return CTL_FAILED;
	}
	what = conf_check(&r, doc);
	if (r.findings > 0)
		return CTL_FAILED;
	if (r.plugins > 0)
		ctl_put_line(stdout, "%s: ok (%s, %u of %u plugins checked)", file, what,
			     r.checked, r.plugins);
	else
		ctl_put_line(stdout, "%s: ok (%s)", file, what);
	return CTL_OK;
}

enum ctl_status ctl_validate_conf(const struct host *host, const struct ctl_options *opt,
				  char *const *operands)
{
	enum ctl_status status = CTL_OK;

	(void)host;
	(void)opt;
	for (; *operands; operands++)
		if (validate_one(*operands) != CTL_OK)
			status = CTL_FAILED;
	return status;
}
