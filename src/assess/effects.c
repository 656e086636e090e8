/* effects.c - what well-known functions do with a path or a text they are given: tables of paths they
 * touch, of texts they run, and of where data goes from one argument to another.
 *
 * A file is known by the value of its path: what is written to it is remembered there, so that a file
 * that came from the network and is run later, or that holds a secret and is sent, is recognised. */
#include <strings.h>
#include "assess/fold.h"
#include "assess/modules.h"
#include "assess/names.h"
#include "assess/script.h"
#include "assess/shell.h"
#include "assess/sql.h"
#include "assess/text.h"
#include "assess/world.h"
#include "base/cleanup.h"

enum { SELF = -1, FETCHED = -2 };

/* `access` of the path in argument `arg`; OPEN looks at the mode. */
#define OPEN BAWN_ACCESS_COUNT
static const struct { const char *name; int8_t arg; uint8_t access; } touch[] = {
	{ "open", 0, OPEN }, { "gzip.open", 0, OPEN }, { "bz2.open", 0, OPEN }, { "lzma.open", 0, OPEN }, { "tarfile.open", 0, OPEN },
	{ "zipfile.ZipFile", 0, OPEN }, { "aiofiles.open", 0, OPEN }, { "pathlib.Path().open", SELF, OPEN },
	{ "os.open", 0, OPEN }, { "linecache.getlines", 0, BAWN_ACCESS_READ }, { "linecache.getline", 0, BAWN_ACCESS_READ },
	{ "fileinput.input", 0, BAWN_ACCESS_READ }, { "pathlib.Path().read_text", SELF, BAWN_ACCESS_READ },
	{ "pathlib.Path().read_bytes", SELF, BAWN_ACCESS_READ }, { "pathlib.Path().write_text", SELF, BAWN_ACCESS_WRITE },
	{ "pathlib.Path().write_bytes", SELF, BAWN_ACCESS_WRITE }, { "pathlib.Path().touch", SELF, BAWN_ACCESS_WRITE },
	{ "pathlib.Path().mkdir", SELF, BAWN_ACCESS_WRITE }, { "pathlib.Path().chmod", SELF, BAWN_ACCESS_MODE },
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
	{ "os.chmod", 0, BAWN_ACCESS_MODE }, { "os.chown", 0, BAWN_ACCESS_MODE }, { "os.symlink", 1, BAWN_ACCESS_WRITE },
	{ "os.link", 1, BAWN_ACCESS_WRITE }, { "os.symlink", 0, BAWN_ACCESS_READ }, { "os.utime", 0, BAWN_ACCESS_WRITE }, { "os.mknod", 0, BAWN_ACCESS_WRITE },
	{ "os.mkfifo", 0, BAWN_ACCESS_WRITE }, { "os.setxattr", 0, BAWN_ACCESS_WRITE }, { "shutil.make_archive", 2, BAWN_ACCESS_READ },
	{ "shutil.unpack_archive", 1, BAWN_ACCESS_WRITE }, { "urllib.request.urlretrieve", 1, BAWN_ACCESS_WRITE },
	{ "wget.download", 1, BAWN_ACCESS_WRITE }, { "numpy.loadtxt", 0, BAWN_ACCESS_READ }, { "pandas.read_csv", 0, BAWN_ACCESS_READ },
	{ "pandas.read_table", 0, BAWN_ACCESS_READ }, { "sqlite3.connect", 0, BAWN_ACCESS_READ }, { "os.fdopen", 0, BAWN_ACCESS_USE },
	{ "numpy.fromfile", 0, BAWN_ACCESS_READ }, { "mmap.mmap", 0, BAWN_ACCESS_USE }, { "*.extractall", 0, BAWN_ACCESS_WRITE },
	{ "*.to_csv", 0, BAWN_ACCESS_WRITE }, { "*.savefig", 0, BAWN_ACCESS_WRITE }, { "*.storbinary", 1, BAWN_ACCESS_READ },
	{ "io.FileIO", 0, OPEN }, { "tarfile.TarFile", 0, OPEN }, { "tarfile.TarFile.open", 0, OPEN }, { "pathlib.Path.open", SELF, OPEN }, { "dbm.open", 0, BAWN_ACCESS_READ },
	{ "shelve.open", 0, BAWN_ACCESS_READ }, { "wave.open", 0, OPEN }, { "fileinput.FileInput", 0, BAWN_ACCESS_READ }, { "os.readlink", 0, BAWN_ACCESS_READ },
	{ "os.fwalk", 0, BAWN_ACCESS_LIST }, { "pathlib.Path().walk", SELF, BAWN_ACCESS_LIST }, { "os.chdir", 0, BAWN_ACCESS_USE }, { "os.lchown", 0, BAWN_ACCESS_MODE },
	{ "os.lchmod", 0, BAWN_ACCESS_MODE }, { "os.chflags", 0, BAWN_ACCESS_MODE }, { "os.removexattr", 0, BAWN_ACCESS_WRITE }, { "os.link", 0, BAWN_ACCESS_READ },
	{ "shutil.chown", 0, BAWN_ACCESS_MODE }, { "shutil.copymode", 1, BAWN_ACCESS_MODE }, { "shutil.copystat", 1, BAWN_ACCESS_WRITE },
	{ "pathlib.Path().lchmod", SELF, BAWN_ACCESS_WRITE }, { "pathlib.Path().hardlink_to", SELF, BAWN_ACCESS_WRITE }, { "pathlib.Path().hardlink_to", 0, BAWN_ACCESS_READ },
	{ "pathlib.Path().symlink_to", 0, BAWN_ACCESS_READ }, { "pathlib.Path().link_to", 0, BAWN_ACCESS_WRITE }, { "pathlib.Path().readlink", SELF, BAWN_ACCESS_READ },
	{ "pathlib.Path().replace", 0, BAWN_ACCESS_WRITE }, { "zipfile.ZipFile().write", 0, BAWN_ACCESS_READ }, { "tarfile.open().add", 0, BAWN_ACCESS_READ },
	{ "tarfile.TarFile().add", 0, BAWN_ACCESS_READ }, { "zipfile.ZipFile().extract", 1, BAWN_ACCESS_WRITE }, { "distutils.file_util.copy_file", 0, BAWN_ACCESS_READ },
	{ "distutils.file_util.copy_file", 1, BAWN_ACCESS_WRITE }, { "distutils.dir_util.copy_tree", 0, BAWN_ACCESS_READ }, { "distutils.dir_util.copy_tree", 1, BAWN_ACCESS_WRITE },
	{ "distutils.dir_util.remove_tree", 0, BAWN_ACCESS_DELETE }, { "send2trash.send2trash", 0, BAWN_ACCESS_DELETE }, { "configparser.ConfigParser().read", 0, BAWN_ACCESS_READ },
	{ "pandas.read_json", 0, BAWN_ACCESS_READ }, { "pandas.read_excel", 0, BAWN_ACCESS_READ }, { "pandas.read_fwf", 0, BAWN_ACCESS_READ }, { "pandas.read_parquet", 0, BAWN_ACCESS_READ },
	{ "pandas.read_pickle", 0, BAWN_ACCESS_READ }, { "numpy.load", 0, BAWN_ACCESS_READ }, { "numpy.genfromtxt", 0, BAWN_ACCESS_READ }, { "numpy.save", 0, BAWN_ACCESS_WRITE },
	{ "numpy.savetxt", 0, BAWN_ACCESS_WRITE }, { "*.to_json", 0, BAWN_ACCESS_WRITE }, { "*.to_excel", 0, BAWN_ACCESS_WRITE }, { "PIL.Image.open", 0, BAWN_ACCESS_READ },
	{ "cv2.imread", 0, BAWN_ACCESS_READ }, { "cv2.imwrite", 0, BAWN_ACCESS_WRITE }, { "*.upload_file", 0, BAWN_ACCESS_READ }, { "*.fput_object", 2, BAWN_ACCESS_READ },
	{ "paramiko.SSHClient().open_sftp().put", 0, BAWN_ACCESS_READ }, { "paramiko.SFTPClient.from_transport().put", 0, BAWN_ACCESS_READ }, { "*.put", 0, BAWN_ACCESS_READ },
	{ "*.download_file", 2, BAWN_ACCESS_WRITE }, { "gdown.download", 1, BAWN_ACCESS_WRITE }, { "dotenv.load_dotenv", 0, BAWN_ACCESS_READ }, { "dotenv.dotenv_values", 0, BAWN_ACCESS_READ },
	{ "logging.FileHandler", 0, BAWN_ACCESS_WRITE }, { "runpy.run_path", 0, BAWN_ACCESS_EXECUTE }, { "ctypes.CDLL", 0, BAWN_ACCESS_EXECUTE },
	{ "importlib.util.spec_from_file_location", 1, BAWN_ACCESS_EXECUTE }, { "importlib.machinery.SourceFileLoader", 1, BAWN_ACCESS_EXECUTE }, { "imp.load_source", 1, BAWN_ACCESS_EXECUTE },
	{ "child_process.fork", 0, BAWN_ACCESS_EXECUTE }, { "pm2.start", 0, BAWN_ACCESS_EXECUTE }, { "workerpool.pool", 0, BAWN_ACCESS_EXECUTE }, { "forever.start", 0, BAWN_ACCESS_EXECUTE }, { "worker_threads.Worker", 0, BAWN_ACCESS_EXECUTE }, { "Worker", 0, BAWN_ACCESS_EXECUTE },
	{ "os.startfile", 0, BAWN_ACCESS_EXECUTE }, { "execfile", 0, BAWN_ACCESS_EXECUTE }, { "zipimport.zipimporter", 0, BAWN_ACCESS_EXECUTE }, { "os.execv", 0, BAWN_ACCESS_EXECUTE },
	{ "os.execve", 0, BAWN_ACCESS_EXECUTE }, { "os.execl", 0, BAWN_ACCESS_EXECUTE }, { "os.execvp", 0, BAWN_ACCESS_EXECUTE }, { "os.spawnl", 1, BAWN_ACCESS_EXECUTE }, { "os.spawnv", 1, BAWN_ACCESS_EXECUTE },
	{ "os.posix_spawn", 0, BAWN_ACCESS_EXECUTE },
	{ "process.dlopen", 1, BAWN_ACCESS_EXECUTE }, { "adm-zip", 0, BAWN_ACCESS_READ }, { "extract-zip", 0, BAWN_ACCESS_READ },
	{ "asar.createPackage", 1, BAWN_ACCESS_WRITE }, { "@electron/asar.createPackage", 1, BAWN_ACCESS_WRITE },
	{ "fs.readFile", 0, BAWN_ACCESS_READ }, { "fs.readFileSync", 0, BAWN_ACCESS_READ }, { "fs.createReadStream", 0, BAWN_ACCESS_READ },
	{ "fs.open", 0, OPEN }, { "fs.openSync", 0, OPEN }, { "fs.readJson", 0, BAWN_ACCESS_READ },
	{ "fs.readJsonSync", 0, BAWN_ACCESS_READ }, { "fs.readlink", 0, BAWN_ACCESS_READ }, { "fs.readlinkSync", 0, BAWN_ACCESS_READ },
	{ "fs.copyFile", 0, BAWN_ACCESS_READ }, { "fs.copyFileSync", 0, BAWN_ACCESS_READ }, { "fs.cp", 0, BAWN_ACCESS_READ },
	{ "fs.cpSync", 0, BAWN_ACCESS_READ }, { "fs.copy", 0, BAWN_ACCESS_READ }, { "fs.copySync", 0, BAWN_ACCESS_READ },
	{ "fs.openAsBlob", 0, BAWN_ACCESS_READ }, { "fs.watchFile", 0, BAWN_ACCESS_READ }, { "fs.watch", 0, BAWN_ACCESS_READ },
	{ "Deno.readTextFile", 0, BAWN_ACCESS_READ }, { "Deno.readTextFileSync", 0, BAWN_ACCESS_READ }, { "Deno.readFile", 0, BAWN_ACCESS_READ },
	{ "Deno.readFileSync", 0, BAWN_ACCESS_READ }, { "Deno.open", 0, BAWN_ACCESS_READ }, { "Deno.copyFile", 0, BAWN_ACCESS_READ },
	{ "Bun.file", 0, BAWN_ACCESS_READ }, { "fs.writeFile", 0, BAWN_ACCESS_WRITE }, { "fs.writeFileSync", 0, BAWN_ACCESS_WRITE },
	{ "fs.appendFile", 0, BAWN_ACCESS_WRITE }, { "fs.appendFileSync", 0, BAWN_ACCESS_WRITE }, { "fs.createWriteStream", 0, BAWN_ACCESS_WRITE },
	{ "fs.outputFile", 0, BAWN_ACCESS_WRITE }, { "fs.outputFileSync", 0, BAWN_ACCESS_WRITE }, { "fs.writeJson", 0, BAWN_ACCESS_WRITE },
	{ "fs.writeJsonSync", 0, BAWN_ACCESS_WRITE }, { "fs.outputJson", 0, BAWN_ACCESS_WRITE }, { "fs.ensureFile", 0, BAWN_ACCESS_WRITE },
	{ "fs.truncate", 0, BAWN_ACCESS_WRITE }, { "fs.truncateSync", 0, BAWN_ACCESS_WRITE }, { "fs.mkdir", 0, BAWN_ACCESS_WRITE },
	{ "fs.mkdirSync", 0, BAWN_ACCESS_WRITE }, { "fs.mkdirp", 0, BAWN_ACCESS_WRITE }, { "fs.mkdirpSync", 0, BAWN_ACCESS_WRITE },
	{ "fs.ensureDir", 0, BAWN_ACCESS_WRITE }, { "fs.ensureDirSync", 0, BAWN_ACCESS_WRITE }, { "fs.chmod", 0, BAWN_ACCESS_MODE },
	{ "fs.chmodSync", 0, BAWN_ACCESS_MODE }, { "fs.chown", 0, BAWN_ACCESS_MODE }, { "fs.chownSync", 0, BAWN_ACCESS_MODE },
	{ "fs.lchown", 0, BAWN_ACCESS_MODE }, { "fs.lchownSync", 0, BAWN_ACCESS_MODE }, { "fs.utimes", 0, BAWN_ACCESS_WRITE },
	{ "fs.utimesSync", 0, BAWN_ACCESS_WRITE }, { "fs.mkdtemp", 0, BAWN_ACCESS_WRITE }, { "fs.mkdtempSync", 0, BAWN_ACCESS_WRITE },
	{ "Deno.writeTextFile", 0, BAWN_ACCESS_WRITE }, { "Deno.writeTextFileSync", 0, BAWN_ACCESS_WRITE },
	{ "Deno.writeFile", 0, BAWN_ACCESS_WRITE }, { "Deno.writeFileSync", 0, BAWN_ACCESS_WRITE }, { "Deno.mkdir", 0, BAWN_ACCESS_WRITE },
	{ "Deno.chmod", 0, BAWN_ACCESS_WRITE }, { "Deno.chown", 0, BAWN_ACCESS_WRITE }, { "Deno.truncate", 0, BAWN_ACCESS_WRITE },
	{ "Bun.write", 0, BAWN_ACCESS_WRITE }, { "fs.copyFile", 1, BAWN_ACCESS_WRITE }, { "fs.copyFileSync", 1, BAWN_ACCESS_WRITE },
	{ "fs.cp", 1, BAWN_ACCESS_WRITE }, { "fs.cpSync", 1, BAWN_ACCESS_WRITE }, { "fs.copy", 1, BAWN_ACCESS_WRITE },
	{ "fs.copySync", 1, BAWN_ACCESS_WRITE }, { "fs.rename", 1, BAWN_ACCESS_WRITE }, { "fs.renameSync", 1, BAWN_ACCESS_WRITE },
	{ "fs.move", 1, BAWN_ACCESS_WRITE }, { "fs.moveSync", 1, BAWN_ACCESS_WRITE }, { "fs.symlink", 1, BAWN_ACCESS_WRITE },
	{ "fs.symlinkSync", 1, BAWN_ACCESS_WRITE }, { "fs.link", 1, BAWN_ACCESS_WRITE }, { "fs.linkSync", 1, BAWN_ACCESS_WRITE },
	{ "Deno.copyFile", 1, BAWN_ACCESS_WRITE }, { "Deno.rename", 1, BAWN_ACCESS_WRITE }, { "Deno.symlink", 1, BAWN_ACCESS_WRITE },
	{ "Deno.link", 1, BAWN_ACCESS_WRITE }, { "fs.symlink", 0, BAWN_ACCESS_READ }, { "fs.symlinkSync", 0, BAWN_ACCESS_READ },
	{ "fs.link", 0, BAWN_ACCESS_READ }, { "fs.linkSync", 0, BAWN_ACCESS_READ }, { "fs.unlink", 0, BAWN_ACCESS_DELETE },
	{ "fs.unlinkSync", 0, BAWN_ACCESS_DELETE }, { "fs.rm", 0, BAWN_ACCESS_DELETE }, { "fs.rmSync", 0, BAWN_ACCESS_DELETE },
	{ "fs.rmdir", 0, BAWN_ACCESS_DELETE }, { "fs.rmdirSync", 0, BAWN_ACCESS_DELETE }, { "fs.remove", 0, BAWN_ACCESS_DELETE },
	{ "fs.removeSync", 0, BAWN_ACCESS_DELETE }, { "fs.emptyDir", 0, BAWN_ACCESS_DELETE }, { "fs.emptyDirSync", 0, BAWN_ACCESS_DELETE },
	{ "fs.rename", 0, BAWN_ACCESS_DELETE }, { "fs.renameSync", 0, BAWN_ACCESS_DELETE }, { "fs.move", 0, BAWN_ACCESS_DELETE },
	{ "fs.moveSync", 0, BAWN_ACCESS_DELETE }, { "rimraf", 0, BAWN_ACCESS_DELETE }, { "rimraf.sync", 0, BAWN_ACCESS_DELETE },
	{ "rimraf.rimraf", 0, BAWN_ACCESS_DELETE }, { "rimraf.rimrafSync", 0, BAWN_ACCESS_DELETE }, { "del", 0, BAWN_ACCESS_DELETE },
	{ "del.sync", 0, BAWN_ACCESS_DELETE }, { "del.deleteAsync", 0, BAWN_ACCESS_DELETE }, { "del.deleteSync", 0, BAWN_ACCESS_DELETE },
	{ "trash", 0, BAWN_ACCESS_DELETE }, { "Deno.remove", 0, BAWN_ACCESS_DELETE }, { "Deno.removeSync", 0, BAWN_ACCESS_DELETE },
	{ "Deno.rename", 0, BAWN_ACCESS_DELETE }, { "fs.readdir", 0, BAWN_ACCESS_LIST }, { "fs.readdirSync", 0, BAWN_ACCESS_LIST },
	{ "fs.opendir", 0, BAWN_ACCESS_LIST }, { "fs.opendirSync", 0, BAWN_ACCESS_LIST }, { "fs.glob", 0, BAWN_ACCESS_LIST },
	{ "fs.globSync", 0, BAWN_ACCESS_LIST }, { "glob.globSync", 0, BAWN_ACCESS_LIST }, { "globby.globby", 0, BAWN_ACCESS_LIST }, { "globby.sync", 0, BAWN_ACCESS_LIST }, { "fast-glob.glob", 0, BAWN_ACCESS_LIST }, { "glob.sync", 0, BAWN_ACCESS_LIST }, { "globby", 0, BAWN_ACCESS_LIST },
	{ "fast-glob", 0, BAWN_ACCESS_LIST }, { "fast-glob.sync", 0, BAWN_ACCESS_LIST }, { "klaw", 0, BAWN_ACCESS_LIST },
	{ "klaw-sync", 0, BAWN_ACCESS_LIST }, { "walkdir", 0, BAWN_ACCESS_LIST }, { "walkdir.sync", 0, BAWN_ACCESS_LIST },
	{ "readdirp", 0, BAWN_ACCESS_LIST }, { "recursive-readdir", 0, BAWN_ACCESS_LIST }, { "Deno.readDir", 0, BAWN_ACCESS_LIST },
	{ "Deno.readDirSync", 0, BAWN_ACCESS_LIST },
};

