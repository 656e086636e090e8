/* packages.c - what is a package, and whose name is nearly another's: each row is one promise of core/packages.h. */
#include <string.h>
#include "base/cleanup.h"
#include "core/packages.h"
#include "tap.h"

#define PY BAWN_LANG_PYTHON
#define JS BAWN_LANG_JAVASCRIPT

/* name NULL: it is none. */
static const struct { enum bawn_language lang; const char *spec, *name; } row[] = {
	{ PY, "numpy", "numpy" }, { PY, "numpy==1.26.4", "numpy" }, { PY, "Flask_SQLAlchemy", "flask-sqlalchemy" }, { PY, "zope.interface>=5,<7", "zope-interface" },
	{ PY, "requests[socks,security]~=2.31", "requests" }, { PY, "a.-_b", "a-b" }, { PY, "x===1", "x" }, { PY, "torch==2.1.0+cpu", "torch" }, { PY, "a!=1.*", "a" },
	{ PY, "", NULL }, { PY, "-r", NULL }, { PY, "--index-url=https://evil.test", NULL }, { PY, "-e", NULL }, { PY, ".", NULL }, { PY, "./x", NULL }, { PY, "/x", NULL }, { PY, "a/b", NULL },
	{ PY, "https://evil.test/x.whl", NULL }, { PY, "a @ https://evil.test/x.whl", NULL }, { PY, "a@file", NULL }, { PY, "git+https://x", NULL }, { PY, "a b", NULL }, { PY, "a\n--pre", NULL },
	{ PY, "a;python_version>'3'", NULL }, { PY, "a==", NULL }, { PY, "a==1,", NULL }, { PY, "a[]", NULL }, { PY, "a[x", NULL }, { PY, "a[x]y", NULL }, { PY, "a-", NULL }, { PY, "caf\xc3\xa9", NULL },
	{ PY, "a==1 --pre", NULL }, { PY, "a====1", NULL },
	{ JS, "lodash", "lodash" }, { JS, "lodash@4", "lodash" }, { JS, "@types/node@^20.1.0", "@types/node" }, { JS, "socket.io@>=4 <5", "socket.io" }, { JS, "x@latest", "x" }, { JS, "x@1.x || 2", "x" },
	{ JS, "", NULL }, { JS, "@", NULL }, { JS, "@a", NULL }, { JS, "@/b", NULL }, { JS, "@a/", NULL }, { JS, "a/b", NULL }, { JS, "./x", NULL }, { JS, "x@", NULL }, { JS, "x@npm:y@1", NULL }, { JS, "x@file:../y", NULL },
	{ JS, "x@git+ssh://y", NULL }, { JS, "https://evil.test/x.tgz", NULL }, { JS, "-g", NULL }, { JS, "--prefix=/", NULL }, { JS, ".x", NULL }, { JS, "x y", NULL },
};

static const struct { enum bawn_language lang; const char *name, *near; } look[] = {
	{ PY, "requests", NULL }, { PY, "reqeusts", "requests" }, { PY, "request", "requests" }, { PY, "requestss", "requests" }, { PY, "reguests", "requests" }, { PY, "erquests", "requests" },
	{ PY, "rqeusets", NULL }, { PY, "requets-", NULL }, { PY, "numpyy", "numpy" }, { PY, "nunpy", "numpy" }, { PY, "bawnprobe", NULL }, { PY, "sax", NULL }, { PY, "a", NULL }, { PY, "", NULL },
	{ PY, "httpx", NULL }, { PY, "pandas", NULL }, { PY, "panda", "pandas" },
	{ JS, "lodash", NULL }, { JS, "lodahs", "lodash" }, { JS, "loadash", "lodash" }, { JS, "@type/node", "@types/node" }, { JS, "numpyy", NULL }, { JS, "expres", "express" },
};

