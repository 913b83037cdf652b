// The frame: tabs, addresses, themes and keys.

const TABS = [
  ['summary', 'Summary', true],
  ['goals', 'Goals', true],
  ['tables', 'Tables', tables.length > 0],
  ['source', 'Source', sources.length > 0],
  ['tests', 'Tests', true],
  ['matrix', 'Matrix', goals.length > 0 && tests.length > 0],
  ['requirements', 'Requirements', requirements.length > 0],
  ['run', 'Run', raw.run !== null],
  ['compare', 'Comparison', raw.comparison !== null],
  ['graph', 'Dependencies', raw.graph !== ''],
];

const KEYS = [
  ['1 … 9', 'the views, in the order of the tabs'],
  ['/', 'search'],
  ['↑ ↓ Enter', 'choose and open a row'],
  ['[ ] or p n', 'test or goal before, next'],
  ['← →', 'choose a state of a test, or a cell'],
  ['+ − 0', 'zoom in, out, all'],
  ['t', 'dark or light'],
  ['? Esc', 'this help, and away; Esc also leaves a goal or a search'],
];

function go(hash) {
  if (location.hash === hash) show();
  else location.hash = hash;
}

// Draws again whatever took its colours from the old theme, as long as it is shown.
const themed = new Map();
function onTheme(element, draw) {
  // Views that are gone need not be kept.
  [...themed.keys()].filter((old) => !old.isConnected).forEach((old) => themed.delete(old));
  themed.set(element, draw);
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  // Files opened from a disk may not be allowed to remember.
  try {
    localStorage.setItem('trapline-theme', theme);
  } catch {
    return redraw();
  }
  return redraw();
}

function redraw() {
  colours.clear();
  for (const [element, draw] of themed) {
    if (element.isConnected) draw();
    else themed.delete(element);
  }
}

function rememberedTheme() {
  try {
    const theme = localStorage.getItem('trapline-theme');
    if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme;
  } catch {
    // Then it is what the system says.
  }
}

const main = h('main', { id: 'main', tabindex: '-1' });
const help = h(
  'dialog',
  { id: 'help', 'aria-label': 'keys' },
  heading(2, 'Keys'),
  h(
    'dl',
    { class: 'facts' },
    KEYS.map(([key, what]) => [h('dt', null, h('kbd', null, key)), h('dd', null, what)]),
  ),
  h('button', { type: 'button', onclick: () => help.close() }, 'Close'),
);
const tabs = new Map();

function frame() {
  const shown = TABS.filter(([, , isThere]) => isThere);
  shown.forEach(([name, title]) => tabs.set(name, h('a', { href: `#${name}` }, title)));
  const counts = countsOf(goals);
  append(document.getElementById('app'), [
    h(
      'a',
      {
        class: 'skip',
        href: '#main',
        onclick: (event) => {
          event.preventDefault();
          main.focus();
        },
      },
      'Skip to the content',
    ),
    h(
      'header',
      null,
      h(
        'div',
        { class: 'bartop' },
        h('span', { class: 'model', title: raw.model.path }, raw.model.path),
        h('span', { class: 'pill' }, scoreText(counts)),
        h('span', { class: 'grow' }),
        h(
          'button',
          {
            type: 'button',
            id: 'theme',
            title: 'dark or light (t)',
            'aria-label': 'switch between dark and light',
            onclick: () => setTheme(isDark() ? 'light' : 'dark'),
          },
          '◐',
        ),
        h(
          'button',
          {
            type: 'button',
            title: 'keys (?)',
            'aria-label': 'keys',
            onclick: () => help.showModal(),
          },
          '?',
        ),
      ),
      h('nav', { 'aria-label': 'views' }, [...tabs.values()]),
    ),
    main,
    help,
  ]);
}

// What an address shows: the tab, the title, and what makes the view.
function route(hash) {
  const [name, ...rest] = hash
    .replace(/^#/, '')
    .split('/')
    .map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    });
  const number = (text, least, most) =>
    Math.max(least, Math.min(most, Math.floor(Number(text)) || least));
  if (name === 'goal' && goalAddresses.find(rest[0])) {
    const goal = goalAddresses.find(rest[0]);
    return ['goals', goal.id, () => goalsView(goal)];
  }
  if (name === 'test' && testAddresses.find(rest[0])) {
    const test = testAddresses.find(rest[0]);
    const state = rest[1] === undefined ? undefined : number(rest[1], 0, test.nStates - 1);
    return ['tests', test.name, () => testView(test, state)];
  }
  if (name === 'verdict' && runAddresses.find(rest[0])) {
    const one = runAddresses.find(rest[0]);
    return ['run', one.name, () => verdictView(one)];
  }
  if (name === 'run' && raw.run) {
    const wanted = new URLSearchParams(hash.split('/')[1] ?? '');
    if (hash.includes('/')) Object.keys(runFilters).forEach((key) => (runFilters[key] = wanted.get(key) ?? ''));
    return ['run', 'Run', runView];
  }
  if (name === 'goals') {
    new URLSearchParams(hash.split('/')[1] ?? '').forEach(
      (value, key) => Object.hasOwn(filters, key) && (filters[key] = value),
    );
    if (hash.includes('/'))
      Object.keys(filters).forEach(
        (key) => new URLSearchParams(hash.split('/')[1]).has(key) || (filters[key] = ''),
      );
    return ['goals', 'Goals', () => goalsView(null)];
  }
  if (name === 'tables' && tables.length > 0)
    return ['tables', 'Tables', () => tablesView(cellAt(rest))];
  if (name === 'source' && sources.length > 0) {
    const file = number(rest[1], 0, sources.length - 1);
    return [
      'source',
      'Source',
      () => sourceView(file, number(rest[0] ?? firstMarked(file), 1, sources[file].lines.length)),
    ];
  }
  const views = {
    tests: testsView,
    matrix: matrixView,
    requirements: requirementsView,
    compare: compareView,
    graph: graphView,
  };
  if (tabs.has(name) && views[name])
    return [name, TABS.find(([tab]) => tab === name)[1], views[name]];
  return ['summary', 'Summary', summaryView];
}

