/* sweep.c - the filter a running program really has, against the policy table, for escape.t.
 *
 *	sweep filter LANGUAGE    takes the filter out of a sandboxed process (ptrace) and compares; prints
 *	                         "filters INSTRUCTIONS calls differences", and each of the first differences
 *	sweep control LANGUAGE   the same with one return turned into "allow" at a time; prints
 *	                         "returns noticed"
 *	sweep table LANGUAGE     what each number answers when all arguments are zero: "number allow|errno"
 *
 * The table is read anew from src/native/syscalls.def, without libseccomp: two ways to the same answer. */
#include <dirent.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "../unit/native/harness.h"

enum { SCMP_CMP_MASKED_EQ, SCMP_CMP_LT, SCMP_CMP_GT };
#define N_ALL 0xffffffffu
#define N_ARGS 6
#define MAX_INSTRUCTIONS 4096

struct cond { unsigned arg; int op; uint64_t a, b; };
struct row { unsigned profiles; uint32_t nr; int error; unsigned n; struct cond cond[3]; };
static const struct row table[] = {
#define ALLOW(p, name)        { p, __NR_##name, 0, 0, { { 0 } } },
#define WHEN1(p, name, ...)   { p, __NR_##name, 0, 1, { __VA_ARGS__ } },
#define WHEN2(p, name, ...)   { p, __NR_##name, 0, 2, { __VA_ARGS__ } },
#define WHEN3(p, name, ...)   { p, __NR_##name, 0, 3, { __VA_ARGS__ } },
#define NOTHING(name)         { N_ALL, __NR_##name, -1, 0, { { 0 } } },
#define NOTHING2(name, ...)   { N_ALL, __NR_##name, -1, 2, { __VA_ARGS__ } },
#define REFUSE(name, e)       { N_ALL, __NR_##name, e, 0, { { 0 } } },
#define REFUSE1(name, e, ...) { N_ALL, __NR_##name, e, 1, { __VA_ARGS__ } },
#define REFUSE_NR(number, e)  { N_ALL, number, e, 0, { { 0 } } },
#define INSIDE(name)
#define INSIDE1(name, ...)
#include "native/syscalls.def"
};

static bool holds(const struct row *r, const uint64_t *args)
{
	bool all = true;
	for (unsigned i = 0; i < r->n; i++) {
		const struct cond *c = &r->cond[i];
		uint64_t v = args[c->arg];
		all = all && (c->op == SCMP_CMP_LT ? v < c->a : c->op == SCMP_CMP_GT ? v > c->a : (v & c->a) == c->b);
	}
	return all;
}

/* What the table says: an action of the plain filter.  Allowed goes before refused. */
static uint32_t policy(int lang, uint32_t arch, uint32_t nr, const uint64_t *args)
{
	uint32_t answer = SECCOMP_RET_ERRNO | EPERM;
	if (arch != AUDIT_ARCH_X86_64 || (nr >= 0x40000000u && nr != UINT32_MAX))
		return SECCOMP_RET_KILL_PROCESS;
	for (size_t i = 0; i < BAWN_LEN(table); i++) {
		const struct row *r = &table[i];
		if (r->nr != nr || !(r->profiles & 1u << lang) || !holds(r, args))
			continue;
		if (r->error == 0)
			return SECCOMP_RET_ALLOW;
		answer = SECCOMP_RET_ERRNO | (r->error < 0 ? 0u : (uint32_t)r->error);
	}
	return answer;
}

/* A denial is reported: the launcher answers it. */
static uint32_t as_loaded(uint32_t action)
{
	bool denial = action == (SECCOMP_RET_ERRNO | EPERM) || action == (SECCOMP_RET_ERRNO | EAFNOSUPPORT);
	return denial ? SECCOMP_RET_USER_NOTIF : action;
}

/* Classic BPF over one struct seccomp_data, as much of it as a filter uses. */
static uint32_t interpret(const struct sock_filter *f, size_t n, const struct seccomp_data *d)
{
	uint32_t a = 0;
	for (size_t pc = 0; pc < n; pc++) {
		const struct sock_filter *i = &f[pc];
		bool yes = false;
		switch (i->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			if (i->k > sizeof *d - sizeof a)
				return SECCOMP_RET_TRACE;
			memcpy(&a, (const char *)d + i->k, sizeof a);
			continue;
		case BPF_ALU | BPF_AND | BPF_K: a &= i->k; continue;
		case BPF_JMP | BPF_JA: pc += i->k; continue;
		case BPF_JMP | BPF_JEQ | BPF_K: yes = a == i->k; break;
		case BPF_JMP | BPF_JGT | BPF_K: yes = a > i->k; break;
		case BPF_JMP | BPF_JGE | BPF_K: yes = a >= i->k; break;
		case BPF_JMP | BPF_JSET | BPF_K: yes = (a & i->k) != 0; break;
		case BPF_RET | BPF_K: return i->k;
		default: return SECCOMP_RET_TRACE;  /* never a right answer */
		}
		pc += yes ? i->jt : i->jf;
	}
	return SECCOMP_RET_TRACE;
}

