/* dirs.c - where state, configuration, slots and helpers live for this user. */
#include "core/api.h"
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "config.h"

static int put(char *out, size_t size, struct bawn_err *err, const char *fmt, ...) BAWN_PRINTF(4, 5);
static int put(char *out, size_t size, struct bawn_err *err, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(out, size, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= size)
		return bawn_fail(err, -ENAMETOOLONG, "find the directories");
	return 0;
}

/* $NAME when it is an absolute path, as the XDG rules want it. */
static const char *absolute_env(const char *name)
{
	const char *v = secure_getenv(name);
	return v != NULL && v[0] == '/' ? v : NULL;
}

/* Paths of options and BAWN_* may be relative to where the caller stands. */
static int make_absolute(const char *path, char *out, size_t size, struct bawn_err *err)
{
	if (path[0] == '/')
		return put(out, size, err, "%s", path);
	bawn_auto_free char *cwd = get_current_dir_name();
	if (cwd == NULL)
		return bawn_fail(err, -errno, "find the current directory");
	return put(out, size, err, "%s/%s", cwd, path);
}

static int home_dir(const char *env, const char *below_home, char *out, size_t size, struct bawn_err *err)
{
	const char *base = absolute_env(env), *home = absolute_env("HOME");
	if (base != NULL)
		return put(out, size, err, "%s/bawn", base);
	if (home == NULL)
		return bawn_fail_as(err, BAWN_ERROR_STATE_UNWRITABLE, NULL, "neither %s nor HOME says where to keep state", env);
	return put(out, size, err, "%s/%s/bawn", home, below_home);
}

/* Beside the state directory, by the name that was given: whoever turns a link elsewhere leaves the witness where it was.
 * "." and ".." are no names: what begins with them lies inside, and would go back together with the log. */
static int name_witness(struct bawn_dirs *d, struct bawn_err *err)
{
	char real[PATH_MAX];
	const char *state = d->state;
	size_t n = strlen(state);
	while (n > 1 && (state[n - 1] == '/' || (state[n - 1] == '.' && state[n - 2] == '/')))
		n--;
	if (n >= 3 && memcmp(state + n - 3, "/..", 3) == 0 && realpath(state, real) != NULL) {
		state = real;
		n = strlen(real);
	}
	return put(d->witness, sizeof d->witness, err, "%.*s-witness", (int)n, state);
}

static int find_state(const char *asked, struct bawn_dirs *d, struct bawn_err *err)
{
	const char *env = secure_getenv("BAWN_STATE");
	asked = asked != NULL && asked[0] != '\0' ? asked : env != NULL && env[0] != '\0' ? env : NULL;
	int r = asked != NULL ? make_absolute(asked, d->state, sizeof d->state, err)
	        : geteuid() == 0 ? put(d->state, sizeof d->state, err, "/var/lib/bawn")
	        : home_dir("XDG_STATE_HOME", ".local/state", d->state, sizeof d->state, err);
	if (r == 0)
		r = put(d->audit, sizeof d->audit, err, "%s/audit", d->state);
	return r == 0 ? name_witness(d, err) : r;
}

static int find_config(const char *asked, struct bawn_dirs *d, struct bawn_err *err)
{
	const char *env = secure_getenv("BAWN_CONFIG");
	asked = asked != NULL && asked[0] != '\0' ? asked : env != NULL && env[0] != '\0' ? env : NULL;
	int r = asked != NULL ? make_absolute(asked, d->config, sizeof d->config, err) : 0;
	if (r < 0)
		return r;
	if (home_dir("XDG_CONFIG_HOME", ".config", d->config_user, sizeof d->config_user, NULL) < 0)
		d->config_user[0] = '\0';  /* no home: the floor alone holds */
	d->policy = (struct bawn_policy_dirs){
		.floor = "/etc/bawn",
		.user = d->config_user[0] != '\0' ? d->config_user : NULL,
		.explicit_ = d->config[0] != '\0' ? d->config : NULL,
	};
	return 0;
}

/* Host-wide: two state directories of one user must count the same running executions. */
static int find_run(struct bawn_dirs *d, struct bawn_err *err)
{
	if (geteuid() == 0)
		return put(d->run, sizeof d->run, err, "/run/bawn");
	const char *xdg = absolute_env("XDG_RUNTIME_DIR");
	if (xdg != NULL && access(xdg, W_OK) == 0)
		return put(d->run, sizeof d->run, err, "%s/bawn", xdg);
	char user[64];
	snprintf(user, sizeof user, "/run/user/%u", geteuid());
	if (access(user, W_OK) == 0)
		return put(d->run, sizeof d->run, err, "%s/bawn", user);
	/* Sticky /tmp: bawn_slots_open checks that the directory is ours and closed to others. */
	return put(d->run, sizeof d->run, err, "/tmp/bawn-%u", geteuid());
}

/* Beside the running program (a build directory), then where it was installed, then built. */
static int find_launcher(const char *asked, struct bawn_dirs *d, struct bawn_err *err)
{
	if (asked != NULL)
		return put(d->launcher, sizeof d->launcher, err, "%s/launch", asked);
	char exe[400];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	if (n > 0) {
		exe[n] = '\0';
		char *slash = strrchr(exe, '/');
		if (slash != NULL) {
			*slash = '\0';
			int r = put(d->launcher, sizeof d->launcher, err, "%s/libexec/bawn/launch", exe);
			if (r < 0 || access(d->launcher, X_OK) == 0)
				return r;
		}
	}
	int r = put(d->launcher, sizeof d->launcher, err, "%s/launch", BAWN_LIBEXEC);
	if (r < 0 || access(d->launcher, X_OK) == 0)
		return r;
	return put(d->launcher, sizeof d->launcher, err, "%s/launch",
	           access(BAWN_BUILD_LIBEXEC "/launch", X_OK) == 0 ? BAWN_BUILD_LIBEXEC : BAWN_LIBEXEC);
}

int bawn_dirs_find(const struct bawn_options *o, struct bawn_dirs *out, struct bawn_err *err)
{
	static const struct bawn_options none = { .size = sizeof none };
	o = o != NULL ? o : &none;
	memset(out, 0, sizeof *out);
	int r = find_state(o->state_dir, out, err);
	if (r == 0)
		r = find_config(o->config_dir, out, err);
	if (r == 0)
		r = find_run(out, err);
	if (r == 0)
		r = find_launcher(o->libexec_dir, out, err);
	int dir = r == 0 ? (int)(strrchr(out->launcher, '/') - out->launcher) : 0;
	if (r == 0)
		r = put(out->indexer, sizeof out->indexer, err, "%.*s/index", dir, out->launcher);
	if (r == 0)
		r = put(out->egress, sizeof out->egress, err, "%.*s/egress", dir, out->launcher);
	return r;
}
