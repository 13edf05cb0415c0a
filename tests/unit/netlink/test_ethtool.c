/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_ethtool.c - what ethtool(8) sets is read and set back, on a driver that is played
 *
 * ioctl(2) is ours (see WRAP in GNUmakefile): no driver of the tests' machines has flow rules that
 * they could set.
 */
#include "base/mem.h"
#include "netlink/ethtool.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>

static struct {
	struct ethtool_drvinfo info;
	struct ethtool_channels channels;
	struct ethtool_ringparam ring;
	struct ethtool_coalesce coalesce;
	uint32_t requested[3], available[3];
	uint32_t rules[4], rule_count;
	uint32_t lacks[8];		/* commands that it does not have */
	uint32_t refuses;		/* the one that it refuses */
} driver;
static char asked[256];			/* commands that change something */
static struct nl nl;
static struct err err;

static void note(const char *what, uint32_t value)
{
	size_t used = strlen(asked);

	(void)snprintf(asked + used, sizeof(asked) - used, "%s%s %u", used ? ", " : "", what,
		       value);
}

/* The kernel's two words and one that is not known to us yet. */
static void tell_features(uint32_t *at)
{
	at[1] = 3;
	for (size_t i = 0; i < 3; i++) {
		at[2 + 4 * i] = driver.available[i];
		at[3 + 4 * i] = driver.requested[i];
		at[4 + 4 * i] = driver.requested[i];
		at[5 + 4 * i] = 1U << 31;	/* never changed */
	}
}

static int take_features(const uint32_t *at)
{
	if (at[1] != 3) {
		errno = EINVAL;
		return -1;
	}
	for (size_t i = 0; i < 3; i++)
		driver.requested[i] ^= (driver.requested[i] ^ at[3 + 2 * i]) & at[2 + 2 * i];
	note("features", at[2]);
	return 2;	/* ETHTOOL_F_WISH: not all of it is active, which is no error */
}

static int tell_rules(struct ethtool_rxnfc *c)
{
	if (c->rule_cnt < driver.rule_count) {
		errno = EMSGSIZE;
		return -1;
	}
	c->rule_cnt = driver.rule_count;
	memcpy(c->rule_locs, driver.rules, driver.rule_count * sizeof(*driver.rules));
	return 0;
}

static int answer(void *command)
{
	uint32_t cmd = *(const uint32_t *)command;

	for (size_t i = 0; i < ARRAY_SIZE(driver.lacks); i++)
		if (cmd == driver.lacks[i] || cmd == driver.refuses) {
			errno = cmd == driver.refuses ? EBUSY : EOPNOTSUPP;
			return -1;
		}
	switch (cmd) {
	case ETHTOOL_GDRVINFO:
		*(struct ethtool_drvinfo *)command = driver.info;
		return 0;
	case ETHTOOL_GCHANNELS:
		memcpy(command, &driver.channels, sizeof(driver.channels));
		return 0;
	case ETHTOOL_SCHANNELS:
		memcpy(&driver.channels, command, sizeof(driver.channels));
		note("channels", driver.channels.combined_count);
		return 0;
	case ETHTOOL_GRINGPARAM:
		memcpy(command, &driver.ring, sizeof(driver.ring));
		return 0;
	case ETHTOOL_SRINGPARAM:
		memcpy(&driver.ring, command, sizeof(driver.ring));
		note("ring", driver.ring.rx_pending);
		return 0;
	case ETHTOOL_GCOALESCE:
		memcpy(command, &driver.coalesce, sizeof(driver.coalesce));
		return 0;
	case ETHTOOL_SCOALESCE:
		memcpy(&driver.coalesce, command, sizeof(driver.coalesce));
		note("coalesce", driver.coalesce.rx_coalesce_usecs);
		return 0;
	case ETHTOOL_GFEATURES:
		tell_features(command);
		return 0;
	case ETHTOOL_SFEATURES:
		return take_features(command);
	case ETHTOOL_GRXCLSRLCNT:
		((struct ethtool_rxnfc *)command)->rule_cnt = driver.rule_count;
		return 0;
	case ETHTOOL_GRXCLSRLALL:
		return tell_rules(command);
	case ETHTOOL_SRXCLSRLDEL:
		note("delete", ((struct ethtool_rxnfc *)command)->fs.location);
		return 0;
	default:
		errno = EINVAL;
		return -1;
	}
}

int __wrap_ioctl(int fd, unsigned long request, struct ifreq *r);
int __wrap_ioctl(int fd, unsigned long request, struct ifreq *r)
{
	(void)fd;
	ok(request == 0x8946 && strcmp(r->ifr_name, "v0") == 0);
	return answer(r->ifr_data);
}

static struct ethtool_state read_driver(void)
{
	struct ethtool_state s;

	memset(&s, 0xff, sizeof(s));
	ethtool_read(&nl, "v0", &s);
	return s;
}

static int restored(const struct ethtool_state *was)
{
	*asked = '\0';
	err = (struct err){ 0 };
	return ethtool_restore(&nl, "v0", was, &err);
}