/* Texts that are programs: a shell line, a list of words, or source code. */
enum run { SHELL_LINE, SHELL_OR_WORDS, WORDS, WORDS_IN_LIST, PYTHON, JAVASCRIPT, FUNCTION_OR_TEXT };
static const struct { const char *name; int8_t arg; uint8_t run; } runs[] = {
	{ "os.system", 0, SHELL_LINE }, { "os.popen", 0, SHELL_LINE }, { "subprocess.getoutput", 0, SHELL_LINE },
	{ "subprocess.getstatusoutput", 0, SHELL_LINE }, { "commands.getoutput", 0, SHELL_LINE }, { "popen2.popen2", 0, SHELL_LINE },
	{ "asyncio.create_subprocess_shell", 0, SHELL_LINE }, { "pexpect.spawn", 0, SHELL_LINE }, { "pexpect.run", 0, SHELL_LINE },
	{ "get_ipython().system", 0, SHELL_LINE }, { "get_ipython().getoutput", 0, SHELL_LINE }, { "sh.bash", 1, SHELL_LINE },
	{ "os.popen2", 0, SHELL_LINE }, { "os.popen3", 0, SHELL_LINE }, { "os.popen4", 0, SHELL_LINE }, { "popen2.popen3", 0, SHELL_LINE }, { "popen2.popen4", 0, SHELL_LINE },
	{ "popen2.Popen3", 0, SHELL_LINE }, { "commands.getstatusoutput", 0, SHELL_LINE }, { "asyncio.subprocess.create_subprocess_shell", 0, SHELL_LINE }, { "*.subprocess_shell", 1, SHELL_LINE },
	{ "pexpect.spawnu", 0, SHELL_LINE }, { "pexpect.popen_spawn.PopenSpawn", 0, SHELL_LINE }, { "invoke.run", 0, SHELL_LINE }, { "fabric.api.local", 0, SHELL_LINE }, { "fabric.local", 0, SHELL_LINE },
	{ "delegator.run", 0, SHELL_LINE }, { "sarge.run", 0, SHELL_LINE }, { "envoy.run", 0, SHELL_LINE }, { "sh.sh", 1, SHELL_LINE }, { "ctypes.CDLL().system", 0, SHELL_LINE }, { "ctypes.CDLL().popen", 0, SHELL_LINE },
	{ "ctypes.cdll.LoadLibrary().system", 0, SHELL_LINE }, { "ctypes.cdll.msvcrt.system", 0, SHELL_LINE }, { "win32api.WinExec", 0, SHELL_LINE }, { "ctypes.windll.kernel32.WinExec", 0, SHELL_LINE },
	{ "asyncio.subprocess.create_subprocess_exec", 0, WORDS }, { "*.subprocess_exec", 1, WORDS }, { "os.execlpe", 1, WORDS }, { "os.spawnle", 2, WORDS }, { "os.spawnlpe", 2, WORDS },
	{ "os.spawnve", 2, WORDS_IN_LIST }, { "os.spawnvpe", 2, WORDS_IN_LIST }, { "subprocess.fork_exec", 0, WORDS_IN_LIST },
	{ "subprocess.run", 0, SHELL_OR_WORDS }, { "subprocess.call", 0, SHELL_OR_WORDS }, { "subprocess.Popen", 0, SHELL_OR_WORDS },
	{ "subprocess.check_call", 0, SHELL_OR_WORDS }, { "subprocess.check_output", 0, SHELL_OR_WORDS },
	{ "asyncio.create_subprocess_exec", 0, WORDS }, { "os.execl", 1, WORDS }, { "os.execlp", 1, WORDS }, { "os.execle", 1, WORDS },
	{ "os.spawnl", 2, WORDS }, { "os.spawnlp", 2, WORDS }, { "os.execv", 1, WORDS_IN_LIST }, { "os.execvp", 1, WORDS_IN_LIST },
	{ "os.execve", 1, WORDS_IN_LIST }, { "os.execvpe", 1, WORDS_IN_LIST }, { "os.spawnv", 2, WORDS_IN_LIST },
	{ "os.spawnvp", 2, WORDS_IN_LIST }, { "os.posix_spawn", 1, WORDS_IN_LIST }, { "os.posix_spawnp", 1, WORDS_IN_LIST },
	{ "pty.spawn", 0, SHELL_OR_WORDS }, { "child_process.exec", 0, SHELL_LINE }, { "child_process.execSync", 0, SHELL_LINE },
	{ "child_process.spawn", 0, WORDS }, { "child_process.spawnSync", 0, WORDS }, { "child_process.execFile", 0, WORDS },
	{ "child_process.execFileSync", 0, WORDS }, { "shelljs.exec", 0, SHELL_LINE }, { "execa", 0, WORDS },
	{ "execa.execa", 0, WORDS }, { "execa.execaSync", 0, WORDS }, { "execa.sync", 0, WORDS }, { "execa.command", 0, SHELL_LINE }, { "execa.commandSync", 0, SHELL_LINE },
	{ "cross-spawn", 0, WORDS }, { "cross-spawn.sync", 0, WORDS }, { "cross-spawn.spawn", 0, WORDS }, { "zx.$", 0, SHELL_LINE }, { "Bun.$", 0, SHELL_LINE },
	{ "Bun.spawn", 0, WORDS }, { "Bun.spawnSync", 0, WORDS }, { "Deno.Command", 0, WORDS }, { "node-cmd.run", 0, SHELL_LINE }, { "node-cmd.runSync", 0, SHELL_LINE },
	{ "child_process.fork", 0, WORDS }, { "node-pty.spawn", 0, WORDS },
	{ "imaplib.IMAP4_stream", 0, SHELL_LINE }, { "_osx_support._read_output", 0, SHELL_LINE }, { "_aix_support._read_cmd_output", 0, SHELL_LINE },
	{ "_bootsubprocess.check_output", 0, SHELL_OR_WORDS }, { "_bootsubprocess.Popen", 0, SHELL_OR_WORDS }, { "pydoc.pipepager", 1, SHELL_LINE }, { "pydoc.tempfilepager", 1, SHELL_LINE },
	{ "IPython.utils.process.system", 0, SHELL_LINE }, { "IPython.utils.process.getoutput", 0, SHELL_LINE }, { "IPython.utils.process.getoutputerror", 0, SHELL_LINE },
	{ "numpy.distutils.exec_command.exec_command", 0, SHELL_LINE }, { "webbrowser.UnixBrowser", 0, SHELL_OR_WORDS }, { "setuptools._distutils.spawn.spawn", 0, WORDS_IN_LIST },
	{ "gi.repository.GLib.spawn_command_line_sync", 0, SHELL_LINE }, { "gi.repository.GLib.spawn_command_line_async", 0, SHELL_LINE }, { "paver.easy.sh", 0, SHELL_LINE },
	{ "rlcompleter.Completer().attr_matches", 0, PYTHON }, { "rlcompleter.Completer().complete", 0, PYTHON }, { "runpy._run_code", 0, PYTHON }, { "pdb.runctx", 0, PYTHON },
	{ "pdb.Pdb().runctx", 0, PYTHON }, { "bdb.Bdb().runctx", 0, PYTHON }, { "doctest.debug_script", 0, PYTHON }, { "doctest.debug_src", 0, PYTHON }, { "typing._eval_type", 0, FUNCTION_OR_TEXT },
	{ "exec", 0, PYTHON }, { "eval", 0, PYTHON }, { "compile", 0, PYTHON }, { "timeit.timeit", 0, FUNCTION_OR_TEXT }, { "cProfile.runctx", 0, PYTHON }, { "profile.runctx", 0, PYTHON }, { "trace.Trace().runctx", 0, PYTHON },
	{ "bdb.Bdb().runeval", 0, PYTHON }, { "pdb.Pdb().run", 0, PYTHON }, { "pdb.Pdb().runeval", 0, PYTHON }, { "cProfile.Profile().run", 0, PYTHON }, { "cProfile.Profile().runctx", 0, PYTHON },
	{ "profile.Profile().run", 0, PYTHON }, { "codeop.compile_command", 0, PYTHON }, { "typing.ForwardRef", 0, PYTHON }, { "doctest.script_from_examples", 0, PYTHON },
	{ "webbrowser.GenericBrowser", 0, SHELL_OR_WORDS }, { "webbrowser.BackgroundBrowser", 0, SHELL_OR_WORDS }, { "webbrowser.get", 0, SHELL_LINE },
	{ "distutils.spawn.spawn", 0, WORDS_IN_LIST }, { "pipes.Template().append", 0, SHELL_LINE }, { "pipes.Template().prepend", 0, SHELL_LINE },
	{ "multiprocessing.util.spawnv_passfds", 1, WORDS_IN_LIST }, { "psutil.Popen", 0, SHELL_OR_WORDS }, { "timeit.repeat", 0, FUNCTION_OR_TEXT }, { "timeit.Timer", 0, FUNCTION_OR_TEXT }, { "profile.run", 0, PYTHON }, { "six.exec_", 0, PYTHON },
	{ "trace.Trace().run", 0, PYTHON }, { "bdb.Bdb().run", 0, PYTHON }, { "pdb.runeval", 0, PYTHON }, { "code.InteractiveConsole().runsource", 0, PYTHON }, { "code.InteractiveConsole().runcode", 0, PYTHON },
	{ "_testcapi.run_in_subinterp", 0, PYTHON }, { "test.support.run_in_subinterp", 0, PYTHON }, { "code.interact", 0, PYTHON },
	{ "runpy.run_string", 0, PYTHON }, { "_xxsubinterpreters.run_string", 1, PYTHON }, { "cProfile.run", 0, PYTHON },
	{ "pdb.run", 0, PYTHON }, { "code.InteractiveInterpreter().runcode", 0, PYTHON }, { "code.InteractiveInterpreter().runsource", 0, PYTHON },
	{ "code.InteractiveConsole().push", 0, PYTHON }, { "Function", 0, JAVASCRIPT }, { "setTimeout", 0, FUNCTION_OR_TEXT }, { "setInterval", 0, FUNCTION_OR_TEXT },
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
	static const char *const flag[] = { "os.O_WRONLY", "os.O_RDWR", "os.O_CREAT", "os.O_APPEND", "os.O_TRUNC" };
	for (size_t i = 0; mode != NULL && mode->name != NULL && i < BAWN_LEN(flag); i++)
		if (strcmp(mode->name, flag[i]) == 0)
			return BAWN_ACCESS_WRITE;
	return BAWN_ACCESS_READ;
}

