// What only some reports have: requirements, a run, a comparison; and the dependency graph.

function testsOfRequirement(requirement) {
  const found = new Set();
  requirement.goals.forEach((idx) => hitsOf(goals[idx]).forEach(([test]) => found.add(test)));
  return [...found].sort((a, b) => a - b);
}

function requirementsTable(list) {
  return smallTable(
    'requirements',
    [
      ['requirement', (one) => [h('strong', null, one.id), one.text !== '' && h('small', null, one.text)], 'wide'],
      ['place', (one) => link(links.source(one.file, one.line), placeText([one.file, one.line]))],
      ['', (one) => bar(countsOf(one.goals.map((idx) => goals[idx]))), 'barcell'],
      ['goals', (one) => (one.goals.length === 0 ? h('span', { class: 'badge open' }, 'none') : link(links.goals({ r: one.id }), `${countsOf(one.goals.map((idx) => goals[idx]))[COVERED]} of ${one.goals.length}`)), 'number'],
      ['tests', (one) => {
        const own = testsOfRequirement(one);
        return own.length === 0 ? h('span', { class: 'badge open' }, '✗ no test') : [own.slice(0, 8).map((test, at) => [at > 0 && ', ', link(links.test(tests[test]), tests[test].name)]), own.length > 8 && h('small', null, ` and ${grouped(own.length - 8)} more`)];
      }, 'wide'],
    ],
    list,
  );
}

function requirementsShort() {
  const shown = requirements.slice(0, 12);
  return [requirementsTable(shown), requirements.length > shown.length && h('p', null, link('#requirements', `All ${grouped(requirements.length)}`))];
}

function requirementsView() {
  const sets = new Map(requirements.map((one) => [one, new Set(testsOfRequirement(one))]));
  return [
    heading(1, 'Requirements'),
    requirementsTable(requirements.slice(0, 500)),
    heading(2, 'Requirements and tests'),
    grid({
      label: 'requirements and tests',
      rows: requirements,
      columns: tests,
      rowName: (one) => one.id,
      columnName: (test) => test.name,
      fill: (one, test) => (sets.get(one).has(test.idx) ? 'covered' : null),
      describe: (one, test) => [one.id, sets.get(one).has(test.idx) ? ' is tested by ' : ' is not tested by ', link(links.test(test), test.name)],
      onopen: (one, test) => go(links.test(test)),
    }),
  ];
}

function pairsText(list) {
  return list.map(([name, value]) => `${name} = ${value}`).join(', ') || '–';
}

function runDetails(one) {
  const fields = [
    ['state', one.step === null ? '–' : String(one.step)],
    ['expected', pairsText(one.expected)],
    ['observed', pairsText(one.observed)],
    ['also allowed', one.allowed.length > 1 ? one.allowed.map(pairsText).join('; or ') : null],
    ['message', one.message],
  ];
  return h('dl', { class: 'facts failed' }, fields.filter(([, value]) => value !== null).map(([name, value]) => [h('dt', null, name), h('dd', null, h('code', null, value))]));
}

function runView() {
  const { run } = raw;
  const table = longTable({
    label: 'run',
    columns: [
      { title: 'verdict', width: '9rem', show: runBadge },
      { title: 'test', width: 'minmax(0, 1fr)', show: (one) => (one.test === null ? one.name : link(links.test(tests[one.test], one.step ?? undefined), one.name)) },
      { title: 'state', width: '5rem', show: (one) => (one.step === null ? '–' : grouped(one.step)), css: 'number' },
      { title: 'expected', width: 'minmax(0, 2fr)', show: (one) => h('code', null, pairsText(one.expected)) },
      { title: 'observed', width: 'minmax(0, 2fr)', show: (one) => h('code', null, pairsText(one.observed)) },
      { title: 'message', width: 'minmax(0, 1fr)', show: (one) => one.message ?? '' },
    ],
    onopen: (one) => one.test !== null && go(links.test(tests[one.test], one.step ?? undefined)),
  });
  const rank = { fail: 0, error: 1, inconclusive: 2, pass: 3 };
  const list = [...run.tests].sort((a, b) => (rank[a.verdict] ?? 2) - (rank[b.verdict] ?? 2));
  setTimeout(() => table.fill(list));
  const kinds = [['passed', 'covered'], ['failed', 'open'], ['inconclusive', 'unknown'], ['errors', 'open']];
  return [
    heading(1, 'Run'),
    h('p', { class: 'quiet' }, h('code', null, run.path)),
    h('div', { class: 'tiles' }, kinds.map(([name, css]) => tile(grouped(run[name]), name, null, run[name] > 0 ? css : ''))),
    table.box,
  ];
}

