/* SPDX-License-Identifier: Apache-2.0 */
/* ctl_attachment.h - an attachment as a row, for the commands that show some */
#ifndef DEVINFO_CTL_ATTACHMENT_H
#define DEVINFO_CTL_ATTACHMENT_H

#include "devinfo/ctl/ctl.h"
#include "devinfo/inventory/inventory.h"

#include <jansson.h>

/*
 * New reference.  In a table that is not wide the container's id is cut as crictl does; "pod" is
 * NAMESPACE/NAME.  What is not known is left out.
 */
json_t *ctl_attachment_row(const struct ctl_options *opt, const struct inv_attachment *a);

#endif
