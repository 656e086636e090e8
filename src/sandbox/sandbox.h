/* sandbox.h - the wall as seen from above: one table of functions per backend.
 *
 *   probe -> open -> prepare -> ready -> start -> next_event ... -> collect -> end -> release
 *
 * None of open, prepare, ready, start, next_event, collect and end waits: where they cannot go on they say 0, and are
 * called again when `fd` has something.  probe, pull and release do wait.
 * A prepared sandbox has every wall and limit up and no code in it.  `start` hands over the sealed
 * code; events follow until BAWN_EV_OUTCOME; `release` leaves nothing behind, whatever came before.
 * A warm pool is many prepared sandboxes, a session several starts on one.
 *
 * What an attacker controls here: the code, its arguments, files and output.  Never the spec. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/span.h"
#include "policy/limits.h"
#include "policy/tables.h"
#include "sandbox/observed.h"

/* How a run ended, in kernel facts. */
enum bawn_end {
	BAWN_END_EXIT,          /* exit_code is the program's own */
	BAWN_END_SIGNAL,        /* by its own signal */
	BAWN_END_TIMEOUT,
	BAWN_END_CPU,
	BAWN_END_MEMORY,
	BAWN_END_PIDS,          /* the next three only with on_violation: kill */
	BAWN_END_DISK,
	BAWN_END_OUTPUT,
	BAWN_END_KILLED,        /* killed from outside: not by us, not by itself */
	BAWN_END_CANCELLED,     /* kill() was called */
	BAWN_END_LOST,          /* the supervisor vanished: nothing is known but that all is dead */
	BAWN_END_COUNT
};

struct bawn_usage {
	uint64_t wall_us, cpu_us, peak_memory_bytes, memory_bytes, pids, peak_pids, disk_bytes, samples;
	bool     has_peak_pids, has_memory, has_cpu;
};

/* X(NAME, "name") */
#define BAWN_DENIALS(X) X(SYSCALL, "syscall") X(PATH, "path") X(NETWORK, "network") X(LIMIT, "limit")
#define BAWN_X_DENIAL(n, t) BAWN_DENIAL_##n,
enum bawn_denial_kind { BAWN_DENIALS(BAWN_X_DENIAL) BAWN_DENIAL_COUNT };
#define BAWN_DENIED_BY(X) X(KERNEL, "kernel") X(HOOK, "hook") X(PROXY, "proxy")
#define BAWN_X_BY(n, t) BAWN_BY_##n,
enum bawn_denied_by { BAWN_DENIED_BY(BAWN_X_BY) BAWN_BY_COUNT };
extern const struct bawn_words bawn_denial_words, bawn_by_words;

struct bawn_denial {
	enum bawn_denial_kind kind;
	char     what[288];     /* "processes", "disk", "stdout", "ptrace", a path, host:port */
	uint64_t count;
	enum bawn_denied_by by; /* KERNEL: a fact; HOOK: evidence by the interpreter; PROXY: the way out said no */
	char     hint[384];     /* what to do instead; may name a host */
	uint64_t threshold, actual;  /* for limits, else 0 */
};

/* Where a program may write, and nowhere else: whole directories, and single devices. */
struct bawn_place { const char *path; bool dir; };
extern const struct bawn_place bawn_writable[];
extern const size_t bawn_writable_count;
bool bawn_is_writable(struct bawn_span path);  /* absolute, without ".."; by its name alone: links are not followed */

/* Where the proxy is, as the program sees it, in a sandbox that has a network. */
#define BAWN_PORT 3128
#define BAWN_CA_FILE "/etc/ssl/certs/ca-certificates.crt"
#define BAWN_CA_BYTES (2u << 20)  /* of certificates, at most */

/* Where the code finds the packages it was given, if any. */
#define BAWN_ENV_PLACE "/env"
#define BAWN_ENV_PATH 768  /* of the directory on the host, with its end */

enum bawn_ev_kind { BAWN_EV_OUTPUT, BAWN_EV_USAGE, BAWN_EV_DENIAL, BAWN_EV_OBSERVED, BAWN_EV_OUTCOME };

