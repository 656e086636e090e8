#include "docker/mux.h"
#include <arpa/inet.h>
#include <string.h>

int bawn_mux_next(struct bawn_mux *m, struct bawn_span *bytes, struct bawn_span *out)
{
	while (m->left == 0) {
		if (bytes->n == 0)
			return 0;
		m->head[m->have++] = *bytes->p++;
		bytes->n--;
		if (m->have < sizeof m->head)
			continue;
		uint32_t left;
		memcpy(&left, m->head + 4, sizeof left);
		m->have = 0;
		m->left = ntohl(left);
		m->stream = m->head[0];
		if ((m->stream != 1 && m->stream != 2) || m->head[1] != 0 || m->head[2] != 0 || m->head[3] != 0)
			return -EBADMSG;
	}
	size_t n = bytes->n < m->left ? bytes->n : m->left;
	*out = (struct bawn_span){ bytes->p, n };
	bytes->p += n;
	bytes->n -= n;
	m->left -= (uint32_t)n;
	return n > 0 ? m->stream : 0;
}
