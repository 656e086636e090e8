/* escape.c - one small program per attack.  It passes only if the attack is denied with all walls up
 * AND the same program gets through with the named walls left out (launch-test): otherwise the row
 * proves nothing.  Three verdicts: BLOCKED, REACHED, and "absent in kernel", which is never a pass. */
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "../unit/native/harness.h"

#define W(n) BAWN_LAYER_BIT(n)
/* Real root on the host, with the filters away: what the other walls hold back. */
#define AS_ROOT (W(SECCOMP) | W(LANDLOCK) | W(USERNS) | W(UID) | W(NO_CAPS) | W(NO_NEW_PRIVS))

#define PRELUDE \
	"import ctypes,os,errno,sys,socket,fcntl\n" \
	"L=ctypes.CDLL(None,use_errno=True); L.syscall.restype=ctypes.c_long\n" \
	"def sc(*a):\n" \
	"  ctypes.set_errno(0)\n" \
	"  r=L.syscall(*[ctypes.c_long(x) if isinstance(x,int) else x for x in a]); return r,ctypes.get_errno()\n" \
	"def say(reached): print('REACHED' if reached else 'BLOCKED',flush=True); os._exit(0)\n" \
	"def kernel(r,e):\n" \
	"  if e==errno.ENOSYS: print('ABSENT' if sys.argv[1]=='control' else 'BLOCKED'); os._exit(0)\n" \
	"  say(e not in (errno.EPERM,errno.EACCES))\n" \
	"def family(f,k,p=0):\n" \
	"  r,e=sc(41,f,k,p)\n" \
	"  if e==errno.EAFNOSUPPORT and sys.argv[1]=='control': print('ABSENT'); os._exit(0)\n" \
	"  say(r>=0)\n" \
	"def opens(p,f=os.O_RDONLY):\n" \
	"  try: os.close(os.open(p,f)); say(True)\n" \
	"  except OSError: say(False)\n"

