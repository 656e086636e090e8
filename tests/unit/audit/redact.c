/* redact.c - each well-known shape is replaced, what is only like it is not, code is never touched, and no text makes
 * the scan slow.  Secrets are put together here: none stands in the source. */
#include "world.h"
#include "audit/redact.h"
#include "base/clock.h"

/* `{N}` in a text is N letters and digits, `{^N}` capitals and digits. */
static struct bawn_buf expand(const char *text)
{
	struct bawn_buf b = BAWN_BUF(1u << 20);
	for (const char *p = text; *p != '\0'; p++) {
		char *end = NULL;
		const bool upper = p[0] == '{' && p[1] == '^';
		const long n = *p == '{' ? strtol(p + 1 + upper, &end, 10) : 0;
		if (n <= 0 || end == NULL || *end != '}') {
			bawn_buf_char(&b, *p);
			continue;
		}
		for (long i = 0; i < n; i++)
			bawn_buf_char(&b, (upper ? "QW3RT7ZP" : "qW3rT7zP")[i % 8]);
		p = end;
	}
	return b;
}

static void shapes(void)
{
	/* Without `want` the text stays as it is: the near miss beside the hit. */
	static const struct { const char *name, *text, *want; } row[] = {
		{ "aws-access-key", "key AKIA{^16} ok", "key [redacted:aws-access-key] ok" },
		{ "aws-access-key", "ASIA{^16}", "[redacted:aws-access-key]" },
		{ "aws-access-key", "AKIA{^15}", NULL }, { "aws-access-key", "AKIA{^17}", NULL }, { "aws-access-key", "AKIA{16}", NULL },
		{ "aws-access-key", "XAKIA{^16}", NULL }, { "aws-access-key", "X_AKIA{^16}", NULL },
		{ "aws-access-key", "for-AKIA{^16}", "for-[redacted:aws-access-key]" }, { "aws-access-key", "--key=AKIA{^16}", "--key=[redacted:aws-access-key]" },
		{ "azure-key", "AccountName=x;AccountKey={86}==;End", "AccountName=x;AccountKey=[redacted:azure-key];End" }, { "azure-key", "AccountKey={20}", NULL },
		{ "google-key", "AIza{35}", "[redacted:google-key]" }, { "google-key", "AIza{34}", NULL }, { "google-key", "AIza{36}", NULL },
		{ "google-token", "ya29.{40}", "[redacted:google-token]" }, { "google-token", "ya29.{10}", NULL },
		{ "google-secret", "GOCSPX-{28}", "[redacted:google-secret]" }, { "google-secret", "GOCSPX-{9}", NULL },
		{ "digitalocean-token", "dop_v1_{64}", "[redacted:digitalocean-token]" }, { "digitalocean-token", "dop_v1_{63}", NULL },
		{ "github-token", "ghp_{36}", "[redacted:github-token]" }, { "github-token", "gho_{36}", "[redacted:github-token]" },
		{ "github-token", "ghu_{36}", "[redacted:github-token]" }, { "github-token", "ghs_{36}", "[redacted:github-token]" },
		{ "github-token", "ghr_{36}", "[redacted:github-token]" }, { "github-token", "github_pat_{22}_{59}", "[redacted:github-token]" },
		{ "github-token", "t%3Dghp_{36}&x", "t%3D[redacted:github-token]&x" },
		{ "github-token", "ghp_{35}", NULL }, { "github-token", "ghx_{36}", NULL }, { "github-token", "github_pat_{9}", NULL },
		{ "gitlab-token", "glpat-{20}", "[redacted:gitlab-token]" }, { "gitlab-token", "gldt-{20}", "[redacted:gitlab-token]" },
		{ "gitlab-token", "glrt-{20}", "[redacted:gitlab-token]" }, { "gitlab-token", "glptt-{40}", "[redacted:gitlab-token]" }, { "gitlab-token", "glpat-{19}", NULL },
		{ "slack-token", "xoxb-{12}-{24}", "[redacted:slack-token]" }, { "slack-token", "xoxp-{12}", "[redacted:slack-token]" },
		{ "slack-token", "xoxa-{12}", "[redacted:slack-token]" }, { "slack-token", "xoxs-{12}", "[redacted:slack-token]" },
		{ "slack-token", "xoxe-{12}", "[redacted:slack-token]" }, { "slack-token", "xapp-{12}", "[redacted:slack-token]" },
		{ "slack-token", "xoxb-{9}", NULL }, { "slack-token", "xoxb {30}", NULL },
		{ "slack-webhook", "https://hooks.slack.com/services/T{9}/B{9}/{24}", "https://hooks.slack.com/services/[redacted:slack-webhook]" },
		{ "slack-webhook", "https://hooks.slack.com/services/help", NULL },
		{ "discord-webhook", "https://discord.com/api/webhooks/{18}/{68}", "https://discord.com/api/webhooks/[redacted:discord-webhook]" },
		{ "discord-webhook", "https://discord.com/api/webhooks/{18}", NULL },
		{ "npm-token", "//registry/:_authToken=npm_{36}", "//registry/:_authToken=[redacted:npm-token]" }, { "npm-token", "npm_{35}", NULL }, { "npm-token", "npm_config_registry", NULL },
		{ "pypi-token", "pypi-{90}", "[redacted:pypi-token]" }, { "pypi-token", "pypi-{30}", NULL },
		{ "docker-token", "dckr_pat_{27}", "[redacted:docker-token]" }, { "docker-token", "dckr_pat_{26}", NULL },
		{ "huggingface-token", "hf_{34}", "[redacted:huggingface-token]" }, { "huggingface-token", "hf_{33}", NULL }, { "huggingface-token", "xhf_{34}", NULL },
		{ "huggingface-token", "job-hf_{34}", "job-[redacted:huggingface-token]" },
		{ "stripe-key", "sk_live_{24}", "[redacted:stripe-key]" }, { "stripe-key", "rk_live_{24}", "[redacted:stripe-key]" }, { "stripe-key", "sk_live_{15}", NULL },
		{ "anthropic-key", "sk-ant-{40}", "[redacted:anthropic-key]" }, { "anthropic-key", "sk-ant-{12}", NULL },
		{ "openai-key", "sk-{48}", "[redacted:openai-key]" }, { "openai-key", "sk-proj-{40}", "[redacted:openai-key]" }, { "openai-key", "sk-{31}", NULL },
		{ "openai-key", "task-{48}", NULL }, { "openai-key", "sk-the-quick-brown-fox-jumps-over-the-lazy-dog", NULL },
		{ "vault-token", "hvs.{24}", "[redacted:vault-token]" }, { "vault-token", "hvs.{23}", NULL },
		{ "jwt", "eyJ{20}.eyJ{20}.{43}", "[redacted:jwt]" }, { "jwt", "eyJ{20}.eyJ{20}", NULL }, { "jwt", "eyJ{20}.{20}.abc", NULL }, { "jwt", "keyJ{20}.{20}.{43}", NULL },
		{ "private-key", "a\n-----BEGIN RSA PRIVATE KEY-----\n{64}\n-----END RSA PRIVATE KEY-----\nb", "a\n[redacted:private-key]\nb" },
		{ "private-key", "-----BEGIN PRIVATE KEY-----\n{64}\n{64}", "[redacted:private-key]" },
		{ "private-key", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n{64}\n-----END PGP PRIVATE KEY BLOCK-----", "[redacted:private-key]" },
		{ "private-key", "-----BEGIN CERTIFICATE-----\n{64}\n-----END CERTIFICATE-----", NULL },
		{ "private-key", "-----BEGIN PUBLIC KEY-----\nPRIVATE KEY\n-----END PUBLIC KEY-----", NULL },
		{ "bearer", "Authorization: Bearer {40}", "Authorization: Bearer [redacted:bearer]" }, { "bearer", "-H 'authorization: bearer {40}'", "-H 'authorization: bearer [redacted:bearer]'" },
		{ "bearer", "Bearer {15}", NULL }, { "bearer", "Bearer authentication-is-required-here", NULL },
		{ "basic", "Authorization: Basic {20}==", "Authorization: Basic [redacted:basic]" }, { "basic", "authorization: Basic {20}==", "authorization: Basic [redacted:basic]" },
		{ "basic", "Basic {20}", NULL }, { "basic", "Authorization: Basic abc", NULL },
		{ "url-password", "postgres://app:{12}@db/x", "postgres://[redacted:url-password]@db/x" }, { "url-password", "redis://:{12}@h", "redis://[redacted:url-password]@h" },
		{ "url-password", "https://host:8080/a@b", NULL }, { "url-password", "ssh://git@host/x", NULL }, { "url-password", "http://host:80", NULL }, { "url-password", "see://a b:c@d", NULL },
		/* What stands in records anyway. */
		{ "", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", NULL }, { "", "01KXQ3ZT7ZPAKIAQW3RT7ZPQW", NULL },
		{ "", "audit.host/1e2de1046241fa769555c564b1eb3e00+93cda280+AWHE/WD14Fuqj2wSLRsVv69t7sLS+/0nwqRhCFeWm3sS", NULL },
		{ "", "/workspace/data.csv", NULL }, { "", "", NULL }, { "", "AKIA", NULL }, { "", "eyJ", NULL }, { "", "://", NULL }, { "", "-----BEGIN ", NULL },
		/* Several, and next to each other. */
		{ "", "AKIA{^16} AKIA{^16},ghp_{36}", "[redacted:aws-access-key] [redacted:aws-access-key],[redacted:github-token]" },
		{ "", "\xc3\xa9" "ghp_{36}\xff", "\xc3\xa9[redacted:github-token]\xff" },
	};
	const struct bawn_redact how = { 0 }, off = { .keep_tokens = true };
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bawn_auto_buf text = expand(row[i].text), out = BAWN_BUF(1u << 20), none = BAWN_BUF(1u << 20), shown = BAWN_BUF(1000);
		bawn_buf_escaped(&shown, bawn_span(row[i].text));
		const bool any = bawn_redact_text(&how, bawn_buf_span(&text), &out);
		ok(any == (row[i].want != NULL) && (!any || bawn_span_is(bawn_buf_span(&out), row[i].want)) &&
		   !bawn_redact_text(&off, bawn_buf_span(&text), &none), "%s: %s", any ? "hit" : "miss", shown.p != NULL ? shown.p : "");
		if (any && (row[i].want == NULL || !bawn_span_is(bawn_buf_span(&out), row[i].want)))
			diag("got %.*s", (int)out.n, out.p);
	}
	for (size_t s = 0; bawn_redact_name(s) != NULL; s++) {
		size_t hits = 0, misses = 0;
		for (size_t i = 0; i < BAWN_LEN(row); i++)
			if (strcmp(row[i].name, bawn_redact_name(s)) == 0) {
				hits += row[i].want != NULL;
				misses += row[i].want == NULL;
			}
		if (hits == 0 || misses == 0)
			ok(false, "%s has a hit and a near miss here", bawn_redact_name(s));
	}
}

/* The names are listed once in the table and once for readers. */
static void documented(void)
{
	bawn_auto_buf doc = BAWN_BUF(1u << 20);
	bool all = bawn_read_file(AT_FDCWD, FORMAT, &doc, NULL) == 0;
	for (size_t s = 0; all && bawn_redact_name(s) != NULL; s++) {
		char name[64];
		snprintf(name, sizeof name, "`%s`", bawn_redact_name(s));
		all = strstr(doc.p, name) != NULL;
		if (!all)
			diag("%s is not there", name);
	}
	ok(all, "docs/FORMAT-audit.md names every shape");
}

static void names(void)
{
	static const struct { const char *text, *want; } row[] = {
		{ "--token=abc --x=y", "--token=[redacted] --x=y" }, { "token: abc", "token: [redacted]" }, { "{\"token\": \"a b\", \"x\": 1}", "{\"token\": \"[redacted]\", \"x\": 1}" },
		{ "token='a b' c", "token='[redacted]' c" }, { "?token=a&b=c", "?token=[redacted]&b=c" }, { "token=1,API_KEY=2", "token=[redacted],API_KEY=[redacted]" },
		{ "token", NULL }, { "token=", NULL }, { "token abc", NULL }, { "mytoken=abc", NULL }, { "tokens=abc", NULL }, { "Token=abc", NULL },
		{ "token=token=a", "token=[redacted]" },
	};
	char *list[] = { (char []){ "token" }, (char []){ "API_KEY" }, (char []){ "" } };
	const struct bawn_redact how = { .name = list, .n_names = BAWN_LEN(list) };
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bawn_auto_buf out = BAWN_BUF(1000);
		const bool any = bawn_redact_text(&how, bawn_span(row[i].text), &out);
		ok(any == (row[i].want != NULL) && (!any || bawn_span_is(bawn_buf_span(&out), row[i].want)), "%s", row[i].text);
		if (any && row[i].want == NULL)
			diag("got %s", out.p);
	}
}

