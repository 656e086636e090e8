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

int main(void)
{
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
