/* hook.c - what a Python program does, told by its interpreter: a library that the dynamic linker loads
 * before main (LD_PRELOAD), which registers an audit hook and writes into memory shared with bawn.
 *
 * It lives where the code lives: the code can go round it (ctypes) or write what it likes.  So what it
 * says is evidence, never a wall (docs/THREAT-MODEL.md), and it must not be felt:
 * (1) variable and descriptor are gone before main; (2) it never waits, allocates nothing that stays, never
 * fails an event, and leaves no exception; (3) it records from the moment the code begins, and neither
 * what the interpreter does for itself nor what libraries do while they are imported.
 *
 * No Python header is needed: these few functions have been there, unchanged, since 3.9.  They are weak, so
 * that any other program loads this library too, and nothing happens. */
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "sandbox/area.h"

typedef struct bawn_py PyObject;
typedef ssize_t Py_ssize_t;
typedef int audit_hook(const char *event, PyObject *args, void *ctx);
#define WEAK __attribute__((weak, visibility("default")))
WEAK int PySys_AddAuditHook(audit_hook *hook, void *ctx);
WEAK PyObject *PyTuple_GetItem(PyObject *tuple, Py_ssize_t at);                    /* borrowed */
WEAK PyObject *PyList_GetItem(PyObject *list, Py_ssize_t at);                      /* borrowed */
WEAK const char *PyUnicode_AsUTF8AndSize(PyObject *text, Py_ssize_t *out_n);       /* the object's own */
WEAK PyObject *PyUnicode_EncodeFSDefault(PyObject *text);
WEAK int PyBytes_AsStringAndSize(PyObject *bytes, char **out, Py_ssize_t *out_n);  /* the object's own */
WEAK long PyLong_AsLong(PyObject *number);
WEAK void PyErr_Clear(void);
WEAK void Py_DecRef(PyObject *o);
WEAK PyObject *PyEval_GetFrame(void);                                              /* borrowed */
WEAK PyObject *PyFrame_GetBack(PyObject *frame);
WEAK PyObject *PyFrame_GetCode(PyObject *frame);
WEAK PyObject *PyObject_GetAttrString(PyObject *o, const char *name);

#define MAX_FRAMES 64
#define MAX_PROBES 16
#define MAX_WORDS  64

static struct bawn_area *area;
static bool watching;

/* --- the shared memory --- */

static void add_one(_Atomic uint32_t *n)
{
	if (atomic_load_explicit(n, memory_order_relaxed) < UINT32_MAX / 2)
		atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
}

static uint64_t hash_of(unsigned kind, const char *text, size_t n)
{
	uint64_t h = (14695981039346656037u ^ kind) * 1099511628211u;
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)text[i]) * 1099511628211u;
	return h | 1;
}

/* The entry of what was seen before, to be counted there.  NULL where it is new; then *out_slot, if there
 * was room and `keep`, remembers it from now on. */
static struct bawn_area_entry *seen(uint64_t hash, bool keep, _Atomic uint32_t **out_slot)
{
	for (uint64_t i = 0; i < MAX_PROBES; i++) {
		uint64_t at = (hash + i) % BAWN_AREA_SLOTS, was = atomic_load(&area->slot[at].hash);
		if (was == 0 && !keep)
			return NULL;
		if (was == 0 && atomic_compare_exchange_strong(&area->slot[at].hash, &was, hash)) {
			*out_slot = &area->slot[at].entry;
			return NULL;
		}
		if (was != hash)
			continue;
		uint32_t entry = atomic_load(&area->slot[at].entry);
		static struct bawn_area_entry nobody;  /* somebody is just writing it: one count is lost */
		return entry > 0 && entry <= BAWN_AREA_ENTRIES ? &area->entry[entry - 1] : &nobody;
	}
	return NULL;
}

