/* err.h - filling in struct bawn_err (the type and its list are public: <bawn/err.h>). */
#pragma once
#include <bawn/err.h>
#include <errno.h>

/* Records a failure and returns its code, always negative: a failure can never read as success,
 * even if errno was 0.  The type follows from the errno (ENOMEM, ENOSPC) or is INTERNAL. */
int bawn_fail(struct bawn_err *err, int code, const char *doing, ...) BAWN_PRINTF(3, 4);

/* The same with a type of the closed list; the code is the type's own errno.  `field` names the
 * request field or key at fault, or is NULL. */
int bawn_fail_as(struct bawn_err *err, enum bawn_error type, const char *field,
                 const char *doing, ...) BAWN_PRINTF(4, 5);

/* Puts an outer step in front of a failure already recorded; type and field stay. */
int bawn_wrap(struct bawn_err *err, int code, const char *doing, ...) BAWN_PRINTF(3, 4);

int bawn_error_http(enum bawn_error type);
