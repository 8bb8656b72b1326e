// Checks a report in a browser: render.sh appends this to a copy of the page, shown in a frame.
// Posts the problems to the parent of the frame, one per line, followed by "looked".
(() => {
  const complaints = [...(window.failures || [])];
  const expect = (holds, what) => holds || complaints.push(what);
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
  const wanted = JSON.parse(document.currentScript.dataset.wanted);

  // Required content.
  expect(window.innerWidth === wanted.width, `the window is ${window.innerWidth} wide`);
  expect(document.title.includes('('), 'no title with recipe and profile');
  expect(all('h1').length === 1, 'not one h1');
  const headings = all('h2').map((each) => each.textContent);
  for (const each of wanted.headings) expect(headings.includes(each), `no part '${each}'`);
  const terms = all('main > dl:first-of-type dt').map((each) => each.textContent);
  for (const each of wanted.header) expect(terms.includes(each), `no term '${each}'`);
  const summary = all('p').find((each) => /cells computed/.test(each.textContent));
  expect(summary, 'no summary');
  const table = document.querySelector('table.scores');
  expect(table && all('tbody tr', table).length > 2, 'no rows of scores');
  expect(table && all('td.number', table).some((each) => /\d/.test(each.textContent)), 'no scores');
  expect(table && all('td.number', table).some((each) => /\[-?[\d.]+, -?[\d.]+\]/.test(each.innerText)),
    'no interval in a cell');
  expect(all('table.text td').length > 10, 'no samples');

  expect(!all('[src], link').length, 'the page needs other files');

  // The contents lead somewhere: to every section, and to files beside the page.
  const links = all('nav a').map((each) => each.getAttribute('href'));
  for (const each of all('main section')) expect(links.includes(`#${each.id}`), `no link to '${each.id}'`);
  for (const each of all('a[href^="#"]').map((link) => link.getAttribute('href').slice(1))) {
    expect(document.getElementById(each), `'#${each}' leads nowhere`);
  }
  for (const each of wanted.files) expect(links.includes(each), `no link to ${each}`);
  const order = all('main section').map((each) => each.id);
  expect(order.indexOf('what-differs-from-the-paper') < order.indexOf('training'),
    'differences from the paper stand after the curves');

  // Tables can be read: each has a caption and named lines, no two are equal, columns are defined.
  const bodies = all('table').map((each) => [...each.children].slice(1).map((part) => part.innerHTML).join());
  expect(new Set(bodies).size === bodies.length, 'two tables are equal');
  for (const each of all('table')) {
    const name = each.caption && each.caption.textContent;
    expect(name, `no caption: ${each.textContent.slice(0, 40)}`);
    expect(all('thead th:not([scope=col]), tbody th:not([scope=row])', each).length === 0, `${name}: th without scope`);
    expect(all('tbody th', each).length === all('tbody tr', each).length, `${name}: a line without a name`);
  }
  for (const each of all('table.scores')) {
    let next = each.parentElement;
    while (next && !(next.matches('dl.columns') || /^Columns as in/.test(next.textContent))) next = next.nextElementSibling;
    const columns = all('thead th:not(:first-child):not(.paper)', each).length;
    const defined = next && next.matches('dl') ? all('dt', next).length : columns;
    expect(next && defined >= columns, `${each.caption.textContent}: ${defined} of ${columns} columns are defined`);
  }

  // The first screen says what was run and what came out.
  expect(summary && summary.getBoundingClientRect().bottom < 900, 'the summary is below the fold');
  expect(table && table.getBoundingClientRect().top < 900, 'the table is below the fold');

  // Nothing is clipped or overlaps.
  const width = document.documentElement.scrollWidth;
  expect(width <= window.innerWidth, `the page is ${width} wide`);
  const cut = all('main *').find((each) => !each.closest('.scroll') && !each.closest('svg') &&
    each.getBoundingClientRect().right > window.innerWidth + 1);
  expect(!cut, `cut: ${cut && cut.textContent.slice(0, 40)}`);
  if (window.innerWidth >= 1400) {
    for (const each of all('.scroll')) {
      expect(each.scrollWidth <= each.clientWidth + 1, `a table is cut: ${each.textContent.slice(0, 40)}`);
    }
  }
  // A word stands on one line (generated text has words of any length), and no cell's text reaches into another cell.
  for (const node of all('th, td')) {
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      for (const word of walker.currentNode.data.matchAll(/\b\w{1,16}\b/g)) {
        const range = document.createRange();
        range.setStart(walker.currentNode, word.index);
        range.setEnd(walker.currentNode, word.index + word[0].length);
        const lines = new Set([...range.getClientRects()].map((each) => Math.round(each.top)));
        expect(lines.size <= 1, `the word '${word[0]}' is broken`);
      }
    }
  }
  for (const row of all('tr')) {
    const boxes = [...row.children].filter((each) => each.offsetWidth && getComputedStyle(each).position !== 'sticky');
    for (let i = 1; i < boxes.length; ++i) {
      const a = boxes[i - 1].getBoundingClientRect(), b = boxes[i].getBoundingClientRect();
      expect(a.right <= b.left + 1 || a.bottom <= b.top + 1, `a cell lies on '${boxes[i].textContent.slice(0, 40)}'`);
    }
  }
  for (const each of all('.scores th:first-child')) {
    expect(getComputedStyle(each).position === 'sticky', 'the names of lines scroll away');
  }
  const cells = all('.text td, .scores th, .scores td').filter((each) => each.scrollWidth > each.clientWidth + 1);
  expect(!cells.length, `a cell is cut: ${cells.length && cells[0].textContent.slice(0, 40)}`);
  for (const svg of all('main svg[role=img]')) {
    const name = svg.getAttribute('aria-label');
    const box = svg.viewBox.baseVal;
    const texts = all('text', svg);
    for (const text of texts) {
      if (text.getAttribute('transform')) continue;
      const at = text.getBBox();
      expect(at.x >= 0 && at.x + at.width <= box.width && at.y + at.height <= box.height,
        `${name}: '${text.textContent}' is cut`);
    }
    if (!svg.closest('.plots')) continue;
    const places = texts.map((each) => each.getBoundingClientRect());
    for (let i = 0; i < places.length; ++i) {
      for (let j = 0; j < i; ++j) {
        const a = places[i], b = places[j];
        const apart = a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 3 ||
          b.bottom <= a.top + 3;
        expect(apart, `${name}: '${texts[i].textContent}' overlaps '${texts[j].textContent}'`);
      }
    }
    // Curves have axes with ticks, names and units, and a legend.
    expect(all('.axis', svg).length > 2, `${name}: no axes`);
    expect(texts.filter((each) => /^[\d.e+-]+$/.test(each.textContent)).length >= 4, `${name}: no ticks`);
    expect(texts.some((each) => each.textContent === 'updates'), `${name}: no name of x`);
    expect(texts.some((each) => each.getAttribute('transform')), `${name}: no name of y`);
    expect(all('path.l', svg).length > 0, `${name}: no curve`);
  }
  expect(all('.plots svg').length > 0, 'no curves');
  if (wanted.units) {
    const named = all('.plots text[transform]').map((each) => each.textContent);
    expect(named.some((each) => / per (sentence|token)/.test(each)), `no units: ${named}`);
  }

  // Contrast of text and background (WCAG).
  const light = (color) => {
    const parts = color.match(/[\d.]+/g).slice(0, 3).map((each) => each / 255)
      .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const ground = light(getComputedStyle(document.body).backgroundColor);
  expect(wanted.dark ? ground < 0.1 : ground > 0.9, `the ground is ${wanted.dark ? 'light' : 'dark'}`);
  for (const selector of ['body', '.note', '.paper', '.fails', '.holds', 'svg text', 'footer']) {
    const element = document.querySelector(selector);
    if (!element) continue;
    const style = getComputedStyle(element);
    const letters = light(element instanceof SVGElement ? style.fill : style.color);
    const contrast = (Math.max(letters, ground) + 0.05) / (Math.min(letters, ground) + 0.05);
    expect(contrast >= 4.5, `${selector}: contrast ${contrast.toFixed(1)}`);
  }

  window.parent.postMessage([...complaints, 'looked'].join('\n'), '*');
})();
