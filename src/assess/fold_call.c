/* fold_call.c - see fold.h: which function is which operation.
 *
 * Three tables: functions by their whole name, methods of texts, methods of lists and
 * dictionaries.  A new function is one row; what it does is one line of a switch. */
#include "assess/fold.h"
#include "assess/call.h"
#include "assess/names.h"
#include "assess/parameter.h"
#include "assess/replay.h"
#include "assess/text.h"
#include "assess/world.h"
#include "base/cleanup.h"

#define NUMBERS_MIN 8u

struct row { const char *name; uint8_t op; uint8_t how; };  /* how: a codec, a radix or an operator */

/* How what is found in a directory is given: as a path object, an entry with a path, or a text. */
enum { FOUND_PATH, FOUND_ENTRY, FOUND_PATTERN, FOUND_WALK };

static const struct row functions[] = {
	{ "Array", F_CHAIN_ARGS, 0 }, { "Array.from", F_LIST, 0 }, { "Array.of", F_CHAIN_ARGS, 0 }, { "BigInt", F_INT, 0 },
	{ "Boolean", F_BOOL, 0 }, { "Buffer", F_BUFFER, 0 }, { "Buffer.concat", F_CONCAT_LIST, 0 }, { "Buffer.from", F_BUFFER, 0 },
	{ "BytesIO", F_STREAM, 0 }, { "Crypto.Util.number.long_to_bytes", F_LONG_TO_BYTES, 0 },
	{ "Cryptodome.Util.number.long_to_bytes", F_LONG_TO_BYTES, 0 }, { "Map", F_DICT, 0 }, { "Math.floor", F_INT, 0 }, { "Math.pow", F_OPERATOR, 'p' },
	{ "Math.round", F_INT, 0 }, { "Math.trunc", F_INT, 0 }, { "Number", F_INT, 0 }, { "Number.parseInt", F_INT, 0 },
	{ "Object.entries", F_ENTRIES, 0 }, { "Object.keys", F_KEYS, 0 }, { "Object.values", F_VALUES, 0 },
	{ "Reflect.get", F_GETATTR, 0 }, { "Set", F_LIST, 0 }, { "String", F_STR, 0 }, { "String.fromCharCode", F_CHARS, 0 },
	{ "String.fromCodePoint", F_CHARS, 0 }, { "String.raw", F_EXPAND, 0 }, { "StringIO.StringIO", F_STREAM, 0 },
	{ "Uint8Array", F_BYTES, 0 }, { "Uint8Array.from", F_BYTES, 0 }, { "__import__", F_IMPORT, 0 },
	{ "__loader__.load_module", F_IMPORT, 0 }, { "_codecs.decode", F_CODECS, 0 }, { "abs", F_ABS, 0 },
	{ "array.array", F_SAME_ARG, 0 }, { "array.array.tobytes", F_BYTES, 0 }, { "ascii", F_ASCII, 0 },
	{ "asyncio.to_thread", F_SAME_ARG, 0 }, { "asyncio.wait_for", F_SAME_ARG, 0 }, { "atob", F_DECODE, BAWN_CODEC_BASE64ANY },
	{ "base64.a85decode", F_DECODE, BAWN_CODEC_ASCII85 }, { "base64.b16decode", F_DECODE, BAWN_CODEC_HEX },
	{ "base64.b32decode", F_DECODE, BAWN_CODEC_BASE32 }, { "base64.b32hexdecode", F_DECODE, BAWN_CODEC_BASE32HEX },
	{ "base64.b64decode", F_DECODE, BAWN_CODEC_BASE64 }, { "base64.b64encode", F_BASE64_OF, 0 },
	{ "base64.b85decode", F_DECODE, BAWN_CODEC_BASE85 }, { "base64.decodebytes", F_DECODE, BAWN_CODEC_BASE64 },
	{ "base64.decodestring", F_DECODE, BAWN_CODEC_BASE64 }, { "base64.standard_b64decode", F_DECODE, BAWN_CODEC_BASE64 },
	{ "base64.standard_b64encode", F_BASE64_OF, 0 }, { "base64.urlsafe_b64decode", F_DECODE, BAWN_CODEC_BASE64URL },
	{ "base64.urlsafe_b64encode", F_BASE64_OF, 0 }, { "base64.z85decode", F_DECODE, BAWN_CODEC_Z85 }, { "bin", F_RADIX, 2 },
	{ "binascii.a2b_base64", F_DECODE, BAWN_CODEC_BASE64 }, { "binascii.a2b_hex", F_DECODE, BAWN_CODEC_HEX },
	{ "binascii.a2b_qp", F_DECODE, BAWN_CODEC_QUOTED }, { "binascii.a2b_uu", F_DECODE, BAWN_CODEC_UU },
	{ "binascii.b2a_base64", F_BASE64_OF, 0 }, { "binascii.b2a_hex", F_HEX_OF, 0 }, { "binascii.hexlify", F_HEX_OF, 0 },
	{ "binascii.unhexlify", F_DECODE, BAWN_CODEC_HEX }, { "bool", F_BOOL, 0 }, { "btoa", F_BASE64_OF, 0 },
	{ "bytearray", F_BYTEARRAY, 0 }, { "bytearray.fromhex", F_DECODE, BAWN_CODEC_HEX }, { "bytes", F_BYTES, 0 },
	{ "bytes.fromhex", F_DECODE, BAWN_CODEC_HEX }, { "bytes.maketrans", F_MAKETRANS, 0 },
	{ "bz2.BZ2Decompressor().decompress", F_DECODE, BAWN_CODEC_BZIP2 }, { "bz2.BZ2File", F_DECODE, BAWN_CODEC_BZIP2 },
	{ "bz2.decompress", F_DECODE, BAWN_CODEC_BZIP2 }, { "cStringIO.StringIO", F_STREAM, 0 }, { "chr", F_CHR, 0 },
	{ "classmethod", F_SAME_ARG, 0 }, { "codecs.decode", F_CODECS, 0 }, { "codecs.encode", F_CODECS_ENCODE, 0 },
	{ "codecs.escape_decode", F_DECODE, BAWN_CODEC_ESCAPES }, { "codecs.getdecoder", F_GETTER_OF_CODEC, 0 },
	{ "collections.OrderedDict", F_DICT, 0 }, { "copy.copy", F_EXPAND, 0 }, { "copy.deepcopy", F_EXPAND, 0 },
	{ "decodeURI", F_DECODE, BAWN_CODEC_PERCENT }, { "decodeURIComponent", F_DECODE, BAWN_CODEC_PERCENT }, { "dict", F_DICT, 0 },
	{ "django.utils.module_loading.import_string", F_LOCATE, 0 }, { "email.base64mime.body_decode", F_DECODE, BAWN_CODEC_BASE64 },
	{ "email.base64mime.decode", F_DECODE, BAWN_CODEC_BASE64 }, { "email.base64mime.decodestring", F_DECODE, BAWN_CODEC_BASE64 },
	{ "email.header.decode_header", F_MAIL, BAWN_CODEC_MAIL }, { "email.header.make_header", F_MAIL_TEXT, 0 },
	{ "email.quoprimime.body_decode", F_DECODE, BAWN_CODEC_QUOTED }, { "email.quoprimime.decode", F_DECODE, BAWN_CODEC_QUOTED },
	{ "email.quoprimime.header_decode", F_DECODE, BAWN_CODEC_QUOTED }, { "email.quoprimime.unquote", F_DECODE, BAWN_CODEC_QUOTED },
	{ "enumerate", F_ENUMERATE, 0 }, { "filter", F_FILTER, 0 }, { "float", F_INT, 0 }, { "format", F_FORMAT_VALUE, 0 },
	{ "frozenset", F_SET, 0 }, { "functools.partial", F_PARTIAL, 0 }, { "functools.reduce", F_REDUCE, 0 },
	{ "functools.wraps", F_SAME_ARG, 0 }, { "getattr", F_GETATTR, 0 }, { "gzip.GzipFile", F_DECODE, BAWN_CODEC_INFLATE },
	{ "gzip.decompress", F_DECODE, BAWN_CODEC_INFLATE }, { "gzip.open", F_DECODE, BAWN_CODEC_INFLATE }, { "hex", F_RADIX, 16 },
	{ "html.unescape", F_DECODE, BAWN_CODEC_ENTITIES }, { "importlib.__import__", F_IMPORT, 0 },
	{ "importlib._bootstrap._gcd_import", F_IMPORT, 0 }, { "importlib.import_module", F_IMPORT, 0 },
	{ "importlib.util.find_spec", F_IMPORT, 0 }, { "inspect.cleandoc", F_EXPAND, 0 }, { "inspect.getattr_static", F_GETATTR, 0 },
	{ "int", F_INT, 0 }, { "int.from_bytes", F_FROM_BYTES, 0 }, { "int.to_bytes", F_INT_TO_BYTES, 0 },
	{ "io.BytesIO", F_STREAM, 0 }, { "io.StringIO", F_STREAM, 0 }, { "iter", F_ITER, 0 }, { "itertools.chain", F_CHAIN, 0 },
	{ "itertools.chain.from_iterable", F_FLATTEN, 0 }, { "itertools.cycle", F_CYCLE, 0 }, { "itertools.ifilter", F_FILTER, 0 },
	{ "itertools.imap", F_MAP, 0 }, { "itertools.islice", F_SLICE_LIST, 0 }, { "itertools.izip", F_ZIP, 0 },
	{ "itertools.repeat", F_REPEAT, 0 }, { "itertools.starmap", F_STARMAP, 0 }, { "itertools.zip_longest", F_ZIP, 0 },
	{ "len", F_LEN, 0 }, { "list", F_LIST, 0 }, { "logging.config.BaseConfigurator().resolve", F_LOCATE, 0 },
	{ "logging.config.ConvertingDict().configurator.resolve", F_LOCATE, 0 }, { "logging.config.DictConfigurator().resolve", F_LOCATE, 0 },
	{ "logging.config._resolve", F_LOCATE, 0 }, { "long", F_INT, 0 },
	{ "lzma.LZMADecompressor().decompress", F_DECODE, BAWN_CODEC_LZMA }, { "lzma.LZMAFile", F_DECODE, BAWN_CODEC_LZMA },
	{ "lzma.decompress", F_DECODE, BAWN_CODEC_LZMA }, { "map", F_MAP, 0 }, { "math.floor", F_INT, 0 }, { "max", F_MAX, 0 },
	{ "memoryview", F_SAME_ARG, 0 }, { "min", F_MIN, 0 }, { "next", F_NEXT, 0 }, { "object.__getattribute__", F_GETATTR, 0 },
	{ "oct", F_RADIX, 8 }, { "operator.add", F_OPERATOR, '+' }, { "operator.and_", F_OPERATOR, '&' },
	{ "operator.attrgetter", F_ATTRGETTER, 0 }, { "operator.concat", F_OPERATOR, '+' }, { "operator.contains", F_OPERATOR, 'c' },
	{ "operator.eq", F_OPERATOR, 'e' }, { "operator.floordiv", F_OPERATOR, 'f' }, { "operator.getitem", F_OPERATOR, '[' },
	{ "operator.gt", F_OPERATOR, 'g' }, { "operator.iadd", F_OPERATOR, '+' }, { "operator.iconcat", F_OPERATOR, '+' },
	{ "operator.itemgetter", F_ITEMGETTER, 0 }, { "operator.ixor", F_OPERATOR, '^' }, { "operator.lshift", F_OPERATOR, '<' },
	{ "operator.lt", F_OPERATOR, 'l' }, { "operator.methodcaller", F_METHODCALLER, 0 }, { "operator.mod", F_OPERATOR, '%' },
	{ "operator.mul", F_OPERATOR, '*' }, { "operator.ne", F_OPERATOR, 'n' }, { "operator.or_", F_OPERATOR, '|' },
	{ "operator.pow", F_OPERATOR, 'p' }, { "operator.rshift", F_OPERATOR, '>' }, { "operator.sub", F_OPERATOR, '-' },
	{ "operator.truediv", F_OPERATOR, '/' }, { "operator.xor", F_OPERATOR, '^' }, { "ord", F_ORD, 0 },
	{ "os.fsdecode", F_EXPAND, 0 }, { "os.fsencode", F_EXPAND, 0 }, { "os.fspath", F_EXPAND, 0 }, { "os.homedir", F_HOME, 0 },
	{ "os.path.abspath", F_EXPAND, 0 }, { "os.path.expanduser", F_EXPAND, 0 }, { "os.path.expandvars", F_EXPAND, 0 },
	{ "os.path.join", F_PATH_JOIN, 0 }, { "os.scandir", F_FOUND, FOUND_ENTRY }, { "os.walk", F_FOUND, FOUND_WALK }, { "os.fwalk", F_FOUND, FOUND_WALK },
	{ "shlex.split", F_WORDS, 0 }, { "glob.glob", F_FOUND, FOUND_PATTERN }, { "glob.iglob", F_FOUND, FOUND_PATTERN },
	{ "pathlib.Path().iterdir", F_FOUND, FOUND_PATH }, { "pathlib.Path().glob", F_FOUND, FOUND_PATH }, { "pathlib.Path().rglob", F_FOUND, FOUND_PATH },
	{ "tempfile.mkstemp", F_TEMPFILE, 0 }, { "os.path.normpath", F_EXPAND, 0 }, { "os.path.realpath", F_EXPAND, 0 },
	{ "os.tmpdir", F_TEMPDIR, 0 }, { "pako.inflate", F_DECODE, BAWN_CODEC_INFLATE },
	{ "pako.inflateRaw", F_DECODE, BAWN_CODEC_INFLATE }, { "pako.ungzip", F_DECODE, BAWN_CODEC_INFLATE },
	{ "parseFloat", F_INT, 0 }, { "parseInt", F_INT, 0 }, { "path.join", F_PATH_JOIN, 0 }, { "path.posix.join", F_PATH_JOIN, 0 },
	{ "path.resolve", F_PATH_JOIN, 0 }, { "pathlib.Path", F_PATH, 0 }, { "pathlib.Path.home", F_HOME, 0 },
	{ "pathlib.PosixPath", F_PATH, 0 }, { "pathlib.PurePath", F_PATH, 0 }, { "pathlib.PurePosixPath", F_PATH, 0 },
	{ "pkgutil.resolve_name", F_LOCATE, 0 }, { "posixpath.join", F_PATH_JOIN, 0 }, { "pow", F_OPERATOR, 'p' },
	{ "pydoc.locate", F_LOCATE, 0 }, { "pydoc.safeimport", F_LOCATE, 0 }, { "pytest.importorskip", F_LOCATE, 0 }, { "querystring.unescape", F_DECODE, BAWN_CODEC_PERCENT },
	{ "quopri.decodestring", F_DECODE, BAWN_CODEC_QUOTED }, { "range", F_RANGE, 0 }, { "re.sub", F_SUB, 0 },
	{ "reduce", F_REDUCE, 0 }, { "repr", F_REPR, 0 }, { "reversed", F_REVERSED, 0 }, { "round", F_INT, 0 }, { "set", F_SET, 0 },
	{ "shlex.quote", F_EXPAND, 0 }, { "sorted", F_SORTED, 0 }, { "socket.inet_aton", F_DECODE, BAWN_CODEC_ADDRESS },
	{ "socket.inet_pton", F_SECOND, BAWN_CODEC_ADDRESS }, { "staticmethod", F_SAME_ARG, 0 }, { "str", F_STR, 0 },
	{ "string.Formatter().get_field", F_GET_FIELD, 0 },
	{ "str.maketrans", F_MAKETRANS, 0 }, { "string.maketrans", F_MAKETRANS, 0 }, { "struct.pack", F_PACK, 0 }, { "sum", F_SUM, 0 },
	{ "sys.intern", F_EXPAND, 0 }, { "tempfile.gettempdir", F_TEMPDIR, 0 }, { "test.support.import_helper.import_module", F_LOCATE, 0 },
	{ "test.support.import_module", F_LOCATE, 0 }, { "textwrap.dedent", F_EXPAND, 0 },
	{ "unittest.mock._importer", F_LOCATE, 0 }, { "werkzeug.utils.import_string", F_LOCATE, 0 }, { "xmlrpc.server.resolve_dotted_attribute", F_GETATTRS, 0 },
	{ "tuple", F_LIST, 0 }, { "type", F_TYPE, 0 }, { "type.__getattribute__", F_GETATTR, 0 },
	{ "unescape", F_DECODE, BAWN_CODEC_UNESCAPE }, { "unichr", F_CHR, 0 }, { "unicode", F_STR, 0 },
	{ "urllib.parse.unquote", F_DECODE, BAWN_CODEC_PERCENT }, { "urllib.parse.unquote_plus", F_DECODE, BAWN_CODEC_PLUS },
	{ "urllib.parse.unquote_to_bytes", F_DECODE, BAWN_CODEC_PERCENT }, { "urllib.request.unquote", F_DECODE, BAWN_CODEC_PERCENT },
	{ "urllib.unquote", F_DECODE, BAWN_CODEC_PERCENT }, { "urllib.unquote_plus", F_DECODE, BAWN_CODEC_PLUS }, { "vars", F_VARS, 0 },
	{ "weakref.ref", F_SAME_ARG, 0 }, { "xrange", F_RANGE, 0 }, { "zip", F_ZIP, 0 },
	{ "zlib.decompress", F_DECODE, BAWN_CODEC_INFLATE }, { "zlib.decompressobj().decompress", F_DECODE, BAWN_CODEC_INFLATE },
	{ "zlib.gunzipSync", F_DECODE, BAWN_CODEC_INFLATE }, { "zlib.inflateRawSync", F_DECODE, BAWN_CODEC_INFLATE },
	{ "zlib.inflateSync", F_DECODE, BAWN_CODEC_INFLATE }, { "zlib.unzipSync", F_DECODE, BAWN_CODEC_INFLATE },
};