static uint64_t seed = 0x9e3779b97f4a7c15u;
static uint64_t rnd(void)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return seed;
}

struct sweep { int lang; const struct sock_filter *f; size_t n; unsigned long calls, differences; bool quiet; };

static void compare(struct sweep *s, uint32_t arch, uint32_t nr, const uint64_t *args)
{
	struct seccomp_data d = { .nr = (int)nr, .arch = arch };
	memcpy(d.args, args, sizeof d.args);
	uint32_t got = interpret(s->f, s->n, &d), want = as_loaded(policy(s->lang, arch, nr, args));
	s->calls++;
	if (got != want && s->differences++ < 10 && !s->quiet)
		printf("# arch %x call %u (%llx, %llx, %llx, %llx): the filter says %x, the table %x\n", arch, nr, d.args[0], d.args[1], d.args[2],
		       d.args[3], got, want);
}

/* Values worth trying where the table asks for `c`: what it names, its neighbours, every bit turned. */
static uint64_t near(const struct cond *c, unsigned i)
{
	uint64_t v = c->op == SCMP_CMP_MASKED_EQ ? c->b : c->a;
	if (i < 64)
		return v ^ 1ull << i;
	const uint64_t more[] = { v, v - 1, v + 1, 0, UINT64_MAX, v | 1ull << 32, ~v, UINT32_MAX };
	return more[(i - 64) % BAWN_LEN(more)];
}
#define N_NEAR 72u

static void fill(uint64_t *args)
{
	for (int i = 0; i < N_ARGS; i++)
		args[i] = rnd();
}

/* One argument of a row at a time, then all of them at random. */
static void sweep_row(struct sweep *s, const struct row *r)
{
	uint64_t args[N_ARGS];
	for (unsigned c = 0; c < r->n; c++)
		for (unsigned i = 0; i < N_NEAR; i++) {
			fill(args);
			for (unsigned o = 0; o < r->n; o++)
				args[r->cond[o].arg] = near(&r->cond[o], o == c ? i : 64);
			compare(s, AUDIT_ARCH_X86_64, r->nr, args);
		}
	for (unsigned i = 0; r->n > 0 && i < 300; i++) {
		fill(args);
		for (unsigned o = 0; o < r->n; o++)
			args[r->cond[o].arg] = near(&r->cond[o], (unsigned)(rnd() % N_NEAR));
		compare(s, AUDIT_ARCH_X86_64, r->nr, args);
	}
}

static void sweep_number(struct sweep *s, uint32_t nr)
{
	static const uint32_t arch[] = { AUDIT_ARCH_X86_64, AUDIT_ARCH_I386, AUDIT_ARCH_AARCH64, AUDIT_ARCH_ARM, 0, UINT32_MAX };
	uint64_t args[][N_ARGS] = { { 0 }, { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX }, { 0 } };
	fill(args[2]);
	for (size_t a = 0; a < BAWN_LEN(arch); a++)
		for (size_t i = 0; i < BAWN_LEN(args); i++)
			compare(s, arch[a], nr, args[i]);
}

static void sweep_all(struct sweep *s)
{
	static const uint32_t odd[] = { UINT32_MAX, UINT32_MAX - 1, 0x7fffffff, 0x80000000, 0x3fffffff, 0x40000000 };
	for (uint32_t nr = 0; nr < 1024; nr++) {
		sweep_number(s, nr);
		sweep_number(s, nr | 0x40000000u);
	}
	for (size_t i = 0; i < BAWN_LEN(odd); i++)
		sweep_number(s, odd[i]);
	for (int i = 0; i < 4096; i++)
		sweep_number(s, (uint32_t)rnd());
	for (size_t i = 0; i < BAWN_LEN(table); i++)
		if (table[i].profiles & 1u << s->lang)
			sweep_row(s, &table[i]);
}

/* --- the running program --- */

static bool is_program(const char *pid, unsigned uid)
{
	char path[300];
	bawn_auto_buf text = BAWN_BUF(16384);
	snprintf(path, sizeof path, "/proc/%s/status", pid);
	if (bawn_read_file(AT_FDCWD, path, &text, NULL) < 0)
		return false;
	const char *u = strstr(text.p, "\nUid:\t"), *n = strstr(text.p, "\nNSpid:\t");
	unsigned id = 0, outside = 0, inside = 0;
	return u != NULL && n != NULL && sscanf(u, "\nUid:\t%u", &id) == 1 && sscanf(n, "\nNSpid:\t%u\t%u", &outside, &inside) == 2 && id == uid && inside == 2;
}

static pid_t find_program(unsigned uid)
{
	bawn_auto_dir d = opendir("/proc");
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL; )
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && is_program(e->d_name, uid))
			return (pid_t)strtol(e->d_name, NULL, 10);
	return -1;
}

struct loaded { struct bawn_sandbox *s; unsigned uid; bool done; int error, filters, n; struct sock_filter f[MAX_INSTRUCTIONS]; };

