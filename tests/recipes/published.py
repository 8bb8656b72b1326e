"""Checks shipped recipes against the published JSON Schema.

usage: published.py LVTEXT RECIPES [--long]

All recipes are valid under the JSON Schema that `lvtext schema` prints, according to Python's
jsonschema; recipes with one error are rejected by the schema and by lvtext. `lvtext config` prints
a recipe that is valid under the same schema, for one profile of each recipe; --long: for every
profile, and the schema itself is valid. Exits with 77 if jsonschema is missing."""

import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: {missing}; scripts/setup.sh installs it")
    sys.exit(77)

lvtext, recipes = sys.argv[1], pathlib.Path(sys.argv[2])
every = "--long" in sys.argv
failures = []


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Loads scalars as YAML 1.2, like lvtext and editors: 5e-4 is a number, yes is a string."""


Loader.yaml_implicit_resolvers = {}
for tag, form in [
    ("bool", r"true|false|True|False|TRUE|FALSE"),
    ("int", r"[-+]?[0-9]+"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"),
    ("null", r"~|null|Null|NULL|"),
]:
    Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{form})$"), None)
Loader.add_constructor("tag:yaml.org,2002:float", lambda l, node: float(l.construct_scalar(node)))


def run(*arguments):
    return subprocess.run([lvtext, *map(str, arguments)], capture_output=True, text=True)


def check(holds, message):
    if not holds:
        failures.append(message)
        print(f"FAILED {message}")


schema = json.loads(run("schema").stdout)
if every:
    jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)


def mistake(recipe):
    """Returns the most deeply nested error of the schema, or None."""
    error = jsonschema.exceptions.best_match(validator.iter_errors(recipe))
    return error and f"{error.json_path}: {error.message}"[:300]


files = sorted(recipes.glob("*/*.yaml"))
check(len(files) >= 4, "at least 4 recipes are found")
with tempfile.TemporaryDirectory() as folder:
    written = pathlib.Path(folder) / "recipe.yaml"
    for file in files:
        recipe = yaml.load(file.read_text(), Loader)
        found = mistake(recipe)
        check(found is None, f"{file} is valid: {found}")
        # A profile without a value removes that of the base.
        profiles = [name for name, value in recipe.get("profiles", {}).items() if value is not None]
        for profile in profiles if every else profiles[:1]:
            printed = run("config", file, "--profile", profile, "--origins")
            written.write_text(printed.stdout)
            found = mistake(yaml.load(printed.stdout, Loader) if printed.stdout else None)
            check(found is None, f"config {file} --profile {profile} is valid: {found}")
            unsaid = [
                line
                for line in printed.stdout.splitlines()
                if not line.startswith("#") and not line.endswith((":", "-")) and "  # " not in line
            ]
            check(unsaid == [], f"every value has an origin: {unsaid[:3]}")

    def put(recipe, path, value):
        *above, last = path
        for key in above:
            recipe = recipe[key]
        if value is None:
            del recipe[last]
        else:
            recipe[last] = value

    documented = [
        {"models": {"vae": {"inputs": {}}}},
        {"models": {"reals": {"samples": ["data.train", "data.valid"]}}},
        {"not_run": {"old": {"reason": "removed"}}},
        {"artifacts": {"vectors": {"import": "word_vectors", "data": {"tokenizer": "words"}}}},
    ]

    good = yaml.load((recipes / "quickstart/quickstart.yaml").read_text(), Loader)
    wrong = [
        (["lvtext"], None),
        (["lvtext"], 99),
        (["lvtext"], "one"),
        (["recipe"], None),
        (["recipe"], "no-slash"),
        (["recipe"], "../../x"),
        (["recipe"], "paper/" + "x" * 240),
        (["recipee"], "a/b"),
        (["data", "sett"], "embedded"),
        (["data", "tokenizer", "vocab"], -1),
        (["data", "tokenizer", "type"], "words"),
        (["train", "stop"], "30"),
        (["train", "stop"], ["30u", "x"]),
        (["train", "seed"], -1),
        (["train", "seed"], "one"),
        (["train", "device"], "tpu"),
        (["train", "batch"], 64),
        (["train", "optimizers", "default", "type"], "sdg"),
        (["train", "optimizers", "default", "lrr"], 1),
        (["train", "deterministic"], "yes"),
        (["models", "vae", "model"], "vea"),
        (["models", "vae", "model"], None),
        (["models", "vae", "model"], "infersent"),
        (["models", "vae", "latent", "sise"], 3),
        (["models", "vae", "latent", "size"], "big"),
        (["models", "vae", "seeds"], 0),
        (["models", "vae", "label"], ["a", "b"]),
        (["models", "vae", "train"], {"stop": 5}),
        (["models", "vae", "generation"], {"samples": {"max_lenth": 5}}),
        (["models", "Vae"], {"model": "vae"}),
        (["models", "v" * 240], {"model": "vae"}),
        (["models", "real"], {}),
        (["evaluate", "bleu", "evaluator"], "blue"),
        (["evaluate", "bleu", "orders"], "x"),
        (["evaluate", "kl", "score"], "kll"),
        (["evaluate", "forward", "inputs", "language_model"], {"model": "vae"}),
        (["evaluate", "forward", "inputs", "language_model", "train", "stop"], "8"),
        (["evaluate", "data.x"], {"evaluator": "bleu"}),
        (["table", "column"], []),
        (["table", "columns"], ["bleu", "bleu"]),
        (["table", "paper"], {"vae": {"bleu": "high"}}),
        (["checks", 0, "scale"], "relativ"),
        (["checks", 0, "expr"], None),
        (["figures"], {"f": {"figure": "tsne", "rows": ["vae"]}}),
        (["not_run"], {"old": {"label": "old"}}),
        (["profiles", "../x"], {}),
        (["profiles", "smoke", "trian"], {}),
        (["profiles", "smoke", "profiles"], {}),
    ]
    check(mistake(good) is None, "the recipe without an error is valid")
    for keys in documented:
        found = mistake({"lvtext": 1, "recipe": "a/b", "base": "b.yaml", **keys})
        check(found is None, f"the schema accepts {keys}: {found}")
    for path, value in wrong:
        recipe = copy.deepcopy(good)
        put(recipe, path, value)
        written.write_text(json.dumps(recipe))
        name = f"{'.'.join(map(str, path))} = {value!r}"[:80]
        check(mistake(recipe) is not None, f"the schema rejects {name}")
        answer = run("config", written)
        check(answer.returncode == 78, f"lvtext refuses {name} (exit {answer.returncode})")

print(f"{len(files)} recipes, {len(wrong)} with an error, {len(failures)} failures")
sys.exit(1 if failures else 0)