struct bawn_sandbox_event {
	enum bawn_ev_kind kind;
	int               stream;    /* OUTPUT: 1 or 2 */
	struct bawn_span  bytes;     /* OUTPUT: valid until the next call */
	struct bawn_usage usage;     /* USAGE and OUTCOME */
	struct bawn_denial denial;   /* DENIAL: each kind and what once, with its final count, before OUTCOME */
	const struct bawn_observed *observed;  /* OBSERVED: once, before OUTCOME; valid until release */
	struct {                     /* OUTCOME */
		enum bawn_end end;
		int  exit_code, signal;
		bool truncated[3];   /* by stream number */
		uint64_t threshold, actual;  /* of the limit that ended the run, else 0 */
	} outcome;
};

/* What pip, npm and curl read where their variables do not reach them (env -i): for everybody in /etc; for curl, which knows no
 * such place, and for an npm that looks elsewhere, in the home that /etc/passwd has.  X(NAME, path) */
#define BAWN_NET_FILES(X) X(PIP, "/etc/pip.conf") X(NPM, "/etc/npmrc") X(CURL, BAWN_NET_HOME "/.curlrc")
#define BAWN_NET_HOME "/tmp"
#define BAWN_X_NET_FILE(name, path) BAWN_NET_FILE_##name,
enum bawn_net_file { BAWN_NET_FILES(BAWN_X_NET_FILE) BAWN_NET_FILE_COUNT };
#undef BAWN_X_NET_FILE
#define BAWN_NET_FILE_BYTES 16384u

/* Everything the wall needs to know, decided by core.  Strings and fds are borrowed. */
struct bawn_sandbox_spec {
	const char          *id;             /* of the execution; used in names of what we create */
	enum bawn_language   language;
	const char          *interpreter;    /* absolute path */
	struct bawn_limits   limits;
	enum bawn_network    network;        /* other than none: loopback has a port that leads out, see take_port */
	const char          *ca_file;        /* the authorities that are trusted there: an absolute path on the host; NULL: none */
	const char          *net_file[BAWN_NET_FILE_COUNT];  /* their texts, where there is a network; NULL: none */
	const char          *environment;    /* packages for the code, read-only at BAWN_ENV_PLACE: an absolute path on the host; NULL: none */
	uint32_t             collect_files;  /* how many files collect may tell of; 0: the usual number */
	enum bawn_violation  on_violation;
	uint64_t             sample_ms;
	bool                 observe;        /* have the interpreter tell what it does, where it can */
	uint32_t             need;           /* BAWN_LAYER_BIT mask: without one of these, prepare fails */
	unsigned             slot;           /* host-wide number, locked by the caller through slot_fd */
	int                  slot_fd;        /* the backend keeps a duplicate while anything is alive */
	uint64_t             uid;            /* the run's own host uid (as root); 0: rootless */
	const char          *launcher;       /* path of libexec/bawn/launch */
	struct {                             /* for a backend that asks a container engine; NULL: its default */
		const char *engine;          /* path of its socket */
		const char *image, *runtime;
		bool        require_patched; /* not with a runtime that is known to let code out */
	} container;
	const char          *outside;        /* the namespaces of who asks, as /proc/self/ns names them: set by a launcher for
	                                      * whoever has to tell whether it is somewhere else; NULL: nobody */
	uint32_t             without;        /* walls left out on purpose: only tests set this (positive
	                                      * controls), only a launcher built for tests accepts it */
};

struct bawn_sandbox_file { const char *name; int fd; uint32_t mode; };  /* name relative, checked by core */

struct bawn_sandbox_start {
	int code_fd;                         /* sealed memory file */
	int stdin_fd;                        /* sealed memory file, or -1 for empty */
	const char *const *args; size_t n_args;
	const char *const *env;  size_t n_env;   /* "K=V", names already checked */
	const struct bawn_sandbox_file *file; size_t n_files;
};

struct bawn_enforcement {
	uint32_t layers;                     /* BAWN_LAYER_BIT masks */
	uint32_t missing;
	const char *container;               /* JSON: id, image, runtime, versions, config, vulnerable; NULL: none; valid until release */
};

