/* effects.c - what well-known functions do with a path or a text they are given.  Two tables. */
#include "assess/names.h"
#include "assess/script.h"
#include "assess/text.h"
#include "base/cleanup.h"

enum { SELF = -1 };

/* `access` of the path in argument `arg`; OPEN looks at the mode. */
#define OPEN BAWN_ACCESS_COUNT
static const struct { const char *name; int8_t arg; uint8_t access; } touch[] = {
	{ "open", 0, OPEN }, { "gzip.open", 0, OPEN }, { "bz2.open", 0, OPEN }, { "lzma.open", 0, OPEN }, { "tarfile.open", 0, OPEN },
	{ "zipfile.ZipFile", 0, OPEN }, { "aiofiles.open", 0, OPEN }, { "pathlib.Path().open", SELF, OPEN },
	{ "os.open", 0, BAWN_ACCESS_READ }, { "linecache.getlines", 0, BAWN_ACCESS_READ }, { "linecache.getline", 0, BAWN_ACCESS_READ },
	{ "fileinput.input", 0, BAWN_ACCESS_READ }, { "pathlib.Path().read_text", SELF, BAWN_ACCESS_READ },
	{ "pathlib.Path().read_bytes", SELF, BAWN_ACCESS_READ }, { "pathlib.Path().write_text", SELF, BAWN_ACCESS_WRITE },
	{ "pathlib.Path().write_bytes", SELF, BAWN_ACCESS_WRITE }, { "pathlib.Path().touch", SELF, BAWN_ACCESS_WRITE },
	{ "pathlib.Path().mkdir", SELF, BAWN_ACCESS_WRITE }, { "pathlib.Path().chmod", SELF, BAWN_ACCESS_WRITE },
	{ "pathlib.Path().unlink", SELF, BAWN_ACCESS_DELETE }, { "pathlib.Path().rmdir", SELF, BAWN_ACCESS_DELETE },
	{ "pathlib.Path().rename", SELF, BAWN_ACCESS_DELETE }, { "pathlib.Path().rename", 0, BAWN_ACCESS_WRITE },
	{ "pathlib.Path().replace", SELF, BAWN_ACCESS_DELETE }, { "pathlib.Path().symlink_to", SELF, BAWN_ACCESS_WRITE },
	{ "pathlib.Path().iterdir", SELF, BAWN_ACCESS_LIST }, { "pathlib.Path().glob", SELF, BAWN_ACCESS_LIST },
	{ "pathlib.Path().rglob", SELF, BAWN_ACCESS_LIST }, { "os.listdir", 0, BAWN_ACCESS_LIST }, { "os.scandir", 0, BAWN_ACCESS_LIST },
	{ "os.walk", 0, BAWN_ACCESS_LIST }, { "glob.glob", 0, BAWN_ACCESS_LIST }, { "glob.iglob", 0, BAWN_ACCESS_LIST },
	{ "os.remove", 0, BAWN_ACCESS_DELETE }, { "os.unlink", 0, BAWN_ACCESS_DELETE }, { "os.rmdir", 0, BAWN_ACCESS_DELETE },
	{ "os.removedirs", 0, BAWN_ACCESS_DELETE }, { "shutil.rmtree", 0, BAWN_ACCESS_DELETE }, { "os.truncate", 0, BAWN_ACCESS_WRITE },
	{ "os.rename", 0, BAWN_ACCESS_DELETE }, { "os.rename", 1, BAWN_ACCESS_WRITE }, { "os.replace", 0, BAWN_ACCESS_DELETE },
	{ "os.replace", 1, BAWN_ACCESS_WRITE }, { "os.renames", 0, BAWN_ACCESS_DELETE }, { "os.renames", 1, BAWN_ACCESS_WRITE },
	{ "shutil.move", 0, BAWN_ACCESS_DELETE }, { "shutil.move", 1, BAWN_ACCESS_WRITE }, { "shutil.copy", 0, BAWN_ACCESS_READ },
	{ "shutil.copy", 1, BAWN_ACCESS_WRITE }, { "shutil.copy2", 0, BAWN_ACCESS_READ }, { "shutil.copy2", 1, BAWN_ACCESS_WRITE },
	{ "shutil.copyfile", 0, BAWN_ACCESS_READ }, { "shutil.copyfile", 1, BAWN_ACCESS_WRITE }, { "shutil.copytree", 0, BAWN_ACCESS_READ },
	{ "shutil.copytree", 1, BAWN_ACCESS_WRITE }, { "os.mkdir", 0, BAWN_ACCESS_WRITE }, { "os.makedirs", 0, BAWN_ACCESS_WRITE },
	{ "os.chmod", 0, BAWN_ACCESS_WRITE }, { "os.chown", 0, BAWN_ACCESS_WRITE }, { "os.symlink", 1, BAWN_ACCESS_WRITE },
	{ "os.link", 1, BAWN_ACCESS_WRITE }, { "os.symlink", 0, BAWN_ACCESS_READ }, { "os.utime", 0, BAWN_ACCESS_WRITE }, { "os.mknod", 0, BAWN_ACCESS_WRITE },
	{ "os.mkfifo", 0, BAWN_ACCESS_WRITE }, { "os.setxattr", 0, BAWN_ACCESS_WRITE }, { "shutil.make_archive", 2, BAWN_ACCESS_READ },
	{ "shutil.unpack_archive", 1, BAWN_ACCESS_WRITE }, { "urllib.request.urlretrieve", 1, BAWN_ACCESS_WRITE },
	{ "wget.download", 1, BAWN_ACCESS_WRITE }, { "numpy.loadtxt", 0, BAWN_ACCESS_READ }, { "pandas.read_csv", 0, BAWN_ACCESS_READ },
	{ "pandas.read_table", 0, BAWN_ACCESS_READ }, { "sqlite3.connect", 0, BAWN_ACCESS_READ }, { "os.fdopen", 0, BAWN_ACCESS_USE },
	{ "numpy.fromfile", 0, BAWN_ACCESS_READ }, { "mmap.mmap", 0, BAWN_ACCESS_USE }, { "*.extractall", 0, BAWN_ACCESS_WRITE },
	{ "*.to_csv", 0, BAWN_ACCESS_WRITE }, { "*.savefig", 0, BAWN_ACCESS_WRITE }, { "*.storbinary", 1, BAWN_ACCESS_READ },
	{ "fs.readFile", 0, BAWN_ACCESS_READ }, { "fs.readFileSync", 0, BAWN_ACCESS_READ }, { "fs.createReadStream", 0, BAWN_ACCESS_READ },
	{ "fs.writeFile", 0, BAWN_ACCESS_WRITE }, { "fs.writeFileSync", 0, BAWN_ACCESS_WRITE }, { "fs.appendFile", 0, BAWN_ACCESS_WRITE },
	{ "fs.appendFileSync", 0, BAWN_ACCESS_WRITE }, { "fs.createWriteStream", 0, BAWN_ACCESS_WRITE }, { "fs.unlink", 0, BAWN_ACCESS_DELETE },
	{ "fs.unlinkSync", 0, BAWN_ACCESS_DELETE }, { "fs.rm", 0, BAWN_ACCESS_DELETE }, { "fs.rmSync", 0, BAWN_ACCESS_DELETE },
	{ "fs.rmdir", 0, BAWN_ACCESS_DELETE }, { "fs.rmdirSync", 0, BAWN_ACCESS_DELETE }, { "fs.readdir", 0, BAWN_ACCESS_LIST },
	{ "fs.readdirSync", 0, BAWN_ACCESS_LIST }, { "fs.mkdir", 0, BAWN_ACCESS_WRITE }, { "fs.mkdirSync", 0, BAWN_ACCESS_WRITE },
	{ "fs.chmod", 0, BAWN_ACCESS_WRITE }, { "fs.chmodSync", 0, BAWN_ACCESS_WRITE }, { "fs.copyFile", 0, BAWN_ACCESS_READ },
	{ "fs.copyFile", 1, BAWN_ACCESS_WRITE }, { "fs.copyFileSync", 0, BAWN_ACCESS_READ }, { "fs.copyFileSync", 1, BAWN_ACCESS_WRITE },
	{ "fs.rename", 0, BAWN_ACCESS_DELETE }, { "fs.renameSync", 0, BAWN_ACCESS_DELETE }, { "fs.symlink", 1, BAWN_ACCESS_WRITE },
	{ "fs.openSync", 0, BAWN_ACCESS_READ }, { "fs.open", 0, BAWN_ACCESS_READ },
};