// The first line with a goal that is missing, or else with a decision, or else with any goal.
function firstMarked(file) {
  const lines = [...goalsOfLines()[file]].sort(([a], [b]) => a - b);
  const has = (test) => lines.find(([, list]) => list.some(test));
  const isMissing = (goal) =>
    isProperty(goal)
      ? goal.property === VIOLATED
      : goal.verdict === NOT_COVERED || goal.verdict === UNKNOWN;
  return (has(isMissing) ?? has((goal) => goal.pair) ?? lines[0] ?? [1])[0];
}

// What takes keys of its own, and so gets them first.
const KEYED = '.wave, .long, .view-matrix .grid, .graph';

let shownTab = null;
let isSearchWanted = false;
function show() {
  const [tab, title, view] = route(location.hash);
  tabs.forEach((element, name) =>
    name === tab
      ? element.setAttribute('aria-current', 'page')
      : element.removeAttribute('aria-current'),
  );
  document.title = `${title} · ${raw.model.path} · test report`;
  main.replaceChildren();
  main.className = `view-${tab}`;
  append(main, [view()]);
  if (shownTab !== null && shownTab !== tab) window.scrollTo(0, 0);
  if (isSearchWanted) document.getElementById('search')?.focus();
  else if (shownTab !== null) setTimeout(() => main.querySelector(KEYED)?.focus({ preventScroll: true }));
  isSearchWanted = false;
  shownTab = tab;
  // In a narrow window there may be no room for all tabs.
  tabs.get(tab).scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

// The test or goal before or after the one that is shown.
function turn(step) {
  const hash = location.hash;
  if (hash.startsWith('#test/')) {
    const test = testAddresses.find(decodeURIComponent(hash.split('/')[1]));
    if (test && tests[test.idx + step]) go(links.test(tests[test.idx + step]));
  } else if (hash.startsWith('#verdict/')) {
    const list = filteredRuns();
    const at = list.indexOf(runAddresses.find(decodeURIComponent(hash.split('/')[1])));
    if (at >= 0 && list[at + step]) go(links.verdict(list[at + step]));
  } else if (hash.startsWith('#goal/')) {
    const list = filteredGoals();
    const at = list.indexOf(goalAddresses.find(decodeURIComponent(hash.split('/')[1])));
    if (at >= 0 && list[at + step]) go(links.goal(list[at + step]));
  }
}

// Keys in a field: out of it, and from a search to what was found.
function onTyping(event) {
  const isSearch = event.target.id === 'search';
  if (event.key === 'Escape') event.target.blur();
  else if (isSearch && (event.key === 'Enter' || event.key === 'ArrowDown')) {
    main.querySelector(KEYED)?.focus();
    event.preventDefault();
  }
}

// Where nothing is chosen yet, what takes keys takes them too.
function pass(event) {
  const keyed = main.querySelector(KEYED);
  if (!keyed || help.open || (event.target !== document.body && event.target !== main)) return;
  const { key } = event;
  if (keyed.dispatchEvent(new KeyboardEvent('keydown', { key, cancelable: true }))) return;
  keyed.focus({ preventScroll: true });
  event.preventDefault();
}

function search() {
  const field = document.getElementById('search');
  isSearchWanted = !field;
  if (field) field.focus();
  else go('#goals');
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return onTyping(event);
  const nth = [...tabs.keys()][Number(event.key) - 1];
  const turns = { '[': -1, p: -1, ']': 1, n: 1 };
  if (event.key === '/') search();
  else if (event.key === '?') help.showModal();
  else if (event.key === 'Escape' && !help.open && location.hash.startsWith('#goal/'))
    go(links.goals(filters));
  else if (event.key === 'Escape' && !help.open && location.hash.startsWith('#tables/'))
    go('#tables');
  else if (event.key === 'Escape' && !help.open && location.hash.startsWith('#verdict/'))
    go(links.run(runFilters));
  else if (event.key === 't') document.getElementById('theme').click();
  else if (event.key in turns) turn(turns[event.key]);
  else if (nth) go(`#${nth}`);
  else return pass(event);
  return event.preventDefault();
});

rememberedTheme();
frame();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
window.addEventListener('hashchange', show);
show();