static void put(enum bawn_area_kind kind, const char *text, size_t n, bool cut)
{
	_Atomic uint32_t *slot = NULL;
	bool room = atomic_load(&area->head.kinds[kind]) < BAWN_AREA_EACH;
	struct bawn_area_entry *e = seen(hash_of(kind, text, n), room, &slot);
	if (e != NULL) {
		add_one(&e->count);
		return;
	}
	room = room && atomic_fetch_add(&area->head.kinds[kind], 1) < BAWN_AREA_EACH;
	uint32_t at = room ? atomic_fetch_add(&area->head.used, 1) : BAWN_AREA_ENTRIES;
	if (at >= BAWN_AREA_ENTRIES) {
		add_one(&area->head.dropped);
		return;
	}
	e = &area->entry[at];
	e->kind = (uint8_t)kind;
	e->cut = cut;
	e->len = (uint16_t)n;
	memcpy(e->text, text, n);
	atomic_store_explicit(&e->count, 1, memory_order_release);
	if (slot != NULL)
		atomic_store(slot, at + 1);
}

/* --- text --- */

/* A text that grows in place and stops where the entry ends. */
struct line { char p[BAWN_AREA_TEXT]; size_t n; bool cut; };

static void add(struct line *l, const char *text, size_t n)
{
	size_t room = sizeof l->p - l->n;
	l->cut = l->cut || n > room;
	n = n < room ? n : room;
	memcpy(l->p + l->n, text, n);
	l->n += n;
}

/* What an object says, if it is text; `hold` keeps it alive. */
static bool text_of(PyObject *o, const char **out, size_t *out_n, PyObject **hold)
{
	Py_ssize_t n = 0;
	char *bytes = NULL;
	*hold = NULL;
	if (o == NULL)
		return false;
	*out = PyUnicode_AsUTF8AndSize(o, &n);
	if (*out == NULL) {
		PyErr_Clear();
		*hold = PyUnicode_EncodeFSDefault(o);  /* names that are not UTF-8 */
		PyErr_Clear();
		if (PyBytes_AsStringAndSize(*hold != NULL ? *hold : o, &bytes, &n) < 0)
			PyErr_Clear();
		*out = bytes;
	}
	*out_n = n > 0 ? (size_t)n : 0;
	return *out != NULL;
}

static bool add_object(struct line *l, PyObject *o)
{
	const char *p;
	size_t n;
	PyObject *hold;
	bool text = text_of(o, &p, &n, &hold);
	if (text)
		add(l, p, n);
	if (hold != NULL)
		Py_DecRef(hold);
	return text;
}

static PyObject *item(PyObject *tuple, Py_ssize_t at)
{
	PyObject *o = PyTuple_GetItem(tuple, at);
	if (o == NULL)
		PyErr_Clear();
	return o;
}

static long number(PyObject *o, long otherwise)
{
	long v = o != NULL ? PyLong_AsLong(o) : -1;
	if (v != -1 || o == NULL)
		return v != -1 ? v : otherwise;
	PyErr_Clear();
	return otherwise;
}

static void add_number(struct line *l, long v)
{
	char digit[24];
	size_t at = sizeof digit;
	unsigned long u = v < 0 ? 0 : (unsigned long)v;
	do
		digit[--at] = (char)('0' + u % 10);
	while ((u /= 10) > 0);
	add(l, digit + at, sizeof digit - at);
}

/* --- who --- */

enum who { LIBRARY, CODE, IMPORTER };

static bool starts(const char *p, size_t n, const char *with)
{
	size_t m = strlen(with);
	return n >= m && memcmp(p, with, m) == 0;
}

/* Only what cannot be written counts as a library. */
static enum who who_of(PyObject *frame)
{
	static const char *const importer[] = { "<frozen importlib", "<frozen zipimport" }, *const own[] = { "/workspace/", "/code/", "/tmp/", "/dev/shm/" };
	static const char lib[] = "/lib/python", package[] = "/importlib/__init__.py";
	enum who who = CODE;
	const char *p;
	size_t n;
	PyObject *hold = NULL, *code = PyFrame_GetCode(frame), *name = code != NULL ? PyObject_GetAttrString(code, "co_filename") : NULL;
	if (text_of(name, &p, &n, &hold) && !starts(p, n, own[0]) && !starts(p, n, own[1]) && !starts(p, n, own[2]) && !starts(p, n, own[3])) {
		if (starts(p, n, importer[0]) || starts(p, n, importer[1]))
			who = IMPORTER;
		else if (memmem(p, n, lib, sizeof lib - 1) != NULL || starts(p, n, "<frozen "))
			who = n > sizeof package && memcmp(p + n - (sizeof package - 1), package, sizeof package - 1) == 0 ? IMPORTER : LIBRARY;
	}
	PyErr_Clear();
	PyObject *const done[] = { hold, name, code };
	for (size_t i = 0; i < sizeof done / sizeof *done; i++)
		if (done[i] != NULL)
			Py_DecRef(done[i]);
	return who;
}

