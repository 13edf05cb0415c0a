/* SPDX-License-Identifier: Apache-2.0 */
/* version.h - which release this is: the one place that says so; install/ reads it here */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define DEVINFO_VERSION "0.1.0"

#endif
