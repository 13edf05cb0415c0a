/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables.c - what is set at the start of a static program, and what only when it is needed
 *
 * The program is linked for no address, so that nobody can tell where it will be.  So its start
 * sets all pointers in constants, and the kernel copies each page that has one when it is written:
 * a fifth of what a call of VERSION took, which needs none of our tables.  So these stand on pages
 * of their own (tables.ld), which tables_set() sets.
 *
 * The linker lists the pointers in the form of DT_RELR.  A C library's start that knows this form
 * would set all of them once more (musl's does since 1.2.4, not yet that of Debian 12), so it is
 * told that the list is empty.  Only the plugin with musl on x86 has this file: for arm64 Debian
 * 12's linker does not have that form.
 */
#include "base/tables.h"

#include "base/attr.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { RELR_SIZE = 35, RELR = 36 };	/* DT_: headers of musl 1.2.3 do not have them */
enum { PAGE = 4096, BITS = 63 };	/* of a word of the list: see set_all() */

/* The linker's. */
#define linked	__attribute__((visibility("hidden")))
extern ElfW(Ehdr) __ehdr_start linked;
extern ElfW(Dyn) _DYNAMIC[] linked;
extern char tables_begin[] linked, tables_end[] linked;

static bool in_tables(const uintptr_t *p)
{
	return (uintptr_t)p >= (uintptr_t)tables_begin && (uintptr_t)p < (uintptr_t)tables_end;
}

/* Before the C library has started there is no canary. */
#define early	at_start __attribute__((no_stack_protector))

early static void set(uintptr_t *p, bool of_tables)
{
	if (in_tables(p) == of_tables)
		*p += (uintptr_t)&__ehdr_start;
}

static const uintptr_t *list;	/* of all pointers that depend on where the program is, */
static size_t list_words;	/* in so many words */

early static void take_list(void)
{
	for (ElfW(Dyn) *d = _DYNAMIC; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == RELR)
			list = (const void *)((const char *)&__ehdr_start + d->d_un.d_ptr);
		if (d->d_tag == RELR_SIZE) {
			list_words = d->d_un.d_val / sizeof(*list);
			d->d_un.d_val = 0;
		}
	}
}

/*
 * Pointers in tables, or all others.  The list has an address, or bits of a word: one for each word
 * behind the last that was told.
 */
early static void set_all(bool of_tables)
{
	uintptr_t *p = (void *)&__ehdr_start;

	for (size_t i = 0; list && i < list_words; i++) {
		if (!(list[i] & 1)) {
			p = (void *)((uintptr_t)&__ehdr_start + list[i]);
			set(p++, of_tables);
			continue;
		}
		if (of_tables || !in_tables(p) || !in_tables(p + BITS - 1))
			for (size_t bit = 0; list[i] >> 1 >> bit; bit++)
				if (list[i] >> 1 >> bit & 1)
					set(p + bit, of_tables);
		p += BITS;
	}
}

early linked void tables_set_others(void);
early void tables_set_others(void)
{
	take_list();
	set_all(false);
}

/* The program begins here; all registers are as _start wants them. */
__asm__(".pushsection .text.startup, \"ax\", %progbits\n"
	".globl tables_start\n"
	".hidden tables_start\n"
	".type tables_start, %function\n"
	"tables_start:\n"
	"	mov %rdx, %r12\n"
	"	call tables_set_others\n"
	"	mov %r12, %rdx\n"
	"	jmp _start\n"
	".size tables_start, . - tables_start\n"
	".popsection\n");

static void protect(int how)
{
	uintptr_t page = (uintptr_t)tables_begin & -(uintptr_t)PAGE;

	if (mprotect((void *)page, (uintptr_t)tables_end - page, how) < 0)
		abort();
}

void tables_set(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	protect(PROT_READ | PROT_WRITE);	/* relro.c has protected them as they were */
	set_all(true);
	protect(PROT_READ);
}