static void in_json(void)
{
	bawn_auto_buf a = expand("ghp_{36}"), b = expand("glpat-{20}");
	bawn_auto_json plain = json_pack("{s:s, s:[i, n, s]}", "a", "b", "list", 1, "c");
	bawn_auto_json same = bawn_redact_json(&(struct bawn_redact){ 0 }, plain);
	ok(same == plain, "where there is nothing to redact, nothing is copied");
	bawn_auto_json v = json_pack("{s:[s, {s:s}, i], s:s, s:i, s:i}", "list", a.p, "x", b.p, 5, "y", "z", a.p, 1, b.p, 2);
	(void)json_object_set_new(v, "ghp_", json_null());
	bawn_auto_json clean = bawn_redact_json(&(struct bawn_redact){ 0 }, v);
	bawn_auto_buf out = BAWN_BUF(1000);
	ok(bawn_json_put(&out, clean, NULL) == 0 && strcmp(out.p,
		"{\"list\":[\"[redacted:github-token]\",{\"x\":\"[redacted:gitlab-token]\"},5],\"y\":\"z\",\"[redacted:github-token]\":1,\"[redacted:gitlab-token]\":2,\"ghp_\":null}") == 0,
	   "strings and keys at any depth, in their order") || (diag("%s", out.p), 0);
	bawn_auto_buf c = expand("ghp_{37}");
	bawn_auto_json two = json_pack("{s:i, s:i}", a.p, 1, c.p, 2), *both = bawn_redact_json(&(struct bawn_redact){ 0 }, two);
	ok(json_object_size(both) == 2, "two keys that become the same stay two");
}