/* What was written to the file of that name earlier. */
static uint64_t contents(const struct script *s, struct bawn_span path)
{
	uint64_t taint = s->kept_more;
	for (uint32_t i = 0; i < s->n_kept; i++)
		if (s->kept[i].path.n == path.n && memcmp(s->kept[i].path.p, path.p, path.n) == 0)
			taint |= s->kept[i].taint;
	return taint;
}

/* A program reads the .env beside it; to send what is in it is something else. */
static uint64_t settings(struct bawn_span path)
{
	size_t at = path.n;
	while (at > 0 && path.p[at - 1] != '/' && path.p[at - 1] != '\\')
		at--;
	struct bawn_span name = { path.p + at, path.n - at };
	return bawn_span_is(name, ".env") || bawn_span_starts(name, ".env.") ? BAWN_TAG(NAMED) : 0;
}

/* The path with backslashes written as slashes. */
static uint64_t touch_text(struct script *s, struct bawn_span path, enum bawn_access access, uint32_t node)
{
	uint64_t tags = access == BAWN_ACCESS_READ ? contents(s, path) | (s->python ? 0 : settings(path)) : 0;
	if (access == BAWN_ACCESS_READ)
		(void)bawn_modules_open(s->e, path);
	if (access == BAWN_ACCESS_EXECUTE)
		bawn_modules_run(s->e, path, s->python ? BAWN_LANG_PYTHON : BAWN_LANG_JAVASCRIPT, node);
	const char *star = access == BAWN_ACCESS_LIST && !s->python ? memchr(path.p, '*', path.n) : NULL;
	if (star != NULL) {  /* a pattern: what lies below the last directory that is named */
		while (star > path.p && star[-1] != '/')
			star--;
		path.n = (size_t)(star - path.p);
		path.n -= path.n > 1;
	}
	if (memchr(path.p, '\\', path.n) != NULL) {
		char *p = bawn_arena_get(&s->e->scratch, path.n + 1);
		for (size_t i = 0; p != NULL && i < path.n; i++)
			p[i] = path.p[i] == '\\' ? '/' : path.p[i];
		if (p != NULL)
			path.p = p;
	}
	return tags | bawn_engine_path(s->e, path, access, false, node);
}