static const struct row text_methods[] = {
	{ "__add__", F_CONCAT }, { "__contains__", F_CONTAINS }, { "__format__", F_FORMAT_AS }, { "__getitem__", F_AT },
	{ "__mod__", F_PERCENT }, { "__mul__", F_REPEAT }, { "__str__", F_SAME }, { "absolute", F_SAME }, { "as_posix", F_SAME },
	{ "at", F_AT }, { "capitalize", F_CAPITALIZE }, { "casefold", F_CASEFOLD }, { "center", F_CENTER }, { "charAt", F_CHAR_AT },
	{ "charCodeAt", F_CHAR_CODE }, { "codePointAt", F_CHAR_CODE }, { "concat", F_CONCAT }, { "copy", F_SAME }, { "count", F_COUNT },
	{ "decode", F_DECODE_AS }, { "encode", F_ENCODE_AS }, { "endsWith", F_ENDS }, { "endswith", F_ENDS }, { "expandtabs", F_SAME },
	{ "expanduser", F_SAME }, { "filter", F_FILTER }, { "find", F_FIND }, { "forEach", F_MAP }, { "format", F_FORMAT },
	{ "getvalue", F_SAME }, { "hex", F_HEX }, { "includes", F_CONTAINS }, { "index", F_FIND }, { "indexOf", F_FIND },
	{ "isalpha", F_IS_ALPHA }, { "isdecimal", F_IS_DIGIT }, { "isdigit", F_IS_DIGIT }, { "islower", F_IS_LOWER },
	{ "isnumeric", F_IS_DIGIT }, { "isspace", F_IS_SPACE }, { "isupper", F_IS_UPPER }, { "join", F_JOIN },
	{ "joinpath", F_PATH_JOIN }, { "ljust", F_LJUST }, { "lower", F_LOWER }, { "lstrip", F_LSTRIP }, { "map", F_MAP },
	{ "normalize", F_SAME }, { "padEnd", F_LJUST }, { "padStart", F_RJUST }, { "partition", F_PARTITION }, { "read", F_SAME },
	{ "readall", F_SAME }, { "reduce", F_REDUCE }, { "removeprefix", F_REMOVE_PREFIX }, { "removesuffix", F_REMOVE_SUFFIX },
	{ "repeat", F_REPEAT }, { "replace", F_REPLACE_ONE }, { "replaceAll", F_REPLACE }, { "resolve", F_SAME },
	{ "reverse", F_REVERSED_TEXT }, { "rjust", F_RJUST }, { "rpartition", F_RPARTITION }, { "rsplit", F_RSPLIT },
	{ "rstrip", F_RSTRIP }, { "slice", F_SLICE }, { "split", F_SPLIT }, { "splitlines", F_SPLITLINES }, { "startsWith", F_STARTS },
	{ "startswith", F_STARTS }, { "strip", F_STRIP }, { "subarray", F_SLICE }, { "substr", F_SUBSTR }, { "substring", F_SUBSTRING },
	{ "swapcase", F_SWAPCASE }, { "title", F_TITLE }, { "toLocaleLowerCase", F_LOWER }, { "toLocaleUpperCase", F_UPPER },
	{ "toLowerCase", F_LOWER }, { "toString", F_TO_STRING }, { "toUpperCase", F_UPPER }, { "tobytes", F_SAME },
	{ "translate", F_TRANSLATE }, { "trim", F_STRIP }, { "trimEnd", F_RSTRIP }, { "trimLeft", F_LSTRIP }, { "trimRight", F_RSTRIP },
	{ "trimStart", F_LSTRIP }, { "upper", F_UPPER }, { "valueOf", F_SAME }, { "with_suffix", F_SAME }, { "zfill", F_ZFILL },
};