/* Outwards from the innermost frame: the first that is none of `skip`.  LIBRARY where there is none: then
 * the interpreter does it for itself.  CODE where it lies too deep to be sure. */
static enum who first_not(enum who skip)
{
	PyObject *frame = PyEval_GetFrame(), *held = NULL;
	enum who who = skip;
	for (int i = 0; frame != NULL && who == skip && i < MAX_FRAMES; i++) {
		who = who_of(frame);
		frame = who == skip ? PyFrame_GetBack(frame) : NULL;
		if (held != NULL)
			Py_DecRef(held);
		held = frame;
	}
	if (held == NULL)
		return who == skip ? LIBRARY : who;
	Py_DecRef(held);
	return CODE;
}

static bool by_the_code(void) { return first_not(LIBRARY) == CODE; }
static bool imported_by_the_code(void) { return first_not(IMPORTER) == CODE; }

/* --- events --- */

/* Relative names get the working directory before them; "?" where a descriptor stands for it, or where it has no name. */
static void put_path(enum bawn_area_kind kind, PyObject *name, bool below_fd)
{
	struct line l = { .n = 0 };
	char cwd[PATH_MAX];
	const char *p;
	size_t n;
	PyObject *hold;
	if (text_of(name, &p, &n, &hold) && n > 0) {
		long m = p[0] != '/' && !below_fd ? syscall(SYS_getcwd, cwd, sizeof cwd) : 0;
		bool nameless = below_fd || m < 0;
		if (m > 1)
			add(&l, cwd, (size_t)m - 1);
		if (p[0] != '/')
			add(&l, nameless ? "?/" : "/", nameless ? 2 : 1);
		add(&l, p, n);
		put(kind, l.p, l.n, l.cut);
	}
	if (hold != NULL)
		Py_DecRef(hold);
}

/* The importable name a module's file belongs to: that of the file, or of the outermost package. */
static void put_module_file(PyObject *path)
{
	static const char cache[] = "/__pycache__", init[] = "/__init__.py";
	char dir[PATH_MAX];
	const char *p;
	size_t n;
	PyObject *hold;
	if (text_of(path, &p, &n, &hold) && n > 0 && n + sizeof init < sizeof dir && p[0] == '/') {
		memcpy(dir, p, n);
		dir[n] = '\0';
		char *end = strrchr(dir, '/');
		const char *name = p + (end + 1 - dir);
		*end = '\0';
		if ((size_t)(end - dir) >= sizeof cache && strcmp(end - (sizeof cache - 1), cache) == 0)
			end -= sizeof cache - 1;
		for (;;) {
			memcpy(end, init, sizeof init);
			bool package = access(dir, F_OK) == 0;
			*end = '\0';
			char *slash = strrchr(dir, '/');
			if (!package || slash == NULL)
				break;
			name = p + (slash + 1 - dir);
			end = slash;
		}
		size_t len = strcspn(name, "./");
		if (len <= BAWN_AREA_TEXT)
			put(BAWN_AREA_IMPORT, name, len, false);
	}
	if (hold != NULL)
		Py_DecRef(hold);
}

static void on_open(PyObject *args)
{
	long flags = number(item(args, 2), 0);
	bool write_ = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
	PyObject *frame = PyEval_GetFrame();
	if (frame == NULL)
		return;  /* the interpreter itself: the code's own file, a traceback */
	if (who_of(frame) == IMPORTER && !write_ && imported_by_the_code())
		put_module_file(item(args, 0));
	else if (by_the_code())
		put_path(write_ ? BAWN_AREA_WRITE : BAWN_AREA_READ, item(args, 0), false);
}