static void touch_unknown(struct script *s, enum bawn_access access, uint32_t node)
{
	if (access == BAWN_ACCESS_READ)
		(void)bawn_modules_open(s->e, (struct bawn_span){ NULL, 0 });
	if (access == BAWN_ACCESS_EXECUTE)
		bawn_modules_run_any(s->e, node);
}

static uint64_t touch_path(struct script *s, const struct value *v, enum bawn_access access, uint32_t node)
{
	uint64_t tags = 0;
	if (v == NULL || (!v->choice && !v->is_list && !bawn_value_is_text(v)))
		touch_unknown(s, access, node);
	if (v == NULL)
		return 0;
	if (v->name == NULL || strncmp(v->name, "io.", 3) != 0)  /* an open stream is no path */
		bawn_engine_reach(s->e, v, node);
	if (bawn_value_is_text(v))
		return touch_text(s, v->text, access, node);
	if (v->name != NULL && (strcmp(v->name, "os.sep") == 0 || strcmp(v->name, "os.path.sep") == 0))
		return touch_text(s, bawn_span("/"), access, node);
	if (v->choice && v->cut == CUT_PATH)
		(void)bawn_engine_event(s->e, "cut-short", node, NULL);
	for (uint32_t i = 0; (v->choice || v->is_list) && i < v->n_items; i++)
		if (bawn_value_is_text(v->item[i]))
			tags |= touch_text(s, v->item[i]->text, access, node);
	return tags;
}

static struct value *argument(const struct call *c, int i)
{
	if (i == SELF)
		return c->function != NULL ? c->function->self : NULL;
	if ((uint32_t)i < c->n_args)
		return c->arg[i];
	static const char *const spelled[] = { "file", "path", "src", "args", "cmd", "command", "filename", "code", "source", "stmt", "fileobj", "fp" };
	static const char *const second[] = { "dst", "dest", "destination", "target", "out", "output", "filename" };
	const char *const *word = i == 0 ? spelled : second;
	size_t n_words = i == 0 ? BAWN_LEN(spelled) : i == 1 ? BAWN_LEN(second) : 0;
	for (uint32_t k = 0; k < c->n_keywords; k++)
		for (size_t n = 0; n < n_words; n++)
			if (c->keyword[k].name != NULL && strcmp(c->keyword[k].name, word[n]) == 0)
				return c->keyword[k].value;
	return NULL;
}

/* The path seen from where the program is, or from the directory that the call names. */
static struct value *from_directory(struct script *s, const struct call *c, struct value *v)
{
	if (!bawn_value_is_text(v) || (s->cwd == NULL && c->n_keywords == 0))
		return v;
	struct bawn_span path = bawn_world_from(s, c, v->text);
	struct value *own = path.p != v->text.p ? bawn_value_new(s->e) : NULL;
	if (own == NULL)
		return v;
	*own = *v;
	own->text = path;
	return own;
}

/* ---- where data goes ---- */

/* Objects that stand for what they were made of: what is put into them is in it. */
static const char *const wrapper[] = {
	"open", "gzip.open", "bz2.open", "lzma.open", "tarfile.open", "zipfile.ZipFile", "tarfile.TarFile", "gzip.GzipFile", "aiofiles.open", "io.FileIO",
	"io.BufferedWriter", "io.TextIOWrapper", "csv.writer", "csv.DictWriter", "os.fdopen", "os.open", "shelve.open", "sqlite3.connect",
};
NAMES(wrapper_names, wrapper);

