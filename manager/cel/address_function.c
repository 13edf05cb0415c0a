/* SPDX-License-Identifier: Apache-2.0 */
/* address_function.c - functions of IP addresses and networks */
#include "manager/cel/address.h"
#include "manager/cel/function.h"

#include <stdio.h>
#include <string.h>

static struct cel_value give(struct cel_run *r, enum cel_type type, const struct cel_address *a)
{
	struct cel_address *copy = cel_new(r, sizeof(*copy));

	if (!copy)
		return cel_failed(r);
	*copy = *a;
	return (struct cel_value){ .type = type, .address = copy };
}

/* -- addresses -- */

static const char no_address[] = "no IP address", no_network[] = "no network";

static struct cel_value ip_of_string(struct cel_run *r, const struct cel_value *v)
{
	struct cel_address a;

	return cel_address_read(v->text, &a) ? give(r, CEL_IP, &a) :
					       cel_fault(r, no_address, v->text);
}

static struct cel_value is_ip(struct cel_run *r, const struct cel_value *v)
{
	struct cel_address a;

	(void)r;
	return cel_bool(cel_address_read(v->text, &a));
}

static struct cel_value string_of_ip(struct cel_run *r, const struct cel_value *v)
{
	char text[CEL_ADDRESS_TEXT];

	cel_address_write(v->address, text);
	return cel_copy(r, text, strlen(text));
}

static struct cel_value is_canonical(struct cel_run *r, const struct cel_value *v)
{
	char text[CEL_ADDRESS_TEXT];
	struct cel_address a;

	if (!cel_address_read(v->text, &a))
		return cel_fault(r, no_address, v->text);
	cel_address_write(&a, text);
	return cel_bool(strcmp(text, v->text) == 0);
}

static struct cel_value family(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_int(v->address->size == 4 ? 4 : 6);
}

/* What kind of address it is, by how it begins. */
static bool is_in(const struct cel_address *a, const char *ipv4, const char *ipv6)
{
	struct cel_address network;

	return cel_network_read(a->size == 4 ? ipv4 : ipv6, &network) &&
	       cel_network_has(&network, a);
}

static struct cel_value is_unspecified(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_bool(is_in(v->address, "0.0.0.0/32", "::/128"));
}

static struct cel_value is_loopback(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_bool(is_in(v->address, "127.0.0.0/8", "::1/128"));
}

/* Of IPv6 also those with flags: ff12::1. */
static struct cel_value is_link_local_multicast(struct cel_run *r, const struct cel_value *v)
{
	const struct cel_address *a = v->address;

	(void)r;
	return cel_bool(a->size == 4 ? is_in(a, "224.0.0.0/24", "") :
				       a->bytes[0] == 0xff && (a->bytes[1] & 0x0f) == 0x02);
}

static struct cel_value is_link_local_unicast(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_bool(is_in(v->address, "169.254.0.0/16", "fe80::/10"));
}

static struct cel_value is_global_unicast(struct cel_run *r, const struct cel_value *v)
{
	const struct cel_address *a = v->address;

	(void)r;
	return cel_bool(!is_in(a, "0.0.0.0/32", "::/128") &&
			!is_in(a, "255.255.255.255/32", "::/128") &&
			!is_in(a, "127.0.0.0/8", "::1/128") &&
			!is_in(a, "224.0.0.0/4", "ff00::/8") &&
			!is_in(a, "169.254.0.0/16", "fe80::/10"));
}

/* -- networks -- */

static struct cel_value cidr_of_string(struct cel_run *r, const struct cel_value *v)
{
	struct cel_address a;

	return cel_network_read(v->text, &a) ? give(r, CEL_CIDR, &a) :
					       cel_fault(r, no_network, v->text);
}

static struct cel_value is_cidr(struct cel_run *r, const struct cel_value *v)
{
	struct cel_address a;

	(void)r;
	return cel_bool(cel_network_read(v->text, &a));
}

static struct cel_value string_of_cidr(struct cel_run *r, const struct cel_value *v)
{
	char text[CEL_ADDRESS_TEXT], all[CEL_ADDRESS_TEXT + 4];

	cel_address_write(v->address, text);
	(void)snprintf(all, sizeof(all), "%s/%u", text, v->address->bits);
	return cel_copy(r, all, strlen(all));
}

static struct cel_value has_ip(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_bool(cel_network_has(v[0].address, v[1].address));
}

static struct cel_value has_ip_text(struct cel_run *r, const struct cel_value *v)
{
	struct cel_address a;

	if (!cel_address_read(v[1].text, &a))
		return cel_fault(r, no_address, v[1].text);
	return cel_bool(cel_network_has(v[0].address, &a));
}

static bool has_network(const struct cel_address *network, const struct cel_address *other)
{
	return network->bits <= other->bits && cel_network_has(network, other);
}

static struct cel_value has_cidr(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_bool(has_network(v[0].address, v[1].address));
}

static struct cel_value has_cidr_text(struct cel_run *r, const struct cel_value *v)
{
	struct cel_address a;

	if (!cel_network_read(v[1].text, &a))
		return cel_fault(r, no_network, v[1].text);
	return cel_bool(has_network(v[0].address, &a));
}

static struct cel_value ip_of_cidr(struct cel_run *r, const struct cel_value *v)
{
	struct cel_address a = *v->address;

	a.bits = (uint8_t)(a.size * 8);
	return give(r, CEL_IP, &a);
}

static struct cel_value prefix_length(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_int(v->address->bits);
}

static struct cel_value masked(struct cel_run *r, const struct cel_value *v)
{
	struct cel_address a = cel_network_masked(v->address);

	return give(r, CEL_CIDR, &a);
}

const struct cel_function cel_address_functions[] = {
	{ "ip", CEL_FUNCTION, "s", "I", ip_of_string, false },
	{ "isIP", CEL_FUNCTION, "s", "b", is_ip, false },
	{ "ip.isCanonical", CEL_FUNCTION, "s", "b", is_canonical, false },
	{ "string", CEL_FUNCTION, "I", "s", string_of_ip, false },
	{ "family", CEL_METHOD, "I", "i", family, false },
	{ "isUnspecified", CEL_METHOD, "I", "b", is_unspecified, false },
	{ "isLoopback", CEL_METHOD, "I", "b", is_loopback, false },
	{ "isLinkLocalMulticast", CEL_METHOD, "I", "b", is_link_local_multicast, false },
	{ "isLinkLocalUnicast", CEL_METHOD, "I", "b", is_link_local_unicast, false },
	{ "isGlobalUnicast", CEL_METHOD, "I", "b", is_global_unicast, false },

	{ "cidr", CEL_FUNCTION, "s", "P", cidr_of_string, false },
	{ "isCIDR", CEL_FUNCTION, "s", "b", is_cidr, false },
	{ "string", CEL_FUNCTION, "P", "s", string_of_cidr, false },
	{ "containsIP", CEL_METHOD, "Ps", "b", has_ip_text, false },
	{ "containsIP", CEL_METHOD, "PI", "b", has_ip, false },
	{ "containsCIDR", CEL_METHOD, "Ps", "b", has_cidr_text, false },
	{ "containsCIDR", CEL_METHOD, "PP", "b", has_cidr, false },
	{ "ip", CEL_METHOD, "P", "I", ip_of_cidr, false },
	{ "prefixLength", CEL_METHOD, "P", "i", prefix_length, false },
	{ "masked", CEL_METHOD, "P", "P", masked, false },
	{ NULL, CEL_OPERATOR, NULL, NULL, NULL, false },
};
