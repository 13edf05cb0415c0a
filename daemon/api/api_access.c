/* SPDX-License-Identifier: Apache-2.0 */
/* api_access.c - which API server is asked, and who asks: by a kubeconfig, or as a pod has it */
#include "daemon/api/api_access.h"

#include "base/mem.h"
#include "daemon/api/kubeconfig.h"
#include "manager/inventory/base64.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define POD_DIR "/var/run/secrets/kubernetes.io/serviceaccount"

enum { SECRET_MAX = 256 * 1024, TOKEN_MAX = 16 * 1024 };

/* What is read is a key or a token: it does not stay in memory that is free. */
static void secret_free(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
}

void api_access_done(struct api_access *a)
{
	free(a->server);
	free(a->server_name);
	free(a->proxy);
	free(a->ca);
	free(a->cert);
	secret_free(a->key);
	secret_free(a->token);
	*a = (struct api_access){ .server = NULL };
}

static bool text_equal(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

bool api_access_equal(const struct api_access *a, const struct api_access *b)
{
	return text_equal(a->server, b->server) && text_equal(a->server_name, b->server_name) &&
	       text_equal(a->proxy, b->proxy) && text_equal(a->ca, b->ca) &&
	       text_equal(a->cert, b->cert) && text_equal(a->key, b->key) &&
	       text_equal(a->token, b->token);
}

/* -- files -- */

static int read_open(int fd, size_t max, char **ret, size_t *len, struct err *e)
{
	auto_free char *text = malloc(max + 2);
	size_t n = 0;
	ssize_t got = 1;

	while (text && n <= max && got > 0) {
		got = read(fd, text + n, max + 1 - n);
		n += got > 0 ? (size_t)got : 0;
	}
	if (!text || got < 0)
		return err_set(e, ERR_IO, text ? errno : ENOMEM, "read");
	if (n > max)
		return err_set(e, ERR_IO, EFBIG, "at most %zu bytes are allowed", max);
	text[n] = '\0';
	*ret = steal_ptr(&text);
	*len = n;
	return 0;
}

static int read_file(const char *path, size_t max, char **ret, size_t *len, struct err *e)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_set(e, ERR_IO, errno, "open '%.200s'", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_IO, 0, "'%.200s' is no regular file", path);
	return read_open(fd, max, ret, len, e) < 0 ? err_wrap(e, "'%.200s'", path) : 0;
}

/* The path of a file that a kubeconfig names. */
static int name_file(const char *kubeconfig, const char *file, char ret[PATH_MAX],
		     struct err *e)
{
	const char *slash = strrchr(kubeconfig, '/');
	int dir = *file == '/' || !slash ? 0 : (int)(slash - kubeconfig + 1);

	return snprintf(ret, PATH_MAX, "%.*s%s", dir, kubeconfig, file) < PATH_MAX ? 0 :
		       err_set(e, ERR_NETCONF, 0, "'%.64s...' is too long for a path", file);
}

/* -- what a kubeconfig names, or has inline -- */

/* The data, in base64, before the file; *ret stays NULL where there is neither. */
static int take_pem(const char *kubeconfig, const char *what, const char *data, const char *file,
		    char **ret, struct err *e)
{
	char path[PATH_MAX];
	size_t len = 0;

	if (data) {
		*ret = base64_decode(data, &len);
		return *ret && strlen(*ret) == len ? 0 :
			       err_set(e, ERR_NETCONF, 0, "%s: expected PEM in base64", what);
	}
	if (!file)
		return 0;
	return name_file(kubeconfig, file, path, e) < 0 ||
	       read_file(path, SECRET_MAX, ret, &len, e) < 0 ? err_wrap(e, "%s", what) : 0;
}

/* It is sent in a header: of what ends one nothing is allowed.  Blanks around it are not its. */
static int set_token(char *text, struct api_access *ret, struct err *e)
{
	size_t from = strspn(text, " \t\r\n"), len = strcspn(text + from, " \t\r\n");

	for (size_t i = from; i < from + len; i++)
		if ((unsigned char)text[i] <= ' ' || (unsigned char)text[i] >= 0x7f)
			return err_set(e, ERR_NETCONF, 0, "a token of printable ASCII is expected");
	if (len == 0 || text[from + len + strspn(text + from + len, " \t\r\n")])
		return err_set(e, ERR_NETCONF, 0, len == 0 ? "the token is empty" :
			       "a token has no blanks");
	ret->token = strndup(text + from, len);
	return ret->token ? 0 : err_set(e, ERR_IO, ENOMEM, "token");
}

