#!/usr/bin/env python3
"""Compares the installed headers with the number of the plug-in interface.

usage: plugin_interface.py [--update]

tests/plugin/interface.txt holds kPluginInterface (framework/core/model/plugin.h) and a hash of all headers
that are installed, without comments and blanks. The ctest entry plugin_interface fails where the
headers have another hash, or where the hash differs from that of the branch main (origin/main where
there is one) and the number does not. Then raise kPluginInterface and run this with --update, which
writes the file.
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
    """The text without comments, each run of blanks as one blank."""
    kept = TOKENS.sub(lambda match: " " if match[0].startswith(("//", "/*")) else match[0], text)
    return " ".join(kept.split())


def installed_headers():
    """The headers of all parts, as cmake/install.cmake installs them."""
    folders = re.findall(r"^lvtext_part\(\w+ FOLDER (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M)
    headers = {header for folder in folders for header in (ROOT / folder).rglob("*.h")}
    return sorted(headers, key=lambda header: header.relative_to(ROOT).as_posix())


def hash_of_headers():
    hashed = hashlib.sha256()
    for header in installed_headers():
        text = header.read_text()
        if header == HEADER:
            text = NUMBER.sub("", text)  # the number is recorded beside the hash
        hashed.update(f"{header.relative_to(ROOT).as_posix()}\n{without_comments(text)}\n".encode())
    return hashed.hexdigest()


def record_of_main():
    """(number, hash) of the branch main; none where there is no such branch or file."""
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
    """Why the number does not fit the headers; empty if it does."""
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
        sys.exit(f"{RECORD} is not that of the installed headers and of kPluginInterface = {number}: "
                 "run scripts/plugin_interface.py --update")


if __name__ == "__main__":
    main()
