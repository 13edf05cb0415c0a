/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relro.c - what is constant once the program has started cannot be written any more
 *
 * A loader sees to that (PT_GNU_RELRO), and so does the start of glibc's static programs; that of
 * musl's does not.  Only static programs have this file.
 *
 * The program is linked for no address, so that nobody can tell where it will be.  Its start
 * therefore sets all pointers in constants, and the kernel copies each page that has one, when it
 * is written. The programs begin with relro_start, which asks for all of these copies in one call:
 * a page fault for each costs as much as the copy. That is an offer: a kernel before 5.14 refuses
 * it, and then they are made one by one.
 */
#include "base/attr.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define POPULATE_WRITE	23	/* MADV_POPULATE_WRITE, which old headers do not know */
#define TEXT(number)	#number
#define TEXT_OF(number)	TEXT(number)

/* From the first constant to the end of the data; all registers are as _start wants them. */
__asm__(".pushsection .text.startup, \"ax\", %progbits\n"
	".globl relro_start\n"
	".hidden relro_start\n"
	".type relro_start, %function\n"
	"relro_start:\n"
#if defined(__x86_64__)
	"	mov %rdx, %r12\n"
	"	lea __init_array_start(%rip), %rdi\n"
	"	and $-4096, %rdi\n"
	"	lea _edata(%rip), %rsi\n"
	"	sub %rdi, %rsi\n"
	"	mov $" TEXT_OF(POPULATE_WRITE) ", %edx\n"
	"	mov $" TEXT_OF(SYS_madvise) ", %eax\n"
	"	syscall\n"
	"	mov %r12, %rdx\n"
	"	jmp _start\n"
#elif defined(__aarch64__)
	"	mov x9, x0\n"
	"	adrp x0, __init_array_start\n"
	"	adrp x1, _edata\n"
	"	add x1, x1, :lo12:_edata\n"
	"	sub x1, x1, x0\n"
	"	mov x2, #" TEXT_OF(POPULATE_WRITE) "\n"
	"	mov x8, #" TEXT_OF(SYS_madvise) "\n"
	"	svc #0\n"
	"	mov x0, x9\n"
	"	b _start\n"
#else
#error "relro_start has to be written for this processor"
#endif
	".size relro_start, . - relro_start\n"
	".popsection\n");

#ifndef __GLIBC__
at_start static int protect(struct dl_phdr_info *program, size_t size, void *page)
{
	const size_t mask = ~(*(const size_t *)page - 1);

	(void)size;
	for (size_t i = 0; i < program->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &program->dlpi_phdr[i];
		uintptr_t from = (program->dlpi_addr + h->p_vaddr) & mask;
		uintptr_t to = (program->dlpi_addr + h->p_vaddr + h->p_memsz) & mask;

		if (h->p_type == PT_GNU_RELRO && to > from &&
		    mprotect((void *)from, to - from, PROT_READ) < 0)
			abort();
	}
	return 0;
}

__attribute__((constructor)) at_start static void protect_constants(void)
{
	size_t page = (size_t)getauxval(AT_PAGESZ);

	(void)dl_iterate_phdr(protect, &page);
}
#endif
