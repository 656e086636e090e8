/* manifest.c - package.json: what npm runs when a package is installed, and where it gets others from. */
#include "assess/manifest.h"
#include "base/cleanup.h"
#include "base/json.h"

/* Scripts that run by themselves; the ones that run on whoever installs the package are findings of their own. */
static const struct { const char *name; bool on_install; } script[] = {
	{ "preinstall", true }, { "install", true }, { "postinstall", true }, { "preprepare", false }, { "prepare", false },
	{ "postprepare", false }, { "prepublish", false }, { "prepublishOnly", false }, { "prepack", false }, { "postpack", false },
	{ "preuninstall", false }, { "uninstall", false }, { "postuninstall", false }, { "prestart", false }, { "start", false },
	{ "pretest", false }, { "test", false }, { "posttest", false },
};

static void read_scripts(struct engine *e, const json_t *scripts)
{
	for (size_t i = 0; i < BAWN_LEN(script); i++) {
		const json_t *line = json_object_get(scripts, script[i].name);
		struct bawn_span text = { json_string_value(line), json_string_length(line) };
		if (text.p == NULL || text.n == 0)
			continue;
		if (script[i].on_install)
			(void)bawn_engine_event(e, "install-hook", 0, bawn_arena_text(&e->scratch, text));
		bawn_engine_text(e, BAWN_LANG_BASH, text, 0);
	}
}

static bool from_address(const char *version)
{
	static const char *const begins[] = { "http:", "https:", "git:", "git+", "ssh:", "git@" };
	for (size_t i = 0; i < BAWN_LEN(begins); i++)
		if (strncmp(version, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

static void read_needs(struct engine *e, json_t *needs)
{
	const char *name;
	json_t *version;
	json_object_foreach(needs, name, version)
		if (json_is_string(version) && from_address(json_string_value(version)))
			(void)bawn_engine_event(e, "package-from-address", 0, bawn_arena_text(&e->scratch, bawn_span(json_string_value(version))));
}

bool bawn_read_manifest(struct engine *e)
{
	static const char *const needs[] = { "dependencies", "devDependencies", "optionalDependencies", "peerDependencies" };
	struct bawn_span text = e->tree->text;
	size_t at = 0;
	while (at < text.n && strchr(" \t\r\n", text.p[at]) != NULL)
		at++;
	if (at == text.n || text.p[at] != '{')
		return false;
	bawn_auto_json root = NULL;
	struct bawn_err ignored = { 0 };  /* what is no JSON is read as JavaScript, and says there what is wrong */
	if (bawn_json_parse(text, &root, &ignored) < 0 || json_object_size(root) == 0)
		return false;
	read_scripts(e, json_object_get(root, "scripts"));
	for (size_t i = 0; i < BAWN_LEN(needs); i++)
		read_needs(e, json_object_get(root, needs[i]));
	return true;
}
