/* fold.c - what an expression comes to.  Each row spells the path /etc/hosts in a way of its own, and
 * opens it for writing: the finding must show the path, whole. */
#include "assess/assess.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "tap.h"

static const struct { const char *name, *code; } python[] = {
	{ "base64.b64decode", "q = base64.b64decode(b'L2V0Yy9ob3N0cw==').decode()" },
	{ "base64.b64decode with rubbish in it", "q = base64.b64decode('L2V0*Yy9o!b3N0cw==').decode()" },
	{ "base64.urlsafe_b64decode", "q = base64.urlsafe_b64decode('L2V0Yy9ob3N0cw==').decode('utf-8')" },
	{ "base64.b32decode", "q = base64.b32decode('F5SXIYZPNBXXG5DT').decode('ascii')" },
	{ "base64.b16decode", "q = base64.b16decode('2F6574632F686F737473').decode()" },
	{ "base64.b85decode", "q = base64.b85decode('FJ*LNFKBObbaM').decode()" },
	{ "base64.a85decode", "q = base64.a85decode('04f6805,9FFE7').decode()" },
	{ "binascii.unhexlify", "q = binascii.unhexlify('2f6574632f686f737473').decode()" },
	{ "binascii.a2b_base64", "q = binascii.a2b_base64('L2V0Yy9ob3N0cw==').decode()" },
	{ "binascii.a2b_uu", "q = binascii.a2b_uu(b'*+V5T8R]H;W-T<P  \\n').decode()" },
	{ "binascii.a2b_qp", "q = binascii.a2b_qp('/etc=2Fhosts').decode()" },
	{ "quopri.decodestring", "q = quopri.decodestring(b'/etc=2Fhosts').decode()" },
	{ "bytes.fromhex", "q = bytes.fromhex('2f6574632f686f737473').decode()" },
	{ "bytes.fromhex with spaces", "q = bytes.fromhex('2f 65 74 63 2f 68 6f 73 74 73').decode()" },
	{ "codecs.decode, rot13", "q = codecs.decode('/rgp/ubfgf', 'rot13')" },
	{ "codecs.decode, hex", "q = codecs.decode(b'2f6574632f686f737473', 'hex').decode()" },
	{ "codecs.decode, base64", "q = codecs.decode(b'L2V0Yy9ob3N0cw==', 'base64').decode()" },
	{ "codecs.decode, zlib", "q = codecs.decode(b'x\\x9c\\xd3O-I\\xd6\\xcf\\xc8/.)\\x06\\x00\\x13T\\x03\\xcc', 'zlib').decode()" },
	{ "codecs.decode, unicode_escape", "q = codecs.decode('\\\\x2fetc\\\\u002fhosts', 'unicode_escape')" },
	{ "codecs.encode, rot13", "q = codecs.encode('/rgp/ubfgf', 'rot_13')" },
	{ "codecs.getdecoder", "q = codecs.getdecoder('rot13')('/rgp/ubfgf')[0]" },
	{ "zlib.decompress", "q = zlib.decompress(b'x\\x9c\\xd3O-I\\xd6\\xcf\\xc8/.)\\x06\\x00\\x13T\\x03\\xcc').decode()" },
	{ "zlib.decompress of base64", "q = zlib.decompress(base64.b64decode('eJzTTy1J1s/ILy4pBgATVAPM')).decode()" },
	{ "zlib.decompress, raw", "q = zlib.decompress(base64.b64decode('008tSdbPyC8uKQYA'), -15).decode()" },
	{ "zlib.decompressobj", "q = zlib.decompressobj().decompress(b'x\\x9c\\xd3O-I\\xd6\\xcf\\xc8/.)\\x06\\x00\\x13T\\x03\\xcc').decode()" },
	{ "gzip.decompress", "q = gzip.decompress(bytes.fromhex('1f8b0800000000000203d34f2d49d6cfc82f2e290600951b79310a000000')).decode()" },
	{ "gzip.GzipFile", "q = gzip.GzipFile(fileobj=io.BytesIO(bytes.fromhex('1f8b0800000000000203d34f2d49d6cfc82f2e290600951b79310a000000'))).read().decode()" },
	{ "bz2.decompress", "q = bz2.decompress(bytes.fromhex('425a683931415926535985126700000000118000008a408c002000310c010c99a959d9581e2ee48a70a1210a24ce00')).decode()" },
	{ "lzma.decompress", "q = lzma.decompress(bytes.fromhex('fd377a585a000004e6d6b4460200210116000000742fe5a30100092f6574632f686f7374730000004cf56b7580e99e5b0001220a151ae1671fb6f37d010000000004595a')).decode()" },
	{ "four codecs deep", "q = base64.b64decode(zlib.decompress(bytes.fromhex(codecs.decode('789ps3310n3388npo4pp4s32s633482ro7o50500294304r6', 'rot13')))).decode()" },
	{ "decode latin-1", "q = b'\\x2fetc/hosts'.decode('latin-1')" },
	{ "decode utf-16", "q = b'/\\x00e\\x00t\\x00c\\x00/\\x00h\\x00o\\x00s\\x00t\\x00s\\x00'.decode('utf-16-le')" },
	{ "urllib.parse.unquote", "q = urllib.parse.unquote('%2Fetc%2fhosts')" },
	{ "html.unescape", "q = html.unescape('&#47;etc&#x2f;hosts')" },
	{ "bytes of a list", "q = bytes([47, 101, 116, 99, 47, 104, 111, 115, 116, 115]).decode()" },
	{ "bytearray of a list", "q = bytearray([47, 101, 116, 99, 47, 104, 111, 115, 116, 115]).decode()" },
	{ "int.to_bytes", "q = (0x2f657463).to_bytes(4, 'big').decode() + '/hosts'" },
	{ "int.to_bytes, unbound", "q = int.to_bytes(0x6374652f, 4, 'little').decode() + '/hosts'" },
	{ "struct.pack", "q = struct.pack('>4B6s', 47, 101, 116, 99, b'/hosts').decode()" },
	{ "struct.pack, little", "q = struct.pack('<I', 0x6374652f).decode() + '/hosts'" },
	{ "adjacent and plus", "q = '/e' 'tc' + '/hosts'" },
	{ "percent", "q = '%s/%s' % ('/etc', 'hosts')" },
	{ "percent with a dictionary", "q = '/%(a)s/%(b)s' % {'b': 'hosts', 'a': 'etc'}" },
	{ "percent, characters and hex", "q = '%c%s/%x' % (47, 'etc', 12) if False else '%cetc/%5.5s' % (47, 'hostsXX')" },
	{ "format", "q = '{}/{}'.format('/etc', 'hosts')" },
	{ "format, numbered and named", "q = '{1}/{a}{0}'.format('sts', '/etc', a='ho')" },
	{ "format, item and spec", "q = '{0[1]}/{1:.5}'.format(['x', '/etc'], 'hostsXX')" },
	{ "format of a number", "q = '/et{:c}/hosts'.format(99)" },
	{ "f-string", "q = f\"/{'etc'}/{'ho'}sts\"" },
	{ "f-string, spec", "q = f\"{'/etc/XX':.5}hosts\"" },
	{ "f-string, !s", "q = f\"{'/etc'!s}/hosts\"" },
	{ "repr", "q = repr('/etc/hosts')[1:-1]" },
	{ "str of bytes", "q = str(b'/etc/hosts')[2:-1]" },
	{ "str with encoding", "q = str(b'/etc/hosts', 'utf8')" },
	{ "join a list", "q = ''.join(['/etc', '/', 'hosts'])" },
	{ "join a text", "q = ''.join('/etc/hosts')" },
	{ "join with glue", "q = '/'.join(('', 'etc', 'hosts'))" },
	{ "join a dictionary", "q = ''.join({'/etc': 1, '/hosts': 2})" },
	{ "slice backwards", "q = 'stsoh/cte/'[::-1]" },
	{ "slice with a step", "q = '/XeXtXcX/XhXoXsXtXs'[::2]" },
	{ "slice with negative ends", "q = 'xx/etc/hostsyy'[2:-2]" },
	{ "replace", "q = '/eXc/hosXs'.replace('X', 't')" },
	{ "replace, counted", "q = '/Xtc/hosts'.replace('X', 'e', 1)" },
	{ "translate by maketrans", "q = '/dsb/gnrsr'.translate(str.maketrans('dsbgnr', 'etchos'))" },
	{ "translate by a dictionary", "q = '/xtc/hosts'.translate({120: 'e'})" },
	{ "translate, letters dropped", "q = '/e-t-c/ho-sts'.translate(str.maketrans('', '', '-'))" },
	{ "strip", "q = '  /etc/hosts '.strip()" },
	{ "strip letters", "q = 'xx/etc/hostsxy'.strip('xy')" },
	{ "lstrip and rstrip", "q = '##/etc/hosts!!'.lstrip('#').rstrip('!')" },
	{ "lower", "q = '/ETC/Hosts'.lower()" },
	{ "upper", "q = '/etc/hosts'.upper().casefold()" },
	{ "swapcase", "q = '/ETC/HOSTS'.swapcase()" },
	{ "title", "q = '/' + 'Etc'.swapcase().title().lower() + '/hosts'" },
	{ "capitalize", "q = '/etc/' + 'HOSTS'.capitalize().replace('H', 'h')" },
	{ "zfill", "q = '/etc/hosts' + '7'.zfill(3)[3:]" },
	{ "center", "q = 'ab'.center(4, '/')[0] + 'etc/hosts'" },
	{ "ljust and rjust", "q = '/'.ljust(1) + 'c'.rjust(3, 'x').replace('xx', 'et') + '/hosts'" },
	{ "partition", "q = '/etc|/hosts'.partition('|')[0] + 'a|/hosts'.rpartition('|')[2]" },
	{ "split", "q = '/'.join('-etc-hosts'.split('-'))" },
	{ "split on space", "q = ''.join(' /etc  /hosts '.split())" },
	{ "rsplit", "q = 'x=y=/etc/hosts'.rsplit('=', 1)[1]" },
	{ "splitlines", "q = 'a\\n/etc/hosts\\n'.splitlines()[1]" },
	{ "removeprefix", "q = 'xx/etc/hosts'.removeprefix('xx')" },
	{ "removesuffix", "q = '/etc/hosts.bak'.removesuffix('.bak')" },
	{ "repeat", "q = '/etc/' + 'h' * 1 + 'osts' * True" },
	{ "unbound method", "q = str.join('', ['/etc', '/hosts'])" },
	{ "__add__", "q = '/etc'.__add__('/hosts')" },
	{ "chr and ord", "q = chr(47) + chr(ord('d') + 1) + 'tc/hosts'" },
	{ "xor", "q = ''.join(chr(ord(c) ^ 3) for c in ',fw`,klpwp')" },
	{ "xor of bytes", "q = bytes(x ^ 0x42 for x in b\"m'6!m*-161\").decode()" },
	{ "xor with a key", "q = bytes(a ^ b for a, b in zip(b'D\\x00\\r\\x08J\\x11\\x04\\x16\\r\\x18', itertools.cycle(b'key'))).decode()" },
	{ "xor by index", "q = ''.join(chr(c ^ 'key'.encode()[i % 3]) for i, c in enumerate(b'D\\x00\\r\\x08J\\x11\\x04\\x16\\r\\x18'))" },
	{ "list comprehension", "q = ''.join([chr(x + 1) for x in (46, 100, 115, 98, 46, 103, 110, 114, 115, 114)])" },
	{ "comprehension with if", "q = ''.join(c for c in '/-e-t-c/hosts' if c != '-')" },
	{ "comprehension, nested", "q = ''.join(a + b for a in ['/et'] for b in ['c/hosts'])" },
	{ "comprehension with a conditional", "q = ''.join(chr(ord(c) - 1) if c != '/' else c for c in '/fud/iptut')" },
	{ "every second", "q = ''.join(c for i, c in enumerate('/xextxcx/xhxoxsxtxs') if i % 2 == 0)" },
	{ "range", "q = ''.join('/etc/hosts'[i] for i in range(10))" },
	{ "range backwards", "q = ''.join('stsoh/cte/'[i] for i in range(9, -1, -1))" },
	{ "map chr", "q = ''.join(map(chr, [47, 101, 116, 99, 47, 104, 111, 115, 116, 115]))" },
	{ "map lambda", "q = ''.join(map(lambda c: chr(ord(c) - 2), '1gve1jquvu'))" },
	{ "filter", "q = ''.join(filter(lambda c: c not in 'xyz', '/xetyc/hozsts'))" },
	{ "reduce", "q = functools.reduce(lambda a, b: a + b, ['/etc', '/hos', 'ts'])" },
	{ "reduce by operator", "q = functools.reduce(operator.add, ['/etc', '/hosts'])" },
	{ "reversed", "q = ''.join(reversed('stsoh/cte/'))" },
	{ "sorted", "q = ''.join(w for _, w in sorted([(2, '/hosts'), (1, '/etc')]))" },
	{ "sum of lists", "q = ''.join(sum([['/etc'], ['/hosts']], []))" },
	{ "zip", "q = ''.join(a + b for a, b in zip('/t/ot', 'echss'))[:10]" },
	{ "list arithmetic", "q = ''.join(['/etc'] + ['/hosts'] * 1)" },
	{ "int with a base", "q = chr(int('2f', 16)) + 'etc/hosts'" },
	{ "hex, oct and bin", "q = bytes.fromhex(hex(0x2f65)[2:]).decode() + chr(int(oct(0o164)[2:], 8)) + chr(int(bin(99)[2:], 2)) + '/hosts'" },
	{ "arithmetic", "q = chr((200 - 12) // 4) + chr(0x65 & 0xff | 0) + chr(29 << 2) + 'c/hosts'" },
	{ "power and modulo", "q = chr(2 ** 5 + 15) + chr(357 % 256) + 'tc/hosts'" },
	{ "dictionary", "q = {'a': '/etc', 'b': '/hosts'}['a'] + dict(b='/hosts')['b']" },
	{ "dictionary by zip", "q = dict(zip('ab', ['/etc', '/hosts']))['a'] + '/hosts'" },
	{ "dictionary comprehension", "q = {k: v for k, v in [('x', '/etc/hosts')]}['x']" },
	{ "conditional", "q = '/etc/hosts' if 1 < 2 else 'x'" },
	{ "or", "q = '' or '/etc/hosts'" },
	{ "and", "q = 'x' and '/etc/hosts'" },
	{ "operator.concat", "q = operator.concat('/etc', '/hosts')" },
	{ "operator.itemgetter", "q = operator.itemgetter(1)(['x', '/etc/hosts'])" },
	{ "operator.methodcaller", "q = operator.methodcaller('replace', 'X', '/')('XetcXhosts')" },
	{ "functools.partial", "q = functools.partial(int, '57')(8) and '/etc/hosts'" },
	{ "partial of join", "q = functools.partial(''.join, ['/etc', '/hosts'])()" },
	{ "string constants", "q = '/' + string.ascii_lowercase[4] + 'tc' + os.sep + 'hosts'" },
	{ "lambda", "q = (lambda a, b: b + a)('/hosts', '/etc')" },
	{ "min and max", "q = max(['/a', '/etc/hosts'])" },
	{ "len", "q = '/etc/hosts'[:len('1234567890')]" },
	{ "itertools.chain", "q = ''.join(itertools.chain(['/etc'], ['/hosts']))" },
	{ "starred", "q = ''.join([*['/etc'], *['/hosts']])" },
	{ "islice", "q = ''.join(itertools.islice('/etc/hostsXXX', 10))" },
	{ "type with a dictionary", "q = type('x', (), {'p': '/etc/hosts'}).p" },
	{ "format with a sign", "q = format('/etc/hosts', 's')" },
	{ "walrus", "q = (x := '/etc') + '/hosts'" },
	{ "loop with append", "p = []\nfor c in '/etc/hosts':\n    p.append(c)\nq = ''.join(p)" },
	{ "loop with xor", "q = ''\nfor c in ',fw`,klpwp':\n    q += chr(ord(c) ^ 3)" },
	{ "function with a loop", "def d(s, k):\n    out = ''\n    for i, c in enumerate(s):\n        out += chr(c ^ k[i % len(k)])\n    return out\nq = d(b'D\\x00\\r\\x08J\\x11\\x04\\x16\\r\\x18', b'key')" },
	{ "function with an if in its loop", "def d(s):\n    out = []\n    for c in s:\n        if c.isalpha():\n            out.append(chr((ord(c) - 97 + 13) % 26 + 97))\n        else:\n            out.append(c)\n    return ''.join(out)\nq = d('/rgp/ubfgf')" },
	{ "while", "i = 0\nq = ''\ns = '/xextxcx/xhxoxsxtxs'\nwhile i < len(s):\n    q += s[i]\n    i += 2" },
	{ "nested functions", "def a(x):\n    return x[::-1]\ndef b(x):\n    return a(x) + a('stsoh/')\nq = b('cte/')" },
	{ "reverse in place", "p = ['hosts', '/', '/etc']\np.reverse()\nq = ''.join(p)" },
	{ "pop", "p = ['x', '/etc/hosts']\nq = p.pop()" },
	{ "class attribute", "class C:\n    a = '/etc'\n    def g(self):\n        return self.a + '/hosts'\nq = C().g()" },
	{ "dict built by items", "d = {}\nd['a'] = '/etc'\nd['b'] = '/hosts'\nq = d['a'] + d['b']" },
};

