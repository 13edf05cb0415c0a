/* SPDX-License-Identifier: Apache-2.0 */
/* known_text.c - the forms of texts that stay */
#include "manager/inventory/known_part.h"

#include "base/mem.h"
#include "base/name.h"

#include <ctype.h>
#include <string.h>

#define LOWER	"abcdefghijklmnopqrstuvwxyz"
#define UPPER	"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS	"0123456789"

enum {
	WORD_MAX = 1024, SAID_MAX = 1024, NAME_LEN = 64,
	RANDOM_MIN = 16,		/* characters of a token that is told by its look */
};

/*
 * Of so many characters in one run both cases and digits: no name is like that, but a token.
 * Resources of device plugins are called intel_sriov_dpdk_VF0, so a '_' ends a run.
 */
static bool looks_random(const char *text)
{
	static const char run[] = LOWER UPPER DIGITS "+=";

	for (size_t len; *text; text += len + (text[len] != '\0')) {
		len = strspn(text, run);
		if (len >= RANDOM_MIN && strcspn(text, LOWER) < len && strcspn(text, UPPER) < len &&
		    strcspn(text, DIGITS) < len)
			return true;
	}
	return false;
}

bool known_is_word(const char *text)
{
	size_t len = strspn(text, LOWER UPPER DIGITS "._:/@+,*?!#~[]{}-");

	return !text[len] && len <= WORD_MAX && !looks_random(text);
}

static bool is_path(const char *text)
{
	return (*text == '/' || !*text) && known_is_word(text);
}

/* Of hardware or IP, with a length of prefix, and IPv6 with dots in it. */
static bool is_address(const char *text)
{
	return !text[strspn(text, DIGITS "abcdefABCDEF.:/-")] && strlen(text) <= NAME_LEN;
}

/* What our own programs, the kernel or kubelet said of something. */
static bool is_said(const char *text)
{
	for (const char *p = text; *p; p++)
		if (iscntrl((unsigned char)*p))
			return false;
	return strlen(text) <= SAID_MAX && !looks_random(text);
}

static bool is_hex(const char *text)
{
	return !text[strspn(text, DIGITS "abcdefABCDEF:")] && strlen(text) <= WORD_MAX;
}

static bool is_device_id(const char *text)
{
	return !*text || (name_is_device_id(text) && known_is_word(text));
}

static bool is_uid(const char *text)
{
	return !text[strspn(text, DIGITS "abcdefABCDEF-")] && strlen(text) <= NAME_LEN;
}

static bool (*const fits[SHAPES])(const char *text) = {
	[SHAPE_WORD] = known_is_word,
	[SHAPE_PLAIN] = known_is_word,
	[SHAPE_HEX] = is_hex,
	[SHAPE_PATH] = is_path,
	[SHAPE_ADDRESS] = is_address,
	[SHAPE_UID] = is_uid,
	[SHAPE_DEVICE_ID] = is_device_id,
	[SHAPE_SAID] = is_said,
	/* no text has that form, or it is looked into */
	[SHAPE_NUMBER] = NULL, [SHAPE_HIDDEN] = NULL, [SHAPE_OBJECT] = NULL, [SHAPE_JSON] = NULL,
	[SHAPE_CODED] = NULL, [SHAPE_PAIRS] = NULL,
};

bool known_fits(enum shape shape, const char *text)
{
	return fits[shape] && fits[shape](text);
}

/* "ID=debian", "vendor.io/x=1", "vendor.io/flag", "# +expiry-time=...", "# +no-label". */
bool known_is_assignment(const char *line)
{
	static const char expiry[] = "# +expiry-time=";
	size_t len = strcspn(line, "=");
	auto_free char *name = strndup(line, len);
	const char *value = line[len] ? line + len + 1 : "";

	if (strncmp(line, expiry, strlen(expiry)) == 0)
		return is_said(value);
	if (strcmp(line, "# +no-label") == 0 || strcmp(line, "# +no-feature") == 0)
		return true;
	return name && *name && *name != '#' && known_is_word(name) &&
	       strlen(value) <= 2 * NAME_LEN &&
	       !value[strspn(value, LOWER UPPER DIGITS "._:/-\"() ")] && !looks_random(value);
}
