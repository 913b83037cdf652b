// The first page: what an auditor asks.

// The lists have so many rows; on paper there is room for more.
function summaryView(limit = 12) {
  const counts = countsOf(goals);
  const nBad = runTests.filter((one) => one.outcome.name !== 'pass').length;
  const nViolated = goals.filter((goal) => goal.property === VIOLATED).length;
  const nStates = tests.reduce((sum, test) => sum + test.nStates, 0);
  return [
    heading(1, 'Summary'),
    h(
      'div',
      { class: 'tiles' },
      tile(scoreText(counts), `goals covered: ${coveredText(counts)}`, bar(counts), 'score'),
      VERDICTS.map(({ name, sign, css }, idx) =>
        tile(
          grouped(counts[idx]),
          name,
          h('span', { class: `sign ${css}`, 'aria-hidden': 'true' }, sign),
          counts[idx] > 0 ? css : 'zero',
          links.goals({ v: String(idx) }),
        ),
      ),
      tile(
        grouped(tests.length),
        `${tests.length === 1 ? 'test' : 'tests'}, ${counted(nStates - tests.length, 'step')}`,
        null,
        '',
        '#tests',
      ),
      goals.some(isProperty) &&
        tile(
          grouped(nViolated),
          `${nViolated === 1 ? 'property' : 'properties'} violated, of ${grouped(goals.filter(isProperty).length)}`,
          h('span', { class: 'sign open', 'aria-hidden': 'true' }, nViolated > 0 ? '✗' : '✓'),
          nViolated > 0 ? 'open' : 'zero',
          links.goals({ v: `p${VIOLATED}` }),
        ),
      raw.run &&
        tile(
          grouped(nBad),
          `not passed of ${counted(runTests.length, 'test')} run`,
          null,
          nBad > 0 ? 'open' : '',
          '#run',
        ),
      raw.run &&
        goals.length > 0 &&
        tile(
          grouped(shownCounts(goals)[REACHED]),
          `goals reached in the run; the suite covers ${grouped(counts[COVERED])}`,
          null,
          shownCounts(goals)[MISSED] > 0 ? 'open' : '',
          links.goals({ u: String(REACHED) }),
        ),
    ),
    warnings(),
    propertyTable(limit),
    heading(2, 'Score by criterion'),
    criteriaTable(counts),
    requirements.length > 0 && [heading(2, 'Requirements'), requirementsShort()],
    listed(
      limit,
      'Not covered',
      NOT_COVERED,
      counts[UNKNOWN] === 0 ? 'Every goal that can be reached is covered.' : null,
    ),
    listed(limit, 'Undecided', UNKNOWN, null),
    listed(limit, 'Infeasible, with proof', INFEASIBLE, null),
    heading(2, 'What was examined'),
    facts(),
  ];
}

function tile(number, text, extra, css, href) {
  const inside = [h('strong', null, number), h('span', null, text), extra];
  return href
    ? h('a', { class: `tile ${css}`, href }, inside)
    : h('div', { class: `tile ${css}` }, inside);
}

// What would make the numbers mean less than they seem to.
function warnings() {
  const { suite } = raw;
  const found = [];
  if (suite.complete === false) found.push('The suite was written before all the work was done.');
  if (suite.modelSha256 && suite.modelSha256 !== raw.model.sha256) {
    found.push(
      'The suite was made for another version of the model. Its tests were replayed on this one.',
    );
  }
  if (suite.impossible.length > 0) {
    found.push(
      `The model does not allow ${counted(suite.impossible.length, 'test')} of the suite, which count for nothing: ${suite.impossible.slice(0, 20).join(', ')}${suite.impossible.length > 20 ? ', …' : ''}.`,
    );
  }
  if (raw.hitsPerGoal !== null)
    found.push(
      `To keep the page small, at most ${grouped(raw.hitsPerGoal)} tests are listed for each goal.`,
    );
  const nCut = tests.filter((test) => test.coded === null).length;
  if (nCut > 0)
    found.push(`To keep the page small, the values of ${counted(nCut, 'test')} are left out.`);
  found.push(...raw.notices, ...(raw.run?.notices ?? []));
  return (
    found.length > 0 &&
    h(
      'ul',
      { class: 'notes', 'aria-label': 'notes' },
      found.map((text) => h('li', null, text)),
    )
  );
}