static const struct { const char *name, *code; } javascript[] = {
	{ "atob", "atob('L2V0Yy9ob3N0cw==')" },
	{ "Buffer.from, base64", "Buffer.from('L2V0Yy9ob3N0cw==', 'base64').toString()" },
	{ "Buffer.from, hex", "Buffer.from('2f6574632f686f737473', 'hex').toString('utf8')" },
	{ "new Buffer", "new Buffer('L2V0Yy9ob3N0cw==', 'base64') + ''" },
	{ "Buffer of numbers", "Buffer.from([47,101,116,99,47,104,111,115,116,115]).toString()" },
	{ "decodeURIComponent", "decodeURIComponent('%2Fetc%2Fhosts')" },
	{ "unescape", "unescape('%2fetc%u002fhosts')" },
	{ "zlib.inflateSync", "zlib.inflateSync(Buffer.from('eJzTTy1J1s/ILy4pBgATVAPM', 'base64')).toString()" },
	{ "zlib.gunzipSync", "zlib.gunzipSync(Buffer.from('1f8b0800000000000003d34f2d49d6cfc82f2e290600951b79310a000000', 'hex')).toString()" },
	{ "zlib.inflateRawSync", "zlib.inflateRawSync(Buffer.from('d34f2d49d6cfc82f2e290600', 'hex')).toString()" },
	{ "TextDecoder", "new TextDecoder().decode(Uint8Array.from([47,101,116,99,47,104,111,115,116,115]))" },
	{ "TextDecoder, new Uint8Array", "new TextDecoder('utf-8').decode(new Uint8Array([47,101,116,99,47,104,111,115,116,115]))" },
	{ "String.raw", "String.raw`/etc/hosts`" },
	{ "fromCharCode", "String.fromCharCode(47,101,116,99,47,104,111,115,116,115)" },
	{ "fromCharCode, spread", "String.fromCharCode(...[47,101,116,99,47,104,111,115,116,115])" },
	{ "fromCharCode, apply", "String.fromCharCode.apply(null, [47,101,116,99,47,104,111,115,116,115])" },
	{ "fromCodePoint", "String.fromCodePoint(0x2f, 0x65) + 'tc/hosts'" },
	{ "charCodeAt", "String.fromCharCode('d'.charCodeAt(0) + 1).padStart(2, '/') + 'tc/hosts'" },
	{ "split, reverse, join", "'stsoh/cte/'.split('').reverse().join('')" },
	{ "spread, reverse, join", "[...'stsoh/cte/'].reverse().join('')" },
	{ "replace", "'/eXc/hosts'.replace('X', 't')" },
	{ "replaceAll", "'/eXc/hosXs'.replaceAll('X', 't')" },
	{ "replace by a pattern", "'/e-t-c/ho-sts'.replace(/-/g, '')" },
	{ "slice", "'xx/etc/hostsyy'.slice(2, -2)" },
	{ "substr", "'xx/etc/hosts'.substr(2, 10)" },
	{ "substring", "'xx/etc/hosts'.substring(2)" },
	{ "table of texts", "['hosts', '/etc', '/'][1] + ['hosts', '/etc', '/'][2] + ['hosts'][0]" },
	{ "parseInt", "String.fromCharCode(parseInt('2f', 16)) + 'etc/hosts'" },
	{ "toString(36)", "'/' + (19200).toString(36) + '/hosts'" },
	{ "template", "`/${'etc'}/${'hosts'}`" },
	{ "comma", "(0, '/etc/hosts')" },
	{ "double tilde", "String.fromCharCode(~~47) + 'etc/hosts'" },
	{ "unary plus", "String.fromCharCode(+'47') + 'etc/hosts'" },
	{ "at", "['x', '/etc/hosts'].at(-1)" },
	{ "padStart", "'etc/hosts'.padStart(10, '/')" },
	{ "repeat", "'/'.repeat(1) + 'etc/hosts'" },
	{ "concat", "'/etc'.concat('/', 'hosts')" },
	{ "method by bracket", "'/ETC/HOSTS'['toLower' + 'Case']()" },
	{ "Reflect.apply", "Reflect.apply(String.fromCharCode, null, [47]) + 'etc/hosts'" },
	{ "Array.from, map", "Array.from([48,102,117,100,48,105,112,116,117,116], x => String.fromCharCode(x - 1)).join('')" },
	{ "map with an index", "[47,100,118,96,43,109,105,116,124,122].map((x, i) => String.fromCharCode(x ^ i)).join('')" },
	{ "map by function", "'47|101|116|99|47|104|111|115|116|115'.split('|').map(function (x) { return String.fromCharCode(x); }).join('')" },
	{ "filter", "'/xetxc/hosts'.split('').filter(c => c !== 'x').join('')" },
	{ "reduce", "['/etc', '/hosts'].reduce((a, b) => a + b)" },
	{ "reduce from a start", "['etc', '/hosts'].reduce((a, b) => a + b, '/')" },
	{ "Number", "String.fromCharCode(Number('47')) + 'etc/hosts'" },
	{ "32-bit arithmetic", "String.fromCharCode((0x12f ^ 0x100) >>> 0) + 'etc/hosts'" },
	{ "length", "'/etc/hostsXX'.slice(0, 'abcdefghij'.length)" },
	{ "conditional", "1 === 1 \? '/etc/hosts' : 'x'" },
	{ "or", "'' || '/etc/hosts'" },
	{ "escapes in a name", "v\\u0061lue" },
	{ "object", "({ a: '/etc', 'b': '/hosts' })['a'] + '/hosts'" },
	{ "Object.values", "Object.values({ a: '/etc', b: '/hosts' }).join('')" },
	{ "accessor with an offset", "pick(0x1a)" },
	{ "accessor, two texts", "pick(0x1b) + pick(0x1c)" },
	{ "loop", "spell('/etc/hosts')" },
	{ "charAt", "'x/e'.charAt(1) + 'etc/hosts'" },
	{ "trim", "'  /etc/hosts '.trim()" },
};

