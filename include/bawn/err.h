/* err.h - how every fallible function of bawn reports failure.
 *
 * Return 0 or a negative errno.  `err` comes last and may be NULL.  Outputs are untouched on
 * failure.  The struct holds no pointers: it needs no destructor, may be filled between fork and
 * exec, and travels whole down the socket from a half-built sandbox to its parent. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BAWN_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define BAWN_MUST_CHECK         __attribute__((warn_unused_result))
#define BAWN_API                __attribute__((visibility("default")))
#else
#define BAWN_PRINTF(fmt, first)
#define BAWN_MUST_CHECK
#define BAWN_API
#endif

/* The closed list of error types: what a program may switch on.  The same names stand in JSON
 * (`error.type`), in C and in the manual.  X(NAME, "name", errno, HTTP status, hint or NULL) */
#define BAWN_ERROR_TYPES(X) \
	X(NONE,                "none",                0,          200, NULL) \
	X(INTERNAL,            "internal",            EIO,        500, NULL) \
	X(OUT_OF_MEMORY,       "out_of_memory",       ENOMEM,     503, NULL) \
	X(INVALID_REQUEST,     "invalid_request",     EINVAL,     400, NULL) \
	X(EMPTY_CODE,          "empty_code",          EINVAL,     400, "give a FILE, '-' for standard input, or -c CODE") \
	X(CODE_TOO_LARGE,      "code_too_large",      EFBIG,      413, "raise max_code_bytes in security.yaml, or pass data with --in") \
	X(NUL_BYTE,            "nul_byte",            EINVAL,     400, "source code cannot contain NUL bytes; pass binary data with --in") \
	X(BAD_UTF8,            "bad_utf8",            EILSEQ,     400, "code and text must be UTF-8; convert it first, for example with iconv") \
	X(UNKNOWN_LANGUAGE,    "unknown_language",    EINVAL,     400, "say which with --lang python|bash|javascript") \
	X(ENV_REFUSED,         "env_refused",         EPERM,      400, "this variable changes how the interpreter or the loader behaves") \
	X(INPUT_INVALID,       "input_invalid",       EINVAL,     400, NULL) \
	X(LIMIT_INVALID,       "limit_invalid",       EINVAL,     400, NULL) \
	X(REASON_MISSING,      "reason_missing",      EINVAL,     400, "an override needs --reason TEXT") \
	X(REASON_TOO_LONG,     "reason_too_long",     EINVAL,     400, NULL) \
	X(OVERRIDE_NOT_ALLOWED, "override_not_allowed", EPERM,    403, "overrides.allow_user_override in security.yaml is false") \
	X(NETWORK_UNAVAILABLE, "network_unavailable", ENETUNREACH, 400, "network_mode and whitelist in sandbox.yaml say what a run may reach: bawn policy show") \
	X(NETWORK_LOST,        "network_lost",        ENETDOWN,   500, "what the run did on the network is not known, so it was ended; run it again") \
	X(INSTALL_FAILED,      "install_failed",      EIO,        502, "nothing was kept; `denials` name the hosts that policy does not list") \
	X(BACKEND_UNAVAILABLE, "backend_unavailable", ENODEV,     503, "bawn doctor says what is missing") \
	X(ENFORCEMENT_MISSING, "enforcement_missing", EPERM,      503, "bawn doctor names each missing layer and its fix") \
	X(INTERPRETER_MISSING, "interpreter_missing", ENOENT,     503, NULL) \
	X(CONFIG_INVALID,      "config_invalid",      EINVAL,     500, "bawn policy check lists every error with its position") \
	X(STATE_UNWRITABLE,    "state_unwritable",    EACCES,     503, "choose another directory with --state DIR or BAWN_STATE") \
	X(DISK_FULL,           "disk_full",           ENOSPC,     507, "free space on the file system of the state directory; look at quotas and ulimit -f, too") \
	X(AUDIT_BUSY,          "audit_busy",          EBUSY,      503, "another process holds the log; try again") \
	X(AUDIT_FAILED,        "audit_failed",        EIO,        503, NULL) \
	X(AUDIT_TAMPERED,      "audit_tampered",      EBADMSG,    503, "bawn audit verify names the first bad record; move the state directory aside to go on") \
	X(APPROVAL_UNKNOWN,    "approval_unknown",    ENOENT,     404, "bawn pending lists what waits for an answer") \
	X(APPROVAL_MISMATCH,   "approval_mismatch",   EPERM,      409, "an approval holds for exactly the request that was shown; run the same code, arguments, files and limits") \
	X(APPROVAL_EXPIRED,    "approval_expired",    ETIMEDOUT,  410, "run it again to ask anew") \
	X(APPROVAL_USED,       "approval_used",       EALREADY,   409, "an approval is good for one run; run it again to ask anew") \
	X(APPROVAL_DENIED,     "approval_denied",     EPERM,      403, NULL) \
	X(APPROVAL_OPEN,       "approval_open",       EAGAIN,     409, "somebody has to answer first: bawn approve ID --reason TEXT") \
	X(ASSURANCE_TOO_LOW,   "assurance_too_low",   EPERM,      403, "overrides.minimum in security.yaml asks for more; answer on a terminal") \
	X(ASSESSMENT_FAILED,   "assessment_failed",   EIO,        500, "code that cannot be assessed counts as HIGH") \
	X(NOT_FOUND,           "not_found",           ENOENT,     404, NULL) \
	X(BUSY,                "busy",                EBUSY,      503, "the host is full; try again, or raise queue_timeout in sandbox.yaml") \
	X(CANCELLED,           "cancelled",           ECANCELED,  499, NULL)

enum bawn_error {
#define BAWN_X(name, text, code, http, hint) BAWN_ERROR_##name,
	BAWN_ERROR_TYPES(BAWN_X)
#undef BAWN_X
	BAWN_ERROR_COUNT
};

struct bawn_err {
	int             code;      /* why: a negative errno, 0 while nothing has failed */
	enum bawn_error type;      /* which row of the closed list */
	char            field[40]; /* the request field or configuration key at fault, or "" */
	char            msg[464];  /* what we were doing, outermost step first */
};

/* The name and the hint of a type; the hint is NULL where the message says it all. */
BAWN_API const char *bawn_error_name(enum bawn_error type);
BAWN_API const char *bawn_error_hint(enum bawn_error type);

#ifdef __cplusplus
}
#endif
