/* SPDX-License-Identifier: Apache-2.0 */
/* status.h - the status codes of gRPC (google.rpc.Code) that are used here */
#ifndef DEVINFO_GRPC_STATUS_H
#define DEVINFO_GRPC_STATUS_H

enum grpc_status {
	GRPC_OK = 0,
	GRPC_CANCELLED = 1,
	GRPC_UNKNOWN = 2,
	GRPC_INVALID_ARGUMENT = 3,
	GRPC_DEADLINE_EXCEEDED = 4,
	GRPC_NOT_FOUND = 5,
	GRPC_RESOURCE_EXHAUSTED = 8,
	GRPC_FAILED_PRECONDITION = 9,
	GRPC_UNIMPLEMENTED = 12,
	GRPC_INTERNAL = 13,
	GRPC_UNAVAILABLE = 14,
};

#endif