struct value *bawn_call_wraps(const struct call *c)
{
	if (c->name != NULL && bawn_names_find(&wrapper_names, c->name, strlen(c->name)) < BAWN_LEN(wrapper))
		return argument(c, 0);
	return c->function != NULL ? c->function->self : NULL;
}

/* What argument `from` holds is afterwards in argument `to`; FETCHED: something from the network is. */
static const struct { const char *name; int8_t from, to; } carry[] = {
	{ "shutil.copy", 0, 1 }, { "shutil.copy2", 0, 1 }, { "shutil.copyfile", 0, 1 }, { "shutil.copytree", 0, 1 }, { "shutil.move", 0, 1 }, { "shutil.copyfileobj", 0, 1 },
	{ "os.rename", 0, 1 }, { "os.replace", 0, 1 }, { "os.link", 0, 1 }, { "os.symlink", 0, 1 }, { "urllib.request.urlretrieve", FETCHED, 1 }, { "urllib.urlretrieve", FETCHED, 1 },
	{ "wget.download", FETCHED, 1 }, { "gdown.download", FETCHED, 1 }, { "*.download_file", FETCHED, 2 }, { "zipfile.ZipFile().extractall", SELF, 0 }, { "tarfile.open().extractall", SELF, 0 },
	{ "shutil.unpack_archive", 0, 1 }, { "pathlib.Path().rename", SELF, 0 }, { "pathlib.Path().replace", SELF, 0 }, { "pathlib.Path().write_bytes", 0, SELF },
	{ "pathlib.Path().write_text", 0, SELF }, { "os.write", 1, 0 }, { "json.dump", 0, 1 }, { "pickle.dump", 0, 1 }, { "zipfile.ZipFile().write", 0, SELF },
	{ "fs.copyFile", 0, 1 }, { "fs.copyFileSync", 0, 1 }, { "fs.rename", 0, 1 }, { "fs.renameSync", 0, 1 }, { "fs.writeFile", 1, 0 }, { "fs.writeFileSync", 1, 0 },
	{ "fs.appendFile", 1, 0 }, { "fs.appendFileSync", 1, 0 }, { "fs.outputFile", 1, 0 }, { "fs.outputFileSync", 1, 0 }, { "Deno.writeFile", 1, 0 },
	{ "Deno.writeTextFile", 1, 0 }, { "Bun.write", 1, 0 }, { "wget-improved.download", FETCHED, 1 }, { "download", FETCHED, 1 },
	{ "zipfile.ZipFile().writestr", 1, SELF }, { "tarfile.open().add", 0, SELF }, { "shutil.make_archive", 2, 0 },
};
NAMES(carry_names, carry);

#define KEEPS (BAWN_TAG(SECRET) | BAWN_TAG(BROWSER) | BAWN_TAG(ENVIRON) | BAWN_TAG(CAPTURE) | BAWN_TAG(CMD_OUTPUT) | BAWN_TAG(READ) | \
               BAWN_TAG(DOWNLOAD) | BAWN_TAG(CLIPBOARD) | BAWN_TAG(HOST_INFO) | BAWN_TAG(IDENTITY) | BAWN_TAG(KEYS))

/* Where there is no room for another name, any file may hold it. */
static void keep_text(struct script *s, struct bawn_span path, uint64_t taint)
{
	if (s->n_kept < BAWN_LEN(s->kept))
		s->kept[s->n_kept++] = (struct kept){ path, taint };
	else
		s->kept_more |= taint;
}

/* A file that is written with data from the network is a download. */
void bawn_script_keep(struct script *s, struct value *file, uint64_t taint)
{
	if ((taint & BAWN_TAG(NET_RECV)) != 0)
		taint |= BAWN_TAG(DOWNLOAD);
	taint &= KEEPS | (s->python ? 0 : BAWN_TAG(DECODE));
	for (uint32_t i = 0; file != NULL && file->choice && taint != 0 && i < file->n_items && i < 8; i++)
		if (bawn_value_is_text(file->item[i]) && (contents(s, file->item[i]->text) & taint) != taint)
			keep_text(s, file->item[i]->text, taint);
	for (unsigned depth = 0; file != NULL && taint != 0 && depth < 3; depth++) {
		file->taint |= taint;
		if (bawn_value_is_text(file) && !file->partial && file->text.n > 0 && (contents(s, file->text) & taint) != taint)
			keep_text(s, file->text, taint);
		file = bawn_value_is_text(file) ? NULL : file->self;
	}
}

/* Calls that give a file another name. */
static const struct { const char *name; int8_t target, link; } linking[] = {
	{ "os.symlink", 0, 1 }, { "os.link", 0, 1 }, { "pathlib.Path().symlink_to", 0, SELF }, { "pathlib.Path().hardlink_to", 0, SELF },
	{ "fs.symlink", 0, 1 }, { "fs.symlinkSync", 0, 1 }, { "fs.link", 0, 1 }, { "fs.linkSync", 0, 1 },
	{ "fs.promises.symlink", 0, 1 }, { "Deno.symlink", 0, 1 }, { "Deno.symlinkSync", 0, 1 },
};
NAMES(linking_names, linking);

static void other_name(struct script *s, const struct call *c)
{
	size_t i = bawn_names_match(&linking_names, c->name);
	const struct value *target = i < BAWN_LEN(linking) ? argument(c, linking[i].target) : NULL;
	const struct value *link = target != NULL ? argument(c, linking[i].link) : NULL;
	if (bawn_value_is_text(target) && bawn_value_is_text(link))
		bawn_engine_link(s->e, target->text, link->text, c->node);
}

static void pass_on(struct script *s, const struct call *c, uint64_t tags)
{
	struct value *self = c->function != NULL ? c->function->self : NULL;
	size_t i = bawn_names_match(&carry_names, c->name);
	if (i < BAWN_LEN(carry)) {
		const struct value *from = carry[i].from == FETCHED ? NULL : argument(c, carry[i].from), *to = argument(c, carry[i].to);
		if (bawn_value_is_text(from) && bawn_value_is_text(to))
			bawn_modules_copy(s->e, from->text, to->text, c->node);
		uint64_t fetched = carry[i].from == FETCHED ? BAWN_TAG(DOWNLOAD) : 0;
		bawn_script_keep(s, argument(c, carry[i].to), tags | fetched | (from != NULL ? from->taint : 0));
		return;
	}
	uint64_t own = tags;
	for (uint32_t k = 0; k < c->n_args; k++)
		own |= c->arg[k] != NULL ? c->arg[k]->taint : 0;
	if (self != NULL && self->self != NULL && self->name != NULL && (own & (KEEPS | BAWN_TAG(NET_RECV))) != 0) {
		size_t n = strlen(self->name);
		if (n > 2 && bawn_names_find(&wrapper_names, self->name, n - 2) < BAWN_LEN(wrapper))
			bawn_script_keep(s, self->self, own);
	}
}

/* ---- what is run ---- */

static struct bawn_span last_component(struct bawn_span path)
{
	for (size_t i = path.n; i > 0; i--)
		if (path.p[i - 1] == '/' || path.p[i - 1] == '\\')
			return (struct bawn_span){ path.p + i, path.n - i };
	return path;
}

static bool listed(const char *const *list, size_t n, struct bawn_span word)
{
	for (size_t i = 0; i < n; i++)
		if (bawn_span_is(word, list[i]))
			return true;
	return false;
}

/* A shell with nothing to do but wait for commands. */
static bool bare_shell(struct value *const *word, uint32_t n)
{
	static const char *const shell[] = { "sh", "bash", "dash", "zsh", "ksh", "ash", "cmd", "cmd.exe", "powershell", "powershell.exe", "pwsh" };
	static const char *const option[] = { "-i", "-l", "-li", "-il", "--login", "-p", "--noprofile", "--norc", "/k", "/q", "/K", "/Q", "-nop", "-NoProfile", "-NoLogo" };
	for (uint32_t i = 0; i < n; i++)
		if (!bawn_value_is_text(word[i]) || word[i]->partial ||
		    (i == 0 ? !listed(shell, BAWN_LEN(shell), last_component(word[i]->text)) : !listed(option, BAWN_LEN(option), word[i]->text)))
			return false;
	return n > 0;
}

/* Is the program one that opens or interprets the file it is given? */
static bool interprets(const struct value *program)
{
	static const char *const runner[] = {
		"sh", "bash", "dash", "zsh", "python", "python3", "pythonw", "perl", "ruby", "node", "java", "cmd", "powershell",
		"pwsh", "msiexec", "rundll32", "regsvr32", "mshta", "wscript", "cscript", "start", "open", "xdg-open", "sudo", "nohup", "chmod", "pip", "pip3", "env",
	};
	if (program != NULL && program->name != NULL && strncmp(program->name, "sys.executable", 14) == 0)
		return true;
	if (!bawn_value_is_text(program))
		return false;
	struct bawn_span name = last_component(program->text);
	if (name.n > 4 && memcmp(name.p + name.n - 4, ".exe", 4) == 0)
		name.n -= 4;
	return listed(runner, BAWN_LEN(runner), name);
}

