/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_check.h - would the plugin take this configuration?  All that is wrong with it, at once
 *
 * What a document is, a configuration, a list of them, a NetworkAttachmentDefinition or the node's
 * file, is seen from its members.  First all unknown keys are told and taken out, then all values
 * that their rows refuse.  When there are none, it goes through the very parser of the plugin, as
 * for an ADD, which tells the first that is wrong with several keys together.  No node is looked
 * at.
 */
#ifndef DEVINFO_DOCTOR_CONF_CHECK_H
#define DEVINFO_DOCTOR_CONF_CHECK_H

#include <jansson.h>
#include <stdbool.h>

/* Zeroed, but for the first three. */
struct conf_report {
	/* One line; a note is of what may be meant so, and is no finding. */
	void (*tell)(const char *text, bool is_note, void *arg);
	void *arg;
	bool only_ours;			/* not those that install.sh can give us to run as well */
	unsigned int findings;		/* how many were told */
	unsigned int plugins, checked;	/* how many there were, and are ours to judge */
	/* private */
	const char *within;		/* "spec.config: "; NULL */
	char plugin[32];		/* "plugins[1]", or "" */
};

/* Check an object, which is changed on the way; what it is, a constant. */
const char *conf_check(struct conf_report *r, json_t *doc);
/* The same of what is the node's file, whatever it looks like. */
const char *conf_check_node(struct conf_report *r, json_t *doc);

#endif