/* Texts that are programs: a shell line, a list of words, or source code. */
enum run { SHELL_LINE, SHELL_OR_WORDS, WORDS, WORDS_IN_LIST, PYTHON, JAVASCRIPT };
static const struct { const char *name; int8_t arg; uint8_t run; } runs[] = {
	{ "os.system", 0, SHELL_LINE }, { "os.popen", 0, SHELL_LINE }, { "subprocess.getoutput", 0, SHELL_LINE },
	{ "subprocess.getstatusoutput", 0, SHELL_LINE }, { "commands.getoutput", 0, SHELL_LINE }, { "popen2.popen2", 0, SHELL_LINE },
	{ "asyncio.create_subprocess_shell", 0, SHELL_LINE }, { "pexpect.spawn", 0, SHELL_LINE }, { "pexpect.run", 0, SHELL_LINE },
	{ "get_ipython().system", 0, SHELL_LINE }, { "get_ipython().getoutput", 0, SHELL_LINE }, { "sh.bash", 1, SHELL_LINE },
	{ "subprocess.run", 0, SHELL_OR_WORDS }, { "subprocess.call", 0, SHELL_OR_WORDS }, { "subprocess.Popen", 0, SHELL_OR_WORDS },
	{ "subprocess.check_call", 0, SHELL_OR_WORDS }, { "subprocess.check_output", 0, SHELL_OR_WORDS },
	{ "asyncio.create_subprocess_exec", 0, WORDS }, { "os.execl", 1, WORDS }, { "os.execlp", 1, WORDS }, { "os.execle", 1, WORDS },
	{ "os.spawnl", 2, WORDS }, { "os.spawnlp", 2, WORDS }, { "os.execv", 1, WORDS_IN_LIST }, { "os.execvp", 1, WORDS_IN_LIST },
	{ "os.execve", 1, WORDS_IN_LIST }, { "os.execvpe", 1, WORDS_IN_LIST }, { "os.spawnv", 2, WORDS_IN_LIST },
	{ "os.spawnvp", 2, WORDS_IN_LIST }, { "os.posix_spawn", 1, WORDS_IN_LIST }, { "os.posix_spawnp", 1, WORDS_IN_LIST },
	{ "pty.spawn", 0, SHELL_OR_WORDS }, { "child_process.exec", 0, SHELL_LINE }, { "child_process.execSync", 0, SHELL_LINE },
	{ "child_process.spawn", 0, WORDS }, { "child_process.spawnSync", 0, WORDS }, { "child_process.execFile", 0, WORDS },
	{ "child_process.execFileSync", 0, WORDS }, { "shelljs.exec", 0, SHELL_LINE }, { "execa", 0, WORDS },
	{ "exec", 0, PYTHON }, { "eval", 0, PYTHON }, { "compile", 0, PYTHON }, { "timeit.timeit", 0, PYTHON }, { "code.interact", 0, PYTHON },
	{ "runpy.run_string", 0, PYTHON }, { "_xxsubinterpreters.run_string", 1, PYTHON }, { "cProfile.run", 0, PYTHON },
	{ "pdb.run", 0, PYTHON }, { "code.InteractiveInterpreter().runcode", 0, PYTHON }, { "code.InteractiveInterpreter().runsource", 0, PYTHON },
	{ "code.InteractiveConsole().push", 0, PYTHON }, { "Function", 0, JAVASCRIPT }, { "setTimeout", 0, JAVASCRIPT }, { "setInterval", 0, JAVASCRIPT },
	{ "vm.runInThisContext", 0, JAVASCRIPT }, { "vm.runInNewContext", 0, JAVASCRIPT }, { "vm.runInContext", 0, JAVASCRIPT }, { "vm.Script", 0, JAVASCRIPT },
};