/* In the log: before hashing, in each place a caller can fill, but never in bodies of code. */
static void in_the_log(void)
{
	bawn_auto_buf secret = expand("ghp_{36}"), named = expand("{^30}"), arg = BAWN_BUF(200), session = BAWN_BUF(200);
	char sha[BAWN_SHA256_HEX], *list[] = { (char []){ "password" } };
	bawn_buf_fmt(&arg, "--password=%s", named.p);
	bawn_buf_fmt(&session, "s %s", secret.p);
	for (int keep = 0; keep <= 1; keep++) {
		auto_world w = world_make();
		struct bawn_audit *a = NULL;
		bawn_auto_json principal = json_pack("{s:s}", "id", secret.p), *body = json_pack("{s:[s, s], s:s}", "args", secret.p, arg.p, "ghp_", "x");
		ok(bawn_audit_open(w.dir, &(struct bawn_audit_options){ .keep_tokens = keep }, &a, NULL) == 0 &&
		   bawn_audit_put(a, &(struct bawn_record){ .type = BAWN_RECORD_EXEC_INTENT, .exec = "E", .session = session.p, .principal = principal, .body = body,
		                  .redact = list, .n_redact = 1 }, NULL, NULL) == 0 && bawn_audit_blob_put(w.dir, bawn_buf_span(&secret), sha, NULL) == 0, "a record and a body");
		close_log(a);
		bawn_auto_buf log = get(&w, SEG0), blob = BAWN_BUF(1000);
		ok((strstr(log.p, secret.p) != NULL) == keep && strstr(log.p, named.p) == NULL && strstr(log.p, "--password=[redacted]") != NULL,
		   keep ? "with keep_tokens only the names are heeded" : "neither stands in the log");
		ok(keep || (strstr(log.p, "\"session\":\"s [redacted:github-token]\",\"principal\":{\"id\":\"[redacted:github-token]\"}") != NULL &&
		   strstr(log.p, "\"args\":[\"[redacted:github-token]\",") != NULL), "session, principal and body say what was there");
		ok(verify(w.dir).ok, "the log verifies");
		ok(bawn_audit_blob_get(w.dir, sha, &blob, NULL) == 0 && bawn_span_equal(bawn_buf_span(&blob), bawn_buf_span(&secret)), "the body is as it was");
	}
}

