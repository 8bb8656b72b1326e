#include "framework/pipeline/rating/sheet_form.h"

#include <nlohmann/json.hpp>

#include "framework/core/base/hash.h"
#include "framework/pipeline/report/escape.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--soft:#59636e;--rule:#8c959f;--band:#f5f7f9;
--mark:#0b62c4}
@media(prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e6e9ec;--soft:#9aa5b1;--rule:#6b7580;
--band:#1c2024;--mark:#6cb2ff}}
body{margin:0 auto;max-width:760px;padding:1rem;background:var(--bg);color:var(--fg);
font:18px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.3rem}h2{font-size:.9rem;margin:0;color:var(--soft);font-weight:600}
.text{background:var(--band);padding:.8rem 1rem;margin:.2rem 0 1rem;font-size:1.25rem;
min-height:1.5em;white-space:pre-wrap}
fieldset{border:2px solid var(--rule);border-radius:6px;margin:0 0 1rem;padding:.4rem 1rem .8rem}
fieldset.now{border-color:var(--mark)}legend{font-weight:600;padding:0 .4rem}
.scale{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem}.scale label{padding:.2rem 0}
.meaning,.hint{color:var(--soft);font-size:.9rem}kbd{border:1px solid var(--rule);border-radius:3px;
padding:0 .3em;font-size:.85em}input,button{font:inherit}input[type=text]{width:100%;
box-sizing:border-box;padding:.3rem}input[type=radio]{width:1.1em;height:1.1em}
nav{display:flex;flex-wrap:wrap;gap:.6rem;margin:1rem 0}button{padding:.3rem .9rem}
progress{width:100%}:focus-visible{outline:3px solid var(--mark);outline-offset:2px}
)";

// Answers of one rater: {item id: {values: {aspect: number}, comment: text}}.
constexpr const char* kScript = R"(
'use strict';
const sheet = JSON.parse(document.getElementById('sheet').textContent);
const $ = id => document.getElementById(id);
const aspects = sheet.aspects, items = sheet.items;
let rater = '', at = 0, now = 0, answers = {};

function kept(key, value) {  // local storage; some browsers refuse it to pages from disk
  try {
    const name = 'lvtext-rating:' + sheet.id + ':' + key;
    if (value === undefined) return localStorage.getItem(name);
    localStorage.setItem(name, value);
  } catch (refused) {
    $('storage').hidden = false;
  }
  return null;
}
const answer = i => answers[items[i][0]] || {values: {}, comment: ''};
const missing = i => aspects.filter(a => !(a.id in answer(i).values));
const done = () => items.filter((item, i) => missing(i).length === 0).length;

function change(i, edit) {
  const mine = answer(i);
  edit(mine);
  answers[items[i][0]] = mine;
  kept('answers:' + rater, JSON.stringify(answers));
}
function go(i) {
  at = Math.max(0, Math.min(items.length - 1, i));
  const open = missing(at);
  now = open.length ? aspects.indexOf(open[0]) : 0;
  kept('at:' + rater, String(at));
  show();
}
function nextOpen() {
  for (let step = 1; step <= items.length; ++step) {
    const i = (at + step) % items.length;
    if (missing(i).length) return go(i);
  }
  say('Every item is rated. Download your answers.');
}
function rate(aspect, value) {
  change(at, mine => { mine.values[aspect.id] = value; });
  now = aspects.indexOf(aspect) + 1;
  say('');
  if (now < aspects.length) return show();
  if (at + 1 < items.length) return go(at + 1);
  now = 0;
  show();
  nextOpen();
}
function say(text) { $('message').textContent = text; }

