// What is printed: not the view that is open, but the report, as far as paper can show it.

const PRINTED_GOALS = 3000;
const PRINTED_LINES = 4000;
const PRINTED_DECISIONS = 300;
const PRINTED_STATES = 1500;

function printedReport() {
  return h(
    'div',
    { id: 'print' },
    h('section', null, heading(1, raw.model.path), summaryView(PRINTED_GOALS)),
    h(
      'section',
      null,
      heading(1, 'Goals'),
      goals.length > PRINTED_GOALS &&
        h('p', null, `The first ${grouped(PRINTED_GOALS)} of ${grouped(goals.length)}.`),
      smallTable(
        'goals',
        [
          ['verdict', (goal) => badge(goal)],
          ['goal', (goal) => [goal.text, h('small', null, goal.id)], 'wide'],
          ['place', (goal) => placeText(goal.place)],
          ['tests', (goal) => grouped(goal.nTests), 'number'],
        ],
        goals.slice(0, PRINTED_GOALS),
      ),
    ),
    h(
      'section',
      null,
      heading(1, 'Tests'),
      smallTable(
        'tests',
        [
          ['test', (test) => test.name],
          ['steps', (test) => grouped(test.nStates - 1), 'number'],
          ['goals', (test) => grouped(nGoalsOfTests()[test.idx]), 'number'],
          ['only here', (test) => grouped(nOwnOfTests()[test.idx]), 'number'],
          ...(raw.run ? [['run', (test) => runBadge(runOf(test))]] : []),
        ],
        tests,
      ),
    ),
    raw.run && h('section', null, runHead(), runGoals(), printedRun()),
    h('section', null, heading(1, 'Steps'), printedTests()),
    tables.length > 0 && h('section', null, tablesView(null)),
    requirements.length > 0 &&
      h('section', null, heading(1, 'Requirements'), requirementsTable(requirements)),
    decisions.length > 0 &&
      h(
        'section',
        null,
        heading(1, 'Decisions'),
        decisions.slice(0, PRINTED_DECISIONS).map((_, idx) => truthTable(idx, null)),
      ),
    raw.comparison && h('section', null, compareView()),
    printedGraph(),
    sources.map((source, file) =>
      h('section', null, heading(1, source.path), printedSource(source, file)),
    ),
  );
}

const PRINTED_RUNS = 60;
const PRINTED_EXCHANGES = 8;

// The tests of a run that did not pass, with what was exchanged last.
function printedRun() {
  const bad = runTests.filter((one) => one.outcome.name !== 'pass').sort(ORDERS[''][1]);
  const near = (one) =>
    (exchangesOf(one) ?? []).filter(({ idx }) => one.step === null || Math.abs(one.step - idx) < PRINTED_EXCHANGES);
  return [
    bad.slice(0, PRINTED_RUNS).map((one) => {
      const list = near(one);
      return [heading(2, one.name, ' ', runBadge(one)), deviation(one), list.length > 0 && timelineTable(one, list)];
    }),
    bad.length > PRINTED_RUNS &&
      h('p', null, `The first ${PRINTED_RUNS} of ${counted(bad.length, 'test')} that did not pass are here.`),
  ];
}

// What each step changes, and how many goals are reached first. Paper has no end, but readers do.
function printedTests() {
  let left = PRINTED_STATES;
  const printed = [];
  for (const test of tests) {
    left -= test.nStates;
    if (left < 0 || !columnsOf(test)) break;
    printed.push(printedTest(test));
  }
  if (printed.length < tests.length)
    printed.push(
      h('p', null, `The steps of ${printed.length} of ${counted(tests.length, 'test')} are here.`),
    );
  return printed;
}

function printedTest(test) {
  const columns = columnsOf(test);
  const changes = (state, role) =>
    variables
      .map((variable, idx) => ({ variable, column: columns[idx], idx }))
      .filter(({ variable, column }) => {
        const stretch = stretchAt(column, state);
        return variable.role === role && stretch && stretch[0] >= 0 && stretch[1] === state;
      })
      .map(({ variable, column, idx }) => `${variable.name} = ${valueAt(idx, column, state)}`)
      .join(', ');
  const reached = new Map();
  goalsOfTest(test).forEach(([, state]) => reached.set(state, (reached.get(state) ?? 0) + 1));
  const roles = [
    ['inputs', 'input'],
    ['outputs', 'output'],
    ['internal', 'internal'],
  ].filter(([, role]) => variables.some((variable) => variable.role === role));
  const loop = test.loop === null ? '' : ` · then again from state ${test.loop}`;
  return [
    heading(2, `${test.name} · ${counted(test.nStates - 1, 'step')}${loop}`),
    smallTable(
      `steps of ${test.name}`,
      [
        ['state', (state) => grouped(state), 'number'],
        ...roles.map(([title, role]) => [title, (state) => h('code', null, changes(state, role))]),
        ['goals', (state) => grouped(reached.get(state) ?? 0), 'number'],
      ],
      [...Array(test.nStates).keys()],
    ),
  ];
}

function printedGraph() {
  const found = raw.graph === '' ? null : graphPicture();
  if (!found) return null;
  const { picture, host } = found;
  const width = Number(picture.getAttribute('width')) || 800;
  // As wide as the paper at most.
  picture.removeAttribute('height');
  picture.setAttribute('width', '100%');
  host.style.setProperty('max-width', `${width}px`);
  return h('section', null, heading(1, 'Dependencies'), host);
}

function printedSource(source, file) {
  const marks = goalsOfLines()[file];
  return h(
    'div',
    { class: 'printed' },
    source.lines
      .slice(0, PRINTED_LINES)
      .map((text, idx) =>
        h(
          'div',
          null,
          h('span', { class: 'margin' }, marginMark(null, marks.get(idx + 1))),
          h('span', { class: 'no' }, String(idx + 1)),
          h('code', null, text === '' ? ' ' : text),
        ),
      ),
  );
}

window.addEventListener('beforeprint', () => {
  document.getElementById('print')?.remove();
  document.body.append(printedReport());
});
window.addEventListener('afterprint', () => document.getElementById('print')?.remove());
