/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vf_change.c - what of a VF that nobody has is not as a free one's
 *
 * A VF's attributes on its PF are the administrator's to set as well, and so is its driver.  So a
 * VF is only judged that is free beyond doubt, and by what no driver sets of itself: MAC addresses
 * and the spoof check differ between drivers.  What all VFs of the PF have is the administrator's
 * wish.
 */
#include "manager/inventory/vf_change.h"

#include "base/mem.h"
#include "manager/inventory/in_use.h"

#include <stdio.h>
#include <string.h>

struct attribute {
	bool (*is_default)(const struct inv_vf *v);
	bool (*equal)(const struct inv_vf *a, const struct inv_vf *b);
	void (*tell)(const struct inv_vf *v, char ret[64]);
};

static bool no_vlan(const struct inv_vf *v)
{
	return v->vlan == 0 && v->qos == 0;
}

static bool same_vlan(const struct inv_vf *a, const struct inv_vf *b)
{
	return a->vlan == b->vlan && a->qos == b->qos;
}

static void tell_vlan(const struct inv_vf *v, char ret[64])
{
	(void)snprintf(ret, 64, "vlan %d qos %d", v->vlan, v->qos);
}

static bool no_rate(const struct inv_vf *v)
{
	return v->min_tx_rate == 0 && v->max_tx_rate == 0;
}

static bool same_rate(const struct inv_vf *a, const struct inv_vf *b)
{
	return a->min_tx_rate == b->min_tx_rate && a->max_tx_rate == b->max_tx_rate;
}

static void tell_rate(const struct inv_vf *v, char ret[64])
{
	(void)snprintf(ret, 64, "min_tx_rate %d max_tx_rate %d", v->min_tx_rate, v->max_tx_rate);
}

static bool no_trust(const struct inv_vf *v)
{
	return !v->trust;
}

static bool same_trust(const struct inv_vf *a, const struct inv_vf *b)
{
	return a->trust == b->trust;
}

static void tell_trust(const struct inv_vf *v, char ret[64])
{
	(void)snprintf(ret, 64, "trust %s", v->trust ? "on" : "off");
}

static bool auto_state(const struct inv_vf *v)
{
	return !*v->link_state || strcmp(v->link_state, "auto") == 0;
}

static bool same_state(const struct inv_vf *a, const struct inv_vf *b)
{
	return strcmp(a->link_state, b->link_state) == 0;
}

static void tell_state(const struct inv_vf *v, char ret[64])
{
	(void)snprintf(ret, 64, "link state %s", v->link_state);
}

static const struct attribute attributes[] = {
	{ no_vlan, same_vlan, tell_vlan },
	{ no_rate, same_rate, tell_rate },
	{ no_trust, same_trust, tell_trust },
	{ auto_state, same_state, tell_state },
};

/* From the first of a PF's VFs, which are next to each other: how many are of it. */
static size_t count_of_pf(const struct inventory *inv, size_t first)
{
	size_t n = first;

	while (n < inv->n_vfs && strcmp(inv->vfs[n].pf, inv->vfs[first].pf) == 0)
		n++;
	return n - first;
}

/* A bit for each attribute that all of n VFs have the same value of.  Of one nobody can tell. */
static unsigned int common_of(const struct inv_vf *first, size_t n)
{
	unsigned int common = n > 1 ? (1U << ARRAY_SIZE(attributes)) - 1 : 0;

	for (size_t i = 1; i < n; i++)
		for (size_t a = 0; a < ARRAY_SIZE(attributes); a++)
			if (!attributes[a].equal(&first[i], first))
				common &= ~(1U << a);
	return common;
}

void vf_change_compare(struct inventory *inv)
{
	for (size_t first = 0, n; first < inv->n_vfs; first += n) {
		unsigned int common;

		n = count_of_pf(inv, first);
		common = common_of(&inv->vfs[first], n);
		for (size_t i = first; i < first + n; i++)
			inv->vfs[i].common = common;
	}
}

static void append(char *to, size_t size, const char *text)
{
	size_t len = strlen(to);

	(void)snprintf(to + len, size - len, "%s%s", len ? ", " : "", text);
}

void vf_change_tell(const struct host *host, const struct inventory *inv, int function, char *ret,
		    size_t size)
{
	int vf = inv->functions[function].vf;
	char text[64];

	*ret = '\0';
	for (size_t i = 0; vf != INV_NONE && i < ARRAY_SIZE(attributes); i++) {
		const struct attribute *a = &attributes[i];

		if (a->is_default(&inv->vfs[vf]) || inv->vfs[vf].common & 1U << i)
			continue;
		a->tell(&inv->vfs[vf], text);
		append(ret, size, text);
	}
	if (*ret && in_use_by_anybody(host, inv, &inv->functions[function]))
		*ret = '\0';
}
