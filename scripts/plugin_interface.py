#!/usr/bin/env python3
"""Checks that the installed headers match the number of the plug-in interface.

usage: plugin_interface.py [--update]

tests/plugin/interface.txt contains kPluginInterface (framework/core/model/plugin.h) and a hash of
all installed headers without comments and whitespace. The ctest entry plugin_interface fails if the
headers have another hash, or if the hash differs from that of the branch main (origin/main if it
exists) but the number does not. In that case, increment kPluginInterface and run this with
--update, which writes the file.
"""
import hashlib
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEADER = ROOT / "framework/core/model/plugin.h"
RECORD = "tests/plugin/interface.txt"
NUMBER = re.compile(r"kPluginInterface = (\d+);")
TOKENS = re.compile(r"""//[^\n]*|/\*.*?\*/|R"([^()\\ ]*)\(.*?\)\1"|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])'""", re.S)


def without_comments(text):
    """Returns the text without comments, with each run of whitespace replaced by one space."""
    kept = TOKENS.sub(lambda match: " " if match[0].startswith(("//", "/*")) else match[0], text)
    return " ".join(kept.split())


def installed_headers():
    """Returns the headers of all parts, as cmake/install.cmake installs them."""
    folders = re.findall(r"^lvtext_part\(\w+ FOLDER (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M)
    headers = {header for folder in folders for header in (ROOT / folder).rglob("*.h")}
    return sorted(headers, key=lambda header: header.relative_to(ROOT).as_posix())


def hash_of_headers():
    hashed = hashlib.sha256()
    for header in installed_headers():
        text = header.read_text()
        if header == HEADER:
            text = NUMBER.sub("", text)  # the number is recorded separately
        hashed.update(f"{header.relative_to(ROOT).as_posix()}\n{without_comments(text)}\n".encode())
    return hashed.hexdigest()


def record_of_main():
    """Returns (number, hash) of the branch main; None if there is no such branch or file."""
    for branch in ("origin/main", "main"):
        shown = subprocess.run(["git", "-C", str(ROOT), "show", f"{branch}:{RECORD}"],
                               capture_output=True, text=True, check=False)
        if shown.returncode == 0:
            return parse(shown.stdout)
    return None


def parse(text):
    number, found = text.split()
    return int(number), found


def problem(number, found):
    """Returns an error message if the number does not match the headers, else an empty string."""
    main = record_of_main()
    if main and main[1] != found and number <= main[0]:
        return (f"the installed headers differ from those of the branch main, whose plug-in interface is "
                f"{main[0]}: set kPluginInterface in framework/core/model/plugin.h to {main[0] + 1}")
    return ""


def main():
    if sys.argv[1:] not in ([], ["--update"]):
        sys.exit(__doc__)
    number = int(NUMBER.search(HEADER.read_text())[1])
    found = hash_of_headers()
    record = ROOT / RECORD
    wrong = problem(number, found)
    if wrong:
        sys.exit(f"{wrong}, then run scripts/plugin_interface.py --update")
    if sys.argv[1:]:
        record.write_text(f"{number} {found}\n")
        return
    if parse(record.read_text()) != (number, found):
        sys.exit(f"{RECORD} does not match the installed headers and kPluginInterface = {number}: "
                 "run scripts/plugin_interface.py --update")


if __name__ == "__main__":
    main()
