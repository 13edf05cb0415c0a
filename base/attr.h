/* SPDX-License-Identifier: Apache-2.0 */
/* attr.h - the compiler attributes and small macros the project uses, named once */
#ifndef BASE_ATTR_H
#define BASE_ATTR_H

#include <stddef.h>

#define must_check		__attribute__((warn_unused_result))
#define printflike(f, a)	__attribute__((format(printf, f, a)))
#define auto_with(fn)		__attribute__((cleanup(fn)))

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))

#endif
