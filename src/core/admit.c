/* admit.c - a place on the host, and the limits that follow from it. */
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "core/exec.h"

static int allocate(struct bawn_exec *e, bool *out_full, struct bawn_err *err)
{
	int r = bawn_host_read("", &e->host, err);
	if (r < 0)
		return r;
	struct bawn_allocate_in in = {
		.trust = e->trust, .language = e->checked->language,
		.complexity_milli = e->assessment->complexity.milli, .lines = e->assessment->complexity.lines,
		.host_cpus_milli = e->host.cpus_milli, .available_bytes = e->host.memory_available,
		.running = e->running, .asked = e->checked->asked, .stream = e->req.stream != 0,
	};
	json_t *reasons = NULL;
	r = bawn_allocate(e->policy->policy, &in, &e->limits, out_full, &reasons, err);
	if (r < 0)
		return r;
	json_decref(e->reasons);
	e->reasons = reasons;
	e->allocated = true;
	return 0;
}

/* What the limits would be now, for those who are asked and for --dry-run; takes no place. */
int bawn_exec_preview(struct bawn_exec *e, struct bawn_err *err)
{
	bool full;
	struct bawn_slots s = { -1, -1 };
	int r = bawn_slots_open(e->b->dirs.run, &s, err);
	if (r == 0)
		r = bawn_slots_running(&s, &e->running, err);
	bawn_slots_done(&s);
	return r < 0 ? r : allocate(e, &full, err);
}

static int add(int epoll, int fd, struct bawn_err *err)
{
	struct epoll_event ev = { .events = EPOLLIN };
	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &ev) < 0 ? bawn_fail(err, -errno, "watch a descriptor") : 0;
}

/* Called once, when there is no place.  The kernel tells of the close before it drops the lock, so
 * a look right after the event may come too early: the timer makes us look again.  It is also all
 * there is where the host has no inotify instance to spare, and then it is quicker. */
static int start_waiting(struct bawn_exec *e, struct bawn_err *err)
{
	bool watched = bawn_slots_watch(e->b->dirs.run, &e->watch, NULL) == 0;
	long every_ns = watched ? 200000000 : 25000000;
	struct itimerspec every = { .it_interval = { .tv_nsec = every_ns }, .it_value = { .tv_nsec = every_ns } };
	e->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (e->timer < 0 || timerfd_settime(e->timer, 0, &every, NULL) < 0)
		return bawn_fail(err, -errno, "set a timer");
	int r = add(e->epoll, e->timer, err);
	return r == 0 && watched ? add(e->epoll, e->watch, err) : r;
}

static void stop_waiting(struct bawn_exec *e)
{
	bawn_exec_unwatch(e, &e->watch);
	bawn_exec_unwatch(e, &e->timer);
}

static void drain(int fd)
{
	char junk[4096];
	while (fd >= 0 && read(fd, junk, sizeof junk) > 0)
		;
}

/* 1: a slot is ours and the limits stand; -EAGAIN: the host is full. */
static int try_once(struct bawn_exec *e, struct bawn_err *err)
{
	int fd = -1;
	unsigned slot = 0;
	bool full = false;
	int r = bawn_slots_lock(&e->slots, err);
	if (r < 0)
		return r;
	r = bawn_slots_take(&e->slots, e->policy->policy->max_running, &slot, &fd, &e->running, err);
	if (r == 0)
		r = allocate(e, &full, err);
	/* Alone on the host there is nobody to wait for: the floor holds and the kernel decides. */
	if (r == 0 && full && e->running > 0) {
		(void)bawn_fail_as(err, BAWN_ERROR_BUSY, NULL, "the host has too little memory for one more execution");
		r = -EAGAIN;
	}
	if (r < 0)
		bawn_close_fdp(&fd);
	bawn_slots_unlock(&e->slots);
	if (r < 0)
		return r;
	e->slot = slot;
	e->slot_fd = fd;
	return 1;
}

int bawn_exec_admit(struct bawn_exec *e, struct bawn_err *err)
{
	if (e->slots.dir < 0) {
		int r = bawn_slots_open(e->b->dirs.run, &e->slots, err);
		if (r < 0)
			return r;
		e->queue_until_us = bawn_monotonic_us() + e->policy->policy->queue_timeout_ms * 1000;
	}
	drain(e->watch);
	drain(e->timer);
	int r = try_once(e, err);
	if (r == 1) {
		stop_waiting(e);
		return 1;
	}
	if (r != -EAGAIN)
		return r;
	if (bawn_monotonic_us() >= e->queue_until_us) {
		stop_waiting(e);
		return -EBUSY;  /* err says why */
	}
	return e->timer >= 0 ? 0 : start_waiting(e, err);
}