static void on_import(PyObject *args)
{
	struct line l = { .n = 0 };
	if (PyEval_GetFrame() == NULL || !imported_by_the_code() || !add_object(&l, item(args, 0)))
		return;
	const char *dot = memchr(l.p, '.', l.n);
	put(BAWN_AREA_IMPORT, l.p, dot != NULL ? (size_t)(dot - l.p) : l.n, l.cut);
}

/* A list, a tuple, or one text. */
static void put_command(PyObject *command)
{
	struct line l = { .n = 0 };
	if (command == NULL)
		return;
	if (!add_object(&l, command))
		for (Py_ssize_t i = 0; i < MAX_WORDS; i++) {
			PyObject *word = PyList_GetItem(command, i);
			if (word == NULL) {
				PyErr_Clear();
				word = item(command, i);
			}
			if (word == NULL)
				break;
			if (i > 0)
				add(&l, " ", 1);
			if (!add_object(&l, word))
				add(&l, "?", 1);
		}
	put(BAWN_AREA_EXEC, l.p, l.n, l.cut);
}

static void put_address(PyObject *host, PyObject *port)
{
	struct line l = { .n = 0 };
	if (!add_object(&l, host))
		return;
	if (memchr(l.p, ':', l.n) != NULL) {  /* IPv6 */
		struct line v6 = { .n = 0 };
		add(&v6, "[", 1);
		add(&v6, l.p, l.n);
		add(&v6, "]", 1);
		l = v6;
	}
	long v = number(port, -1);
	if (v >= 0) {
		add(&l, ":", 1);
		add_number(&l, v);
	} else if (port != NULL) {
		struct line name = { .n = 0 };
		if (add_object(&name, port) && name.n > 0) {
			add(&l, ":", 1);
			add(&l, name.p, name.n);
		}
	}
	put(BAWN_AREA_CONNECT, l.p, l.n, l.cut);
}

static void put_peer(PyObject *address)
{
	struct line l = { .n = 0 };
	add(&l, "unix:", 5);
	if (address == NULL)
		return;
	if (add_object(&l, address)) {
		if (l.n > 5 && l.p[5] == '\0')
			l.p[5] = '@';
		put(BAWN_AREA_CONNECT, l.p, l.n, l.cut);
		return;
	}
	PyObject *host = item(address, 0);
	if (host != NULL)
		put_address(host, item(address, 1));
}

/* What each event tells.  FILE: the path is argument `at`, a directory's descriptor argument `dir`. */
enum how { OPEN, IMPORT_, FILE_, COMMAND, PEER, ADDRESS };
static const struct row { const char *event; enum how how; enum bawn_area_kind kind; signed char at, dir; } table[] = {
	{ "open", OPEN, BAWN_AREA_READ, 0, -1 },
	{ "import", IMPORT_, BAWN_AREA_IMPORT, 0, -1 },
	{ "os.listdir", FILE_, BAWN_AREA_READ, 0, -1 },
	{ "os.scandir", FILE_, BAWN_AREA_READ, 0, -1 },
	{ "os.remove", FILE_, BAWN_AREA_WRITE, 0, 1 },
	{ "os.rmdir", FILE_, BAWN_AREA_WRITE, 0, 1 },
	{ "os.mkdir", FILE_, BAWN_AREA_WRITE, 0, 2 },
	{ "os.rename", FILE_, BAWN_AREA_WRITE, 0, 2 },
	{ "os.rename", FILE_, BAWN_AREA_WRITE, 1, 3 },
	{ "os.link", FILE_, BAWN_AREA_WRITE, 1, 3 },
	{ "os.symlink", FILE_, BAWN_AREA_WRITE, 1, 2 },
	{ "os.truncate", FILE_, BAWN_AREA_WRITE, 0, -1 },
	{ "os.chmod", FILE_, BAWN_AREA_WRITE, 0, 2 },
	{ "os.chown", FILE_, BAWN_AREA_WRITE, 0, 3 },
	{ "os.utime", FILE_, BAWN_AREA_WRITE, 0, 3 },
	{ "subprocess.Popen", COMMAND, BAWN_AREA_EXEC, 1, -1 },
	{ "os.system", COMMAND, BAWN_AREA_EXEC, 0, -1 },
	{ "os.exec", COMMAND, BAWN_AREA_EXEC, 1, -1 },
	{ "os.posix_spawn", COMMAND, BAWN_AREA_EXEC, 1, -1 },
	{ "socket.connect", PEER, BAWN_AREA_CONNECT, 1, -1 },
	{ "socket.sendto", PEER, BAWN_AREA_CONNECT, 1, -1 },
	{ "socket.sendmsg", PEER, BAWN_AREA_CONNECT, 1, -1 },
	{ "socket.getaddrinfo", ADDRESS, BAWN_AREA_CONNECT, 0, -1 },
	{ "socket.gethostbyname", ADDRESS, BAWN_AREA_CONNECT, 0, -1 },
};