/* One file the program left behind; `fd` is open for reading and belongs to the callee after return. */
struct bawn_collected { const char *path; uint64_t size; char sha256[BAWN_SHA256_HEX]; int fd; };
struct bawn_collector {
	void *ctx;
	int (*file)(void *ctx, const struct bawn_collected *f, struct bawn_err *err);
	int (*skipped)(void *ctx, const char *path, const char *why, struct bawn_err *err);
};

/* What a host can enforce: one row per layer. */
enum bawn_probe_state { BAWN_PROBE_ACTIVE, BAWN_PROBE_MISSING, BAWN_PROBE_ABSENT };
struct bawn_probe_row { enum bawn_probe_state state; char detail[160]; char fix[320]; };
struct bawn_probe { struct bawn_probe_row layer[BAWN_LAYER_COUNT]; char summary[200]; bool usable; };

struct bawn_sandbox;  /* one prepared or running sandbox; each backend defines its own */

typedef void bawn_pull_fn(void *ctx, uint64_t done, uint64_t of);

struct bawn_backend {
	const char *name;
	enum bawn_backend_id id;
	const char *ca_file;                 /* where the program finds the authorities, in a sandbox that has a network */
	/* Tries each layer for real.  Fails only when the backend cannot be asked at all. */
	int (*probe)(const struct bawn_sandbox_spec *spec, struct bawn_probe *out, struct bawn_err *err);
	/* Fetches spec->container.image, with progress in bytes; NULL where there are no images. */
	int (*pull)(const struct bawn_sandbox_spec *spec, bawn_pull_fn *tell, void *ctx, struct bawn_err *err);
	/* Starts whoever is to put up the walls (`launcher` as in the spec), before it is known how high; does not wait. */
	int (*open)(const char *launcher, struct bawn_sandbox **out, struct bawn_err *err);
	/* Begins to put up the walls and does not wait. */
	int (*prepare)(struct bawn_sandbox *s, const struct bawn_sandbox_spec *spec, struct bawn_err *err);
	/* 1: every wall stands, *out is filled; 0: not yet.  After a failure there is only release. */
	int (*ready)(struct bawn_sandbox *s, struct bawn_enforcement *out, struct bawn_err *err);
	/* After each ready, whatever it says: how much of what dead runs had left was removed since. */
	unsigned (*take_swept)(struct bawn_sandbox *s);
	/* After ready, where the spec has a network: the listening socket inside that the way out begins at (BAWN_PORT),
	 * the caller's from here on; -1: there is none.  Nobody else holds it: who closes it closes the way. */
	int (*take_port)(struct bawn_sandbox *s);
	/* 1: the code runs; 0: not yet, and the next call is with the same `start`. */
	int (*start)(struct bawn_sandbox *s, const struct bawn_sandbox_start *start, struct bawn_err *err);
	int (*fd)(struct bawn_sandbox *s);   /* readable when there is something */
	bool (*full)(struct bawn_sandbox *s); /* after start said 0: what it waits for is room, that `fd` is writable */
	/* 1: *out is filled; 0: nothing now, poll fd; negative: the run is over and lost. */
	int (*next_event)(struct bawn_sandbox *s, struct bawn_sandbox_event *out, struct bawn_err *err);
	int (*kill)(struct bawn_sandbox *s); /* async; OUTCOME follows.  Safe from another thread. */
	/* After OUTCOME: files that are new or differ from what `start` put there.  1: that was all; 0: more will come.  Nothing
	 * more can be asked then: the backend tidies up while the caller goes on, and release waits for it. */
	int (*collect)(struct bawn_sandbox *s, const struct bawn_collector *c, struct bawn_err *err);
	/* Has it killed and removed; it gets `patience_ms` for that from the first call on.  A descriptor that is readable when
	 * release has nothing to wait for, or -1: it has nothing already.  There is only release after it. */
	int (*end)(struct bawn_sandbox *s, int patience_ms);
	/* Kills what lives, waits, removes; accepts NULL.  True: there was an OUTCOME and the launcher ended, so nothing is
	 * left; false: probably nothing is. */
	bool (*release)(struct bawn_sandbox *s);
	/* Removes what runs that died left behind on this host, and only what can be locked.  *out_n: how many.  NULL where
	 * prepare does it. */
	int (*sweep)(const char *run_dir, unsigned *out_n, struct bawn_err *err);
};
