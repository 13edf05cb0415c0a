/* SPDX-License-Identifier: Apache-2.0 */
/* capability.c - which capabilities of capabilities(7) this process has */
#include "base/capability.h"

#include <linux/capability.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of this thread, and this process has no other one. */
struct sets {
	struct __user_cap_header_struct head;
	struct __user_cap_data_struct part[_LINUX_CAPABILITY_U32S_3];
};

static int get(struct sets *s)
{
	*s = (struct sets){ .head = { .version = _LINUX_CAPABILITY_VERSION_3 } };
	return syscall(SYS_capget, &s->head, s->part) < 0 ? -1 : 0;
}

static int set(struct sets *s)
{
	return syscall(SYS_capset, &s->head, s->part) < 0 ? -1 : 0;
}

int capability_keep(uint64_t effective, uint64_t permitted)
{
	struct sets s;

	if (get(&s) < 0)
		return -1;
	for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		s.part[i].permitted &= (uint32_t)(permitted >> (32 * i));
		s.part[i].inheritable &= (uint32_t)(permitted >> (32 * i));
		s.part[i].effective &= (uint32_t)(effective >> (32 * i)) & s.part[i].permitted;
	}
	return set(&s);
}

int capability_raise(unsigned int capability)
{
	struct sets s;

	if (get(&s) < 0)
		return -1;
	s.part[CAP_TO_INDEX(capability)].effective |= CAP_TO_MASK(capability);
	return set(&s);
}