/* Twice the text, about twice the time: texts made to begin every row again and again and end none. */
static void linear(void)
{
	static const char *const piece[] = {
		"AKIA", "ghp_", "github_pat_", "glpat-", "xoxb-", "eyJ", "eyJa.", "eyJaaaaa.eyJaaaaa.", "-----BEGIN ", "-----BEGIN X PRIVATE KEY", "Bearer ", "Bearer a", "sk-", "sk-a", "://", "://a:", ":", "a://a",
		"token", "token=", "x", "hooks.slack.com/services/", "-", "/", "pypi-", "AccountKey=",
	};
	char *list[] = { (char []){ "token" } };
	const struct bawn_redact how = { .name = list, .n_names = 1 };
	uint64_t worst = 0;
	(void)alarm(60);  /* a quadratic scan would take minutes */
	const char *which = "";
	for (size_t i = 0; i < BAWN_LEN(piece); i++) {
		bawn_auto_buf text = BAWN_BUF(2u << 20), out = BAWN_BUF(64u << 20);
		while (text.n < 1u << 20)
			bawn_buf_str(&text, piece[i]);
		const uint64_t from = bawn_monotonic_us();
		(void)!bawn_redact_text(&how, bawn_buf_span(&text), &out);
		const uint64_t us = bawn_monotonic_us() - from;
		if (us > worst) {
			worst = us;
			which = piece[i];
		}
	}
	/* A quadratic scan of a mebibyte takes minutes; this takes milliseconds, more under a sanitizer. */
	ok(worst < 3000000, "no mebibyte takes long (worst: \"%s\", %" PRIu64 " us)", which, worst);
}

int main(void)
{
	shapes();
	documented();
	names();
	in_json();
	in_the_log();
	linear();
	return done_testing();
}