static const struct row list_methods[] = {
	{ "__getitem__", F_AT }, { "__next__", F_NEXT }, { "append", F_APPEND }, { "at", F_AT }, { "concat", F_CONCAT },
	{ "copy", F_SAME }, { "decode", F_DECODE_AS }, { "entries", F_ENTRIES }, { "extend", F_EXTEND }, { "fill", F_FILL },
	{ "filter", F_FILTER }, { "flat", F_FLAT }, { "forEach", F_MAP }, { "get", F_GET }, { "hex", F_HEX },
	{ "includes", F_CONTAINS }, { "index", F_FIND }, { "indexOf", F_FIND }, { "insert", F_INSERT }, { "items", F_ENTRIES },
	{ "join", F_JOIN }, { "keys", F_KEYS }, { "map", F_MAP }, { "pop", F_POP }, { "push", F_APPEND }, { "reduce", F_REDUCE },
	{ "reverse", F_REVERSE }, { "setdefault", F_GET }, { "shift", F_SHIFT }, { "slice", F_SLICE }, { "sort", F_SORT },
	{ "toReversed", F_REVERSE }, { "toString", F_TO_STRING }, { "unshift", F_PUT_PREFIX }, { "values", F_VALUES },
};

/* Texts that a module has by name. */
static const struct { const char *name, *text; } constants[] = {
	{ "os.EOL", "\n" }, { "os.curdir", "." }, { "os.devnull", "/dev/null" }, { "os.linesep", "\n" }, { "os.pardir", ".." }, { "os.path.sep", "/" },
	{ "os.pathsep", ":" }, { "os.sep", "/" }, { "path.delimiter", ":" }, { "path.sep", "/" },
	{ "process.argv0", "node" }, { "process.execPath", "node" }, { "sys.executable", "python3" },
	{ "string.ascii_letters", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" },
	{ "string.ascii_lowercase", "abcdefghijklmnopqrstuvwxyz" }, { "string.ascii_uppercase", "ABCDEFGHIJKLMNOPQRSTUVWXYZ" },
	{ "string.digits", "0123456789" }, { "string.hexdigits", "0123456789abcdefABCDEF" },
	{ "string.letters", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" }, { "string.lowercase", "abcdefghijklmnopqrstuvwxyz" },
	{ "string.octdigits", "01234567" },
	{ "string.printable", "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \t\n\r\x0b\x0c" },
	{ "string.punctuation", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" }, { "string.uppercase", "ABCDEFGHIJKLMNOPQRSTUVWXYZ" },
	{ "string.whitespace", " \t\n\r\x0b\x0c" },
};

NAMES(function_names, functions);
NAMES(text_method_names, text_methods);
NAMES(list_method_names, list_methods);
NAMES(constant_names, constants);

static const struct row *find(const struct names *names, const char *name)
{
	size_t i = bawn_names_find(names, name, strlen(name));
	return i < names->n ? (const struct row *)names->row + i : NULL;
}

int bawn_fold_list_method(const char *name)
{
	const struct row *row = find(&list_method_names, name);
	return row != NULL ? row->op : F_NONE;
}

/* ---- members that are not called ---- */

void bawn_fold_constant(struct value *v)
{
	if (v->name == NULL || (v->name[0] != 'o' && v->name[0] != 's' && v->name[0] != 'p'))
		return;
	size_t i = bawn_names_find(&constant_names, v->name, strlen(v->name));
	if (i < BAWN_LEN(constants))
		v->text = bawn_span(constants[i].text);
}

/* os.scandir(): entry.path */
static struct value *entry_path(struct script *s, const struct value *entry)
{
	if (!bawn_value_is_text(entry) || entry->name == NULL || strcmp(entry->name, "os.DirEntry()") != 0)
		return NULL;
	struct value *v = bawn_fold_text(s, entry->text, entry->taint);
	if (v != NULL)
		v->partial = true;
	return v;
}

struct value *bawn_fold_member(struct script *s, struct value *object, const char *property)
{
	if (s->python && strcmp(property, "path") == 0)
		return entry_path(s, bawn_fold_sole(object));
	if (object == NULL || s->python || strcmp(property, "length") != 0 || object->choice || object->partial)
		return NULL;
	struct letters l;
	if (bawn_value_is_text(object))
		return bawn_fold_letters(s, object, &l) ? bawn_fold_number(s, (int64_t)l.n, object->taint) : NULL;
	return object->is_list ? bawn_fold_number(s, object->n_items, object->taint) : NULL;
}

/* ---- paths, names and modules ---- */

static struct value *path_of_args(struct script *s, const struct call *c, struct value *first)
{
	struct value *v = first;
	for (uint32_t i = 0; i < c->n_args; i++)
		v = v == NULL ? c->arg[i] : bawn_fold_join_path(s, v, c->arg[i]);
	return v;
}

static struct value *as_path(struct script *s, const struct value *v)
{
	struct value *p = bawn_value_is_text(v) ? bawn_fold_text(s, v->text, v->taint) : NULL;
	if (p != NULL)
		p->is_path = true, p->name = "pathlib.Path()", p->partial = v->partial;
	return p;
}

static struct value *unknown_named(struct script *s, const char *name, struct value *self)
{
	struct value *v = bawn_value_new(s->e);
	if (v != NULL)
		v->name = name, v->self = self;
	return v;
}

/* What lies in a directory: how much of it there is and what it is called is not known, where it lies is. */
static struct value *found(struct script *s, struct value *where, unsigned how)
{
	struct value gap = { .name = NULL };
	struct value *list = bawn_value_is_text(where) ? bawn_fold_list(s, 1, where->taint) : NULL;
	struct value *one = list == NULL ? NULL : how == FOUND_PATTERN ? bawn_fold_text(s, where->text, where->taint) : bawn_fold_join_path(s, where, &gap);
	if (one == NULL)
		return NULL;
	one->partial = list->partial = true;
	if (how == FOUND_WALK) {  /* (directory, its directories, its files) */
		struct value *row = bawn_fold_list(s, 3, where->taint);
		for (uint32_t i = 0; row != NULL && i < 3; i++)
			row->item[i] = i == 0 ? one : unknown_named(s, NULL, NULL);
		for (uint32_t i = 1; row != NULL && i < 3; i++)
			if (row->item[i] != NULL)
				row->item[i]->taint = where->taint;
		one = row;
	} else if (how != FOUND_PATTERN)
		one->name = how == FOUND_PATH ? "pathlib.Path()" : "os.DirEntry()";
	list->item[0] = one;
	return list;
}

/* (descriptor, name): what is written to the one is in the other. */
static struct value *temporary_file(struct script *s, const struct call *c)
{
	struct value *v = bawn_fold_list(s, 2, c->taint), *fd = bawn_value_new(s->e), *name = bawn_value_new(s->e);
	if (v == NULL || fd == NULL || name == NULL)
		return NULL;
	fd->self = name;
	v->item[0] = fd, v->item[1] = name;
	return v;
}

static struct value *imported(struct script *s, const struct call *c)
{
	struct value *v = fold_arg(c, 0);
	if (!bawn_value_is_text(v) || v->partial)
		return NULL;
	const char *name = bawn_fold_name(fold_memory(s), v->text);
	if (name != NULL && strncmp(name, "node:", 5) == 0)
		name += 5;
	if (name == NULL)
		return NULL;
	struct fact f = { .kind = BAWN_MATCH_IMPORT, .name = name, .node = c->node };
	(void)bawn_engine_fact(s->e, &f);
	bool root = s->python && strcmp(c->name, "__import__") == 0 && c->n_args < 4;
	size_t n = root ? strcspn(name, ".") : strlen(name);
	struct value *other = bawn_world_module(s, name);
	return other != NULL ? other : bawn_script_named(s, bawn_arena_text(fold_memory(s), (struct bawn_span){ name, n }), true);
}

static struct value *got_attribute(struct script *s, struct value *object, struct value *name, uint32_t node)
{
	if (!bawn_value_is_text(name) || object == NULL)
		return NULL;
	struct value *v = bawn_script_attribute(s, object, bawn_arena_text(fold_memory(s), name->text));
	if (v != NULL && v->name != NULL) {
		struct fact f = { .kind = BAWN_MATCH_NAME, .name = v->name, .node = node, .folded = v->name };
		v->taint |= bawn_engine_fact(s->e, &f) & BAWN_TAG(ENVIRON);
		f.kind = BAWN_MATCH_CALL;
		(void)bawn_engine_fact(s->e, &f);
	}
	return v;
}

/* ---- numbers ---- */

static struct value *parsed_int(struct script *s, const struct call *c)
{
	const struct value *v = fold_arg(c, 0), *with = fold_arg(c, 1) != NULL ? fold_arg(c, 1) : bawn_fold_keyword(c, "base");
	int64_t number, base = 10;
	if (!bawn_value_is_text(v))
		return bawn_fold_numeric(s, v, &number) ? bawn_fold_number(s, number, v->taint) : NULL;
	(void)bawn_fold_numeric(s, with, &base);  /* 10 where it is not given */
	struct bawn_span t = v->text;
	while (t.n > 0 && (t.p[0] == ' ' || t.p[0] == '\n'))
		t.p++, t.n--;
	bool minus = t.n > 0 && t.p[0] == '-';
	size_t at = minus || (t.n > 0 && t.p[0] == '+');
	int64_t written = t.n > at + 2 && t.p[at] == '0' ? ((t.p[at + 1] | 0x20) == 'x' ? 16 : (t.p[at + 1] | 0x20) == 'o' ? 8 : (t.p[at + 1] | 0x20) == 'b' ? 2 : 0) : 0;
	if (written != 0 && (base == written || base == 0 || (base == 10 && written == 16 && !s->python)))
		at += 2, base = written;
	base = base == 0 ? 10 : base;
	if (base < 2 || base > 36)
		return NULL;
	size_t start = at;
	for (number = 0; at < t.n; at++) {
		char c1 = t.p[at];
		int64_t d = c1 >= '0' && c1 <= '9' ? c1 - '0' : (c1 | 0x20) >= 'a' && (c1 | 0x20) <= 'z' ? (c1 | 0x20) - 'a' + 10 : 99;
		if (c1 == '_' && s->python)
			continue;
		if (d >= base && !s->python)
			break;  /* parseInt reads as far as it goes */
		if (d >= base || __builtin_mul_overflow(number, base, &number) || __builtin_add_overflow(number, d, &number))
			return NULL;
	}
	return at > start ? bawn_fold_number(s, minus ? -number : number, v->taint) : NULL;
}

/* A number too large for us has its bytes in `self`, the highest first. */
static struct bawn_span big(const struct value *v)
{
	return v != NULL && v->has_number && v->self != NULL && v->self->bytes ? v->self->text : (struct bawn_span){ NULL, 0 };
}

static int64_t bit_length(const struct value *v)
{
	struct bawn_span t = big(v);
	if (t.p != NULL)
		return (int64_t)t.n * 8 - __builtin_clz((unsigned char)t.p[0]) + 24;
	uint64_t n = v == NULL ? 0 : v->number < 0 ? 0 - (uint64_t)v->number : (uint64_t)v->number;
	return n == 0 ? 0 : 64 - __builtin_clzll(n);
}

/* n.to_bytes(length, order) */
static struct value *to_bytes(struct script *s, const struct value *v, const struct value *length, const struct value *order_of)
{
	int64_t n, len = 1;
	bool little = bawn_value_is_text(order_of) && bawn_span_is(order_of->text, "little");
	char out[4096];
	if (length != NULL && (!bawn_fold_numeric(s, length, &len) || len < 0 || len > (int64_t)sizeof out))
		return NULL;
	if (v == NULL || !bawn_fold_numeric(s, v, &n))
		return NULL;
	const struct bawn_span large = big(v);
	for (int64_t i = 0; i < len; i++) {  /* i: from the low end */
		size_t at = (size_t)(little ? i : len - 1 - i);
		if (large.p != NULL)
			out[at] = (size_t)i < large.n ? large.p[large.n - 1 - (size_t)i] : '\0';
		else
			out[at] = (char)(i < 8 ? (uint64_t)n >> 8 * i & 0xff : 0);
	}
	struct bawn_span t = { bawn_arena_text(fold_memory(s), (struct bawn_span){ out, (size_t)len }), (size_t)len };
	struct value *b = bawn_fold_text(s, t, v->taint | BAWN_TAG(BUILT));
	if (b != NULL)
		b->bytes = true;
	return b;
}

static struct value *from_bytes(struct script *s, const struct value *v, const struct value *order_of)
{
	bool little = bawn_value_is_text(order_of) && bawn_span_is(order_of->text, "little");
	uint64_t n = 0;
	if (!bawn_value_is_text(v) || v->text.n > 7)
		return NULL;
	for (size_t i = 0; i < v->text.n; i++)
		n = n << 8 | (unsigned char)v->text.p[little ? v->text.n - 1 - i : i];
	return bawn_fold_number(s, (int64_t)n, v->taint);
}

/* ---- bytes ---- */

static struct value *as_bytes(struct value *v)
{
	if (v != NULL)
		v->bytes = true;
	return v;
}

/* bytes(x), bytes(x, encoding), bytes(5), bytes([1, 2]); Buffer.from(x, encoding) */
static struct value *bytes_of(struct script *s, const struct call *c)
{
	struct value *a = fold_arg(c, 0), *how = fold_arg(c, 1);
	int64_t n;
	if (bawn_value_is_text(a) && !s->python) {
		enum bawn_codec codec = bawn_value_is_text(how) ? bawn_codec_named(how->text) : BAWN_CODEC_SAME;
		struct bawn_span latin = codec == BAWN_CODEC_LATIN1 ? bawn_encode_latin1(fold_memory(s), a->text) : a->text;
		return as_bytes(codec == BAWN_CODEC_SAME || codec == BAWN_CODEC_LATIN1 ? bawn_fold_text(s, latin, a->taint) : bawn_fold_decoded(s, a, codec));
	}
	if (bawn_value_is_text(a))
		return a->bytes ? a : bawn_fold_text_method(s, F_ENCODE_AS, a, &(struct call){ .arg = &how, .n_args = 1 });
	struct value *in = bawn_fold_items(s, a);
	if (in != NULL)  /* in JavaScript a text is seldom written as the numbers of its letters */
		return bawn_fold_from_numbers(s, in->item, in->n_items, true, c->taint | (!s->python && in->n_items >= NUMBERS_MIN ? BAWN_TAG(DECODE) : 0));
	if (!bawn_fold_numeric(s, a, &n) || n < 0 || n > 4096)
		return NULL;
	return as_bytes(bawn_fold_text(s, (struct bawn_span){ bawn_arena_get(fold_memory(s), (size_t)n + 1), (size_t)n }, 0));
}

/* Something whose bytes may be set one by one: a list of numbers. */
static struct value *bytearray_of(struct script *s, const struct call *c)
{
	struct value *v = c->n_args == 0 ? bawn_fold_list(s, 0, 0) : bytes_of(s, c);
	return bawn_value_is_text(v) && v->bytes ? bawn_fold_items(s, v) : v;
}

static struct value *base64_of(struct script *s, const struct value *v)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	const unsigned char *p = (const unsigned char *)v->text.p;
	for (size_t i = 0; i < v->text.n; i += 3) {
		size_t left = v->text.n - i;
		uint32_t bits = (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) | (left > 2 ? p[i + 2] : 0u);
		for (unsigned k = 0; k < 4; k++)
			bawn_buf_char(&b, k <= left ? letters[bits >> (18 - 6 * k) & 63] : '=');
	}
	return bawn_fold_buf(s, &b, v->taint, v);
}

/* A decoder; the compressed bytes may also come as fileobj=. */
static struct value *decode(struct script *s, const struct call *c, enum bawn_codec how)
{
	struct value *a = fold_arg(c, 0), *file = bawn_fold_keyword(c, "fileobj");
	if (file == NULL)
		file = bawn_fold_keyword(c, "data") != NULL ? bawn_fold_keyword(c, "data") : bawn_fold_keyword(c, "s");
	struct value *in = bawn_value_is_text(a) ? a : a != NULL && a->is_list && !a->choice ? bytes_of(s, c) : file;
	bool open = strstr(c->name, "File") != NULL || strstr(c->name, "open") != NULL;
	if (open && (in == NULL || in->name == NULL))
		return NULL;  /* a file's name, not its bytes */
	struct value *v = bawn_fold_decoded(s, in, how);
	if (v == NULL)
		return NULL;
	v->bytes = how != BAWN_CODEC_PERCENT && how != BAWN_CODEC_PLUS && how != BAWN_CODEC_UNESCAPE && how != BAWN_CODEC_ENTITIES;
	return v;
}

static struct value *by_codec(struct script *s, struct value *v, const struct value *name, bool back)
{
	enum bawn_codec how = bawn_value_is_text(name) ? bawn_codec_named(name->text) : BAWN_CODEC_SAME;
	if (!bawn_value_is_text(v) || how == BAWN_CODEC_NONE)
		return NULL;
	if (back && how != BAWN_CODEC_ROT13)
		return how == BAWN_CODEC_HEX ? bawn_fold_text_method(s, F_HEX, v, &(struct call){ .node = 0 })
		     : how == BAWN_CODEC_BASE64 || how == BAWN_CODEC_BASE64ANY ? base64_of(s, v) : how == BAWN_CODEC_SAME ? as_bytes(bawn_fold_text(s, v->text, v->taint)) : NULL;
	struct value *d = bawn_fold_decoded(s, v, how);
	if (d != NULL)
		d->bytes = bawn_codec_hides(how) && how != BAWN_CODEC_ROT13 && how != BAWN_CODEC_ESCAPES && how != BAWN_CODEC_UTF7;
	return d;
}

/* ---- functions made of functions ---- */

static struct value *copy_of(struct script *s, const struct value *v)
{
	struct value *own = v != NULL ? bawn_value_new(s->e) : NULL;
	if (own != NULL)
		*own = *v;
	return own;
}

/* f with its first arguments given: called later, they come first. */
static struct value *partial(struct script *s, const struct call *c)
{
	struct value *v = c->n_args > 0 ? copy_of(s, c->arg[0]) : NULL;
	if (v != NULL && c->n_args > 1 && !v->is_list)
		v->bound = true, v->item = c->arg + 1, v->n_items = c->n_args - 1, v->taint |= c->taint;
	return v;
}

/* attrgetter, itemgetter, methodcaller and decoders by name: what they were made with is `self`. */
static struct value *getter(struct script *s, const struct call *c, const char *name)
{
	struct value *v = c->n_args > 0 ? bawn_value_new(s->e) : NULL;
	if (v != NULL)
		v->name = name, v->self = c->arg[0], v->bound = false, v->item = c->arg, v->n_items = c->n_args;
	return v;
}

/* `path` is a.b.c, or with `items` also a.b[c]. */
static struct value *attributes(struct script *s, struct value *v, struct bawn_span path, bool items)
{
	bool item = false;
	while (v != NULL && path.n > 0) {
		size_t n = 0;
		while (n < path.n && path.p[n] != '.' && !(items && (path.p[n] == '[' || path.p[n] == ']')))
			n++;
		struct value *name = bawn_fold_text(s, (struct bawn_span){ path.p, n }, 0);
		if (n > 0 && name != NULL)
			v = item ? bawn_fold_subscript(s, v, name) : bawn_script_attribute(s, v, bawn_arena_text(fold_memory(s), name->text));
		item = n < path.n && path.p[n] == '[';
		path = (struct bawn_span){ path.p + n + (n < path.n), path.n - n - (n < path.n) };
	}
	return v;
}

/* Formatter().get_field('0.a.b', args, kwargs) is (args[0].a.b, 0). */
static struct value *field(struct script *s, const struct value *name, const struct value *args, const struct value *named)
{
	struct bawn_span t = bawn_value_is_text(name) ? name->text : bawn_span("");
	size_t n = 0, at = 0;
	while (n < t.n && t.p[n] != '.' && t.p[n] != '[')
		at = t.p[n] >= '0' && t.p[n] <= '9' && at < ITEMS_MAX ? at * 10 + (size_t)(t.p[n] - '0') : ITEMS_MAX, n++;
	struct value *v = args != NULL && args->is_list && !args->choice && at < args->n_items ? args->item[at] : NULL;
	for (uint32_t i = 0; named != NULL && named->is_dict && i < named->n_items && v == NULL; i++)
		if (named->key[i] != NULL && bawn_span_is((struct bawn_span){ t.p, n }, named->key[i]))
			v = named->item[i];
	v = attributes(s, v, (struct bawn_span){ t.p + n, t.n - n }, true);
	return v != NULL ? bawn_fold_pair(s, v, NULL) : NULL;
}

static struct value *bound_call(struct script *s, const struct call *c, bool *done)
{
	const struct value *made = c->function;
	struct value *a = fold_arg(c, 0);
	*done = true;
	if (strcmp(c->name, "operator.attrgetter()") == 0)
		return attributes(s, a, bawn_value_is_text(made->self) ? made->self->text : bawn_span(""), false);
	if (strcmp(c->name, "operator.itemgetter()") == 0)
		return made->n_items == 1 ? bawn_fold_subscript(s, a, made->self) : NULL;
	if (strcmp(c->name, "codecs.getdecoder()") == 0) {
		struct value *v = by_codec(s, a, made->self, false);
		return v != NULL ? bawn_fold_pair(s, v, NULL) : NULL;
	}
	*done = false;
	return NULL;
}

static void prepend(struct script *s, struct call *c, struct value *const *more, uint32_t n)
{
	struct value **arg = bawn_arena_array(fold_memory(s), struct value *, c->n_args + n + 2);
	if (arg == NULL)
		return;
	memcpy(arg, more, n * sizeof *arg);
	if (c->n_args > 0)
		memcpy(arg + n, c->arg, c->n_args * sizeof *arg);
	for (uint32_t i = 0; i < n; i++)
		c->taint |= taint_of(more[i]);
	c->arg = arg;
	c->n_args += n;
}

static void call_instead(struct call *c, struct value *f)
{
	c->function = f;
	c->name = f != NULL ? f->name : NULL;
}

/* 'os.system', 'os:system' */
static struct value *located(struct script *s, struct bawn_span name)
{
	char *own = bawn_arena_text(fold_memory(s), name);
	char *colon = own != NULL ? strchr(own, ':') : NULL;
	if (colon != NULL)
		*colon = '.';
	return own != NULL ? bawn_script_named(s, bawn_script_canonical(s, own), true) : NULL;
}

/* Calls in disguise, put as the call they come to: partial(f, x)(y), methodcaller('m', x)(o), f.__call__(x),
 * Reflect.apply(f, o, [x]), apply(f, [x]), operator.call(f, x). */
void bawn_fold_redirect(struct script *s, struct call *c)
{
	struct value *f = c->function, *a = fold_arg(c, 0);
	if (f == NULL || c->name == NULL)
		return;
	if (s->n_environs > 0 && strcmp(c->name, "breakpoint") == 0) {  /* PYTHONBREAKPOINT says what it calls */
		const struct value *hook = bawn_world_variable(s, "PYTHONBREAKPOINT");
		call_instead(c, bawn_value_is_text(hook) ? located(s, hook->text) : f);
		return;
	}
	size_t n = strlen(c->name);
	if (f->bound)
		prepend(s, c, f->item, f->n_items);
	if (n > 9 && strcmp(c->name + n - 9, ".__call__") == 0 && f->self != NULL) {
		call_instead(c, f->self);
	} else if (strcmp(c->name, "operator.methodcaller()") == 0 && bawn_value_is_text(f->self) && a != NULL) {
		call_instead(c, bawn_script_attribute(s, a, bawn_arena_text(fold_memory(s), f->self->text)));
		c->n_args = 0;
		prepend(s, c, f->item + 1, f->n_items - 1);
	} else if ((strcmp(c->name, "Reflect.apply") == 0 || strcmp(c->name, "apply") == 0) && a != NULL) {
		struct value *list = fold_arg(c, s->python ? 1 : 2);
		bool known = list != NULL && list->is_list && !list->choice;
		call_instead(c, a);
		c->n_args = 0;
		if (known)
			prepend(s, c, list->item, list->n_items);
	} else if (strcmp(c->name, "operator.call") == 0 && a != NULL) {
		call_instead(c, a);
		c->arg++;
		c->n_args--;
	}
}

struct value *bawn_fold_apply(struct script *s, struct value *f, struct value **arg, uint32_t n, uint32_t node)
{
	if (f == NULL)
		return NULL;
	struct call inner = { .node = node, .function = f, .name = f->name, .arg = arg, .n_args = n };
	if (f->function != 0 && s->python)
		bawn_bind_parameters(s, f->function, &inner, false);
	if (f->function != 0)
		return bawn_script_replay(s, f->function, &inner);
	for (uint32_t i = 0; i < n; i++)
		inner.taint |= taint_of(arg[i]);
	bawn_fold_redirect(s, &inner);
	if (inner.name == NULL)
		return NULL;
	struct value *v = bawn_fold_call(s, &inner);
	if (v != NULL)
		return v;
	uint64_t tags = bawn_call_tell(s, &inner);  /* map(exec, texts) runs them */
	v = tags != 0 ? bawn_value_new(s->e) : NULL;
	if (v != NULL)
		v->taint = tags | (inner.taint & FLOWS);
	return v;
}

static struct value *big_hex(struct script *s, const struct value *v)
{
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	struct bawn_span t = big(v);
	bawn_buf_fmt(&b, "0x%x", (unsigned char)t.p[0]);
	for (size_t i = 1; i < t.n; i++)
		bawn_buf_fmt(&b, "%02x", (unsigned char)t.p[i]);
	return bawn_fold_buf(s, &b, v->taint, NULL);
}

static struct value *to_text(struct script *s, const struct call *c, struct value *a)
{
	if (bawn_value_is_text(a) && a->bytes && s->python)
		return c->n_args > 1 ? bawn_fold_text_method(s, F_DECODE_AS, a, &(struct call){ .arg = c->arg + 1, .n_args = c->n_args - 1 })
		                     : bawn_fold_repr(s, a);
	if (bawn_value_is_text(a) || (a != NULL && a->has_number))
		return bawn_fold_concat(s, a, bawn_value_text(s->e, bawn_span("")));
	return a != NULL && a->is_list && !s->python ? bawn_fold_list_op(s, F_TO_STRING, a, c) : NULL;
}

static struct value *chars_of(struct script *s, const struct call *c)
{
	const struct value *a = fold_arg(c, 0);
	if (c->n_args == 1 && a != NULL && a->is_list && !a->choice)  /* .apply(null, list) */
		return bawn_fold_from_numbers(s, a->item, a->n_items, false, c->taint);
	return bawn_fold_from_numbers(s, c->arg, c->n_args, false, c->taint);
}

static struct value *operated(struct script *s, const struct call *c, char op)
{
	struct value *a = fold_arg(c, 0), *b = fold_arg(c, 1);
	if (c->n_args < 2)
		return NULL;
	return op == '[' ? bawn_fold_subscript(s, a, b) : op == 'c' ? bawn_fold_binary(s, 'i', b, a) : bawn_fold_binary(s, op, a, b);
}

static struct value *length(struct script *s, struct value *a)
{
	struct letters l;
	if (a == NULL || a->choice || a->partial)
		return NULL;
	if (bawn_value_is_text(a))
		return bawn_fold_letters(s, a, &l) ? bawn_fold_number(s, (int64_t)l.n, 0) : NULL;
	return a->is_list || a->is_dict ? bawn_fold_number(s, a->n_items, 0) : NULL;
}

/* decode_header gives (bytes, charset) for each part; make_header puts them together again. */
static struct value *mail_words(struct script *s, const struct value *v, enum bawn_codec how)
{
	struct value *list = bawn_value_is_text(v) ? bawn_fold_list(s, 1, v->taint) : NULL;
	struct value *word = list != NULL ? as_bytes(bawn_fold_decoded(s, v, how)) : NULL;
	if (word == NULL)
		return NULL;
	list->taint |= word->taint;
	list->item[0] = bawn_fold_pair(s, word, NULL);
	return list;
}

static struct value *mail_text(const struct value *list)
{
	const struct value *first = list != NULL && list->is_list && !list->choice && list->n_items > 0 ? list->item[0] : NULL;
	struct value *word = first != NULL && first->is_list && first->n_items > 0 ? first->item[0] : NULL;
	if (word != NULL)
		word->bytes = false;
	return word;
}

/* iter(int, 1): what is called gives 0 for ever. */
static bool always_same(const struct value *f)
{
	static const char *const type[] = { "int", "float", "str", "bytes", "list", "dict", "tuple", "set", "bool", "object", "complex", "bytearray", "frozenset" };
	for (size_t i = 0; f != NULL && f->name != NULL && f->function == 0 && i < BAWN_LEN(type); i++)
		if (strcmp(f->name, type[i]) == 0)
			return true;
	return false;
}

/* An object over a text: io.StringIO("..."), Buffer and the like. */
static struct value *stream_of(struct script *s, const struct call *c, const struct value *a)
{
	struct value *v = bawn_value_is_text(a) ? copy_of(s, a) : NULL;
	if (v != NULL)
		v->name = bawn_arena_fmt(fold_memory(s), "%s()", c->name);
	return v;
}

static struct value *first_of(struct script *s, struct value *a)
{
	struct value *in = a != NULL && (a->is_list || bawn_value_is_text(a)) ? bawn_fold_items(s, a) : NULL;
	return in != NULL && in->n_items > 0 ? in->item[0] : NULL;
}

static struct value *repeated(struct script *s, struct value *a, struct value *times)
{
	struct value *v = bawn_fold_list(s, 1, taint_of(a));
	if (v != NULL)
		v->item[0] = a, v->cycles = true;
	return times != NULL ? bawn_fold_binary(s, '*', v, times) : v;
}

static struct value *array_of(struct script *s, const struct call *c, struct value *a)
{
	struct value *v = bawn_fold_list(s, c->n_args, c->taint);
	if (v != NULL && c->n_args > 0)
		memcpy(v->item, c->arg, c->n_args * sizeof *v->item);
	if (c->n_args == 1 && a != NULL && a->has_number)  /* Array(3): three holes */
		return bawn_fold_binary(s, '*', v, a);
	return v;
}

/* Whether something is known with the folding used up: what names what, which costs nothing. */
static bool is_always_folded(int op) { return op == F_GETATTR || op == F_IMPORT || op == F_PATH || op == F_PARTIAL; }

/* Functions that name, find, or put together other things; the rest are about lists. */
static struct value *fold_thing(struct script *s, const struct row *row, const struct call *c)
{
	struct value *a = fold_arg(c, 0), *b = fold_arg(c, 1);
	bool text = bawn_value_is_text(a);
	switch (row->op) {
	case F_PATH:          return as_path(s, c->n_args == 0 ? bawn_value_text(s->e, bawn_span(".")) : path_of_args(s, c, NULL));
	case F_HOME:          return as_path(s, bawn_value_text(s->e, bawn_span("~")));
	case F_PATH_JOIN:     return path_of_args(s, c, NULL);
	case F_EXPAND: case F_SAME_ARG: return a;
	case F_ITER:          return c->n_args < 2 ? a : always_same(a) ? unknown_named(s, "itertools.repeat()", NULL) : NULL;
	case F_WORDS:         return text && memchr(a->text.p, '"', a->text.n) == NULL && memchr(a->text.p, '\'', a->text.n) == NULL
	                           ? bawn_fold_text_method(s, F_SPLIT, a, &(struct call){ .node = c->node, .name = "str.split" }) : NULL;
	case F_FOUND:         return found(s, row->how == FOUND_PATH ? c->function->self : a, row->how);
	case F_TEMPFILE:      return temporary_file(s, c);
	case F_TEMPDIR:       return bawn_value_text(s->e, bawn_span("/tmp"));
	case F_GETATTR:       return got_attribute(s, a, b, c->node);
	case F_IMPORT:        return imported(s, c);
	case F_PARTIAL:       return partial(s, c);
	case F_LOCATE:        return text ? located(s, a->text) : NULL;
	case F_MAIL:          return mail_words(s, a, (enum bawn_codec)row->how);
	case F_MAIL_TEXT:     return mail_text(a);
	case F_SECOND:        return as_bytes(bawn_fold_decoded(s, b, (enum bawn_codec)row->how));
	case F_GET_FIELD:     return field(s, a, b, fold_arg(c, 2));
	case F_GETATTRS:      return bawn_value_is_text(b) ? attributes(s, a, b->text, false) : NULL;
	case F_TYPE:          return c->n_args == 3 ? fold_arg(c, 2) : c->n_args == 1 && a != NULL && a->function != 0 ? bawn_script_named(s, "types.FunctionType", true) : NULL;
	case F_VARS:          return unknown_named(s, "vars()", a);
	case F_ATTRGETTER:    return text ? getter(s, c, "operator.attrgetter()") : NULL;
	case F_ITEMGETTER:    return getter(s, c, "operator.itemgetter()");
	case F_METHODCALLER:  return text ? getter(s, c, "operator.methodcaller()") : NULL;
	case F_GETTER_OF_CODEC: return text ? getter(s, c, "codecs.getdecoder()") : NULL;
	case F_STREAM:        return stream_of(s, c, a);
	case F_NEXT:          return first_of(s, a);
	case F_REPEAT:        return repeated(s, a, b);
	case F_CHAIN_ARGS:    return array_of(s, c, a);
	case F_FLATTEN:       return a != NULL && a->is_list && !a->choice ? bawn_fold_list_op(s, F_CHAIN, NULL, &(struct call){ .arg = a->item, .n_args = a->n_items }) : NULL;
	default:              return bawn_fold_list_op(s, row->op, NULL, c);
	}
}

/* Functions of texts, bytes and numbers. */
static struct value *fold_function(struct script *s, const struct row *row, const struct call *c)
{
	struct value *a = fold_arg(c, 0), *b = fold_arg(c, 1);
	bool text = bawn_value_is_text(a);
	struct letters l;
	int64_t n;
	if (bawn_fold_exhausted(s) && !is_always_folded(row->op))
		return NULL;
	switch (row->op) {
	case F_DECODE:        return decode(s, c, (enum bawn_codec)row->how);
	case F_CODECS:        return by_codec(s, a, b != NULL ? b : bawn_fold_keyword(c, "encoding"), false);
	case F_CODECS_ENCODE: return by_codec(s, a, b != NULL ? b : bawn_fold_keyword(c, "encoding"), true);
	case F_BASE64_OF:     return text && !a->partial ? base64_of(s, a) : NULL;
	case F_HEX_OF:        return text ? bawn_fold_text_method(s, F_HEX, a, c) : NULL;
	case F_CHR:           return bawn_fold_numeric(s, a, &n) ? bawn_fold_from_numbers(s, c->arg, 1, false, c->taint) : NULL;
	case F_CHARS:         return chars_of(s, c);
	case F_ORD:           return text && bawn_fold_letters(s, a, &l) && l.n == 1 ? bawn_fold_number(s, l.c[0], c->taint) : a != NULL && a->has_number ? a : NULL;
	case F_STR:           return to_text(s, c, a);
	case F_BYTES: case F_BUFFER: return bytes_of(s, c);
	case F_BYTEARRAY:     return bytearray_of(s, c);
	case F_LONG_TO_BYTES: return to_bytes(s, a, bawn_fold_number(s, (bit_length(a) + 7) / 8, 0), NULL);
	case F_ABS:           return bawn_fold_numeric(s, a, &n) && n != INT64_MIN ? bawn_fold_number(s, n < 0 ? -n : n, c->taint) : NULL;
	case F_BOOL:          return bawn_fold_truth(a) != TRUTH_UNKNOWN ? bawn_fold_bool(s, bawn_fold_truth(a) == TRUTH_YES) : NULL;
	case F_RADIX:         return big(a).p != NULL && row->how == 16 ? big_hex(s, a) : bawn_fold_radix(s, a, row->how, row->how == 16 ? "0x" : row->how == 8 ? "0o" : "0b");
	case F_REPR: case F_ASCII: return bawn_fold_repr(s, a);
	case F_FORMAT_VALUE:  return text || (a != NULL && a->has_number) ? bawn_fold_format_value(s, a, b) : NULL;
	case F_INT:           return parsed_int(s, c);
	case F_INT_TO_BYTES:  return to_bytes(s, a, b != NULL ? b : bawn_fold_keyword(c, "length"), fold_arg(c, 2) != NULL ? fold_arg(c, 2) : bawn_fold_keyword(c, "byteorder"));
	case F_FROM_BYTES:    return from_bytes(s, a, b != NULL ? b : bawn_fold_keyword(c, "byteorder"));
	case F_SUB:           return bawn_fold_re_sub(s, c);
	case F_PACK:          return bawn_fold_pack(s, c);
	case F_LEN:           return length(s, a);
	case F_OPERATOR:      return operated(s, c, (char)row->how);
	default:              return fold_thing(s, row, c);
	}
}

static struct value *fold_method(struct script *s, struct value *self, const char *method, const struct call *c)
{
	bool text = bawn_value_is_text(self);
	if (bawn_fold_exhausted(s))
		return NULL;
	const struct row *row = text ? find(&text_method_names, method)
	                      : self->is_list || self->is_dict ? find(&list_method_names, method) : NULL;
	if (row != NULL && row->op == F_PATH_JOIN)
		return path_of_args(s, c, self);
	if (row != NULL && row->op == F_PERCENT)
		return bawn_fold_percent(s, self, fold_arg(c, 0));
	if (row != NULL && row->op == F_FORMAT_AS)
		return bawn_fold_format_value(s, self, fold_arg(c, 0));
	if (row != NULL && row->op == F_NEXT)
		return self->n_items > 0 ? self->item[0] : NULL;
	if (row != NULL && text && (row->op == F_MAP || row->op == F_FILTER || row->op == F_REDUCE || row->op == F_REVERSED_TEXT)) {
		struct value *in = self->bytes && !s->python ? bawn_fold_items(s, self) : NULL;  /* a typed array */
		return in != NULL ? bawn_fold_list_op(s, row->op == F_REVERSED_TEXT ? F_REVERSE : row->op, in, c) : NULL;
	}
	if (row != NULL)
		return text ? bawn_fold_text_method(s, row->op, self, c) : bawn_fold_list_op(s, row->op, self, c);
	int64_t n, radix = 10;
	if (text || !bawn_fold_numeric(s, self, &n))
		return NULL;
	struct value *a = fold_arg(c, 0), *b = fold_arg(c, 1);
	if (strcmp(method, "to_bytes") == 0)
		return to_bytes(s, self, a != NULL ? a : bawn_fold_keyword(c, "length"), b != NULL ? b : bawn_fold_keyword(c, "byteorder"));
	if (strcmp(method, "bit_length") == 0)
		return bawn_fold_number(s, bit_length(self), self->taint);
	if (strcmp(method, "toString") == 0 && (a == NULL || bawn_fold_numeric(s, a, &radix)))
		return bawn_fold_radix(s, self, radix > 36 ? 10 : (int)radix, "");
	return NULL;
}

/* `str.join('', x)`: the object comes as the first argument. */
static bool unbound(const struct call *c, const struct value *self)
{
	return c->n_args > 0 && self != NULL && self->name != NULL && self->text.p == NULL &&
	       (strcmp(self->name, "str") == 0 || strcmp(self->name, "bytes") == 0 || strcmp(self->name, "list") == 0 ||
	        strcmp(self->name, "dict") == 0 || strcmp(self->name, "int") == 0);
}

static struct value *fold_one(struct script *s, const struct call *c)
{
	const char *name = c->name;
	struct value *self = c->function != NULL ? c->function->self : NULL;
	if (c->function != NULL && c->function->n_items > 0 && name[strlen(name) - 1] == ')') {
		bool done;
		struct value *v = bound_call(s, c, &done);
		if (done)
			return v;
	}
	const struct row *row = find(&function_names, name);
	if (row != NULL)
		return fold_function(s, row, c);
	const char *dot = strrchr(name, '.'), *method = dot != NULL ? dot + 1 : name;
	if (strcmp(name, "os.environ.get") == 0 || strcmp(name, "os.getenv") == 0) {
		struct value *known = bawn_value_is_text(fold_arg(c, 0)) ? bawn_fold_variable(s, fold_arg(c, 0)->text) : NULL;
		if (known != NULL)
			return known;
		return unknown_named(s, "os.getenv()", NULL);
	}
	if (self == NULL)
		return NULL;
	if (unbound(c, self))
		return c->arg[0] != NULL ? fold_method(s, c->arg[0], method, &(struct call){ .node = c->node, .name = name, .function = c->function, .arg = c->arg + 1,
			.n_args = c->n_args - 1, .keyword = c->keyword, .n_keywords = c->n_keywords, .taint = c->taint }) : NULL;
	struct value *v = fold_method(s, self, method, c);
	if (v != NULL || c->n_args == 0)
		return v;
	/* os.__dict__.get('system'), globals().get('x'), os.__getattribute__('system') */
	size_t n = self->name != NULL ? strlen(self->name) : 0;
	bool table = bawn_fold_is_namespace(self->name) || (n > 9 && strcmp(self->name + n - 9, ".__dict__") == 0);
	if (table && (strcmp(method, "get") == 0 || strcmp(method, "__getitem__") == 0 || strcmp(method, "pop") == 0 || strcmp(method, "setdefault") == 0))
		return bawn_fold_subscript(s, self, c->arg[0]);
	if (strcmp(method, "__getattribute__") == 0 || strcmp(method, "__getattr__") == 0)
		return got_attribute(s, self, c->arg[0], c->node);
	if (s->python && strcmp(method, "load_module") == 0)  /* whatever loader it is */
		return imported(s, c);
	/* new TextDecoder().decode(bytes) */
	if (strcmp(name, "TextDecoder().decode") == 0 || strcmp(name, "util.TextDecoder().decode") == 0) {
		struct value *in = bawn_value_is_text(c->arg[0]) ? c->arg[0] : bytes_of(s, c);
		return bawn_value_is_text(in) ? bawn_fold_text(s, in->text, in->taint) : NULL;
	}
	if (strcmp(name, "TextEncoder().encode") == 0)
		return as_bytes(bawn_value_is_text(c->arg[0]) ? bawn_fold_text(s, c->arg[0]->text, c->arg[0]->taint) : NULL);
	return NULL;
}

/* The object or the first argument is any of several texts: so is the result. */
static struct value *fold_each(struct script *s, const struct call *c, const struct value *choice, bool object)
{
	struct value *v = NULL;
	for (uint32_t i = 0; i < choice->n_items && i < CHOICES_MAX; i++) {
		struct call one = *c;
		struct value *item = choice->item[i], *f = object ? copy_of(s, c->function) : NULL;
		struct value **arg = !object ? bawn_arena_array(fold_memory(s), struct value *, c->n_args) : NULL;
		if (item == NULL || (f == NULL && arg == NULL))
			continue;
		if (object) {
			f->self = item;
			one.function = f;
		} else {
			memcpy(arg, c->arg, c->n_args * sizeof *arg);
			arg[0] = item;
			one.arg = arg;
		}
		struct value *r = fold_one(s, &one);
		v = r == NULL ? v : v == NULL ? r : bawn_value_either(s, v, r);
	}
	return v;
}

static bool several_texts(const struct value *v)
{
	for (uint32_t i = 0; v != NULL && v->choice && i < v->n_items; i++)
		if (bawn_value_is_text(v->item[i]))
			return true;
	return false;
}

struct value *bawn_fold_call(struct script *s, const struct call *c)
{
	if (c->name == NULL)
		return NULL;
	const struct value *self = c->function != NULL ? c->function->self : NULL, *a = fold_arg(c, 0);
	if (several_texts(self))
		return fold_each(s, c, self, true);
	return several_texts(a) ? fold_each(s, c, a, false) : fold_one(s, c);
}
