// Making elements. Data only ever becomes text nodes and attributes that can't run.

const SAFE =
  /^(class|id|href|type|for|title|value|placeholder|tabindex|role|scope|colspan|hidden|width|height|open|lang|aria-[a-z]+|data-[a-z]+)$/;

// An element; children may be elements, texts, lists, or nothing.
function h(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on') && typeof value === 'function') {
      element.addEventListener(key.slice(2), value);
    } else if (key === 'style') {
      Object.entries(value).forEach(([name, text]) => element.style.setProperty(name, text));
    } else if (SAFE.test(key) && (key !== 'href' || String(value).startsWith('#'))) {
      element.setAttribute(key, value === true ? '' : value);
    } else {
      throw new Error(`no attribute ${key} here`);
    }
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(shown(String(child))));
  }
}

// Characters that change the order of the text around them would let names lie.
function shown(text) {
  return text.replace(
    /[\u202a-\u202e\u2066-\u2069\u200e\u200f]/g,
    (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase()}⟩`,
  );
}

function link(href, ...children) {
  return h('a', { href }, ...children);
}

function badge(goal) {
  const { name, css, sign } = verdictOf(goal);
  return h(
    'span',
    { class: `badge ${css}` },
    h('span', { 'aria-hidden': 'true' }, sign),
    h('span', { class: 'word' }, ` ${name}`),
  );
}

// A bar of four parts, with the same in words.
function bar(counts) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const words = counts.map((count, idx) => `${count} ${VERDICTS[idx].name}`).join(', ');
  const order = [COVERED, UNKNOWN, NOT_COVERED, INFEASIBLE];
  const parts = order.map(
    (idx) =>
      counts[idx] > 0 &&
      h('span', {
        class: `part ${VERDICTS[idx].css}`,
        style: { 'flex-grow': String(counts[idx]) },
      }),
  );
  return h(
    'span',
    { class: 'bar', role: 'img', 'aria-label': words, title: words },
    total > 0 && parts,
  );
}

function heading(level, text, ...after) {
  return h(`h${level}`, null, text, ...after);
}

// A table of few rows; each column is [title, how a row shows it, class].
function smallTable(label, columns, rows) {
  return h(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label },
    h(
      'table',
      { 'aria-label': label },
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          columns.map(([title, , css]) => h('th', { scope: 'col', class: css }, title)),
        ),
      ),
      h(
        'tbody',
        null,
        rows.map((row) =>
          h(
            'tr',
            null,
            columns.map(([, show, css]) => h('td', { class: css }, show(row))),
          ),
        ),
      ),
    ),
  );
}

function placeText(place) {
  if (!place) return '–';
  const [file, line] = place;
  return file === 0 ? `line ${line}` : `${sources[file].path}:${line}`;
}

function placeLink(place) {
  return place ? link(links.source(place[0], place[1]), placeText(place)) : '–';
}

// The links to the tests that reach a goal, the first ones at once and the others when wanted.
function testLinks(goal) {
  const hits = [];
  eachHit(goal, (test, state) => hits.push([test, state]));
  const total = goal.pair ? 0 : goal.nTests;
  const FIRST = 40;
  const one = ([test, state]) =>
    h(
      'li',
      null,
      link(links.test(tests[test], state), tests[test].name, h('small', null, ` @${state}`)),
    );
  const list = h('ul', { class: 'chips' }, hits.slice(0, FIRST).map(one));
  if (hits.length > FIRST) {
    const button = h('button', { type: 'button' }, `all ${grouped(hits.length)}`);
    button.addEventListener('click', () => {
      list.replaceChildren();
      append(list, hits.map(one));
    });
    list.append(h('li', null, button));
  }
  if (total > hits.length)
    list.append(
      h('li', null, `and ${grouped(total - hits.length)} more that this page leaves out`),
    );
  return list;
}

// Canvases read their colours from the style sheet, once for each theme.
const colours = new Map();
function colour(name) {
  if (!colours.has(name)) {
    const style = getComputedStyle(document.documentElement);
    colours.set(name, style.getPropertyValue(`--${name}`).trim());
  }
  return colours.get(name);
}

// Makes a canvas as large as it is shown, in the pixels of the screen.
function fit(canvas, width, height) {
  const scale = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext('2d');
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

// Runs at most once a frame.
function everyFrame(draw) {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      draw();
    });
  };
}
