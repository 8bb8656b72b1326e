# Extracts the fenced blocks of Markdown pages into files: awk -v folder=DIR -f blocks.awk PAGE...
# A comment on the line above a block specifies how it is checked:
#   <!-- quote: FILE -->         FILE contains the block, contiguously
#   <!-- output: ARGUMENTS -->   the block is the output of `lvtext ARGUMENTS`
#   <!-- recipe -->              the block is a recipe, or keys that override recipes/quickstart
# Prints a line for each block: its file, language, kind, location and argument, separated by tabs.
FNR == 1 { inside = 0; kind = "-"; argument = "" }
/^```/ {
  if (inside) {
    inside = 0
    close(file)
    printf "%s\t%s\t%s\t%s:%d\t%s\n", file, language, kind, FILENAME, first, argument
    kind = "-"; argument = ""
  } else {
    inside = 1
    language = substr($0, 4)
    if (language == "") language = "-"
    file = folder "/block" (++count)
    printf "" > file
    first = FNR
  }
  next
}
inside { print > file; next }
/^<!-- (quote|output|recipe).*-->$/ {
  text = substr($0, 6, length($0) - 9)
  kind = text; sub(/:.*/, "", kind)
  argument = text; if (!sub(/^[a-z]+: */, "", argument)) argument = ""
  next
}
{ kind = "-"; argument = "" }
