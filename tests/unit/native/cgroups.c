/* cgroups.c - where the controllers are, in every shape a host comes in. */
#include "base/cleanup.h"
#include "native/cgroup.h"
#include "tap.h"

static void controllers(const char *mount, char *out, size_t size)
{
	snprintf(out, size, "%s", strcmp(mount, "/sys/fs/cgroup/unified") == 0 ? "hugetlb\n" : "cpuset cpu io memory hugetlb pids rdma misc\n");
}

#define V1(id, name, opts) #id " 31 0:" #id " / /sys/fs/cgroup/" name " rw,relatime shared:9 - cgroup cgroup rw," opts "\n"
#define V2(where) "41 31 0:38 / " where " rw,relatime - cgroup2 cgroup2 rw,nsdelegate\n"
#define NOISE "22 27 0:21 / /proc rw,relatime - proc proc rw\n24 27 0:6 / /dev rw - devtmpfs devtmpfs rw,size=1k,mode=755\n"

int main(void)
{
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