/* Files that are looked at, not run. */
static bool is_document(const struct value *v)
{
	static const char *const ending[] = { ".pdf", ".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg", ".mp3", ".mp4", ".wav", ".avi", ".mkv", ".html", ".txt", ".csv", ".json",
	                                      ".xml", ".docx", ".xlsx", ".pptx", ".md", ".epub", ".ico", ".bmp", ".webm", ".log" };
	for (size_t i = 0; bawn_value_is_text(v) && i < BAWN_LEN(ending); i++) {
		size_t n = strlen(ending[i]);
		if (v->text.n > n && memcmp(v->text.p + v->text.n - n, ending[i], n) == 0)
			return true;
	}
	return false;
}

static bool is_download(const struct script *s, const struct value *v)
{
	for (uint32_t i = 0; v != NULL && v->choice && i < v->n_items && i < 8; i++)
		if (bawn_value_is_text(v->item[i]) && !is_document(v->item[i]) && (contents(s, v->item[i]->text) & BAWN_TAG(DOWNLOAD)) != 0)
			return true;
	return v != NULL && !is_document(v) && ((v->taint & BAWN_TAG(DOWNLOAD)) != 0 ||
	                     (bawn_value_is_text(v) && (contents(s, v->text) & BAWN_TAG(DOWNLOAD)) != 0));
}

static void words_run(struct script *s, struct value *const *word, uint32_t n, uint32_t node)
{
	if (bare_shell(word, n))
		(void)bawn_engine_event(s->e, "bare-shell", node, NULL);
	for (uint32_t i = 0; i < n && i < 16; i++)
		if (is_download(s, word[i]) && (i == 0 || interprets(word[0]))) {
			(void)bawn_engine_event(s->e, "download-run", node, NULL);
			return;
		}
}

/* A command line, by its words; a gap that is a download may stand for any word. */
static void line_run(struct script *s, const struct value *v, uint32_t node)
{
	struct value word[16], *at[16];
	uint32_t n = 0;
	if (!bawn_value_is_text(v)) {
		if (is_download(s, v))
			(void)bawn_engine_event(s->e, "download-run", node, NULL);
		return;
	}
	for (size_t i = 0; i < v->text.n && n < BAWN_LEN(word); ) {
		size_t end = i;
		while (end < v->text.n && v->text.p[end] != ' ')
			end++;
		struct bawn_span t = { v->text.p + i, end - i };
		if (t.n > 1 && (t.p[0] == '"' || t.p[0] == '\'') && t.p[t.n - 1] == t.p[0])
			t = (struct bawn_span){ t.p + 1, t.n - 2 };
		else if (bawn_span_starts(t, "./") && t.n > 2)
			t = (struct bawn_span){ t.p + 2, t.n - 2 };
		bool gap = v->partial && memmem(t.p, t.n, "{}", 2) != NULL;
		if (t.n > 0) {
			word[n] = (struct value){ .text = t, .partial = gap, .taint = gap ? v->taint : 0 };
			at[n] = &word[n];
			n++;
		}
		i = end + 1;
	}
	words_run(s, at, n, node);
}

/* Functions that write a text; a program written down is meant to be run. */
static const char *const writer[] = { "fs.writeFile", "fs.writeFileSync", "fs.appendFile", "fs.appendFileSync", "*.write", "*.write_text", "*.write_bytes", "*.writestr", "os.write", "*.writelines" };
NAMES(writer_names, writer);

static int language_of(struct bawn_span t)
{
	if (bawn_span_starts(t, "#!")) {
		struct bawn_span line = { t.p, 0 };
		while (line.n < t.n && line.n < 80 && t.p[line.n] != '\n')
			line.n++;
		return memmem(line.p, line.n, "python", 6) != NULL ? BAWN_LANG_PYTHON : memmem(line.p, line.n, "sh", 2) != NULL ? BAWN_LANG_BASH
		     : memmem(line.p, line.n, "node", 4) != NULL ? BAWN_LANG_JAVASCRIPT : -1;
	}
	while (t.n > 0 && (t.p[0] == '\n' || t.p[0] == ' '))
		t = (struct bawn_span){ t.p + 1, t.n - 1 };
	bool python = bawn_span_starts(t, "import ") || bawn_span_starts(t, "from ") || memmem(t.p, t.n, "\nimport ", 8) != NULL || bawn_span_starts(t, "exec(");
	return python && memchr(t.p, '(', t.n) != NULL ? BAWN_LANG_PYTHON : -1;
}

/* JavaScript that loads or runs something. */
static bool is_javascript(struct bawn_span t)
{
	static const char *const word[] = { "require(", "eval(", "(eval)", "import(", "Function(", "fetch(" };
	for (size_t i = 0; i < BAWN_LEN(word); i++)
		if (memmem(t.p, t.n, word[i], strlen(word[i])) != NULL)
			return true;
	return false;
}

static int language_of_file(const struct value *path)
{
	static const struct { const char *ending; int language; } is[] = {
		{ ".js", BAWN_LANG_JAVASCRIPT }, { ".cjs", BAWN_LANG_JAVASCRIPT }, { ".mjs", BAWN_LANG_JAVASCRIPT }, { ".sh", BAWN_LANG_BASH }, { ".py", BAWN_LANG_PYTHON },
	};
	for (size_t i = 0; bawn_value_is_text(path) && i < BAWN_LEN(is); i++) {
		size_t n = strlen(is[i].ending);
		if (path->text.n > n && memcmp(path->text.p + path->text.n - n, is[i].ending, n) == 0)
			return is[i].language;
	}
	return -1;
}

static void run_one(struct script *s, int language, const struct value *v, uint32_t node);

static void written(struct script *s, const struct call *c)
{
	if (bawn_names_match(&writer_names, c->name) >= BAWN_LEN(writer))
		return;
	for (uint32_t i = 0; i < c->n_args && i < 2; i++) {
		const struct value *v = c->arg[i];
		int language = bawn_value_is_text(v) && v->text.n > 20 ? language_of(v->text) : -1;
		if (language < 0 && i == 1 && !s->python && bawn_value_is_text(v) && v->text.n > 20)
			language = is_javascript(v->text) && !is_document(c->arg[0]) ? BAWN_LANG_JAVASCRIPT : language_of_file(c->arg[0]);
		if (language >= 0)
			run_one(s, language, v, c->node);
	}
}

/* ---- addresses ---- */

/* A number in place of a name, and not one of this machine, this network or a public resolver. */
static bool bare_address(struct bawn_span t)
{
	static const char *const near[] = { "127.", "10.", "192.168.", "0.0.0.0", "255.", "8.8.", "1.1.1.1", "1.0.0.1", "9.9.9.9", "224.", "239.", "169.254.", "100.100." };
	const char *slashes = t.n < 300 ? memmem(t.p, t.n, "://", 3) : NULL;
	if (slashes != NULL)
		t = (struct bawn_span){ slashes + 3, t.n - (size_t)(slashes + 3 - t.p) };
	unsigned dots = 0;
	size_t i = 0;
	for (; i < t.n && ((t.p[i] >= '0' && t.p[i] <= '9') || t.p[i] == '.'); i++)
		dots += t.p[i] == '.';
	if (dots != 3 || i < 7 || i > 15 || (i < t.n && strchr(":/?#", t.p[i]) == NULL))
		return false;
	for (size_t k = 0; k < BAWN_LEN(near); k++)
		if (bawn_span_starts(t, near[k]))
			return false;
	return !(bawn_span_starts(t, "172.") && t.n > 6 && t.p[6] == '.' && (t.p[4] == '1' ? t.p[5] >= '6' : t.p[4] == '2' || (t.p[4] == '3' && t.p[5] < '2')));
}

static void addresses(struct script *s, const struct call *c)
{
	for (uint32_t i = 0; i < c->n_args && i < 3; i++) {
		const struct value *v = c->arg[i];
		if (v != NULL && v->is_list && v->n_items > 0)
			v = v->item[0];
		if (bawn_value_is_text(v) && v->text.n > 6 && bare_address(v->text)) {
			(void)bawn_engine_event(s->e, "bare-address", c->node, NULL);
			return;
		}
	}
}

static void run_one(struct script *s, int language, const struct value *v, uint32_t node)
{
	if (!bawn_value_is_text(v)) {
		bawn_modules_feed(s->e, language, node);
		return;
	}
	if (v->text.n <= FOLDED_MAX && bawn_text_printable(v->text))
		bawn_engine_text(s->e, language, language == BAWN_LANG_BASH ? bawn_world_line(s, v->text) : v->text, node);
	else
		(void)bawn_engine_event(s->e, "unread-program", node, NULL);
	if (language == BAWN_LANG_BASH && s->more_environs && memchr(v->text.p, '$', v->text.n) != NULL)
		(void)bawn_engine_event(s->e, "cut-short", node, NULL);
}

#define RUN_MAX 1024u  /* texts of which one is run */

static void run_text(struct script *s, int language, const struct value *v, uint32_t node)
{
	uint32_t n = v != NULL && v->choice ? v->n_items : 0;
	bawn_engine_reach(s->e, v, node);
	for (uint32_t i = 0; i < n && i < RUN_MAX; i++)
		run_one(s, language, v->item[i], node);
	if (n > RUN_MAX || (n > 0 && v->cut != CUT_NONE))
		(void)bawn_engine_event(s->e, "cut-short", node, NULL);
	run_one(s, language, v, node);
}

