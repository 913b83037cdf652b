// What a run of the suite gave: verdicts by test, and what it shows of the goals.

// How a test may end, by number.
const OUTCOMES = [
  { name: 'pass', title: 'passed', css: 'covered', sign: '✓', rank: 3 },
  { name: 'fail', title: 'failed', css: 'open', sign: '✗', rank: 0 },
  { name: 'inconclusive', title: 'inconclusive', css: 'unknown', sign: '?', rank: 2 },
  { name: 'error', title: 'errors', css: 'broken', sign: '!', rank: 1 },
];

// What a run shows of a goal, by number; what it does not show is claimed only if the suite covers it.
const REACHED = 0;
const PERHAPS = 1;
const MISSED = 2;

const SHOWN = [
  { name: 'reached', css: 'covered', sign: '✓' },
  { name: 'may be reached', css: 'unknown', sign: '?' },
  { name: 'claimed, not reached', css: 'open', sign: '✗' },
  { name: 'claimed, not looked for', css: 'infeasible', sign: '–' },
  { name: 'not reached', css: 'infeasible', sign: '–' },
];

const runTests = (raw.run?.tests ?? []).map((fields, idx) => {
  const [name, test, outcome, step, nExchanges, details, reached, coded] = fields;
  return { idx, name, test, outcome: OUTCOMES[outcome], step, nExchanges, details, reached, coded };
});

const runAddresses = addresses(runTests, (one) => one.name);
links.verdict = (one) => `#verdict/${runAddresses.of(one)}`;
links.run = (wanted) => {
  const parts = Object.entries(wanted).filter(([, value]) => value !== '');
  const text = parts.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&');
  return text === '' ? '#run' : `#run/${text}`;
};

// The runs of each test of the suite, the worst first.
const runsOfTests = once(() => {
  const found = new Map();
  runTests.forEach((one) => {
    if (one.test !== null) found.set(one.test, [...(found.get(one.test) ?? []), one]);
  });
  found.forEach((list) => list.sort((a, b) => a.outcome.rank - b.outcome.rank));
  return found;
});

function runOf(test) {
  return runsOfTests().get(test.idx)?.[0];
}

function runBadge(one) {
  if (!one) return h('span', { class: 'quiet' }, '–');
  const { name, css, sign } = one.outcome;
  return h('span', { class: `badge ${css}` }, h('span', { 'aria-hidden': 'true' }, sign), ` ${name}`);
}

function runLink(one) {
  return one ? h('a', { href: links.verdict(one) }, runBadge(one)) : runBadge(one);
}

// The goals that a run of a test reached, and those that it may have reached.
function goalsOfRun(one) {
  if (!one.goals && one.reached) {
    one.goals = one.reached.map((coded) => {
      const text = reader(coded);
      const found = [];
      for (let next = 0; !text.isEnd(); next = found[found.length - 1] + 1) found.push(next + text.number());
      return found;
    });
  }
  return one.goals ?? [[], []];
}

// The runs that reached or may have reached each goal.
const runsOfGoals = once(() => {
  const found = goals.map(() => []);
  runTests.forEach((one) => goalsOfRun(one).flat().forEach((goal) => found[goal].push(one)));
  return found;
});

// What the run shows of each goal, in `SHOWN`.
const shownOfGoals = once(() => {
  const text = reader(raw.run?.goals ?? '');
  return goals.map((goal) => {
    const status = text.isEnd() ? 3 : text.number();
    return status >= MISSED && goal.verdict !== COVERED ? 4 : status;
  });
});

function shownBadge(goal) {
  const { name, css, sign } = SHOWN[shownOfGoals()[goal.idx]];
  return h('span', { class: `badge ${css}`, title: `in the run: ${name}` }, h('span', { 'aria-hidden': 'true' }, sign), ` ${name}`);
}

// How many goals of a list the run shows how.
function shownCounts(list) {
  const counts = SHOWN.map(() => 0);
  list.forEach((goal) => counts[shownOfGoals()[goal.idx]]++);
  return counts;
}

const runFilters = { q: '', v: '', o: '' };

const ORDERS = {
  '': ['worst first', (a, b) => a.outcome.rank - b.outcome.rank || a.idx - b.idx],
  run: ['in the order of the run', (a, b) => a.idx - b.idx],
  name: ['by name', (a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }) || a.idx - b.idx],
  long: ['longest first', (a, b) => b.nExchanges - a.nExchanges || a.idx - b.idx],
};

function filteredRuns() {
  const text = runFilters.q.toLowerCase();
  const wanted = runFilters.v;
  const list = runTests.filter(
    (one) =>
      (wanted === '' || one.outcome.name === wanted) &&
      `${one.name}\n${one.details?.message ?? ''}`.toLowerCase().includes(text),
  );
  return list.sort((ORDERS[runFilters.o] ?? ORDERS[''])[1]);
}

