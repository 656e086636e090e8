#include "egress/hello.h"
#include <stdint.h>
#include <string.h>

#define RECORD_HANDSHAKE 22
#define CLIENT_HELLO     1
#define EXT_SERVER_NAME  0
#define EXT_ECH          0xfe0d

/* Pulls from the front; once bad, all that follows is empty. */
struct in { const unsigned char *p; size_t n; bool bad; };

static const unsigned char *pull(struct in *in, size_t n)
{
	if (in->bad || in->n < n) {
		in->bad = true;
		return NULL;
	}
	const unsigned char *at = in->p;
	in->p += n;
	in->n -= n;
	return at;
}

static size_t number(struct in *in, size_t bytes)
{
	const unsigned char *at = pull(in, bytes);
	size_t v = 0;
	for (size_t i = 0; at != NULL && i < bytes; i++)
		v = v << 8 | at[i];
	return v;
}

/* A vector with a length of that many bytes. */
static struct in vector(struct in *in, size_t bytes)
{
	size_t n = number(in, bytes);
	const unsigned char *at = pull(in, n);
	return (struct in){ at, at != NULL ? n : 0, at == NULL };
}

/* Exactly one name, of a host. */
static bool read_name(struct in ext, struct bawn_hello *out)
{
	struct in list = vector(&ext, 2);
	size_t type = number(&list, 1);
	struct in name = vector(&list, 2);
	if (ext.bad || ext.n != 0 || list.bad || list.n != 0 || type != 0 || name.bad || name.n == 0 || name.n >= sizeof out->name ||
	    memchr(name.p, '\0', name.n) != NULL || out->named)
		return false;
	memcpy(out->name, name.p, name.n);
	out->name[name.n] = '\0';
	out->named = true;
	return true;
}

static bool read_extensions(struct in list, struct bawn_hello *out)
{
	while (list.n > 0) {
		size_t type = number(&list, 2);
		struct in ext = vector(&list, 2);
		if (list.bad || ext.bad || (type == EXT_SERVER_NAME && !read_name(ext, out)))
			return false;
		out->encrypted = out->encrypted || type == EXT_ECH;
	}
	return true;
}

static bool read_hello(struct in in, struct bawn_hello *out)
{
	(void)pull(&in, 2 + 32);  /* version, random */
	struct in session = vector(&in, 1), suites = vector(&in, 2), compression = vector(&in, 1);
	if (in.bad || session.n > 32 || suites.n < 2 || suites.n % 2 != 0 || compression.n == 0)
		return false;
	if (in.n == 0)
		return true;  /* without extensions, as before TLS 1.2 */
	struct in extensions = vector(&in, 2);
	return !in.bad && in.n == 0 && read_extensions(extensions, out);
}

/* Gathers the handshake from the records; 1: all of it is in *out, *out_n long. */
static int gather(struct in in, unsigned char out[static BAWN_HELLO_MAX], size_t *out_n)
{
	size_t n = 0, want = 4;
	while (n < want) {
		if (in.n < 5) {  /* what is there of it must be right already: a stranger is not waited for */
			static const unsigned char begins[] = { RECORD_HANDSHAKE, 3 };
			return memcmp(in.p, begins, in.n < 2 ? in.n : 2) == 0 ? 0 : -1;
		}
		size_t type = number(&in, 1), major = number(&in, 1);
		(void)number(&in, 1);
		size_t size = number(&in, 2);
		if (type != RECORD_HANDSHAKE || major != 3 || size == 0 || size > 16384 || n + size > BAWN_HELLO_MAX)
			return -1;
		size_t have = size < in.n ? size : in.n;
		memcpy(out + n, in.p, have);
		n += have;
		in.p += have;
		in.n -= have;
		if (n > 0 && out[0] != CLIENT_HELLO)
			return -1;
		if (n >= 4)
			want = 4 + ((size_t)out[1] << 16 | (size_t)out[2] << 8 | out[3]);
		if (want > BAWN_HELLO_MAX)
			return -1;
		if (have < size)  /* the record is not all there */
			return n > want ? -1 : 0;
	}
	*out_n = want;
	return n == want ? 1 : -1;  /* nothing may follow it in its record */
}

int bawn_hello_parse(struct bawn_span in, struct bawn_hello *out)
{
	unsigned char all[BAWN_HELLO_MAX];
	struct bawn_hello h = { .named = false };
	size_t n;
	int r = in.n == 0 ? 0 : gather((struct in){ (const unsigned char *)in.p, in.n, false }, all, &n);
	if (r != 1)
		return r;
	if (!read_hello((struct in){ all + 4, n - 4, false }, &h))
		return -1;
	*out = h;
	return 1;
}