function show() {
  $('rating').disabled = rater === '';
  sheet.shown.forEach((column, i) => { $('text-' + column).textContent = items[at][i + 1] || '(no text)'; });
  aspects.forEach((aspect, i) => {
    $('aspect-' + aspect.id).classList.toggle('now', i === now && rater !== '');
    document.getElementsByName(aspect.id).forEach(radio => {
      radio.checked = answer(at).values[aspect.id] === Number(radio.value);
    });
  });
  $('comment').value = answer(at).comment;
  $('progress').value = done();
  $('count').textContent = 'Item ' + (at + 1) + ' of ' + items.length + ', ' + done() + ' rated';
}
function enter(name) {
  rater = name.trim();
  kept('rater', rater);
  answers = JSON.parse((rater && kept('answers:' + rater)) || '{}');
  go(Number((rater && kept('at:' + rater)) || 0));
}

// A spreadsheet would compute what begins like a formula; the import takes the ' off again.
function csvField(text) {
  if (/^[=+\-@\t\r]/.test(text)) text = "'" + text;
  return /[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
}
function csv() {
  const rows = [['item_id', 'rater_id', ...aspects.map(a => a.id), 'comment']];
  items.forEach((item, i) => {
    if (missing(i).length) return;
    rows.push([item[0], rater, ...aspects.map(a => String(answer(i).values[a.id])), answer(i).comment]);
  });
  return rows.map(row => row.map(csvField).join(',') + '\n').join('');
}
function download() {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([csv()], {type: 'text/csv'}));
  link.download = sheet.kind + '-' + rater.replace(/[^A-Za-z0-9_-]+/g, '_') + '.csv';
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  const left = items.length - done();
  say(done() + ' ratings written to ' + link.download + (left ? '; ' + left + ' items are still open.' : '.'));
}

document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.altKey || event.metaKey || rater === '') return;
  const typing = event.target.type === 'text';
  if (typing) {
    if (event.key === 'Escape' || event.key === 'Enter') event.target.blur();
    return;
  }
  if (event.target.tagName === 'BUTTON' && (event.key === 'Enter' || event.key === ' ')) return;
  const value = Number(event.key), aspect = aspects[now];
  if (/^[0-9]$/.test(event.key) && value >= aspect.lowest && value <= aspect.highest) rate(aspect, value);
  else if (event.key === 'Enter') go(at + 1);
  else if (event.key === 'Backspace') go(at - 1);
  else if (event.key === 'n') nextOpen();
  else if (event.key === 'c') $('comment').focus();
  else return;
  event.preventDefault();
});
aspects.forEach(aspect => document.getElementsByName(aspect.id).forEach(radio =>
  radio.addEventListener('change', () => rate(aspect, Number(radio.value)))));
$('rater').addEventListener('change', event => enter(event.target.value));
$('comment').addEventListener('change', event => change(at, mine => { mine.comment = event.target.value; }));
$('back').addEventListener('click', () => go(at - 1));
$('next').addEventListener('click', () => go(at + 1));
$('open').addEventListener('click', nextOpen);
$('save').addEventListener('click', download);
$('progress').max = items.length;
$('rater').value = kept('rater') || '';
enter($('rater').value);
)";