/* Once the program has spoken: its filters, by number, the last one loaded first. */
static void take_filter(void *ctx, struct got *g)
{
	struct loaded *l = ctx;
	if (l->done || g->out.n == 0)
		return;
	l->done = true;
	pid_t pid = find_program(l->uid);
	int status;
	if (pid < 0 || ptrace(PTRACE_SEIZE, pid, NULL, NULL) < 0 || ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) < 0 || waitpid(pid, &status, __WALL) != pid) {
		l->error = errno != 0 ? errno : ESRCH;
	} else {
		long n = ptrace(PTRACE_SECCOMP_GET_FILTER, pid, (void *)0, l->f);
		l->error = n < 0 ? errno : 0;
		l->n = n < 0 || n > MAX_INSTRUCTIONS ? 0 : (int)n;
		for (l->filters = 0; n > 0 && ptrace(PTRACE_SECCOMP_GET_FILTER, pid, (void *)(long)l->filters, NULL) >= 0; )
			l->filters++;
		(void)ptrace(PTRACE_DETACH, pid, NULL, NULL);  /* else its end would be ours to wait for */
	}
	(void)bawn_native_backend.kill(l->s);
}

static const char *const waits[BAWN_LANG_COUNT] = {
	[BAWN_LANG_PYTHON] = "import time; print('up', flush=True); time.sleep(60)",
	[BAWN_LANG_BASH] = "echo up; read -t 60 < <(sleep 60)",
	[BAWN_LANG_JAVASCRIPT] = "console.log('up'); setTimeout(() => 0, 60000)",
};

static struct loaded load(enum bawn_language lang)
{
	unsigned slot = 900u + (unsigned)getpid() % 1000u;
	struct job j = { .lang = lang, .code = waits[lang], .slot = slot };
	struct loaded l = { .uid = 880000u + slot, .error = EIO };
	auto_got g;
	if (begin(&j, &l.s, &g) == 0) {
		g.error = follow(l.s, &g, take_filter, &l);
		bawn_native_backend.release(l.s);
	}
	return l;
}

static int filter(struct sweep *s, int filters)
{
	sweep_all(s);
	printf("%d %zu %lu %lu\n", filters, s->n, s->calls, s->differences);
	return 0;
}

/* Jumps go forward only, so one pass finds what can be reached; libseccomp ends a filter with a return
 * that nothing leads to. */
static void reachable(const struct sock_filter *f, size_t n, bool *out)
{
	memset(out, 0, n * sizeof *out);
	out[0] = true;
	for (size_t i = 0; i + 1 < n; i++) {
		if (!out[i] || BPF_CLASS(f[i].code) == BPF_RET)
			continue;
		bool jump = BPF_CLASS(f[i].code) == BPF_JMP, always = jump && BPF_OP(f[i].code) == BPF_JA;
		size_t yes = i + 1 + (always ? f[i].k : jump ? f[i].jt : 0), no = always ? yes : i + 1 + (jump ? f[i].jf : 0);
		if (yes < n && no < n)
			out[yes] = out[no] = true;
	}
}

/* The control: would a filter that lets one thing more through be noticed? */
static int control(struct sweep *s, struct sock_filter *f)
{
	unsigned returns = 0, noticed = 0;
	bool live[MAX_INSTRUCTIONS];
	reachable(f, s->n, live);
	s->quiet = true;
	for (size_t i = 0; i < s->n; i++) {
		uint32_t was = f[i].k;
		if (!live[i] || f[i].code != (BPF_RET | BPF_K) || was == SECCOMP_RET_ALLOW)
			continue;
		f[i].k = SECCOMP_RET_ALLOW;
		s->differences = 0;
		sweep_all(s);
		f[i].k = was;
		returns++;
		noticed += s->differences > 0;
	}
	printf("%u %u\n", returns, noticed);
	return 0;
}

static int print_table(int lang)
{
	static const uint64_t zero[N_ARGS];
	for (uint32_t nr = 0; nr < 512; nr++) {
		uint32_t action = policy(lang, AUDIT_ARCH_X86_64, nr, zero);
		if (action == SECCOMP_RET_ALLOW)
			printf("%u allow\n", nr);
		else
			printf("%u %u\n", nr, action & SECCOMP_RET_DATA);
	}
	return 0;
}

int main(int argc, char **argv)
{
	int lang = argc == 3 ? bawn_word_find(&bawn_language_words, bawn_span(argv[2])) : -1;
	if (lang < 0)
		return 2;
	if (strcmp(argv[1], "table") == 0)
		return print_table(lang);
	struct loaded l = load((enum bawn_language)lang);
	if (l.error != 0 || l.n == 0) {
		printf("error %d\n", l.error);
		return 1;
	}
	struct sweep s = { .lang = lang, .f = l.f, .n = (size_t)l.n };
	return strcmp(argv[1], "control") == 0 ? control(&s, l.f) : filter(&s, l.filters);
}
