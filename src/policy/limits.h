/* limits.h - the numbers a run is held to.  Zero is the tightest limit, never "unset". */
#pragma once
#include <stdint.h>

struct bawn_limits {
	uint64_t cpus_milli;    /* thousandths of a CPU */
	uint64_t memory_bytes;
	uint64_t timeout_ms;    /* wall time */
	uint64_t cpu_ms;        /* CPU time of the whole tree */
	uint64_t pids;          /* processes and threads of the code */
	uint64_t disk_bytes;    /* workspace, /tmp and /dev/shm together */
	uint64_t inodes;
	uint64_t open_files;
	uint64_t output_bytes;  /* per stream */
};

/* What a run that has a network is held to there, all its connections together. */
struct bawn_net_limits {
	uint64_t sent_bytes;     /* out of the sandbox, TLS and request heads included */
	uint64_t received_bytes;
	uint64_t connections;    /* in all */
	uint64_t at_once;
	uint64_t connect_ms;     /* to find the name's addresses and reach one of them */
	uint64_t head_ms;        /* until the request, and the TLS greeting, are complete */
	uint64_t idle_ms;        /* without a byte in either direction */
};
