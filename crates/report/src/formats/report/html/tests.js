// The tests: all of them as a table, and one as a waveform.

// The tests without which the suite would not reach a goal. Of a pair both may be.
function needsOf(goal) {
  if (goal.pair) return goal.needs;
  return goal.nTests === 1 ? [hitsOf(goal)[0]] : [];
}

// Does the suite reach a goal only with this test?
function isOnly(goal, test) {
  return needsOf(goal).includes(test.idx);
}

// How many goals the suite reaches only with each test.
const nOwnOfTests = once(() => {
  const own = new Int32Array(tests.length);
  goals.forEach((goal) => needsOf(goal).forEach((test) => own[test]++));
  return own;
});

function testsView() {
  const greatest = most(nGoalsOfTests(), 1);
  const columns = [
    { title: 'test', width: 'minmax(0, 1fr)', show: (test) => link(links.test(test), test.name) },
    { title: 'steps', width: '6rem', narrow: '3rem', show: (test) => grouped(test.nStates - 1), css: 'number' },
    {
      title: 'loop',
      width: '7rem',
      narrow: null,
      show: (test) => (test.loop === null ? '–' : `to state ${test.loop}`),
    },
    {
      title: raw.hitsPerGoal !== null ? 'listed goals' : 'goals',
      width: '6.5rem',
      narrow: '3.4rem',
      show: (test) => grouped(nGoalsOfTests()[test.idx]),
      css: 'number',
    },
    {
      title: '',
      width: 'minmax(0, 1fr)',
      narrow: null,
      show: (test) =>
        h('span', {
          class: 'share',
          style: { '--share': String(nGoalsOfTests()[test.idx] / greatest) },
          'aria-hidden': 'true',
        }),
    },
    {
      title: 'only here',
      width: '7rem',
      narrow: null,
      show: (test) => grouped(nOwnOfTests()[test.idx]),
      css: 'number',
    },
  ];
  if (raw.run)
    columns.push({
      title: 'run',
      width: '9rem',
      narrow: '7rem',
      show: (test) => runLink(runOf(test)),
    });
  const table = longTable({
    label: 'tests',
    columns,
    onopen: (test) => go(links.test(test)),
    empty: () => (tests.length === 0 ? 'The suite has no tests.' : 'No test fits the search.'),
  });
  const search = h('input', {
    type: 'search',
    id: 'search',
    placeholder: 'Search tests  ( / )',
    'aria-label': 'search tests',
    oninput: update,
  });
  function update() {
    const text = search.value.toLowerCase();
    table.fill(tests.filter((test) => test.name.toLowerCase().includes(text)));
  }
  setTimeout(update);
  return [heading(1, 'Tests'), h('div', { class: 'filters', role: 'search' }, search), table.box];
}

function testView(test, state) {
  const one = runOf(test);
  const near = (step, text, label) => {
    const other = tests[test.idx + step];
    return h(
      'a',
      {
        class: 'button',
        href: other ? links.test(other) : null,
        'aria-label': label,
        'aria-disabled': other ? null : 'true',
      },
      text,
    );
  };
  const panel = h('div', { class: 'statepanel', 'aria-live': 'polite' });
  const facts = [counted(test.nStates - 1, 'step'), counted(nGoalsOfTests()[test.idx], 'goal')];
  if (test.loop !== null) facts.push(`then again from state ${test.loop}${wayBack(test)}`);
  const head = [
    h(
      'div',
      { class: 'title' },
      heading(1, test.name),
      h('span', { class: 'quiet' }, facts.join(' · ')),
      (runsOfTests().get(test.idx) ?? []).slice(0, 8).map(runLink),
      h('span', { class: 'grow' }),
      h(
        'span',
        { class: 'tools near' },
        near(-1, '‹ [', 'test before'),
        near(1, '] ›', 'next test'),
      ),
    ),
    one && one.outcome.name !== 'pass' && [deviation(one), h('p', null, link(links.verdict(one), 'All exchanges of the run'))],
  ];
  if (!columnsOf(test))
    return [
      head,
      h('p', { class: 'quiet' }, 'The values of this test are left out to keep the page small.'),
      panel,
    ];
  const wave = waveform(test, state ?? one?.step ?? 0, (at) => {
    panel.replaceChildren();
    append(panel, statePanel(test, at, wave));
    // Another address may have been asked for in the meantime.
    const isHere = `${location.hash}/`.startsWith(`${links.test(test)}/`);
    if (isHere) history.replaceState(null, '', links.test(test, at));
  });
  const button = (text, label, onclick) =>
    h('button', { type: 'button', 'aria-label': label, title: label, onclick }, text);
  const search = h('input', {
    type: 'search',
    id: 'search',
    placeholder: 'Filter variables  ( / )',
    'aria-label': 'filter variables',
    oninput: (event) => wave.filter(event.target.value),
  });
  return [
    head,
    h(
      'div',
      { class: 'tools' },
      search,
      button('−', 'zoom out', () => wave.zoomBy(-1)),
      button('+', 'zoom in', () => wave.zoomBy(1)),
      button('all', 'show all states', wave.zoomAll),
      h('span', { class: 'quiet' }, '← → choose a state, + − 0 zoom, Ctrl and wheel zoom'),
    ),
    wave.box,
    hasSteps() &&
      h(
        'p',
        { class: 'quiet' },
        'What belongs to a step, values as well as goals, stands at the state that the step leads to.',
      ),
    panel,
  ];
}