NAMES(touch_names, touch);
NAMES(run_names, runs);

static enum bawn_access open_mode(const struct call *c, int first)
{
	const struct value *mode = (uint32_t)(first + 1) < c->n_args ? c->arg[first + 1] : NULL;
	for (uint32_t i = 0; i < c->n_keywords; i++)
		if (c->keyword[i].name != NULL && strcmp(c->keyword[i].name, "mode") == 0)
			mode = c->keyword[i].value;
	for (size_t i = 0; bawn_value_is_text(mode) && i < mode->text.n; i++)
		if (strchr("wax+", mode->text.p[i]) != NULL)
			return BAWN_ACCESS_WRITE;
	return BAWN_ACCESS_READ;
}

static uint64_t touch_path(struct script *s, const struct value *v, enum bawn_access access, uint32_t node)
{
	uint64_t tags = 0;
	if (v == NULL)
		return 0;
	if (bawn_value_is_text(v))
		return bawn_engine_path(s->e, v->text, access, false, node);
	for (uint32_t i = 0; (v->choice || v->is_list) && i < v->n_items && i < 256; i++)
		if (bawn_value_is_text(v->item[i]))
			tags |= bawn_engine_path(s->e, v->item[i]->text, access, false, node);
	return tags;
}

static const struct value *argument(const struct call *c, int i)
{
	if (i == SELF)
		return c->function != NULL ? c->function->self : NULL;
	if ((uint32_t)i < c->n_args)
		return c->arg[i];
	static const char *const spelled[] = { "file", "path", "src", "args", "cmd", "command", "filename", "code", "source", "stmt" };
	for (uint32_t k = 0; i == 0 && k < c->n_keywords; k++)
		for (size_t n = 0; n < BAWN_LEN(spelled); n++)
			if (c->keyword[k].name != NULL && strcmp(c->keyword[k].name, spelled[n]) == 0)
				return c->keyword[k].value;
	return NULL;
}

