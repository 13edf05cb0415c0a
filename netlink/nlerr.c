/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nlerr.c - one NLMSG_ERROR, with the kernel's own words, as a struct err
 *
 *	nlmsghdr | int error | nlmsghdr of the request | its payload | TLVs
 *
 * The payload is left out when NLM_F_CAPPED is set (NETLINK_CAP_ACK), the TLVs are
 * there when NLM_F_ACK_TLVS is (NETLINK_EXT_ACK).  A dump's NLMSG_DONE has no copy
 * of the request: its TLVs follow the int.
 */
#include "netlink/nlerr.h"

#include "netlink/nl_attr.h"

#include <errno.h>
#include <string.h>

#ifndef NLM_F_CAPPED
#define NLM_F_CAPPED	0x100
#define NLM_F_ACK_TLVS	0x200
#endif

#define ERRNO_MAX	4095		/* the kernel's MAX_ERRNO */

/* Where the TLVs begin within the payload; at or beyond its end when there are none. */
static size_t tlv_offset(const struct nlmsghdr *nlh)
{
	struct nlmsgerr err;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return SIZE_MAX;
	if (nlh->nlmsg_type == NLMSG_DONE)
		return NLA_ALIGN(sizeof(int));
	if (nl_payload_len(nlh) < sizeof(err))
		return SIZE_MAX;
	memcpy(&err, nl_payload(nlh), sizeof(err));
	if (nlh->nlmsg_flags & NLM_F_CAPPED)
		return sizeof(err);
	if (err.msg.nlmsg_len < sizeof(struct nlmsghdr))
		return SIZE_MAX;
	return sizeof(err.error) + NLA_ALIGN((size_t)err.msg.nlmsg_len);
}

static void take_tlv(const struct nlattr *tlv, struct err *e)
{
	size_t len = nl_attr_len(tlv);
	const char *text = nl_attr_data(tlv);
	uint32_t offset;

	if (nl_attr_type(tlv) == NLMSGERR_ATTR_MSG && len > 0 && *text)
		(void)err_detail(e, "\"%.*s\"", (int)strnlen(text, len), text);
	if (nl_attr_type(tlv) == NLMSGERR_ATTR_OFFS && nl_get(tlv, &offset, sizeof(offset)))
		(void)err_detail(e, "byte %u of the request", offset);
}

static void take_tlvs(struct nl_rest rest, struct err *e)
{
	const struct nlattr *tlv;

	while ((tlv = nl_next_attr(&rest)))
		take_tlv(tlv, e);
}

int nlerr_get(const struct nlmsghdr *nlh, struct err *e)
{
	size_t len = nl_payload_len(nlh), tlvs = tlv_offset(nlh);
	const char *payload = nl_payload(nlh);
	int error;

	if (len < sizeof(error))
		return err_set(e, ERR_NETLINK, EBADMSG, "the kernel's answer is too short");
	memcpy(&error, payload, sizeof(error));
	if (error >= 0)
		return 0;
	if (error < -ERRNO_MAX)
		return err_set(e, ERR_NETLINK, EBADMSG, "the kernel's answer has no errno: %d",
			       error);
	(void)err_set(e, error == -EPERM ? ERR_PERMISSION : ERR_NETLINK, -error,
		      "the kernel refused");
	if (tlvs < len)
		take_tlvs((struct nl_rest){ .at = payload + tlvs, .len = len - tlvs }, e);
	return -1;
}
