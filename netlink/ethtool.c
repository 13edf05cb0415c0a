/* SPDX-License-Identifier: Apache-2.0 */
/* ethtool.c - what ethtool(8) sets of an interface: read it, and set it back */
#include "netlink/ethtool.h"

#include "base/mem.h"

#include <assert.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

enum {
	FEATURE_WORDS = 2,		/* of 32 bits, that the record has */
	FEATURE_WORDS_MAX = 8,		/* that a kernel may have */
	RULES_MAX = 65536,
};

/* 0, or -1 with errno; command begins with the number of what is asked. */
static int ask(struct nl *nl, const char *name, void *command)
{
	struct ifreq r = { .ifr_data = command };

	(void)snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", name);
	return ioctl(nl->fd, SIOCETHTOOL, &r);
}

/* -- what is one struct of the kernel's -- */

union part {
	uint32_t cmd;
	struct ethtool_channels channels;
	struct ethtool_ringparam ring;
	struct ethtool_coalesce coalesce;
};

static const struct subject {
	const char *what;
	uint32_t get, set;
	size_t size, at, len;
} subjects[] = {
#define SUBJECT(member, c) \
	{ #member, ETHTOOL_G##c, ETHTOOL_S##c, sizeof(((union part *)0)->member), \
	  offsetof(struct ethtool_state, member), offsetof(struct ethtool_state, member##_len) }
	/* channels first: their number may change what the others can be */
	SUBJECT(channels, CHANNELS),
	SUBJECT(ring, RINGPARAM),
	SUBJECT(coalesce, COALESCE),
};

static_assert(sizeof(struct ethtool_channels) == 36 && sizeof(struct ethtool_ringparam) == 36 &&
	      sizeof(struct ethtool_coalesce) == 92, "struct ethtool_state has other sizes");

static int get_part(struct nl *nl, const char *name, const struct subject *s, union part *ret)
{
	*ret = (union part){ .cmd = s->get };
	return ask(nl, name, ret);
}

static int restore_part(struct nl *nl, const char *name, const struct subject *s,
			const struct ethtool_state *was, struct err *e)
{
	union part before = { 0 }, now;

	if (((const uint8_t *)was)[s->len] != s->size || get_part(nl, name, s, &now) < 0)
		return 0;
	memcpy(&before, (const char *)was + s->at, s->size);
	now.cmd = before.cmd = s->set;
	if (memcmp(&before, &now, s->size) == 0 || ask(nl, name, &before) == 0)
		return 0;
	return err_set(e, ERR_NETLINK, errno, "set the %s of %s", s->what, name);
}

/* -- features -- */

/* struct ethtool_gfeatures, and struct ethtool_sfeatures */
struct features {
	uint32_t cmd, size;
	union {
		struct ethtool_get_features_block got[FEATURE_WORDS_MAX];
		struct ethtool_set_features_block to[FEATURE_WORDS_MAX];
	};
};

static int get_features(struct nl *nl, const char *name, struct features *ret)
{
	*ret = (struct features){ .cmd = ETHTOOL_GFEATURES, .size = FEATURE_WORDS_MAX };
	return ask(nl, name, ret);
}

static int restore_features(struct nl *nl, const char *name, const struct ethtool_state *was,
			    struct err *e)
{
	struct features now, want = { .cmd = ETHTOOL_SFEATURES };
	bool differs = false;

	if (!was->has_features || get_features(nl, name, &now) < 0)
		return 0;
	want.size = now.size;	/* the kernel takes no other one */
	for (unsigned int i = 0; i < FEATURE_WORDS && i < now.size; i++) {
		uint32_t before = (uint32_t)(was->features >> 32 * i);

		want.to[i].requested = before;
		want.to[i].valid = (before ^ now.got[i].requested) & now.got[i].available &
				   ~now.got[i].never_changed;
		differs |= want.to[i].valid != 0;
	}
	if (!differs || ask(nl, name, &want) >= 0)
		return 0;
	return err_set(e, ERR_NETLINK, errno, "set the features of %s", name);
}

/* -- flow rules -- */

/* How many there are, and where, in *ret, owned; -1 when it has none or cannot tell. */
static int get_rules(struct nl *nl, const char *name, struct ethtool_rxnfc **ret)
{
	struct ethtool_rxnfc count = { .cmd = ETHTOOL_GRXCLSRLCNT };
	auto_free struct ethtool_rxnfc *all = NULL;

	if (ask(nl, name, &count) < 0 || count.rule_cnt > RULES_MAX)
		return -1;
	if (count.rule_cnt == 0)
		return 0;
	all = calloc(1, sizeof(*all) + count.rule_cnt * sizeof(*all->rule_locs));
	if (!all)
		return -1;
	all->cmd = ETHTOOL_GRXCLSRLALL;
	all->rule_cnt = count.rule_cnt;
	if (ask(nl, name, all) < 0 || all->rule_cnt > count.rule_cnt)
		return -1;
	*ret = steal_ptr(&all);
	return (int)(*ret)->rule_cnt;
}

/* A set of them has room for low numbers; where there are others nothing is deleted later. */
static void read_rules(struct nl *nl, const char *name, struct ethtool_state *ret)
{
	auto_free struct ethtool_rxnfc *all = NULL;
	int n = get_rules(nl, name, &all);

	ret->has_rules = n >= 0;
	for (int i = 0; i < n; i++) {
		ret->has_rules &= all->rule_locs[i] < IDSET_IDS;
		idset_add(&ret->rules, all->rule_locs[i]);
	}
}

static int restore_rules(struct nl *nl, const char *name, const struct ethtool_state *was,
			 struct err *e)
{
	auto_free struct ethtool_rxnfc *all = NULL;
	int n = was->has_rules ? get_rules(nl, name, &all) : -1;
	int r = 0;

	for (int i = 0; i < n; i++) {
		struct ethtool_rxnfc one = {
			.cmd = ETHTOOL_SRXCLSRLDEL, .fs = { .location = all->rule_locs[i] },
		};

		if (!idset_has(&was->rules, one.fs.location) && ask(nl, name, &one) < 0)
			r = err_set(e, ERR_NETLINK, errno, "delete flow rule %u of %s",
				    one.fs.location, name);
	}
	return r;
}

/* -- all of it -- */

void ethtool_read(struct nl *nl, const char *name, struct ethtool_state *ret)
{
	struct features f;
	union part part;

	*ret = (struct ethtool_state){ 0 };
	ret->has_features = get_features(nl, name, &f) == 0;
	if (ret->has_features)
		ret->features = f.got[0].requested | (uint64_t)f.got[1].requested << 32;
	for (const struct subject *s = subjects; s < subjects + ARRAY_SIZE(subjects); s++) {
		if (get_part(nl, name, s, &part) < 0)
			continue;
		memcpy((char *)ret + s->at, &part, s->size);
		((uint8_t *)ret)[s->len] = (uint8_t)s->size;
	}
	read_rules(nl, name, ret);
}

int ethtool_restore(struct nl *nl, const char *name, const struct ethtool_state *was,
		    struct err *e)
{
	struct err all = { .code = ERR_OK }, one;

	for (const struct subject *s = subjects; s < subjects + ARRAY_SIZE(subjects); s++)
		if (restore_part(nl, name, s, was, &one) < 0)
			err_join(&all, &one);
	if (restore_rules(nl, name, was, &one) < 0)
		err_join(&all, &one);
	if (restore_features(nl, name, was, &one) < 0)
		err_join(&all, &one);
	return err_joined(&all, e);
}

/* -- the driver -- */

/* That of a VF often has none, and some say so in words; then nothing can be compared with it. */
static void take_version(const char from[32], char ret[32])
{
	(void)snprintf(ret, 32, "%.31s", strncmp(from, "N/A", 4) == 0 ? "" : from);
}

bool ethtool_read_driver(struct nl *nl, const char *name, struct ethtool_driver *ret)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };

	if (ask(nl, name, &info) < 0)
		return false;
	(void)snprintf(ret->name, sizeof(ret->name), "%.31s", info.driver);
	take_version(info.version, ret->version);
	take_version(info.fw_version, ret->firmware);
	return true;
}