static int read_token(const char *path, struct api_access *ret, struct err *e)
{
	char *text = NULL;
	size_t len = 0;
	int r = read_file(path, TOKEN_MAX, &text, &len, e);

	if (r == 0 && text && set_token(text, ret, e) < 0)
		r = err_wrap(e, "'%.200s'", path);
	secret_free(text);
	return r;
}

static int take_token(const char *kubeconfig, const struct kubeconfig *k, struct api_access *ret,
		      struct err *e)
{
	char path[PATH_MAX], *copy;
	int r;

	if (k->token_file)
		return name_file(kubeconfig, k->token_file, path, e) < 0 ? -1 :
			       read_token(path, ret, e);
	if (!k->token)
		return 0;
	copy = strdup(k->token);
	r = copy ? set_token(copy, ret, e) : err_set(e, ERR_IO, ENOMEM, "token");
	secret_free(copy);
	return r;
}

static int copy_text(const char *text, char **ret, struct err *e)
{
	*ret = text ? strdup(text) : NULL;
	return !text || *ret ? 0 : err_set(e, ERR_IO, ENOMEM, "access");
}

static int copy_server(const char *server, struct api_access *ret, struct err *e)
{
	size_t len = strlen(server);

	while (len > 0 && server[len - 1] == '/')
		len--;
	ret->server = strndup(server, len);
	return ret->server ? 0 : err_set(e, ERR_IO, ENOMEM, "access");
}

static int take(const char *path, const struct kubeconfig *k, struct api_access *ret, struct err *e)
{
	if (copy_server(k->server, ret, e) < 0 ||
	    copy_text(k->server_name, &ret->server_name, e) < 0 ||
	    copy_text(k->proxy, &ret->proxy, e) < 0)
		return -1;
	if (take_pem(path, "certificate-authority", k->ca_data, k->ca_file, &ret->ca, e) < 0 ||
	    take_pem(path, "client-certificate", k->cert_data, k->cert_file, &ret->cert, e) < 0 ||
	    take_pem(path, "client-key", k->key_data, k->key_file, &ret->key, e) < 0)
		return -1;
	return take_token(path, k, ret, e);
}

static int read_kubeconfig(const char *path, struct api_access *ret, struct err *e)
{
	auto_kubeconfig struct kubeconfig k = { .doc = NULL };
	char *text = NULL;
	size_t len = 0;
	int r = read_file(path, KUBECONFIG_MAX, &text, &len, e);

	if (r == 0 && (kubeconfig_parse(text, len, &k, e) < 0 || take(path, &k, ret, e) < 0))
		r = err_wrap(e, "'%.200s'", path);
	secret_free(text);
	return r;
}

/* -- as a pod has it -- */

static int read_pod(struct api_access *ret, struct err *e)
{
	const char *host = getenv("KUBERNETES_SERVICE_HOST");
	const char *port = getenv("KUBERNETES_SERVICE_PORT");
	char server[320];
	size_t len = 0;

	if (!host || !*host)
		return err_set(e, ERR_NETCONF, 0, "which API server is asked is not known: "
			       "--kubeconfig is missing, and this is no pod with a service account "
			       "(KUBERNETES_SERVICE_HOST)");
	(void)snprintf(server, sizeof(server), strchr(host, ':') ? "https://[%.253s]:%.5s" :
		       "https://%.253s:%.5s", host, port && *port ? port : "443");
	if (kubeconfig_check_server(server, e) < 0 || copy_server(server, ret, e) < 0)
		return -1;
	return read_file(POD_DIR "/ca.crt", SECRET_MAX, &ret->ca, &len, e) < 0 ||
	       read_token(POD_DIR "/token", ret, e) < 0 ? -1 : 0;
}

int api_access_read(const char *kubeconfig, struct api_access *ret, struct err *e)
{
	auto_api_access struct api_access a = { .server = NULL };

	if ((kubeconfig ? read_kubeconfig(kubeconfig, &a, e) : read_pod(&a, e)) < 0)
		return -1;
	*ret = a;
	a = (struct api_access){ .server = NULL };
	return 0;
}