function compareView() {
  const { suites, path } = raw.comparison;
  const cell = (suite, idx) => {
    const of = suites[idx].feasible;
    const share = of === 0 ? 1 : suite.reached[idx] / of;
    const title = `the suite of ${suite.name} reaches ${suite.reached[idx]} of ${of} goals of ${suites[idx].name}`;
    // Only all is 100, and the darkest.
    return h('td', { class: share === 1 ? 'heat all' : 'heat', title, style: { '--share': share.toFixed(3) } }, h('strong', null, String(Math.floor(share * 100))), h('small', null, `${grouped(suite.reached[idx])}/${grouped(of)}`));
  };
  return [
    heading(1, 'Comparison'),
    h('p', { class: 'quiet' }, 'Each row is the suite of a criterion; each column says how many percent of the feasible goals of a criterion it reaches. From ', h('code', null, path), '.'),
    h(
      'div',
      { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'comparison' },
      h(
        'table',
        { class: 'heatmap' },
        h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'suite'), h('th', { scope: 'col', class: 'number' }, 'tests'), h('th', { scope: 'col', class: 'number' }, 'steps'), suites.map(({ name }) => h('th', { scope: 'col', class: 'slanted' }, h('span', null, name))))),
        h('tbody', null, suites.map((suite) => h('tr', null, h('th', { scope: 'row' }, suite.name), h('td', { class: 'number' }, grouped(suite.tests)), h('td', { class: 'number' }, grouped(suite.steps)), suites.map((_, idx) => cell(suite, idx))))),
      ),
    ),
  ];
}

// The picture brings a style for itself; here it gets one that follows the theme, in a shadow tree
// that keeps it from the page.
function graphView() {
  const picture = new DOMParser().parseFromString(raw.graph, 'image/svg+xml').documentElement;
  const isPicture = picture.namespaceURI === 'http://www.w3.org/2000/svg' && picture.localName === 'svg';
  const host = h('div', { class: 'graph scroll', tabindex: '0', role: 'region', 'aria-label': 'dependency graph' });
  if (!isPicture) return [heading(1, 'Dependencies'), h('p', { class: 'quiet' }, 'The graph is too large for a picture here; `trapline graph` shows parts of it.')];
  picture.querySelectorAll('style, script, foreignObject, a, image, use, .page').forEach((one) => one.remove());
  const style = document.createElement('style');
  style.textContent = `
    svg { font: 12px var(--mono); max-width: none; display: block; }
    text { fill: var(--text); } .heading { font-size: 15px; font-weight: bold; } .quiet { fill: var(--quiet); }
    .node rect { fill: var(--soft); stroke: var(--quiet); stroke-width: 1.2; }
    .input rect { stroke: var(--input); fill: color-mix(in srgb, var(--input) 14%, var(--panel)); }
    .output rect { stroke: var(--output); fill: color-mix(in srgb, var(--output) 14%, var(--panel)); }
    .internal rect { stroke: var(--internal); fill: color-mix(in srgb, var(--internal) 14%, var(--panel)); }
    .frozen rect { stroke-dasharray: 4 3; }
    .frame rect { fill: none; stroke: var(--line); stroke-dasharray: 6 4; } .frame text { fill: var(--quiet); font-size: 11px; }
    .wire { fill: none; stroke: var(--quiet); stroke-width: 1.2; } .head { fill: var(--quiet); }
    .wire:hover { stroke: var(--open); stroke-width: 2.4; }`;
  const width = Number(picture.getAttribute('width')) || 800;
  const height = Number(picture.getAttribute('height')) || 600;
  let scale = 1;
  const zoom = (factor) => {
    scale = Math.max(0.1, Math.min(4, factor));
    picture.setAttribute('width', String(width * scale));
    picture.setAttribute('height', String(height * scale));
  };
  const button = (text, label, onclick) => h('button', { type: 'button', 'aria-label': label, title: label, onclick }, text);
  host.attachShadow({ mode: 'open' }).append(style, document.adoptNode(picture));
  host.addEventListener('keydown', (event) => {
    if (event.key === '+' || event.key === '=') zoom(scale * 1.25);
    else if (event.key === '-') zoom(scale / 1.25);
  });
  return [
    heading(1, 'Dependencies'),
    h('div', { class: 'tools' }, button('−', 'smaller', () => zoom(scale / 1.25)), button('+', 'larger', () => zoom(scale * 1.25)), button('fit', 'fit the width', () => zoom((host.clientWidth - 24) / width))),
    host,
  ];
}
