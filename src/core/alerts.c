/* alerts.c - see alerts.h. */
#include "core/alerts.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "core/exec.h"

#define HOUR_US   3600000000ull
#define LOOK_BACK 20000u  /* entries at most: a busy hour must not make a run slow */

enum kind { CRITICAL_EVENTS, VIOLATIONS, INTEGRITY, DISK, KIND_COUNT };
static const struct { const char *name, *unit; size_t threshold; } kind[] = {
	[CRITICAL_EVENTS] = { "critical_events_per_hour",     "CRITICAL events within an hour",  offsetof(struct bawn_policy, alert_critical_per_hour) },
	[VIOLATIONS]      = { "resource_violations_per_hour", "violated limits within an hour",  offsetof(struct bawn_policy, alert_violations_per_hour) },
	[INTEGRITY]       = { "failed_integrity_checks",      "failed checks of the log in a row", offsetof(struct bawn_policy, alert_integrity) },
	[DISK]            = { "disk_percent",                 "percent of the log's disk are used", offsetof(struct bawn_policy, alert_disk_percent) },
};
_Static_assert(BAWN_LEN(kind) == KIND_COUNT, "one row per kind");

static uint64_t threshold_of(const struct bawn_policy *p, enum kind k)
{
	uint64_t n;
	memcpy(&n, (const char *)p + kind[k].threshold, sizeof n);
	return n;
}

/* ---- once an hour ---- */