static const struct attack { const char *name, *code; uint32_t without; const char *denial; } row[] = {
	/* the file system */
	{ "the host's /etc/shadow", "say(os.path.exists('/etc/shadow'))", W(MOUNTNS), NULL },
	{ "the host's home directories", "say(os.path.exists('/root'))", W(MOUNTNS), NULL },
	{ "the host's /sys", "say(os.path.exists('/sys/kernel'))", W(MOUNTNS), NULL },
	{ "set-user-id binaries count for nothing", "say(not os.statvfs('/usr').f_flag & os.ST_NOSUID)", W(MOUNTNS), NULL },
	{ "writing to the root, /etc, /usr, /code",
	  "n=0\nfor p in ('/x','/etc/x','/usr/x','/usr/bin/x','/code/x','/dev/x'):\n  try: open(p,'w'); n+=1\n  except OSError: pass\nsay(n>0)", W(RO_ROOT) | W(LANDLOCK), NULL },
	{ "Landlock is a second lock: writing to /proc/self", "opens('/proc/self/comm',os.O_WRONLY)", W(LANDLOCK), NULL },
	{ "mount", "kernel(*sc(165,b'tmpfs',b'/tmp',b'tmpfs',0,0))", AS_ROOT, "mount" },
	{ "umount", "kernel(*sc(166,b'/tmp',2))", AS_ROOT, "umount2" },
	{ "pivot_root", "kernel(*sc(155,b'.',b'.'))", AS_ROOT, "pivot_root" },
	{ "chroot", "kernel(*sc(161,b'/tmp'))", AS_ROOT, "chroot" },
	{ "fsopen", "kernel(*sc(430,b'tmpfs',0))", AS_ROOT, "fsopen" },
	{ "open_by_handle_at", "kernel(*sc(304,-100,ctypes.create_string_buffer(64),0))", AS_ROOT, "open_by_handle_at" },
	{ "mknod", "kernel(*sc(133,b'/workspace/n',0o10600,0))", W(SECCOMP), "mknod" },
	{ "memory files", "r,e=sc(319,b'x',0); say(r>=0)", W(SECCOMP), NULL },
	{ "execveat", "kernel(*sc(322,-1,b'',0,0,0x1000))", W(SECCOMP), "execveat" },
	/* namespaces and identity */
	{ "unshare(NEWUSER)", "r,e=sc(272,0x10000000); say(r==0)", W(SECCOMP), "unshare" },
	{ "clone(NEWUSER)", "r,e=sc(56,0x10000011,0,0,0,0)\nif r==0: os._exit(0)\nsay(r>0)", W(SECCOMP), "clone" },
	{ "clone(PARENT), a child of the launcher", "r,e=sc(56,0x8011,0,0,0,0)\nif r==0: os._exit(0)\nsay(r>0)", W(SECCOMP), "clone" },
	{ "clone3, whose flags no filter can see", "r,e=sc(435,0,0); say(e!=errno.ENOSYS)", W(SECCOMP), NULL },
	{ "setns", "kernel(*sc(308,os.open('/proc/self/ns/user',0),0))", W(SECCOMP), "setns" },
	{ "capabilities, in all five sets", "say(any(l.startswith('Cap') and int(l.split()[1],16) for l in open('/proc/self/status')))", W(NO_CAPS), NULL },
	{ "new privileges by exec", "say('NoNewPrivs:\\t0' in open('/proc/self/status').read())", W(NO_NEW_PRIVS) | W(NO_CAPS), NULL },
	{ "a thread without the filter", "import threading\nt=threading.Thread(target=lambda: say(any('Seccomp:\\t0' in open(f'/proc/self/task/{i}/status').read() for i in os.listdir('/proc/self/task')))); t.start()",
	  W(SECCOMP), NULL },
	{ "being root", "say(os.getuid()==0)", W(USERNS) | W(UID), NULL },
	{ "seeing processes that are not its own", "say(len([p for p in os.listdir('/proc') if p.isdigit()])>1)", W(PIDNS), NULL },
	{ "init's environment", "opens('/proc/1/environ')", W(PIDNS) | AS_ROOT, NULL },
	{ "init's memory", "opens('/proc/1/mem')", W(PIDNS) | AS_ROOT, NULL },
	{ "the kernel's core_pattern", "opens('/proc/sys/kernel/core_pattern',os.O_WRONLY)", W(PIDNS) | AS_ROOT, NULL },
	{ "sysrq, kallsyms and the rest of /proc", "say(any(os.path.exists('/proc/'+f) for f in ('kallsyms','meminfo','cpuinfo','sys','keys')))", W(PIDNS), NULL },
	{ "the host's cgroup path", "say('slot' in open('/proc/self/cgroup').read())", W(CGROUPNS), NULL },
	{ "the host's name", "say(socket.gethostname()!='bawn')", W(UTSNS), NULL },
	{ "the host's System V objects", "say(os.readlink('/proc/self/ns/ipc')==sys.argv[2])", W(IPCNS), NULL },
	{ "more open files than allowed", "import resource; say(resource.getrlimit(resource.RLIMIT_NOFILE)[1]>256)", W(RLIMITS), NULL },
	/* the network */
	{ "the host's loopback", "s=socket.socket()\ntry: s.connect(('127.0.0.1',int(sys.argv[3]))); say(True)\nexcept OSError: say(False)", W(NETNS), NULL },
	{ "the host's abstract sockets", "s=socket.socket(socket.AF_UNIX)\ntry: s.connect('\\0'+sys.argv[4]); say(True)\nexcept OSError: say(False)", W(NETNS) | W(LANDLOCK), NULL },
	{ "AF_VSOCK, which no namespace holds", "family(40,1)", W(SECCOMP), "socket" },
	{ "AF_NETLINK", "family(16,3)", W(SECCOMP), "socket" },
	{ "AF_ALG", "family(38,5)", W(SECCOMP), "socket" },
	{ "AF_PACKET", "family(17,3)", AS_ROOT, "socket" },
	{ "raw sockets", "family(2,3,1)", AS_ROOT, "socket" },
	{ "a family with high bits set", "family(40|1<<40,1)", W(SECCOMP), "socket" },
	{ "MSG_OOB on a unix socket", "a,b=socket.socketpair(); kernel(*sc(44,a.fileno(),b'x',1,1,0,0))", W(SECCOMP), "sendto" },
	{ "TCP_ULP", "s=socket.socket(); kernel(*sc(54,s.fileno(),6,31,b'tls',3))", W(SECCOMP), "setsockopt" },
	{ "a packet filter program", "import struct; b=ctypes.create_string_buffer(bytes([6,0,0,0,255,255,0,0])); s=socket.socket(); kernel(*sc(54,s.fileno(),1,26,struct.pack('HxxxxxxQ',1,ctypes.addressof(b)),16))", AS_ROOT, "setsockopt" },
	/* the kernel's surface */
	{ "ptrace", "kernel(*sc(101,0,0,0,0))", W(SECCOMP), "ptrace" },
	{ "process_vm_readv", "kernel(*sc(310,os.getpid(),0,0,0,0,0))", W(SECCOMP), "process_vm_readv" },
	{ "pidfd_getfd", "kernel(*sc(438,-1,0,0))", W(SECCOMP), "pidfd_getfd" },
	{ "kcmp", "kernel(*sc(312,os.getpid(),os.getpid(),1,0,0))", W(SECCOMP), "kcmp" },
	{ "add_key", "kernel(*sc(248,b'user',b'x',b'y',1,-3))", W(SECCOMP), "add_key" },
	{ "keyctl", "kernel(*sc(250,0,-3,0,0,0))", W(SECCOMP), "keyctl" },
	{ "bpf", "kernel(*sc(321,9999,0,0))", AS_ROOT, "bpf" },
	{ "perf_event_open", "kernel(*sc(298,0,0,-1,-1,0))", AS_ROOT, "perf_event_open" },
	{ "io_uring", "kernel(*sc(425,1,ctypes.create_string_buffer(256)))", W(SECCOMP), NULL },
	{ "userfaultfd", "kernel(*sc(323,1))", W(SECCOMP), "userfaultfd" },
	{ "System V shared memory", "kernel(*sc(29,0,4096,0o1600))", W(SECCOMP), "shmget" },
	{ "POSIX message queues", "kernel(*sc(240,b'q',0,0,0))", W(SECCOMP), "mq_open" },
	{ "personality", "kernel(*sc(135,0x40000))", W(SECCOMP), "personality" },
	{ "modify_ldt", "kernel(*sc(154,0,0,0))", W(SECCOMP), "modify_ldt" },
	{ "splice, of the page-cache family", "r,w=os.pipe(); kernel(*sc(275,r,0,w,0,1,2))", W(SECCOMP), "splice" },
	{ "vmsplice", "r,w=os.pipe(); kernel(*sc(278,w,0,0,0))", W(SECCOMP), "vmsplice" },
	{ "a second seccomp filter", "kernel(*sc(317,2,0,ctypes.byref(ctypes.c_uint32(0x7fff0000))))", W(SECCOMP), "seccomp" },
	{ "prctl(SET_CHILD_SUBREAPER)", "kernel(*sc(157,36,1,0,0,0))", W(SECCOMP), "prctl" },
	{ "writable and executable memory", "L.mmap.restype=ctypes.c_long; say(L.mmap(None,4096,7,0x22,-1,0)!=-1)", W(SECCOMP), "mmap" },
	{ "larger pipes", "r,w=os.pipe(); kernel(*sc(72,w,1031,1<<20))", W(SECCOMP), "fcntl" },
	{ "TIOCSTI", "kernel(*sc(16,0,0x5412,b'x'))", W(SECCOMP), "ioctl" },
	{ "TIOCSTI with high bits", "kernel(*sc(16,0,0x5412|1<<40,b'x'))", W(SECCOMP), "ioctl" },
	{ "setting the clock", "kernel(*sc(227,0,0))", AS_ROOT, "clock_settime" },
	{ "reboot", "kernel(*sc(169,0,0,0,0))", AS_ROOT, "reboot" },
	{ "init_module", "kernel(*sc(175,0,0,b''))", AS_ROOT, "init_module" },
	{ "scheduling classes", "kernel(*sc(144,0,3,ctypes.byref(ctypes.c_int(0))))", W(SECCOMP), "sched_setscheduler" },
	{ "x32 system calls", "r,e=sc(0x40000027); say(True)", W(SECCOMP), NULL },
	{ "i386 system calls by int 0x80",
	  "L.mmap.restype=ctypes.c_long; p=L.mmap(None,4096,3,0x22,-1,0); ctypes.memmove(p,bytes.fromhex('b814000000cd80c3'),8)\n"
	  "L.mprotect(ctypes.c_long(p),4096,5); ctypes.CFUNCTYPE(ctypes.c_int)(p)(); say(True)", W(SECCOMP), NULL },
};