/* Programs inside programs: what is decoded and run is read too. */
static const struct { int language; const char *name, *code; } program[] = {
	{ BAWN_LANG_PYTHON, "one layer", "import base64\nexec(base64.b64decode('b3BlbignL2V0Yy9ob3N0cycsICd3Jyk=').decode())\n" },
	{ BAWN_LANG_PYTHON, "two layers", "import zlib, base64\nexec(zlib.decompress(base64.b85decode('c$~}3Eyyn_QAkQGPBk;(O07su)_}0}lFUp}Qj_yjQZ>|*jGc0lGSl;XjKT~eD=qVrjQtFfE0c>ool}gxDzk0XHT9rMH8r^ab2u7g')))\n" },
	{ BAWN_LANG_PYTHON, "three layers, three codecs", "import codecs\nexec(codecs.decode(\"vzcbeg myvo, onfr64\\nrkrp(myvo.qrpbzcerff(onfr64.o85qrpbqr('p$~}3Rlla_DNxDTCOx;(B07fh)_}0}ySHc}Dw_lwDM>|*wTp0yTFy;KwXG~rQ=dIewDgSsR0p>bby}tkQmx0KUG9eZU8e^no2h7t')))\\n\", 'rot13'))\n" },
	{ BAWN_LANG_PYTHON, "a function called twice", "import base64\ndef run(x):\n    y = base64.b64decode(x)\n    exec(y)\nrun('b3BlbignL2V0Yy9ob3N0cycsICd3Jyk=')\nrun('cHJpbnQoMSk=')\n" },
	{ BAWN_LANG_PYTHON, "a lambda", "u = lambda x: __import__('base64').b64decode(x[::-1])\nexec(u(b'=kyJ3dCIscyc0N3bo9yY0V2LngiblB3b'))\n" },
	{ BAWN_LANG_PYTHON, "exec given to map", "import base64\nlist(map(exec, [base64.b64decode('b3BlbignL2V0Yy9ob3N0cycsICd3Jyk=')]))\n" },
	{ BAWN_LANG_PYTHON, "exec as a partial", "import base64, functools\nfunctools.partial(exec, base64.b64decode('b3BlbignL2V0Yy9ob3N0cycsICd3Jyk='))()\n" },
	{ BAWN_LANG_PYTHON, "eval of compile", "import base64\neval(compile(base64.b64decode('b3BlbignL2V0Yy9ob3N0cycsICd3Jyk='), 'x', 'exec'))\n" },
	{ BAWN_LANG_PYTHON, "exec out of a table of names", "import base64\nvars(__builtins__)['ex' + 'ec'](base64.b64decode('b3BlbignL2V0Yy9ob3N0cycsICd3Jyk='))\n" },
	{ BAWN_LANG_PYTHON, "an object that decodes", "class D:\n    def __init__(self, s):\n        self.s = s\n    def go(self):\n        return ''.join(chr(ord(c) - 1) for c in self.s)\nexec(D('pqfo)(0fud0iptut(-!(x(*').go())\n" },
	{ BAWN_LANG_PYTHON, "bytes set one by one", "def d(s, k):\n    r = bytearray()\n    for i in range(len(s)):\n        r.append(s[i] ^ ord(k[i % len(k)]))\n    return bytes(r).decode()\nexec(d([14, 18, 4, 12, 73, 69, 78, 7, 21, 1, 78, 10, 14, 17, 21, 17, 70, 78, 65, 69, 22, 69, 72], 'ab'))\n" },
	{ BAWN_LANG_PYTHON, "a number", "n = 10673740230252454130369009374043391833702996580075251497\nexec(n.to_bytes((n.bit_length() + 7) // 8, 'big').decode())\n" },
	{ BAWN_LANG_PYTHON, "a number in hex", "exec(bytes.fromhex(hex(0x6f70656e28272f6574632f686f737473272c2027772729)[2:]).decode())\n" },
	{ BAWN_LANG_PYTHON, "a shell line", "import base64, os\nos.system(base64.b64decode('ZWNobyB4ID4gL2V0Yy9ob3N0cw==').decode())\n" },
	{ BAWN_LANG_PYTHON, "either of two", "import base64, sys\nx = 'cHJpbnQoMSk=' if sys.argv else 'b3BlbignL2V0Yy9ob3N0cycsICd3Jyk='\nexec(base64.b64decode(x))\n" },
	{ BAWN_LANG_JAVASCRIPT, "eval of atob", "eval(atob('cmVxdWlyZSgnZnMnKS53cml0ZUZpbGVTeW5jKCcvZXRjL2hvc3RzJywgJ3gnKQ=='))\n" },
	{ BAWN_LANG_JAVASCRIPT, "vm and Buffer", "require('vm').runInThisContext(Buffer.from('cmVxdWlyZSgnZnMnKS53cml0ZUZpbGVTeW5jKCcvZXRjL2hvc3RzJywgJ3gnKQ==', 'base64').toString())\n" },
	{ BAWN_LANG_JAVASCRIPT, "a function that decodes", "function d(s) { let r = ''; for (const c of s) { r += String.fromCharCode(c.charCodeAt(0) - 1); } return r; }\neval(d(\"sfrvjsf)(gt(*/xsjufGjmfTzod)(0fud0iptut(-!(y(*\"))\n" },
	{ BAWN_LANG_JAVASCRIPT, "bytes with a key", "const k = [1, 2, 3];\neval([115, 103, 114, 116, 107, 113, 100, 42, 36, 103, 113, 36, 40, 44, 116, 115, 107, 119, 100, 68, 106, 109, 103, 80, 120, 108, 96, 41, 37, 44, 100, 118, 96, 46, 106, 108, 114, 118, 112, 38, 46, 35, 38, 122, 36, 40].map((c, i) => String.fromCharCode(c ^ k[i % 3])).join(''))\n" },
};

