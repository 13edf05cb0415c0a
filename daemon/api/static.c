/* SPDX-License-Identifier: Apache-2.0 */
/*
 * static.c - functions that in a static program would need libraries of the node: here each fails
 *
 * glibc's own of these names load the node's libraries of name services, which are of another glibc
 * than the one in the program; so does dlopen(3).  libcrypto and c-ares refer to them in functions
 * that nothing of ours calls: libcurl has c-ares resolve names, with ports as numbers, and no
 * module of OpenSSL is asked for, for its configuration is not read.  What is here is linked in
 * their place, so that whatever happens no library is loaded; glibc refers to its own dlopen(3), so
 * that of libcrypto has another name (GNUmakefile, --wrap).  Only static programs have this file.
 */
#include <errno.h>
#include <netdb.h>
#include <stddef.h>

void *__wrap_dlopen(const char *file, int mode);

void *__wrap_dlopen(const char *file, int mode)
{
	(void)file, (void)mode;
	return NULL;
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		struct addrinfo **ret)
{
	(void)node, (void)service, (void)hints, (void)ret;
	return EAI_FAIL;
}

/* Of a list that nobody has got. */
void freeaddrinfo(struct addrinfo *list)
{
	(void)list;
}

int getnameinfo(const struct sockaddr *addr, socklen_t len, char *host, socklen_t host_size,
		char *service, socklen_t service_size, int flags)
{
	(void)addr, (void)len, (void)host, (void)host_size, (void)service, (void)service_size;
	(void)flags;
	return EAI_FAIL;
}

struct hostent *gethostbyname(const char *name)
{
	(void)name;
	h_errno = NO_RECOVERY;
	return NULL;
}

struct servent *getservbyname(const char *name, const char *protocol)
{
	(void)name, (void)protocol;
	return NULL;
}

int getservbyport_r(int port, const char *protocol, struct servent *entry, char *room, size_t size,
		    struct servent **ret)
{
	(void)port, (void)protocol, (void)entry, (void)room, (void)size;
	*ret = NULL;
	return ENOENT;
}
