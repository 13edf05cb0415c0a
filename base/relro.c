/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relro.c - what is constant once the program has started cannot be written any more
 *
 * A loader sees to that (PT_GNU_RELRO), and so does the start of glibc's static programs; that of
 * musl's does not.  Only programs with musl have this file.
 */
#include "base/attr.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>

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