static void tell(const struct row *row, PyObject *args)
{
	switch (row->how) {
	case OPEN:
		on_open(args);
		return;
	case IMPORT_:
		on_import(args);
		return;
	case FILE_:
		if (by_the_code())
			put_path(row->kind, item(args, row->at), row->dir >= 0 && number(item(args, row->dir), -1) >= 0);
		return;
	case COMMAND:
		put_command(item(args, row->at));
		return;
	case PEER:
		put_peer(item(args, row->at));
		return;
	case ADDRESS:
		put_address(item(args, 0), row->event[10] == 'a' ? item(args, 1) : NULL);
		return;
	}
}

static int on_event(const char *event, PyObject *args, void *ctx)
{
	(void)ctx;
	if (!watching) {
		watching = strcmp(event, "cpython.run_file") == 0;
		atomic_store(&area->head.watching, watching);
		return 0;
	}
	if (strcmp(event, "cpython._PySys_ClearAuditHooks") == 0)
		watching = false;  /* the interpreter goes */
	for (size_t i = 0; watching && args != NULL && i < sizeof table / sizeof *table; i++)
		if (event[0] == table[i].event[0] && strcmp(event, table[i].event) == 0)
			tell(&table[i], args);
	return 0;
}

/* --- the beginning --- */

/* The code and its children never see the variable, not even in /proc/self/environ. */
static void forget_variable(char **env)
{
	static const char name[] = "LD_PRELOAD=";
	for (; env != NULL && *env != NULL; env++)
		if (strncmp(*env, name, sizeof name - 1) == 0) {
			memset(*env, 0, strlen(*env));
			do
				env[0] = env[1];
			while (*env++ != NULL);
			return;
		}
}

static bool is_python(void)
{
	return PySys_AddAuditHook != NULL && PyTuple_GetItem != NULL && PyList_GetItem != NULL && PyUnicode_AsUTF8AndSize != NULL &&
	       PyUnicode_EncodeFSDefault != NULL && PyBytes_AsStringAndSize != NULL && PyLong_AsLong != NULL && PyErr_Clear != NULL &&
	       Py_DecRef != NULL && PyEval_GetFrame != NULL && PyFrame_GetBack != NULL && PyFrame_GetCode != NULL && PyObject_GetAttrString != NULL;
}

__attribute__((constructor)) static void begin(int argc, char **argv, char **envp)
{
	uint64_t magic = 0;
	(void)argc, (void)argv;
	forget_variable(envp);
	if (pread(BAWN_AREA_FD, &magic, sizeof magic, 0) != (ssize_t)sizeof magic || magic != BAWN_AREA_MAGIC)
		return;  /* somebody else's descriptor: not started by bawn */
	void *at = is_python() ? mmap(NULL, sizeof *area, PROT_READ | PROT_WRITE, MAP_SHARED, BAWN_AREA_FD, 0) : MAP_FAILED;
	(void)close(BAWN_AREA_FD);
	if (at == MAP_FAILED)
		return;
	area = at;
	(void)PySys_AddAuditHook(on_event, NULL);  /* out of memory: nothing is watched */
}
