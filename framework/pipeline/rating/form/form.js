// Answers of one rater: {item id: {values: {aspect: number}, comment: text}}.
'use strict';
const sheet = JSON.parse(document.getElementById('sheet').textContent);
const $ = id => document.getElementById(id);
const aspects = sheet.aspects, items = sheet.items;
let rater = '', at = 0, now = 0, answers = {};

function kept(key, value) {  // local storage; some browsers disable it for local files
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
  say('All items are rated. Download your answers.');
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
  sheet.shown.forEach((column, i) => {
    const element = $('text-' + column), text = items[at][i + 1];
    if (element.tagName === 'IMG') element.src = sheet.pictures[text];
    else element.textContent = text || '(no text)';
  });
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

// Spreadsheets evaluate fields that start like a formula; the import removes the ' again.
function csvField(text) {
  if (/^[=+\-@\t\r]/.test(text)) text = "'" + text;
  return /[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
}
function answerText(aspect, value) {
  return aspect.choices.length ? aspect.choices[value - aspect.lowest] : String(value);
}
function csv() {
  const rows = [['item_id', 'rater_id', ...aspects.map(a => a.id), 'comment']];
  items.forEach((item, i) => {
    if (missing(i).length) return;
    rows.push([item[0], rater, ...aspects.map(a => answerText(a, answer(i).values[a.id])), answer(i).comment]);
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
  say(done() + ' ratings written to ' + link.download + (left ? '; ' + left + ' items are not rated yet.' : '.'));
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
document.querySelectorAll('img.picture').forEach(image => image.addEventListener('load', () => {
  image.width = 2 * image.naturalWidth;
  image.alt = 'picture of item ' + (at + 1);
}));
$('progress').max = items.length;
$('rater').value = kept('rater') || '';
enter($('rater').value);