const LISTED_VALUES = 1000;

// What belongs to the step that closes the loop, in words.
function wayBack(test) {
  const values = test.back.slice(0, 4).map(([variable, value]) => {
    const { name, values } = variables[variable];
    return `${name} = ${values[value]}`;
  });
  if (test.back.length > 4) values.push('…');
  return values.length > 0 ? `, with ${values.join(', ')}` : '';
}

const KINDS = { define: ', define', step: ', define of the step', ivar: ', of the step' };

// Said where some variable belongs to steps.
const hasSteps = once(() => variables.some(({ kind }) => kind === 'ivar' || kind === 'step'));

// The chosen state in words: its values, and the goals that it reaches.
function statePanel(test, state, wave) {
  const columns = columnsOf(test);
  const reached = goalsOfTest(test).filter(([, at]) => at === state);
  const marked = [...new Set(goalsOfTest(test).map(([, at]) => at))];
  const before = marked.filter((at) => at < state).pop();
  const after = marked.find((at) => at > state);
  const jump = (to, text) =>
    h(
      'button',
      {
        type: 'button',
        disabled: undefined,
        'aria-disabled': to === undefined ? 'true' : null,
        onclick: () => to !== undefined && wave.choose(to),
      },
      text,
    );
  const rows = variables.slice(0, LISTED_VALUES).map((variable, idx) => {
    const value = valueAt(idx, columns[idx], state);
    const isNew = state > 0 && value !== valueAt(idx, columns[idx], state - 1);
    return { variable, value, isNew };
  });
  return [
    h(
      'section',
      { 'aria-label': `goals of state ${state}` },
      heading(2, `State ${state}`, h('span', { class: 'count' }, counted(reached.length, 'goal'))),
      h('div', { class: 'tools' }, jump(before, '‹ goals before'), jump(after, 'next goals ›')),
      reached.length === 0
        ? h('p', { class: 'quiet' }, 'This state reaches no goal for the first time.')
        : h(
            'ul',
            { class: 'goals' },
            reached
              .slice(0, 300)
              .map(([goal]) =>
                h(
                  'li',
                  null,
                  link(links.goal(goals[goal]), goals[goal].text),
                  h('small', null, goals[goal].id),
                ),
              ),
          ),
      reached.length > 300 &&
        h('p', { class: 'quiet' }, `and ${grouped(reached.length - 300)} more`),
    ),
    h(
      'section',
      { 'aria-label': `values in state ${state}` },
      smallTable(
        `values in state ${state}`,
        [
          [
            'variable',
            ({ variable }) => h('code', { class: 'short', title: variable.name }, variable.name),
          ],
          [
            'value',
            ({ value, isNew }) =>
              h('code', { class: isNew ? 'short new' : 'short', title: value }, value),
          ],
          [
            'role',
            ({ variable }) =>
              h(
                'span',
                { class: 'quiet' },
                `${variable.role}${KINDS[variable.kind] ?? ''}`,
              ),
          ],
        ],
        rows,
      ),
      variables.length > LISTED_VALUES &&
        h(
          'p',
          { class: 'quiet' },
          `The timeline has ${grouped(variables.length - LISTED_VALUES)} more.`,
        ),
    ),
  ];
}
