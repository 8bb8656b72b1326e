#!/usr/bin/env bash
# Renders a report in headless Chromium, wide and narrow, light and dark, and checks it (page.js).
# usage: render.sh LVTEXT SOURCES [FOLDER]
# With FOLDER, screenshots of the first screen are written there: WIDTH-light.png, WIDTH-dark.png.
# REPORT=FILE checks that page instead of a new report. Exits with 77 (skipped, for ctest) if
# Chromium is not installed (scripts/setup.sh --long).
set -euo pipefail
lvtext="$(realpath "$1")"
sources="$(realpath "$2")"
pictures="${3:+$(realpath -m "$3")}"
page="${REPORT:+$(realpath "$REPORT")}"
for browser in chromium chromium-browser google-chrome; do
  command -v "$browser" >/dev/null && break
  browser=""
done
if [ -z "$browser" ]; then
  echo "skipped: Chromium is not installed (scripts/setup.sh --long installs it)"
  exit 77
fi
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
export LVTEXT_OUT="$scratch/runs" HOME="$scratch"
unset LVTEXT_DATA_MIRROR LVTEXT_TRACE
cd "$scratch"

if [ -z "$page" ]; then
  "$lvtext" reproduce "$sources/recipes/eval-all/table1.yaml" --profile smoke --workers 1 \
    --rows lm,vae_dw050,arae,ae_sph_010 --report page train.log_every=2u >made.txt 2>&1 || { cat made.txt; exit 1; }
  page="$scratch/page/index.html"
fi

# frame WIDTH HEIGHT FILE: writes a page that shows FILE in a frame of that size, because browser
# windows have a minimum width. Messages of the framed page are written to <pre>.
frame() {
  echo "<!doctype html><body style='margin:0'><iframe src='file://$3' \
style='border:0;width:$1px;height:$2px'></iframe><pre hidden></pre><script>
addEventListener('message', e => document.querySelector('pre').textContent = '\\n' + e.data + '\\n');
</script></body>"
}

# browse WIDTH HEIGHT SCHEME FLAGS... PAGE
browse() {
  local width="$1" height="$2" scheme="$3"
  shift 3
  timeout 60 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run \
    --user-data-dir="$scratch/profile" --window-size="$width,$height" \
    --blink-settings=preferredColorScheme="$([ "$scheme" = dark ] && echo 0 || echo 1)" \
    --enable-logging=stderr --log-level=0 "$@" 2>"$scratch/log"
}

failures=0
fail() {
  failures=$((failures + 1))
  echo "FAILED $1"
}

for width in 1400 420; do
  for scheme in light dark; do
    wanted='{"width":'$width',"dark":'$([ "$scheme" = dark ] && echo true || echo false)',"units":true,
      "header":["paper","profile","data","trained for","device","seed"],
      "headings":["Table","Checks","What differs from the paper","Training","All scores","Samples",
                  "Data and training"],
      "files":["table.csv","table.json","checks.json","figure1-seed1.svg","neighbors.csv"]}'
    # What goes wrong while the page loads is seen only by a handler that stands before it.
    { sed "s|<head>|<head><script>window.failures = [];\
window.addEventListener('error', e => failures.push('script error: ' + e.message));</script>|" "$page"
      printf "<script data-wanted='%s'>\n" "$wanted"
      cat "$sources/tests/report/page.js"
      echo '</script>'; } >looked.html
    frame "$width" 900 "$scratch/looked.html" >frame.html
    browse "$width" 900 "$scheme" --dump-dom "file://$scratch/frame.html" >dom.html || fail "$browser: exit code $?"
    sed -n '/<pre hidden="">$/,/^looked$/p' dom.html | sed '1d; /^$/d' >said.txt
    [ "$(tail -n 1 said.txt)" = looked ] || fail "$width $scheme: incomplete checks"
    sed -i '$d' said.txt
    while IFS= read -r complaint; do fail "$width $scheme: $complaint"; done <said.txt
    while IFS= read -r line; do fail "$width $scheme: $line"; done < <(grep -F CONSOLE log || true)
    if [ -n "$pictures" ]; then
      mkdir -p "$pictures"
      frame "$width" 1400 "$page" >frame.html
      browse "$width" 1400 "$scheme" --screenshot="$pictures/$width-$scheme.png" \
        "file://$scratch/frame.html" >/dev/null
    fi
  done
done
echo "4 views, $failures failures"
[ "$failures" -eq 0 ]
