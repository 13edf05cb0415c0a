/* SPDX-License-Identifier: Apache-2.0 */
/* attachment.h - an attachment as a row, for the commands that show some */
#ifndef MANAGER_CTL_ATTACHMENT_H
#define MANAGER_CTL_ATTACHMENT_H

#include "manager/ctl/ctl.h"
#include "manager/inventory/inventory.h"

#include <jansson.h>

/*
 * Make the row, a new reference.  In a table that is not wide the container's id is cut as crictl
 * does; "pod" is NAMESPACE/NAME.  Unknown values are left out.
 */
json_t *ctl_attachment_row(const struct ctl_options *opt, const struct inv_attachment *a);

#endif