function runView() {
  const table = longTable({
    label: 'run',
    columns: [
      { title: 'verdict', width: '9rem', narrow: '7.6rem', show: runBadge },
      { title: 'test', width: 'minmax(0, 1fr)', show: (one) => link(links.verdict(one), one.name) },
      {
        title: 'exchange',
        width: '5.5rem',
        narrow: '4.6rem',
        show: (one) => (one.step === null ? '–' : grouped(one.step)),
        css: 'number',
      },
      { title: 'of', width: '4.5rem', narrow: null, show: (one) => grouped(one.nExchanges), css: 'number' },
      { title: 'seen', width: 'minmax(0, 2fr)', narrow: null, show: (one) => h('code', null, seenText(one)) },
      { title: 'what', width: 'minmax(0, 2fr)', narrow: null, show: (one) => one.details?.message ?? '' },
      {
        title: 'goals',
        width: '4.5rem',
        narrow: null,
        show: (one) => (one.reached ? grouped(goalsOfRun(one)[0].length) : '–'),
        css: 'number',
      },
    ],
    empty: () => (runTests.length === 0 ? 'The run has no tests.' : 'No test fits the search and the filters.'),
    onopen: (one) => go(links.verdict(one)),
  });
  const count = h('p', { class: 'quiet', role: 'status', 'aria-live': 'polite', id: 'run-count' });
  function update() {
    const list = filteredRuns();
    count.textContent = `${grouped(list.length)} of ${counted(runTests.length, 'test')}`;
    table.fill(list);
  }
  setTimeout(update);
  const change = (key, value) => {
    runFilters[key] = value;
    history.replaceState(null, '', links.run(runFilters));
    update();
  };
  return [runHead(), runGoals(), heading(2, 'Tests'), runFilterBar(change), count, table.box];
}

// What was seen instead of what was expected or allowed.
function seenText(one) {
  if (one.outcome.name === 'pass' || !one.details) return '';
  const { expected, observed, allowed } = one.details;
  const right = new Map(expected.length > 0 ? expected : (allowed[0] ?? []));
  const wrong = observed.filter(([name, value]) => right.has(name) && right.get(name) !== value);
  return wrong.map(([name, value]) => `${name} = ${value}, not ${right.get(name)}`).join('; ');
}

function runFilterBar(change) {
  const choice = (key, label, options) => {
    const select = h(
      'select',
      { id: `run-${key}`, onchange: (event) => change(key, event.target.value) },
      options.map(([value, text]) => h('option', { value }, text)),
    );
    select.value = runFilters[key];
    return h('label', null, h('span', { class: 'hidden' }, label), select);
  };
  return h(
    'div',
    { class: 'filters', role: 'search' },
    h('input', {
      type: 'search',
      id: 'search',
      placeholder: 'Search tests and messages  ( / )',
      'aria-label': 'search tests and messages',
      value: runFilters.q,
      oninput: (event) => change('q', event.target.value),
    }),
    choice('v', 'verdicts', [['', 'all verdicts'], ...OUTCOMES.map(({ name }) => [name, name])]),
    choice('o', 'order', Object.entries(ORDERS).map(([key, [text]]) => [key, text])),
  );
}

function runHead() {
  const { run } = raw;
  const nOf = (outcome) => runTests.filter((one) => one.outcome === outcome).length;
  return [
    heading(1, 'Run'),
    h('p', { class: 'quiet' }, h('code', null, run.path)),
    h(
      'div',
      { class: 'tiles' },
      OUTCOMES.map((outcome) => {
        const n = nOf(outcome);
        const title = outcome.name === 'error' && n === 1 ? 'error' : outcome.title;
        const sign = h('span', { class: `sign ${outcome.css}`, 'aria-hidden': 'true' }, outcome.sign);
        return tile(grouped(n), title, sign, n > 0 ? outcome.css : 'zero', links.run({ v: outcome.name }));
      }),
    ),
    runNotes(),
  ];
}

// What keeps the run from being one of this suite on this model, and what is left out of the page.
function runNotes() {
  const nCut = runTests.filter((one) => one.coded === null || one.details === null || one.reached === null).length;
  const found = [...(raw.run?.notices ?? [])];
  if (nCut > 0) found.push(`to keep the page small, exchanges or goals of ${counted(nCut, 'test')} are left out`);
  return (
    found.length > 0 &&
    h('ul', { class: 'notes', 'aria-label': 'notes on the run' }, found.map((text) => h('li', null, text)))
  );
}

// What the suite claims, and what the run showed of it.
function runGoals() {
  if (goals.length === 0) return null;
  const rows = criteria.map((criterion) => ({ criterion, list: criterion.goals }));
  if (rows.length > 1) rows.push({ criterion: null, list: goals });
  const of = (list, at) => shownCounts(list)[at];
  const number = (at) => ({ criterion, list }) => {
    const n = of(list, at);
    if (n === 0) return h('span', { class: 'quiet' }, '0');
    return link(links.goals({ c: criterion ? String(criterion.idx) : '', u: String(at) }), grouped(n));
  };
  const counts = shownCounts(goals);
  return [
    heading(2, 'Goals'),
    h('p', null, shownText(counts)),
    smallTable(
      'goals in the run',
      [
        ['criterion', ({ criterion }) => criterion?.name ?? h('strong', null, 'all')],
        ['covered by the suite', ({ list }) => coveredText(countsOf(list)), 'number'],
        ['reached in the run', number(REACHED), 'number'],
        ['may be reached', number(PERHAPS), 'number'],
        ['claimed, not reached', number(MISSED), 'number'],
        counts[3] > 0 && ['claimed, not looked for', number(3), 'number'],
      ].filter((column) => column),
      rows,
    ),
  ];
}

function shownText(counts) {
  const all = countsOf(goals);
  const parts = [
    ['may have been reached', counts[PERHAPS]],
    ['covered by the suite and not reached', counts[MISSED]],
    ['covered by the suite and not looked for', counts[3]],
  ].filter(([, n]) => n > 0);
  const rest = parts.length === 0 ? '' : ` (${parts.map(([what, n]) => `${what}: ${grouped(n)}`).join('; ')})`;
  return `The suite covers ${grouped(all[COVERED])} of ${counted(countingOf(all), 'goal')}; the run reached ${grouped(counts[REACHED])}${rest}.`;
}
