/* gen-seccomp.c - turns src/native/syscalls.def into const BPF arrays, one per language, and a table
 * of syscall names; run on the build machine, so that no sandbox pays for libseccomp (1 ms each).
 * With --json: into one profile per language as a container engine takes it.
 *
 * What has no row answers EPERM.  Another architecture or the x32 numbers end the whole process.
 *
 * A profile allows what the policy allows, and the rows of INSIDE, which whoever puts up the inner walls of a
 * container needs until the program's own filter stands.  All else is SCMP_ACT_TRACE: with no tracer the kernel
 * answers ENOSYS and does nothing, and, unlike an errno, it leaves the word to the program's own filter (the exact
 * policy, with its errnos and its reports) as soon as that is there. */
#include <errno.h>
#include <linux/filter.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "policy/tables.h"

#define N_ALL 0xffffffffu

struct cond { unsigned arg; enum scmp_compare op; uint64_t a, b; };
struct row { bool inside; unsigned profiles; const char *name; int nr, error; unsigned n; struct cond cond[3]; };

static const struct row table[] = {
#define ALLOW(p, name)            { false, p, #name, -1, 0, 0, { { 0 } } },
#define WHEN1(p, name, ...)       { false, p, #name, -1, 0, 1, { __VA_ARGS__ } },
#define WHEN2(p, name, ...)       { false, p, #name, -1, 0, 2, { __VA_ARGS__ } },
#define WHEN3(p, name, ...)       { false, p, #name, -1, 0, 3, { __VA_ARGS__ } },
#define NOTHING(name)             { false, N_ALL, #name, -1, -1, 0, { { 0 } } },
#define NOTHING2(name, ...)       { false, N_ALL, #name, -1, -1, 2, { __VA_ARGS__ } },
#define REFUSE(name, e)           { false, N_ALL, #name, -1, e, 0, { { 0 } } },
#define REFUSE1(name, e, ...)     { false, N_ALL, #name, -1, e, 1, { __VA_ARGS__ } },
#define REFUSE_NR(number, e)      { false, N_ALL, NULL, number, e, 0, { { 0 } } },
#define INSIDE(name)              { true, N_ALL, #name, -1, 0, 0, { { 0 } } },
#define INSIDE1(name, ...)        { true, N_ALL, #name, -1, 0, 1, { __VA_ARGS__ } },
#include "native/syscalls.def"
};

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "gen-seccomp: %s\n", what);
	exit(1);
}

static void add(scmp_filter_ctx ctx, const struct row *r)
{
	int nr = r->name != NULL ? seccomp_syscall_resolve_name(r->name) : r->nr;
	must(nr != __NR_SCMP_ERROR, r->name);
	struct scmp_arg_cmp cmp[3];
	for (unsigned i = 0; i < r->n; i++)
		cmp[i] = (struct scmp_arg_cmp){ r->cond[i].arg, r->cond[i].op, r->cond[i].a, r->cond[i].b };
	uint32_t action = r->error > 0 ? SCMP_ACT_ERRNO((unsigned)r->error) : r->error < 0 ? SCMP_ACT_ERRNO(0) : SCMP_ACT_ALLOW;
	must(seccomp_rule_add_exact_array(ctx, action, nr, r->n, cmp) == 0, r->name != NULL ? r->name : "number");
}

static void emit(FILE *out, int lang)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	must(ctx != NULL, "init");
	must(seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0, "bad arch");
	must(seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2) == 0, "binary tree");
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (!table[i].inside && (table[i].profiles & 1u << lang))
			add(ctx, &table[i]);
	int fd = memfd_create("bpf", 0);
	must(fd >= 0 && seccomp_export_bpf(ctx, fd) == 0, "export");
	seccomp_release(ctx);
	struct sock_filter f[4096];
	ssize_t n = pread(fd, f, sizeof f, 0);
	must(n > 0 && (size_t)n < sizeof f, "size");
	close(fd);
	fprintf(out, "static const struct sock_filter bpf_%s[] = {\n", bawn_language_words.name[lang]);
	for (size_t i = 0; i < (size_t)n / sizeof *f; i++)
		fprintf(out, "\t{ 0x%02x, %u, %u, 0x%08x },\n", f[i].code, f[i].jt, f[i].jf, f[i].k);
	fprintf(out, "};\n");
}

static const char *op_name(enum scmp_compare op)
{
	return op == SCMP_CMP_MASKED_EQ ? "SCMP_CMP_MASKED_EQ" : op == SCMP_CMP_LT ? "SCMP_CMP_LT" : "SCMP_CMP_GT";
}

/* One string literal, quotes escaped. */
static void emit_json(FILE *out, int lang)
{
	const char *comma = "";
	fprintf(out, "static const char profile_%s[] = \"{\\\"defaultAction\\\":\\\"SCMP_ACT_TRACE\\\",\\\"architectures\\\":[\\\"SCMP_ARCH_X86_64\\\"],\\\"syscalls\\\":[\"\n",
	        bawn_language_words.name[lang]);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		const struct row *r = &table[i];
		if (r->error != 0 || r->name == NULL || !(r->profiles & 1u << lang))
			continue;
		fprintf(out, "\t\"%s{\\\"names\\\":[\\\"%s\\\"],\\\"action\\\":\\\"SCMP_ACT_ALLOW\\\",\\\"args\\\":[", comma, r->name);
		for (unsigned k = 0; k < r->n; k++)
			fprintf(out, "%s{\\\"index\\\":%u,\\\"op\\\":\\\"%s\\\",\\\"value\\\":%llu,\\\"valueTwo\\\":%llu}", k > 0 ? "," : "", r->cond[k].arg,
			        op_name(r->cond[k].op), (unsigned long long)r->cond[k].a, (unsigned long long)r->cond[k].b);
		fprintf(out, "]}\"\n");
		comma = ",";
	}
	fprintf(out, "\t\"]}\";\n");
}

int main(int argc, char **argv)
{
	bool json = argc == 3 && strcmp(argv[1], "--json") == 0;
	must(argc == 2 || json, "usage: gen-seccomp [--json] OUT.h");
	FILE *out = fopen(argv[argc - 1], "we");
	must(out != NULL, argv[argc - 1]);
	fprintf(out, "/* made by tools/gen-seccomp.c from src/native/syscalls.def */\n");
	for (int lang = 0; json && lang < BAWN_LANG_COUNT; lang++)
		emit_json(out, lang);
	if (json) {
		must(fclose(out) == 0, "write");
		return 0;
	}
	for (int lang = 0; lang < BAWN_LANG_COUNT; lang++)
		emit(out, lang);
	fprintf(out, "static const char *const syscall_name[] = {\n");
	for (int nr = 0; nr < 512; nr++) {
		char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_X86_64, nr);
		if (name != NULL)
			fprintf(out, "\t[%d] = \"%s\",\n", nr, name);
		free(name);
	}
	fprintf(out, "};\n");
	must(fclose(out) == 0, "write");
	return 0;
}
