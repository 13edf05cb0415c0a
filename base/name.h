/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name.h - check strings from outside before they become identifiers or file names
 *
 * Everything that reaches a path, a netlink message or a file name goes through
 * one of these first.  They look at the whole string and never change it.
 */
#ifndef BASE_NAME_H
#define BASE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CNI spec: container id and network name, [a-zA-Z0-9][a-zA-Z0-9_.-]*, of any length. */
bool name_is_cni_id(const char *s);

/* A Linux interface name we are willing to give: 1-15 bytes, no '/', ':', '%', blanks, "." or "..".
 */
bool name_is_ifname(const char *s);

/* One path component: 1-255 bytes, no '/', no control characters, not "." or "..". */
bool name_is_file(const char *s);

/* Kubernetes device id: 1-253 of [A-Za-z0-9_.:/-]; no leading '.' or '/', no ".." component. */
bool name_is_device_id(const char *s);

/* Extended resource name: [domain/]name, 1-253 of [A-Za-z0-9_.-] and at most one '/'. */
bool name_is_resource(const char *s);

/* RFC 1123, as Kubernetes has it for a namespace: 1-63 of [a-z0-9-], the first and last no '-'. */
bool name_is_dns_label(const char *s);

/* The same for a pod: such labels, of any length, with '.' between; 1-253 bytes in all. */
bool name_is_dns_subdomain(const char *s);

/* PCI address dddd:bb:dd.f (hex, either case; domain of 4 to 8 digits). */
bool name_is_bdf(const char *s);

/*
 * Get the PCI address of an id, in lower case: 0000:65:00.3, also as DPDK (pci:0000:65:00.3) and
 * devlink (pci/0000:65:00.3, with or without /PORT) spell it.  False when it is none.
 */
#define NAME_BDF_SIZE 24
bool name_to_bdf(const char *id, char ret[NAME_BDF_SIZE]);

/* Do two device ids name the same device?  All spellings of a PCI address are equal. */
bool name_ids_equal(const char *a, const char *b);

/* A request of a claim, or REQUEST/SUBREQUEST: two file names at most, 255 bytes in all. */
bool name_is_request(const char *s);

/*
 * For the end of a message: ": the domain is missing, 0000:01:10.0?" for such an address, else "".
 */
#define NAME_BDF_HINT	48
const char *name_bdf_hint(const char *s, char buf[NAME_BDF_HINT]);

/* A prefix and a decimal number without leading zeros, nothing else: "virtio3". */
bool name_is_numbered(const char *s, const char *prefix);

/* 64-bit FNV-1a of a string; h is 0 to start, or an earlier result to go on from. */
uint64_t name_hash(uint64_t h, const char *s);

/*
 * Make a file name of at most 255 bytes of any text: '/' becomes '-', and the end of a text that is
 * too long (or would be "." or "..") is replaced by a hash.
 */
void name_to_file(const char *text, char ret[256]);

#endif