// Invalid UTF-8, which a byte-level tokenizer can give, becomes U+FFFD; "<" could end the script.
std::string embedded(const Json& json) {
  std::string out;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

Json sheet_json(const Sheet& sheet) {
  Json aspects = Json::array();
  for (const Aspect& aspect : sheet.kind.aspects) {
    aspects.push_back({{"id", aspect.id}, {"lowest", aspect.lowest}, {"highest", aspect.highest}});
  }
  Json items = Json::array();
  for (const RatedItem& item : sheet.items) {
    Json entry = Json::array({item.id});
    for (const std::string& text : item.texts) entry.push_back(text);
    items.push_back(entry);
  }
  const std::string id = sha256(items.dump(-1, ' ', false, Json::error_handler_t::replace));
  return {{"id", id.substr(0, 12)},
          {"kind", sheet.kind.name},
          {"shown", sheet.kind.shown},
          {"aspects", aspects},
          {"items", items}};
}

std::string aspect_fields(const Aspect& aspect) {
  std::string out = "<fieldset id=\"aspect-" + aspect.id + "\"><legend>" +
                    escape_html(aspect.question) + "</legend>\n<div class=\"scale\">";
  for (int value = aspect.lowest; value <= aspect.highest; ++value) {
    const std::string number = std::to_string(value);
    std::string meaning;
    for (const auto& [anchor, text] : aspect.anchors) {
      if (anchor == value) meaning = " <span class=\"meaning\">" + escape_html(text) + "</span>";
    }
    out += "<label><input type=\"radio\" name=\"" + aspect.id + "\" value=\"" + number + "\"> " +
           number + meaning + "</label>\n";
  }
  return out + "</div></fieldset>\n";
}

std::string instructions(const SheetKind& kind) {
  std::string out =
      "<details open><summary>What to do</summary>\n<p>Read the text and answer each "
      "question with a number. Judge each item for itself; go with your first "
      "impression.</p>\n<p class=\"hint\">Keys: ";
  const Aspect& first = kind.aspects.front();
  out += "<kbd>" + std::to_string(first.lowest) + "</kbd> to <kbd>" +
         std::to_string(first.highest) +
         "</kbd> answer the marked question, <kbd>Enter</kbd> goes "
         "on, <kbd>Backspace</kbd> goes back, <kbd>n</kbd> finds the next open item, <kbd>c</kbd> "
         "is for a comment (<kbd>Esc</kbd> leaves it). An answer can be changed by going back. "
         "Your answers are kept in this browser until you download them.</p>\n</details>\n";
  return out;
}

}  // namespace

std::string sheet_form(const Sheet& sheet) {
  const SheetKind& kind = sheet.kind;
  std::string out =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'; form-action 'none'\">\n"
      "<title>Rating: " +
      escape_html(kind.name) + "</title>\n<style>" + kStyle +
      "</style>\n</head>\n<body>\n<main>\n<h1>Rating: " + escape_html(kind.name) + "</h1>\n" +
      instructions(kind) +
      "<p><label>Your name or number (it stands in the answers; enter it first)"
      "<input id=\"rater\" type=\"text\" autocomplete=\"off\"></label></p>\n"
      "<p id=\"storage\" role=\"alert\" hidden>This browser does not keep your progress: download "
      "your answers before you close the page.</p>\n"
      "<p><progress id=\"progress\" value=\"0\" aria-label=\"items rated\"></progress>\n"
      "<span id=\"count\" role=\"status\"></span></p>\n";
  for (const std::string& column : kind.shown) {
    out += "<h2>" + escape_html(column) + "</h2>\n<p class=\"text\" id=\"text-" + column +
           "\" aria-live=\"polite\"></p>\n";
  }
  out +=
      "<fieldset id=\"rating\" style=\"border:0;padding:0\" disabled>\n"
      "<legend class=\"hint\">Your answers</legend>\n";
  for (const Aspect& aspect : kind.aspects) out += aspect_fields(aspect);
  out +=
      "<p><label>Comment (optional)<input id=\"comment\" type=\"text\" autocomplete=\"off\">"
      "</label></p>\n<nav aria-label=\"items\">\n"
      "<button type=\"button\" id=\"back\">Back</button>\n"
      "<button type=\"button\" id=\"next\">Next</button>\n"
      "<button type=\"button\" id=\"open\">Next open item</button>\n"
      "<button type=\"button\" id=\"save\">Download answers (CSV)</button>\n</nav>\n"
      "</fieldset>\n<p id=\"message\" role=\"status\"></p>\n</main>\n"
      "<noscript><p>This page needs JavaScript. Fill in sheet.csv or sheet.tsv instead.</p>"
      "</noscript>\n<script type=\"application/json\" id=\"sheet\">";
  return out + embedded(sheet_json(sheet)) + "</script>\n<script>" + kScript +
         "</script>\n</body>\n</html>\n";
}

}  // namespace lvtext
