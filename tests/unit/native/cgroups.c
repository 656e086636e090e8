/* cgroups.c - where the controllers are, in every shape a host comes in. */
#include <sys/wait.h>
#include "base/cleanup.h"
#include "native/cgroup.h"
#include "tap.h"
#include "tmpdir.h"

static void controllers(const char *mount, char *out, size_t size)
{
	snprintf(out, size, "%s", strcmp(mount, "/sys/fs/cgroup/unified") == 0 ? "hugetlb\n" : "cpuset cpu io memory hugetlb pids rdma misc\n");
}

#define V1(id, name, opts) #id " 31 0:" #id " / /sys/fs/cgroup/" name " rw,relatime shared:9 - cgroup cgroup rw," opts "\n"
#define V2(where) "41 31 0:38 / " where " rw,relatime - cgroup2 cgroup2 rw,nsdelegate\n"
#define NOISE "22 27 0:21 / /proc rw,relatime - proc proc rw\n24 27 0:6 / /dev rw - devtmpfs devtmpfs rw,size=1k,mode=755\n"

/* Slots are numbered from 0 in every run directory: without root the lock file makes the name. */
static void names(void)
{
	auto_tmpdir a = tmpdir_make(), b = tmpdir_make();
	bawn_auto_fd x = openat(a.fd, "0", O_RDWR | O_CREAT | O_CLOEXEC, 0600), y = openat(b.fd, "0", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	char one[64], two[64], again[64];
	pid_t pid = fork();
	if (pid == 0) {
		if (geteuid() == 0 && setresuid(65534, 65534, 65534) < 0)
			_exit(2);
		bawn_cgroup_name(0, x, one);
		bawn_cgroup_name(0, y, two);
		bawn_cgroup_name(0, x, again);
		_exit(strcmp(one, again) == 0 && strcmp(one, two) != 0 && one[0] == 'u' ? 0 : 1);
	}
	int status;
	ok(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0, "the same slot of two run directories has two names");
}

int main(void)
{
	names();
	static const struct { const char *name, *text; size_t n; const char *memory, *cpu, *acct, *pids; } row[] = {
		{ "pure v2", NOISE V2("/sys/fs/cgroup"), 1, "/sys/fs/cgroup", "/sys/fs/cgroup", "/sys/fs/cgroup", "/sys/fs/cgroup" },
		{ "v1, each apart", NOISE V1(32, "cpu", "cpu") V1(33, "cpuacct", "cpuacct") V1(35, "memory", "memory") V1(39, "pids", "pids"), 4,
		  "/sys/fs/cgroup/memory", "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpuacct", "/sys/fs/cgroup/pids" },
		{ "v1, cpu and cpuacct joint", V1(32, "cpu,cpuacct", "cpu,cpuacct") V1(35, "memory", "memory") V1(39, "pids", "pids"), 3,
		  "/sys/fs/cgroup/memory", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/pids" },
		{ "hybrid: v2 without our controllers is left alone", V2("/sys/fs/cgroup/unified") V1(32, "cpu", "cpu") V1(33, "cpuacct", "cpuacct") V1(35, "memory", "memory") V1(39, "pids", "pids"), 4,
		  "/sys/fs/cgroup/memory", "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpuacct", "/sys/fs/cgroup/pids" },
		{ "the first mount of a hierarchy wins", V1(35, "memory", "memory") V1(36, "again", "memory"), 1, "/sys/fs/cgroup/memory", NULL, NULL, NULL },
		{ "cpuset is not cpu", V1(34, "cpuset", "cpuset"), 0, NULL, NULL, NULL, NULL },
		{ "no cgroups at all", NOISE, 0, NULL, NULL, NULL, NULL },
		{ "lines that make no sense", "\n - \nx\n1 2 3\n - cgroup\n", 0, NULL, NULL, NULL, NULL },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_cgroups cg;
		const char *const want[] = { row[i].memory, row[i].cpu, row[i].acct, row[i].pids };
		bawn_cgroups_parse(&cg, bawn_span(row[i].text), controllers);
		bool good = cg.n == row[i].n;
		for (int c = 0; c < BAWN_CTL_COUNT; c++)
			good = good && (want[c] == NULL ? cg.of[c] < 0 : cg.of[c] >= 0 && strcmp(cg.at[cg.of[c]].mount, want[c]) == 0);
		ok(good, "%s", row[i].name);
	}
	return done_testing();
}