static int open_alerts(const struct bawn *b, bool make)
{
	char path[600];
	snprintf(path, sizeof path, "%s/alerts", b->dirs.state);
	return make && bawn_make_dirs(path, 0700, NULL) < 0 ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static bool told(int dir, enum kind k)
{
	struct stat st;
	const uint64_t now = bawn_wall_us();
	if (fstatat(dir, kind[k].name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	const uint64_t then = (uint64_t)st.st_mtim.tv_sec * 1000000u;
	return then <= now && now - then < HOUR_US;
}

static void raise_alert(struct bawn *b, const struct bawn_policy *p, enum kind k, uint64_t actual, char *said, size_t size)
{
	struct bawn_audit *log;
	said[0] = '\0';
	if (actual < threshold_of(p, k))
		return;
	bawn_auto_fd dir = open_alerts(b, true);
	if (dir < 0 || told(dir, k))
		return;
	snprintf(said, size, "alert: %" PRIu64 " %s (audit.yaml: alerts.%s: %" PRIu64 ")", actual, kind[k].unit, kind[k].name, threshold_of(p, k));
	bawn_auto_json body = json_pack("{s:s, s:I, s:I, s:s}", "kind", kind[k].name, "threshold", (json_int_t)threshold_of(p, k),
		"actual", (json_int_t)actual, "message", said);
	if (body == NULL || bawn_log(b, &log, NULL) < 0 || bawn_audit_put(log, &(struct bawn_record){ .type = BAWN_RECORD_ALERT, .body = body }, NULL, NULL) < 0)
		return;  /* said, if not recorded: a log that is broken or full cannot take it */
	bawn_auto_fd stamp = openat(dir, kind[k].name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (stamp >= 0)
		(void)futimens(stamp, NULL);
}

/* ---- after a commit ---- */

struct hour { uint64_t since, looked, count[KIND_COUNT]; };

static int count_entry(void *ctx, const struct bawn_entry *e)
{
	struct hour *h = ctx;
	const char *type = json_string_value(json_object_get(e->json, "type")), *severity = json_string_value(json_object_get(e->json, "severity"));
	/* A record is written when what it belongs to ends: an older one may stand behind younger ones.  No run takes an hour
	 * by default; where one does, or a clock stepped, an alert may come late. */
	if (e->ts_us + HOUR_US < h->since || ++h->looked > LOOK_BACK)
		return 1;
	if (e->ts_us < h->since)
		return 0;
	h->count[CRITICAL_EVENTS] += severity != NULL && strcmp(severity, "CRITICAL") == 0;
	h->count[VIOLATIONS] += type != NULL && strcmp(type, bawn_record_name(BAWN_RECORD_LIMIT_VIOLATION)) == 0;
	return 0;
}

static uint64_t disk_percent(const char *dir)
{
	struct statvfs v;
	if (statvfs(dir, &v) < 0 || v.f_blocks == 0)
		return 0;
	const uint64_t used = v.f_blocks - v.f_bfree, all = used + v.f_bavail;  /* as df counts */
	return all > 0 ? (100 * used + all - 1) / all : 0;
}

/* What is counted over an hour, and as what the log counts it when it is committed. */
static const struct { enum kind kind; enum bawn_notable notable; } hourly[] = {
	{ CRITICAL_EVENTS, BAWN_NOTABLE_CRITICAL },
	{ VIOLATIONS,      BAWN_NOTABLE_VIOLATION },
};
_Static_assert(BAWN_LEN(hourly) == BAWN_NOTABLE_COUNT, "one row per notable");

/* Was one committed since it was last looked at?  By this handle: each looks at its own. */
static bool is_new(struct bawn *b, enum bawn_notable n)
{
	struct bawn_audit *log;
	if (bawn_log(b, &log, NULL) < 0)
		return false;
	const uint64_t now = log->notable[n];
	return atomic_exchange(&b->noted[n], now) != now;
}

static bool told_already(const struct bawn *b, enum kind k)
{
	bawn_auto_fd dir = open_alerts(b, false);
	return dir >= 0 && told(dir, k);
}

static void tell(struct bawn_exec *e, enum kind k, uint64_t actual)
{
	char said[200];
	bool ok = true;
	raise_alert(e->b, e->policy->policy, k, actual, said, sizeof said);
	if (said[0] != '\0')
		bawn_json_push(e->warnings, json_string(said), &ok);
}

void bawn_alerts_noted(struct bawn_exec *e)
{
	struct hour h = { .since = bawn_wall_us() - HOUR_US };
	bool wanted[BAWN_LEN(hourly)], any = false;
	for (size_t i = 0; i < BAWN_LEN(hourly); i++) {  /* the log is read back only for one that has not been told this hour */
		wanted[i] = is_new(e->b, hourly[i].notable) && !told_already(e->b, hourly[i].kind);
		any = any || wanted[i];
	}
	/* A log that cannot be read raises none of these; verify is who tells that. */
	if (!any || bawn_audit_walk_back(e->b->dirs.audit, count_entry, &h, NULL) < 0)
		return;
	for (size_t i = 0; i < BAWN_LEN(hourly); i++)
		if (wanted[i])
			tell(e, hourly[i].kind, h.count[hourly[i].kind]);
}

void bawn_alerts_disk(struct bawn_exec *e) { tell(e, DISK, disk_percent(e->b->dirs.audit)); }

/* ---- after a check of the log ---- */

/* How many failed in a row: the length of a file. */
void bawn_alert_integrity(struct bawn *b, const struct bawn_audit_report *r, char *said, size_t size)
{
	char unheard[200];
	struct stat st;
	said = said != NULL ? said : unheard;
	size = said == unheard ? sizeof unheard : size;
	said[0] = '\0';
	bawn_auto_fd dir = open_alerts(b, !r->ok);
	if (dir < 0)
		return;
	if (r->ok) {
		(void)unlinkat(dir, "failed", 0);
		(void)unlinkat(dir, kind[INTEGRITY].name, 0);  /* the next one is another */
		return;
	}
	bawn_auto_fd failed = openat(dir, "failed", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (failed < 0 || write(failed, "x", 1) != 1 || fstat(failed, &st) < 0)
		st.st_size = 1;
	struct bawn_policy_ref *p = bawn_policy_hold(b);
	raise_alert(b, p->policy, INTEGRITY, (uint64_t)st.st_size, said, size);
	bawn_policy_drop(p);
}
