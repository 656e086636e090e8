/* journal.h - how `policy set` replaces several files as one.  Private to policy.
 *
 *	.sandbox.yaml.set ...   the new bytes of each file, durable
 *	.bawn-set.json          {"sandbox.yaml": "the same bytes", ...}: the moment it counts
 *	sandbox.yaml ...        exchanged with .sandbox.yaml.set one by one
 *	                        the journal is removed, then the old bytes
 *
 * A reader that finds the journal takes the texts in it instead of the files it names.  So whoever
 * is killed in between, everybody sees all of the old files or all of the new ones; and whatever
 * fails in between, the old bytes are still there to be exchanged back. */
#pragma once
#include "base/err.h"
#include "base/json.h"

#define BAWN_JOURNAL ".bawn-set.json"

/* *out is NULL where there is none; one that is there but not ours or not whole is an error. */
BAWN_MUST_CHECK int bawn_journal_read(int dirfd, json_t **out);
/* Writes the texts of `files` ({file: text}) all or none; finishes a journal left behind first. */
BAWN_MUST_CHECK int bawn_journal_commit(int dirfd, const json_t *files, struct bawn_err *err);
