// Which test reaches which goal.

function matrixView() {
  const choice = h(
    'select',
    { 'aria-label': 'criterion', onchange: update },
    h('option', { value: '' }, 'all criteria'),
    criteria.map(({ name, idx }) => h('option', { value: String(idx) }, name)),
  );
  const place = h('div');
  function update() {
    const columns = choice.value === '' ? goals : criteria[Number(choice.value)].goals;
    place.replaceChildren(...goalGrid(columns));
  }
  setTimeout(update);
  return [
    heading(1, 'Tests and goals'),
    h(
      'p',
      { class: 'quiet' },
      'Each row is a test, each column a goal. In the strongest colour: no other test reaches the goal. Of a pair of evaluations, the tests that were chosen. Grey columns are infeasible, orange ones no test reaches.',
    ),
    raw.hitsPerGoal !== null &&
      h(
        'p',
        { class: 'quiet' },
        `To keep the page small, only the first ${grouped(raw.hitsPerGoal)} tests of each goal are listed; the cells after them are light.`,
      ),
    h('div', { class: 'filters' }, choice),
    place,
  ];
}

function goalGrid(columns) {
  return grid({
    label: 'tests and goals',
    rows: tests,
    columns,
    rowName: (test) => test.name,
    columnName: (goal) => goal.id,
    fill: (test, goal) => {
      if (stateIn(goal, test) >= 0) {
        if (isProperty(goal)) return 'open';
        return isOnly(goal, test) ? 'only' : 'covered';
      }
      if (isUnlisted(goal, test)) return 'line';
      if (isProperty(goal)) return null;
      return ['', 'open-soft', 'infeasible-soft', 'unknown-soft'][goal.verdict] || null;
    },
    describe: (test, goal) => {
      const state = stateIn(goal, test);
      if (isUnlisted(goal, test))
        return `This page leaves out whether ${test.name} reaches ${goal.id}.`;
      const words =
        state < 0 ? [' does not reach '] : [' reaches ', h('small', null, `(state ${state}) `)];
      return [
        link(links.test(test, state < 0 ? undefined : state), test.name),
        words,
        link(links.goal(goal), goal.id),
        ': ',
        goal.text,
      ];
    },
    onopen: (test, goal) => {
      const state = stateIn(goal, test);
      go(state < 0 ? links.goal(goal) : links.test(test, state));
    },
  });
}
