/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_identity.c - is a file this program, by another name or as a copy? */
#include "cni/plugins/plugin_identity.h"

#include "base/mem.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

enum {
	NOTES_MAX = 4096,	/* bytes of them in one segment that are looked at */
	SEGMENTS_MAX = 64,
};

/* What install.sh knows us by as well; a line, because of the greps that stop at a zero byte. */
#define MARK	"\ncni-devinfo plugin 9b1f4a52-0c6e-4d83-b7a9-5e2d8c3f6071\n"

struct note {
	ElfW(Nhdr) head;
	char name[8];
	char mark[(sizeof(MARK) + 3) / 4 * 4];
};

static const struct note own __attribute__((section(".note.devinfo"), used, aligned(4))) = {
	.head = { .n_namesz = sizeof("devinfo"), .n_descsz = sizeof(own.mark), .n_type = 1 },
	.name = "devinfo",
	.mark = MARK,
};

/* Its bytes are the same in each copy, and at a multiple of four. */
static bool has_note(const char *notes, size_t len)
{
	for (size_t at = 0; at + sizeof(own) <= len; at += 4)
		if (memcmp(notes + at, &own, sizeof(own)) == 0)
			return true;
	return false;
}

static bool read_at(int fd, void *ret, size_t len, uint64_t at)
{
	return pread(fd, ret, len, (off_t)at) == (ssize_t)len;
}

/* Of our own class: another one is none that this node would run. */
static bool is_elf(const ElfW(Ehdr) *h)
{
	return memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 &&
	       h->e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) &&
	       h->e_phentsize == sizeof(ElfW(Phdr)) && h->e_phnum <= SEGMENTS_MAX;
}

bool plugin_identity_is(const char *path)
{
	auto_close int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char notes[NOTES_MAX];
	ElfW(Ehdr) head;
	ElfW(Phdr) seg;

	if (fd < 0 || !read_at(fd, &head, sizeof(head), 0) || !is_elf(&head))
		return false;
	for (unsigned int i = 0; i < head.e_phnum; i++) {
		if (!read_at(fd, &seg, sizeof(seg), head.e_phoff + i * sizeof(seg)))
			return false;
		if (seg.p_type == PT_NOTE && seg.p_filesz <= sizeof(notes) &&
		    read_at(fd, notes, seg.p_filesz, seg.p_offset) &&
		    has_note(notes, seg.p_filesz))
			return true;
	}
	return false;
}