static void run_one(struct script *s, int language, const struct value *v, uint32_t node)
{
	if (bawn_value_is_text(v) && v->text.n <= FOLDED_MAX && bawn_text_printable(v->text))
		bawn_engine_text(s->e, language, v->text, node);
}

static void run_text(struct script *s, int language, const struct value *v, uint32_t node)
{
	for (uint32_t i = 0; v != NULL && v->choice && i < v->n_items && i < 32; i++)
		run_one(s, language, v->item[i], node);
	run_one(s, language, v, node);
}

static void run_words(struct script *s, const struct call *c, uint32_t from, enum run how)
{
	const struct value *first = argument(c, (int)from);
	if (first == NULL)
		return;
	if (how == WORDS_IN_LIST || first->is_list) {
		if (first->is_list && first->n_items > 0 && !first->choice)
			(void)bawn_shell_command(s->e, first->item, first->n_items, c->node);
		return;
	}
	struct value *word[64];
	uint32_t n = 0;
	for (uint32_t i = from; i < c->n_args && n < BAWN_LEN(word); i++) {
		if (c->arg[i] != NULL && c->arg[i]->is_dict)
			continue;
		if (c->arg[i] != NULL && c->arg[i]->is_list)
			for (uint32_t k = 0; k < c->arg[i]->n_items && n < BAWN_LEN(word); k++)
				word[n++] = c->arg[i]->item[k];
		else
			word[n++] = c->arg[i];
	}
	if (n > 0)
		(void)bawn_shell_command(s->e, word, n, c->node);
}

static uint64_t other_path(struct script *s, const struct value *v, uint32_t node)
{
	if (!bawn_value_is_text(v) || v->text.n < 3 || v->text.n >= 512 || strchr("/~.", v->text.p[0]) == NULL)
		return 0;
	return bawn_engine_path(s->e, v->text, BAWN_ACCESS_USE, false, node);
}

/* Functions that only look at a text. */
static const char *const harmless[] = {
	"print", "len", "str", "repr", "isinstance", "re.*", "logging.*", "console.*", "os.path.*", "str.*", "pathlib.*", "logger.*",
	"list.*", "parser.add_argument", "argparse.*", "*.add_argument", "*.append", "*.startswith", "*.endswith", "Exception", "ValueError", "input", "*.info", "*.debug", "*.warning", "*.error"
};
NAMES(harmless_names, harmless);

/* Constant paths given to functions we know nothing about. */
static uint64_t other_paths(struct script *s, const struct call *c)
{
	uint64_t tags = 0;
	if (bawn_names_match(&harmless_names, c->name) < BAWN_LEN(harmless))
		return 0;
	for (uint32_t i = 0; i < c->n_args && i < 8; i++) {
		const struct value *v = c->arg[i];
		tags |= other_path(s, v, c->node);
		for (uint32_t k = 0; v != NULL && v->choice && k < v->n_items && k < 8; k++)
			tags |= other_path(s, v->item[k], c->node);
	}
	return tags;
}

uint64_t bawn_call_effects(struct script *s, const struct call *c)
{
	uint64_t tags = 0;
	bool known = false;
	if (c->name == NULL || (c->function != NULL && c->function->function != 0))
		return 0;
	size_t n = strlen(c->name);
	for (size_t i = bawn_names_match(&touch_names, c->name); i < BAWN_LEN(touch); i = bawn_names_next(&touch_names, i)) {
		enum bawn_access a = touch[i].access == OPEN ? open_mode(c, touch[i].arg) : (enum bawn_access)touch[i].access;
		tags |= touch_path(s, argument(c, touch[i].arg), a, c->node);
		known = true;
	}
	for (size_t i = bawn_names_find(&run_names, c->name, n); i < BAWN_LEN(runs); i = bawn_names_next(&run_names, i)) {
		known = true;
		const struct value *v = argument(c, runs[i].arg);
		switch ((enum run)runs[i].run) {
		case SHELL_LINE:  run_text(s, BAWN_LANG_BASH, v, c->node); break;
		case PYTHON:      run_text(s, s->python ? BAWN_LANG_PYTHON : BAWN_LANG_JAVASCRIPT, v, c->node); break;
		case JAVASCRIPT:  run_text(s, BAWN_LANG_JAVASCRIPT, v, c->node); break;
		case SHELL_OR_WORDS:
			if (bawn_value_is_text(v) || (v != NULL && v->choice))
				run_text(s, BAWN_LANG_BASH, v, c->node);
			else
				run_words(s, c, (uint32_t)runs[i].arg, WORDS_IN_LIST);
			break;
		case WORDS: case WORDS_IN_LIST: run_words(s, c, (uint32_t)runs[i].arg, (enum run)runs[i].run); break;
		}
	}
	return known ? tags : other_paths(s, c);
}