static void set_up(void)
{
	memset(&driver, 0, sizeof(driver));
	driver.channels.combined_count = 4;
	driver.ring.rx_pending = 1024;
	driver.coalesce.rx_coalesce_usecs = 3;
	driver.requested[0] = 0xf0;
	driver.requested[1] = 0x1;
	driver.available[0] = 0xff;
	driver.available[1] = 0xff;
}

static void test_restore(void)
{
	struct ethtool_state was;

	set_up();
	was = read_driver();
	test("what is as it was is left alone");
	ok(was.has_features && was.features == 0x1000000f0 && was.has_rules &&
	   idset_empty(&was.rules));
	ok(was.channels_len == 36 && was.ring_len == 36 && was.coalesce_len == 92);
	ok(restored(&was) == 0);
	eq(asked, "");
	test("what differs is set back, channels first, and features of all words in one request");
	driver.channels.combined_count = 1;
	driver.ring.rx_pending = 64;
	driver.coalesce.rx_coalesce_usecs = 900;
	driver.requested[0] = 0x0f;
	driver.requested[1] = 0;
	ok(restored(&was) == 0);
	eq(asked, "channels 4, ring 1024, coalesce 3, features 255");
	ok(driver.requested[0] == 0xf0 && driver.requested[1] == 1);
	test("a feature that the driver does not let be changed is not asked for");
	driver.requested[0] = 0xf0 | 1U << 31;
	ok(restored(&was) == 0);
	eq(asked, "");
	driver.requested[0] = 0x8f0;
	ok(restored(&was) == 0);
	eq(asked, "");
	test("what is refused is told, and the rest is set all the same");
	driver.ring.rx_pending = 64;
	driver.coalesce.rx_coalesce_usecs = 900;
	driver.refuses = ETHTOOL_SRINGPARAM;
	ok(restored(&was) == -1 && err.sys == EBUSY);
	eq(err.msg, "set the ring of v0");
	eq(asked, "coalesce 3");
}

static void test_driver(void)
{
	struct ethtool_driver d = { .name = "" };

	set_up();
	test("who drives it is told, however long that is");
	driver.info = (struct ethtool_drvinfo){ .driver = "igb", .fw_version = "3.25" };
	memset(driver.info.version, 'v', sizeof(driver.info.version));
	ok(ethtool_read_driver(&nl, "v0", &d));
	eq(d.name, "igb");
	eq(d.firmware, "3.25");
	ok(strlen(d.version) == 31);
	test("that there is no firmware, some say in words");
	driver.info = (struct ethtool_drvinfo){ .driver = "iavf", .fw_version = "N/A" };
	ok(ethtool_read_driver(&nl, "v0", &d));
	eq(d.firmware, "");
	test("or it is not");
	driver.lacks[0] = ETHTOOL_GDRVINFO;
	ok(!ethtool_read_driver(&nl, "v0", &d));
}

static void test_lacks(void)
{
	static const uint32_t all[] = { ETHTOOL_GCHANNELS, ETHTOOL_GRINGPARAM, ETHTOOL_GCOALESCE,
					ETHTOOL_GFEATURES, ETHTOOL_GRXCLSRLCNT };
	struct ethtool_state was;

	set_up();
	memcpy(driver.lacks, all, sizeof(all));
	was = read_driver();
	test("what a driver does not have is not there, and is not set");
	ok(!was.has_features && !was.has_rules && was.channels_len == 0 && was.ring_len == 0 &&
	   was.coalesce_len == 0);
	ok(restored(&was) == 0);
	eq(asked, "");
	set_up();
	driver.rule_count = 1;
	ok(restored(&was) == 0);
	eq(asked, "");
	test("nor what it cannot tell any more");
	was = read_driver();
	memcpy(driver.lacks, all, sizeof(all));
	ok(restored(&was) == 0);
	eq(asked, "");
}

static void test_rules(void)
{
	struct ethtool_state was;

	set_up();
	driver.rule_count = 1;
	driver.rules[0] = 7;
	was = read_driver();
	test("flow rules that were not there are deleted, the host's stay");
	ok(was.has_rules && idset_has(&was.rules, 7) && !idset_has(&was.rules, 8));
	driver.rule_count = 3;
	driver.rules[1] = 8;
	driver.rules[2] = 70000;
	ok(restored(&was) == 0);
	eq(asked, "delete 8, delete 70000");
	driver.refuses = ETHTOOL_SRXCLSRLDEL;
	ok(restored(&was) == -1);
	eq(err.msg, "delete flow rule 70000 of v0");
	driver.refuses = 0;
	test("a number that the record has no room for: then none is deleted");
	was = read_driver();
	ok(!was.has_rules);
	driver.rule_count = 1;
	driver.rules[0] = 3;
	ok(restored(&was) == 0);
	eq(asked, "");
	test("a list that cannot be read deletes none, either");
	was = read_driver();
	driver.rules[0] = 4;
	driver.refuses = ETHTOOL_GRXCLSRLALL;
	ok(was.has_rules && restored(&was) == 0);
	eq(asked, "");
}

int main(void)
{
	nl = (struct nl){ .open = true, .fd = dup(STDIN_FILENO) };
	test_restore();
	test_driver();
	test_lacks();
	test_rules();
	nl_done(&nl);
	return tap_end();
}