#define YAML_CALLS_MAX 8u

/* `!!python/object/apply:os.system ["id"]` is a call, written in YAML: it is read as the call. */
static void run_yaml(struct script *s, const struct call *c)
{
	static const char tag[] = "!!python/object/apply:";
	const struct value *v = c->name != NULL && bawn_span_starts(bawn_span(c->name), "yaml.") && strstr(c->name, "load") != NULL ? argument(c, 0) : NULL;
	struct bawn_span t = bawn_value_is_text(v) ? v->text : bawn_span("");
	for (unsigned k = 0; k < YAML_CALLS_MAX; k++) {
		const char *at = memmem(t.p, t.n, tag, sizeof tag - 1), *end = t.p + t.n;
		if (at == NULL)
			return;
		const char *name = at + sizeof tag - 1, *dot = NULL, *stop = name;
		for (; stop < end && strchr(" \t\n", *stop) == NULL; stop++)
			dot = *stop == '.' ? stop : dot;
		const char *line = stop;
		while (line < end && *line != '\n')
			line++;
		bawn_auto_buf code = BAWN_BUF(3 * FOLDED_MAX);
		if (dot != NULL)
			bawn_buf_fmt(&code, "import %.*s\n%.*s(*%.*s)\n", (int)(dot - name), name, (int)(stop - name), name, (int)(line - stop), stop);
		if (!bawn_engine_whole(s->e, &code))
			(void)bawn_engine_event(s->e, "unread-program", c->node, NULL);
		else if (code.n > 0)
			bawn_engine_text(s->e, BAWN_LANG_PYTHON, bawn_buf_span(&code), c->node);
		t = (struct bawn_span){ line, (size_t)(end - line) };
	}
	(void)bawn_engine_event(s->e, "cut-short", c->node, NULL);
}

/* Words that are only arguments of a program do not become what it runs, wherever they come from. */
static void run_command(struct script *s, struct value *const *word, uint32_t n, uint32_t node)
{
	static const char *const code[] = { "-c", "-e", "/c", "/C", "-Command", "-command", "-E", "--eval" };
	struct value *own[SHELL_WORDS_MAX];
	if (n > BAWN_LEN(own))
		(void)bawn_engine_event(s->e, "cut-short", node, NULL);
	n = n < BAWN_LEN(own) ? n : BAWN_LEN(own);
	for (uint32_t i = 0; i < n; i++) {
		own[i] = word[i];
		bawn_engine_reach(s->e, word[i], node);
		bool run = i < 2 || (bawn_value_is_text(word[i - 1]) && listed(code, BAWN_LEN(code), word[i - 1]->text));
		if (run || word[i] == NULL || (word[i]->taint & BAWN_TAG(NET_RECV)) == 0)
			continue;
		struct value *copy = bawn_value_new(s->e);
		if (copy == NULL)
			return;
		*copy = *word[i];
		copy->taint &= ~BAWN_TAG(NET_RECV);
		own[i] = copy;
	}
	words_run(s, own, n, node);
	(void)bawn_shell_command(s->e, own, n, node);
}

static uint32_t lists_to_choose(const struct value *v)
{
	bool lists = v != NULL && v->choice && !v->is_list && v->n_items > 0 && v->item[0] != NULL && v->item[0]->is_list;
	return lists ? v->n_items : 0;
}

/* spawn(s[0], s[1]) where s is one of several: the first program with the first list, and so on. */
static void run_one_way(struct script *s, const struct call *c, uint32_t from, uint32_t way)
{
	struct value *word[SHELL_WORDS_MAX];
	uint32_t n = 0, all = 0;
	bool chosen = false;
	for (uint32_t i = from; i < c->n_args; i++)
		chosen = chosen || lists_to_choose(c->arg[i]) > 0;
	for (uint32_t i = from; i < c->n_args; i++) {
		struct value *v = c->arg[i];
		if (chosen && v != NULL && v->choice && v->n_items > 0)
			v = v->item[way < v->n_items ? way : v->n_items - 1];
		if (v != NULL && v->is_dict)
			continue;
		bool list = v != NULL && v->is_list;
		all += list ? v->n_items : 1;
		if (list)
			bawn_engine_reach(s->e, v, c->node);
		for (uint32_t k = 0; list && k < v->n_items && n < BAWN_LEN(word); k++)
			word[n++] = v->item[k];
		if (!list && n < BAWN_LEN(word))
			word[n++] = v;
	}
	if (all > n)
		(void)bawn_engine_event(s->e, "cut-short", c->node, NULL);
	if (n > 0)
		run_command(s, word, n, c->node);
}

static void run_words(struct script *s, const struct call *c, uint32_t from, enum run how)
{
	const struct value *first = argument(c, (int)from);
	if (first == NULL)
		return;
	if (how == WORDS_IN_LIST || first->is_list) {
		bawn_engine_reach(s->e, first, c->node);
		if (first->is_list && first->n_items > 0 && !first->choice) {
			run_command(s, first->item, first->n_items, c->node);
		} else if (is_download(s, first)) {
			(void)bawn_engine_event(s->e, "download-run", c->node, NULL);
		}
		return;
	}
	uint32_t ways = 1;
	for (uint32_t i = from; i < c->n_args; i++)
		ways = lists_to_choose(c->arg[i]) > ways ? lists_to_choose(c->arg[i]) : ways;
	for (uint32_t way = 0; way < ways; way++)
		run_one_way(s, c, from, way);
}

static uint64_t other_path(struct script *s, const struct value *v, uint32_t node)
{
	if (!bawn_value_is_text(v) || v->text.n < 3)
		return 0;
	if ((v->text.p[0] | 0x20) == 'f' && v->text.n > 5 && strncasecmp(v->text.p, "file:", 5) == 0)
		return touch_text(s, v->text, BAWN_ACCESS_READ, node);
	if (strchr("/~.", v->text.p[0]) == NULL)
		return 0;
	return touch_text(s, v->text, BAWN_ACCESS_USE, node);
}

#define SQL_USES_MAX 64u

/* connection.execute("ATTACH '/x' AS y"), cursor.execute("ATTACH ? AS y", ('/x',)) */
static uint64_t statement(struct script *s, const struct call *c)
{
	static const char *const run[] = { ".execute", ".executescript", ".executemany", ".query", ".exec", ".sql" };
	const char *dot = strrchr(c->name, '.');
	bool hit = false;
	for (size_t i = 0; dot != NULL && i < BAWN_LEN(run) && !hit; i++)
		hit = strcmp(dot, run[i]) == 0;
	const struct value *v = hit ? argument(c, 0) : NULL;
	uint64_t tags = 0;
	size_t at = 0;
	struct bawn_sql_use use;
	for (unsigned k = 0; bawn_value_is_text(v) && k < SQL_USES_MAX && bawn_sql_next(v->text, &at, &use); k++) {
		const struct value *given = c->n_args > 1 ? c->arg[1] : NULL;
		for (uint32_t i = 0; use.text.p == NULL && given != NULL && i < given->n_items; i++)
			if (bawn_value_is_text(given->item[i]))
				use.text = given->item[i]->text;
		if (use.text.p != NULL && use.what == BAWN_SQL_RUN)
			run_one(s, BAWN_LANG_BASH, &(struct value){ .text = use.text }, c->node);
		else if (use.text.p != NULL)
			tags |= touch_text(s, use.text, (enum bawn_access)use.what, c->node);
	}
	return tags;
}