static bool writes_hosts(int language, const char *code)
{
	struct bawn_assess_file f = { .language = language, .bytes = bawn_span(code) };
	struct bawn_assessment *a = NULL;
	struct bawn_err err = { 0 };
	bool found = false;
	if (bawn_assess(&f, 1, NULL, &a, &err) < 0)
		diag("%s", err.msg);
	for (size_t i = 0; a != NULL && i < a->n_findings; i++)
		found = found || (strcmp(a->finding[i].rule, "any/system-write") == 0 && a->finding[i].folded != NULL &&
		                  strcmp(a->finding[i].folded, "/etc/hosts") == 0);
	bawn_assessment_free(a);
	return found;
}

/* Who fills the memory of folding first does not blind it. */
static void test_flood(void)
{
	bawn_auto_buf code = BAWN_BUF(1u << 20);
	bawn_buf_str(&code, "import base64\n");
	for (int i = 0; i < 60; i++)
		bawn_buf_str(&code, "x = 'a' * 200000\n");
	bawn_buf_str(&code, "for i in range(5000):\n    x += 'abcdefgh' * 99\n");
	bawn_buf_str(&code, "open(base64.b64decode('L2V0Yy9ob3N0cw==').decode(), 'w')\n");
	ok(writes_hosts(BAWN_LANG_PYTHON, code.p), "a flood of texts hides nothing");
}