/* Files: what they come to, joined by '|'; NULL: refused. */
static const struct { bool json; const char *text, *want; } file[] = {
	{ false, "", "" }, { false, "# nothing\n\n  \t\n", "" }, { false, "numpy\n", "numpy" }, { false, "numpy", "numpy" }, { false, "numpy == 1.0  # why\r\npandas>=1 , <2\n", "numpy==1.0|pandas>=1,<2" },
	{ false, "uvicorn [standard] >= 0.2\n", "uvicorn[standard]>=0.2" }, { false, "  six\t\n", "six" }, { false, "a#b\n", "a#b" },
	{ false, "scikit learn\n", NULL }, { false, "scikit\tlearn==1\n", NULL }, { false, "numpy 1.0\n", NULL }, { false, "numpy = = 1\n", NULL }, { false, "numpy > = 1\n", NULL }, { false, "a\rb\n", NULL }, { false, "good\nscikit learn", NULL },
	{ false, "numpy == 1. 0\n", NULL }, { false, "-r x\n", NULL }, { false, "  --pre\n", NULL }, { false, "a; b\n", NULL }, { false, "a \\\n", NULL }, { false, "x @ https://evil.test/x.whl\n", NULL },
	{ true, "{\"dependencies\": {\"lodash\": \"^1\", \"x\": \"\"}}", "lodash@^1|x@*" }, { true, "{\"dependencies\": {}}", "" }, { true, "{}", NULL }, { true, "{\"dependencies\": []}", NULL }, { true, "lodash", NULL },
};

static void files(void)
{
	for (size_t i = 0; i < BAWN_LEN(file); i++) {
		struct bawn_strings s = { 0 };
		struct bawn_err err = { 0 };
		bawn_auto_buf all = BAWN_BUF(4096);
		int r = bawn_packages_read(bawn_span(file[i].text), file[i].json, "file", &s, &err);
		for (size_t k = 0; k < s.n; k++)
			bawn_buf_fmt(&all, "%s%s", k > 0 ? "|" : "", s.item[k]);
		if (!ok(file[i].want == NULL ? r < 0 && err.type == BAWN_ERROR_INVALID_REQUEST : r == 0 && strcmp(all.n > 0 ? all.p : "", file[i].want) == 0, "file %zu is %s", i, file[i].want != NULL ? "taken" : "refused"))
			diag("'%s': %s, %s", file[i].text, all.n > 0 ? all.p : "", err.msg);
		bawn_strings_done(&s);
	}
	struct bawn_strings s = { 0 };
	ok(bawn_packages_read((struct bawn_span){ "a\0b", 3 }, false, "file", &s, NULL) < 0, "a NUL byte is refused");
	bawn_strings_done(&s);
}

int main(void)
{
	files();
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		char name[BAWN_PACKAGE_NAME] = "";
		struct bawn_err err = { 0 };
		int r = bawn_package_name(row[i].lang, row[i].spec, name, &err);
		bool good = row[i].name != NULL ? r == 0 && strcmp(name, row[i].name) == 0 : r < 0 && err.type == BAWN_ERROR_INVALID_REQUEST && strcmp(err.field, "packages") == 0;
		ok(good, "%s: %s", bawn_language[row[i].lang].name, row[i].spec[0] == 'a' && row[i].spec[1] == '\n' ? "a, new line, option" : row[i].spec);
	}
	char longer[400];
	memset(longer, 'a', sizeof longer);
	longer[sizeof longer - 1] = '\0';
	char name[BAWN_PACKAGE_NAME];
	ok(bawn_package_name(PY, longer, name, NULL) < 0, "nobody has a name that long");
	for (size_t i = 0; i < BAWN_LEN(look); i++) {
		char near[BAWN_PACKAGE_NAME] = "";
		bool is = bawn_package_lookalike(look[i].lang, look[i].name, near);
		if (!ok(is == (look[i].near != NULL) && (!is || strcmp(near, look[i].near) == 0), "'%s' looks like %s", look[i].name, look[i].near != NULL ? look[i].near : "nothing else"))
			diag("'%s'", near);
	}
	struct bawn_policy p = { 0 };
	char *listed[] = { (char[]){ "Zope.Interface" }, (char[]){ "@Types/node" } };
	ok(bawn_package_listed(&p, PY, "anything"), "without a list all are listed");
	p.packages = (struct bawn_list){ listed, 2 };
	ok(bawn_package_listed(&p, PY, "zope-interface") && bawn_package_listed(&p, JS, "@types/node"), "a list goes by the index's spelling");
	ok(!bawn_package_listed(&p, PY, "numpy"), "what it does not have is not listed");
	ok(bawn_installer(BAWN_LANG_BASH) == NULL && bawn_installer(PY)->code.n > 100 && bawn_installer(JS)->code.n > 100, "there is a program for Python and one for JavaScript");
	return done_testing();
}