/* Functions that only look at a text. */
static const char *const harmless[] = {
	"print", "len", "str", "repr", "isinstance", "re.*", "logging.*", "console.*", "os.path.*", "str.*", "pathlib.*", "logger.*",
	"list.*", "parser.add_argument", "argparse.*", "*.add_argument", "*.append", "*.startswith", "*.endswith", "Exception", "ValueError", "input", "*.info", "*.debug", "*.warning", "*.error",
	"paramiko.*", "*.load_cert_chain", "*.load_verify_locations", "*.assertEqual", "*.assertIn", "*.assertTrue", "*.assert_called_with", "*.assert_called_once_with", "*.patch", "unittest.*", "*.setattr", "*.setitem", "argparse.ArgumentParser().*",
	"*.split", "*.strip", "*.replace", "*.format", "*.get", "*.add", "*.find", "*.count", "*.index", "ValueError", "RuntimeError", "OSError", "FileNotFoundError"
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

#define TOLD (BAWN_TAG(NET_RECV) | BAWN_TAG(SECRET) | BAWN_TAG(BROWSER) | BAWN_TAG(ENVIRON) | BAWN_TAG(READ) | BAWN_TAG(HOST_INFO) | BAWN_TAG(IDENTITY))

/* ---- texts that are used ---- */

/* Looking or asking for something is using its name. */
static const char *const looks[] = { "http.get", "https.get", "axios.get", "axios.create().get", "got.get", "needle.get", "superagent.get", "request.get", "ky.get",
	"requests.get", "requests.Session().get", "httpx.get", "httpx.Client().get", "undici.request", "os.path.exists", "os.path.isfile", "os.path.isdir", "os.access", "os.stat", "shutil.which", "fs.existsSync", "fs.exists", "fs.access", "fs.accessSync", "winreg.*" };
NAMES(looks_names, looks);

/* Programs that search or print the words they are given. */
static bool only_shows(struct bawn_span line)
{
	static const char *const shows[] = { "grep", "egrep", "fgrep", "rg", "ag", "ack", "findstr", "echo", "printf", "logger" };
	struct bawn_span word = { line.p, 0 };
	while (word.n < line.n && line.p[word.n] != ' ')
		word.n++;
	for (size_t i = 0; i < line.n; i++)
		if (strchr("|;&>`$\n", line.p[i]) != NULL)  /* and then something else; also a NUL */
			return false;
	return listed(shows, BAWN_LEN(shows), last_component(word));
}

/* Long texts are told in pieces that overlap. */
#define PIECE_BYTES  4096u
#define PIECE_SHARED 256u

static void tell_text(struct script *s, struct bawn_span text, uint32_t node)
{
	if (text.n < 4 || only_shows(text))
		return;
	for (size_t at = 0; at == 0 || at + PIECE_SHARED < text.n; at += PIECE_BYTES - PIECE_SHARED) {
		struct bawn_span piece = { text.p + at, text.n - at < PIECE_BYTES ? text.n - at : PIECE_BYTES };
		struct fact f = { .kind = BAWN_MATCH_STRING, .name = bawn_arena_text(&s->e->scratch, piece), .node = node };
		(void)bawn_engine_fact(s->e, &f);
	}
}

#define USED_MAX SHELL_WORDS_MAX

/* One of several: what is in it. */
static void tell_members(struct script *s, const struct value *v, uint32_t node)
{
	for (uint32_t i = 0; v != NULL && (v->is_dict || v->is_list) && i < v->n_items && i < USED_MAX; i++)
		if (bawn_value_is_text(v->item[i]))
			tell_text(s, v->item[i]->text, node);
}

/* spawn('reg', ['add', ...]): program and words are one line. */
static void tell_line(struct script *s, const struct call *c)
{
	bawn_auto_buf line = BAWN_BUF(FOLDED_MAX);
	const struct value *program = argument(c, 0), *words = argument(c, 1);
	if (!bawn_value_is_text(program) || words == NULL || !words->is_list || words->choice)
		return;
	bawn_buf_add(&line, program->text.p, program->text.n);
	for (uint32_t i = 0; i < words->n_items && i < USED_MAX; i++)
		if (bawn_value_is_text(words->item[i])) {
			bawn_buf_char(&line, ' ');
			bawn_buf_add(&line, words->item[i]->text.p, words->item[i]->text.n);
		}
	if (bawn_engine_whole(s->e, &line))
		tell_text(s, bawn_buf_span(&line), c->node);
}

/* A text, or the texts in a list or a dictionary; words of a command are told as its line, too. */
static void tell_used(struct script *s, const struct value *v, uint32_t node)
{
	bawn_auto_buf line = BAWN_BUF(FOLDED_MAX);
	if (bawn_value_is_text(v))
		tell_text(s, v->text, node);
	for (uint32_t i = 0; v != NULL && i < v->n_items && i < USED_MAX; i++) {
		if (v->choice)
			tell_members(s, v->item[i], node);
		if (!bawn_value_is_text(v->item[i]))
			continue;
		if (v->choice || v->is_dict)
			tell_text(s, v->item[i]->text, node);
		bawn_buf_add(&line, v->item[i]->text.p, v->item[i]->text.n);
		bawn_buf_char(&line, ' ');
	}
	if (v != NULL && v->is_list && !v->choice && bawn_engine_whole(s->e, &line))
		tell_text(s, bawn_buf_span(&line), node);
}

static void used_texts(struct script *s, const struct call *c)
{
	const struct value *file = c->function != NULL && c->function->self != NULL ? c->function->self : NULL;
	if (s->e->quiet || is_document(file) || (file != NULL && is_document(file->self)) || (c->n_args > 0 && is_document(c->arg[0])))
		return;
	for (uint32_t i = 0; i < c->n_args && i < 8; i++)
		tell_used(s, c->arg[i], c->node);
	if (!s->python)
		tell_line(s, c);
	for (uint32_t i = 0; i < c->n_keywords && i < 16; i++)
		tell_used(s, c->keyword[i].value, c->node);
}

static bool is_input(const char *keyword) { return keyword != NULL && (strcmp(keyword, "stdin") == 0 || strcmp(keyword, "input") == 0); }

/* subprocess.run('sh', stdin=open('notes')): in which language is for the command to say. */
static void run_input(struct script *s, const struct call *c)
{
	for (uint32_t i = 0; i < c->n_keywords; i++)
		for (const struct value *v = c->keyword[i].value; v != NULL && v->self != NULL && is_input(c->keyword[i].name); v = v->self)
			if (bawn_value_is_text(v->self))
				bawn_modules_run(s->e, v->self->text, -1, c->node);
}

/* exec(`curl -d ${secret} ...`): what is put into a command that sends is sent; what it is run with is not. */
static void sent_by_command(struct script *s, const struct call *c)
{
	struct fact f = { .kind = BAWN_MATCH_EVENT, .name = "sent", .arg = c->arg, .n_args = c->n_args, .node = c->node };
	for (uint32_t i = 0; i < c->n_args && i < 2; i++)
		f.taint |= c->arg[i] != NULL && !c->arg[i]->is_dict ? c->arg[i]->taint : 0;
	if ((f.taint & FLOWS) != 0)
		(void)bawn_engine_told(s->e, &f);
}

uint64_t bawn_call_effects(struct script *s, const struct call *c, bool told)
{
	uint64_t tags = 0;
	bool known = false;
	if (c->name == NULL || (c->function != NULL && c->function->function != 0))
		return 0;
	for (size_t i = bawn_names_match(&touch_names, c->name); i < BAWN_LEN(touch); i = bawn_names_next(&touch_names, i)) {
		enum bawn_access a = touch[i].access == OPEN ? open_mode(c, touch[i].arg) : (enum bawn_access)touch[i].access;
		tags |= touch_path(s, from_directory(s, c, argument(c, touch[i].arg)), a, c->node);
		if (a == BAWN_ACCESS_EXECUTE && is_download(s, argument(c, touch[i].arg)))
			(void)bawn_engine_event(s->e, "download-run", c->node, NULL);
		known = true;
	}
	uint64_t outer = s->e->given;
	s->e->given = 0;
	s->handed = c->n_keywords > 0 ? bawn_fold_keyword(c, "env") : NULL;
	for (size_t i = bawn_names_match(&run_names, c->name); i < BAWN_LEN(runs); i = bawn_names_next(&run_names, i)) {
		known = true;
		const struct value *v = argument(c, runs[i].arg);
		switch ((enum run)runs[i].run) {
		case SHELL_LINE:
			line_run(s, v, c->node);
			run_text(s, BAWN_LANG_BASH, v, c->node);
			break;
		case PYTHON:      run_text(s, s->python ? BAWN_LANG_PYTHON : BAWN_LANG_JAVASCRIPT, v, c->node); break;
		case JAVASCRIPT:  run_text(s, BAWN_LANG_JAVASCRIPT, v, c->node); break;
		case FUNCTION_OR_TEXT:
			if (bawn_value_is_text(v) || (v != NULL && v->choice))
				run_text(s, s->python ? BAWN_LANG_PYTHON : BAWN_LANG_JAVASCRIPT, v, c->node);
			break;
		case SHELL_OR_WORDS:
			if (bawn_value_is_text(v) || (v != NULL && v->choice)) {
				line_run(s, v, c->node);
				run_text(s, BAWN_LANG_BASH, v, c->node);
				for (uint32_t k = 0; v->choice && k < v->n_items && k < 16; k++)
					if (v->item[k] != NULL && v->item[k]->is_list && v->item[k]->n_items > 0)
						run_command(s, v->item[k]->item, v->item[k]->n_items, c->node);
			} else
				run_words(s, c, (uint32_t)runs[i].arg, WORDS_IN_LIST);
			break;
		case WORDS: case WORDS_IN_LIST: run_words(s, c, (uint32_t)runs[i].arg, (enum run)runs[i].run); break;
		}
	}
	s->handed = NULL;
	run_input(s, c);
	run_yaml(s, c);
	if (!s->python && (s->e->given & (BAWN_TAG(NET_SEND) | BAWN_TAG(FETCH))) != 0)
		sent_by_command(s, c);
	tags |= s->e->given & TOLD;  /* what a command reads is in its output */
	s->e->given |= outer;
	tags |= known ? 0 : other_paths(s, c) | statement(s, c);
	if (told || known || bawn_names_match(&looks_names, c->name) < BAWN_LEN(looks) || bawn_names_match(&writer_names, c->name) < BAWN_LEN(writer))
		used_texts(s, c);
	addresses(s, c);
	other_name(s, c);
	pass_on(s, c, tags);
	written(s, c);
	return tags;
}