function criteriaTable(counts) {
  const rows = criteria.map((criterion) => ({ criterion, counts: countsOf(criterion.goals) }));
  if (rows.length > 1) rows.push({ criterion: null, counts });
  const number =
    (verdict) =>
    ({ criterion, counts }) => {
      const text = grouped(counts[verdict]);
      return counts[verdict] === 0
        ? h('span', { class: 'quiet' }, text)
        : link(
            links.goals({ c: criterion ? String(criterion.idx) : '', v: String(verdict) }),
            text,
          );
    };
  return smallTable(
    'score by criterion',
    [
      [
        'criterion',
        ({ criterion }) =>
          criterion
            ? [
                link(links.goals({ c: String(criterion.idx) }), criterion.name),
                h('small', null, criterion.about),
              ]
            : h('strong', null, 'all'),
        'wide',
      ],
      ['', ({ counts }) => bar(counts), 'barcell'],
      ['score', ({ counts }) => h('strong', null, scoreText(counts)), 'number'],
      ['covered', number(COVERED), 'number'],
      ['not covered', number(NOT_COVERED), 'number'],
      ['unknown', number(UNKNOWN), 'number'],
      ['infeasible', number(INFEASIBLE), 'number'],
      ['goals', ({ counts }) => grouped(counts.reduce((sum, count) => sum + count, 0)), 'number'],
    ],
    rows,
  );
}

// The model's own properties, the violated ones first.
function propertyTable(limit) {
  const list = goals.filter(isProperty).sort((a, b) => a.property - b.property || a.idx - b.idx);
  if (list.length === 0) return null;
  const evidence = (goal) =>
    goal.nTests > 0
      ? [goal.property === VIOLATED ? 'violated by ' : '', ...testNames(goal)]
      : (goal.reason ?? (goal.property === VIOLATED ? 'no test shows it' : ''));
  return [
    heading(2, 'Properties of the model', h('span', { class: 'count' }, grouped(list.length))),
    smallTable(
      'properties of the model',
      [
        ['verdict', (goal) => badge(goal)],
        ['property', (goal) => [link(links.goal(goal), goal.text), h('small', null, goal.id)], 'wide'],
        ['place', (goal) => placeLink(goal.place)],
        ['test, or proof', evidence],
      ],
      list.slice(0, Math.max(limit, 12)),
    ),
    h(
      'p',
      { class: 'quiet' },
      'As goals of tests they count as covered where a test violates them, and as infeasible where they hold.',
    ),
  ];
}

function testNames(goal) {
  const names = [];
  eachHit(goal, (test, state) => {
    if (names.length > 5) return;
    if (names.length > 0) names.push(', ');
    names.push(link(links.test(tests[test], state), tests[test].name));
  });
  return goal.nTests > 3 ? [...names, ', …'] : names;
}

// The first goals with a verdict, and a way to all of them.
function listed(limit, title, verdict, none) {
  const list = goals.filter((goal) => goal.verdict === verdict && !isProperty(goal));
  if (list.length === 0)
    return none && goals.length > 0
      ? [
          heading(2, title),
          h('p', { class: 'good' }, h('span', { 'aria-hidden': 'true' }, '✓ '), none),
        ]
      : null;
  const columns = [
    ['goal', (goal) => [link(links.goal(goal), goal.text), h('small', null, goal.id)], 'wide'],
    ['criterion', (goal) => criteria[goal.criterion].name],
    ['place', (goal) => placeLink(goal.place)],
  ];
  if (verdict === INFEASIBLE) columns.push(['proof', (goal) => goal.reason ?? 'none recorded']);
  if (verdict === UNKNOWN) columns.push(['why', (goal) => goal.reason ?? 'not recorded']);
  return [
    heading(2, title, h('span', { class: 'count' }, grouped(list.length))),
    smallTable(title, columns, list.slice(0, limit)),
    list.length > limit &&
      h('p', null, link(links.goals({ v: String(verdict) }), `All ${grouped(list.length)}`)),
  ];
}

function facts() {
  const { model, suite, options } = raw;
  const state = suite.complete === null ? 'not said' : suite.complete ? 'yes' : 'no';
  const same =
    suite.modelSha256 === null
      ? 'not said'
      : suite.modelSha256 === model.sha256
        ? 'yes'
        : 'no, another version';
  const isDefinition = ({ kind }) => kind === 'define' || kind === 'step';
  const nVars = variables.filter((variable) => !isDefinition(variable)).length;
  const list = [
    ['model', h('code', null, model.path)],
    ['SHA-256', h('code', { class: 'hash' }, model.sha256)],
    ['language', `${model.language}, module ${model.main}`],
    [
      'size',
      `${counted(nVars, 'variable')}, ${counted(variables.length - nVars, 'definition')}, ${counted(sources[0]?.lines.length ?? 0, 'line')}`,
    ],
    ['suite', h('code', null, suite.path)],
    ['made for this model', same],
    ['complete', state],
    [
      'options',
      options.length === 0
        ? 'none'
        : h(
            'code',
            null,
            options.map(([name, value]) => (value === '' ? name : `${name} ${value}`)).join(' '),
          ),
    ],
    ['tool', raw.tool],
    [
      'how',
      'Every test was replayed on the model, and each goal was evaluated along each test. What no test reaches was searched for in the model: it is infeasible only with a proof, and unknown where the search had to stop.',
    ],
  ];
  return h(
    'dl',
    { class: 'facts' },
    list.map(([name, value]) => [h('dt', null, name), h('dd', null, value)]),
  );
}
