/* SPDX-License-Identifier: Apache-2.0 */
/* nl_attr.c - messages and attributes of a datagram, read with each length checked */
#include "netlink/nl_attr.h"

#include <string.h>

/* The padding behind the last one may be missing. */
static const void *step(struct nl_rest *rest, size_t len)
{
	const uint8_t *at = rest->at;
	size_t padded = NLA_ALIGN(len);

	if (padded > rest->len)
		padded = rest->len;
	rest->at = at + padded;
	rest->len -= padded;
	return at;
}

const struct nlmsghdr *nl_next_message(struct nl_rest *rest)
{
	const struct nlmsghdr *h = rest->at;

	if (rest->len < sizeof(*h) || h->nlmsg_len < sizeof(*h) || h->nlmsg_len > rest->len)
		return NULL;
	return step(rest, h->nlmsg_len);
}

const struct nlattr *nl_next_attr(struct nl_rest *rest)
{
	const struct nlattr *a = rest->at;

	if (rest->len < sizeof(*a) || a->nla_len < sizeof(*a) || a->nla_len > rest->len)
		return NULL;
	return step(rest, a->nla_len);
}

struct nl_rest nl_attrs_of(const struct nlmsghdr *nlh, size_t header)
{
	const uint8_t *payload = nl_payload(nlh);
	size_t len = nl_payload_len(nlh);

	header = NLA_ALIGN(header);
	if (len < header)
		return (struct nl_rest){ .at = payload };
	return (struct nl_rest){ .at = payload + header, .len = len - header };
}

struct nl_rest nl_nested(const struct nlattr *nest)
{
	return (struct nl_rest){
		.at = nl_attr_data(nest), .len = nl_attr_len(nest)
	};
}

void nl_attrs(const void *data, size_t len, const struct nlattr *tb[], unsigned int max)
{
	struct nl_rest rest = { .at = data, .len = len };
	const struct nlattr *a;

	memset(tb, 0, (max + 1) * sizeof(*tb));
	while ((a = nl_next_attr(&rest)))
		if (nl_attr_type(a) <= max)
			tb[nl_attr_type(a)] = a;
}

void nl_attrs_nested(const struct nlattr *nest, const struct nlattr *tb[], unsigned int max)
{
	nl_attrs(nl_attr_data(nest), nl_attr_len(nest), tb, max);
}

bool nl_get(const struct nlattr *a, void *ret, size_t len)
{
	if (!a || nl_attr_len(a) < len)
		return false;
	memcpy(ret, nl_attr_data(a), len);
	return true;
}

bool nl_get_text(const struct nlattr *a, char *ret, size_t size)
{
	size_t len = a ? strnlen(nl_attr_data(a), nl_attr_len(a)) : size;

	if (len >= size)
		return false;
	memcpy(ret, nl_attr_data(a), len);
	ret[len] = '\0';
	return true;
}