struct world { char ipc[64], port[8], name[32]; };

/* Blocked: says so, or was ended by the filter. */
static const char *verdict(const struct got *g)
{
	if (g->error == 0 && g->end.outcome.end == BAWN_END_SIGNAL && g->end.outcome.signal == 31)
		return "BLOCKED";
	static const char *const word[] = { "BLOCKED", "REACHED", "ABSENT" };
	for (size_t i = 0; i < BAWN_LEN(word); i++)
		if (g->error == 0 && g->out.n == strlen(word[i]) + 1 && strncmp(g->out.p, word[i], strlen(word[i])) == 0)
			return word[i];
	diag("end %d signal %d, stdout '%.200s', stderr '%.500s'", g->end.outcome.end, g->end.outcome.signal, g->out.p != NULL ? g->out.p : "",
	     g->errout.p != NULL ? g->errout.p : "");
	return "?";
}

static void attempt(const struct attack *a, const struct world *w)
{
	char code[4096];
	snprintf(code, sizeof code, PRELUDE "%s\n", a->code);
	struct job j = { .code = code, .args = { "walls", w->ipc, w->port, w->name } };
	auto_got walls = run(&j);
	j.args[0] = "control";
	j.without = a->without;
	auto_got control = run(&j);
	const char *with = verdict(&walls), *without = verdict(&control);
	bool noted = a->denial == NULL || denial(&walls, a->denial) != NULL;
	if (strcmp(without, "ABSENT") == 0 && strcmp(with, "BLOCKED") == 0)
		skip(a->name, "absent in kernel");
	else
		ok(strcmp(with, "BLOCKED") == 0 && strcmp(without, "REACHED") == 0 && noted, "%s: %s with the walls, %s without%s", a->name, with, without,
		   noted ? "" : ", but no denial was reported");
}

int main(void)
{
	if (geteuid() != 0) {
		skip("escape attempts", "not root: the positive controls need it");
		return done_testing();
	}
	struct world w = { 0 };
	(void)!readlink("/proc/self/ns/ipc", w.ipc, sizeof w.ipc - 1);
	bawn_auto_fd tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof in;
	bool up = bind(tcp, (struct sockaddr *)&in, n) == 0 && listen(tcp, 64) == 0 && getsockname(tcp, (struct sockaddr *)&in, &n) == 0;
	snprintf(w.port, sizeof w.port, "%u", ntohs(in.sin_port));
	bawn_auto_fd local = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int len = snprintf(w.name, sizeof w.name, "bawn-probe-%d", getpid());
	memcpy(un.sun_path + 1, w.name, (size_t)len);
	up = up && bind(local, (struct sockaddr *)&un, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len)) == 0 && listen(local, 64) == 0;
	ok(up, "listeners on the host for the sandbox to miss");
	for (size_t i = 0; i < BAWN_LEN(row); i++)
		attempt(&row[i], &w);
	return done_testing();
}
