/* SPDX-License-Identifier: Apache-2.0 */
/* attr.h - the compiler attributes and small macros the project uses, named once */
#ifndef BASE_ATTR_H
#define BASE_ATTR_H

#include <stddef.h>

#define must_check		__attribute__((warn_unused_result))
#define printflike(f, a)	__attribute__((format(printf, f, a)))
#define auto_with(fn)		__attribute__((cleanup(fn)))
/* Of a function with much on its stack: a caller that does not call it does not pay for that. */
#define stack_of_its_own	__attribute__((noinline))
/* Of a large buffer that is written before it is read: no zeros are put into it at first. */
#define left_unset		__attribute__((uninitialized))
/* Of what each call of the plugin runs: it stands together, so that few pages have to be mapped. */
#define at_start		__attribute__((section(".text.startup")))

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))

#endif