int main(void)
{
	for (size_t i = 0; i < BAWN_LEN(python); i++) {
		bawn_auto_buf code = BAWN_BUF(1u << 20);
		bawn_buf_fmt(&code, "import base64, binascii, bz2, codecs, functools, gzip, html, io, itertools, lzma, operator, os, quopri, string, struct, urllib.parse, zlib\n"
		             "%s\nopen(q, 'w')\n", python[i].code);
		ok(writes_hosts(BAWN_LANG_PYTHON, code.p), "Python: %s", python[i].name);
	}
	for (size_t i = 0; i < BAWN_LEN(javascript); i++) {
		bawn_auto_buf code = BAWN_BUF(1u << 20);
		bawn_buf_fmt(&code, "const fs = require('fs'), zlib = require('zlib');\nconst value = '/etc/hosts';\nconst table = ['/etc/hosts', '/etc', '/hosts'];\n"
		             "function pick(i) { i = i - 0x1a; return table[i]; }\n"
		             "function spell(s) { let r = ''; for (let i = 0; i < s.length; i++) { r += String.fromCharCode(s.charCodeAt(i)); } return r; }\n"
		             "const q = %s;\nfs.writeFileSync(q, 'x');\n", javascript[i].code);
		ok(writes_hosts(BAWN_LANG_JAVASCRIPT, code.p), "JavaScript: %s", javascript[i].name);
	}
	for (size_t i = 0; i < BAWN_LEN(program); i++)
		ok(writes_hosts(program[i].language, program[i].code), "run: %s", program[i].name);
	test_flood();
	return done_testing();
}
