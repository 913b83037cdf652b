// The requirements that the model names, and what tests them.

function testsOfRequirement(requirement) {
  const found = new Set();
  requirement.goals.forEach((idx) => eachHit(goals[idx], (test) => found.add(test)));
  return [...found].sort((a, b) => a - b);
}

function requirementsTable(list) {
  return smallTable(
    'requirements',
    [
      [
        'requirement',
        (one) => [h('strong', null, one.id), one.text !== '' && h('small', null, one.text)],
        'wide',
      ],
      ['place', (one) => link(links.source(one.file, one.line), placeText([one.file, one.line]))],
      ['', (one) => bar(countsOf(one.goals.map((idx) => goals[idx]))), 'barcell'],
      [
        'goals',
        (one) =>
          one.goals.length === 0
            ? h('span', { class: 'badge open' }, 'none')
            : link(
                links.goals({ r: one.id }),
                coveredText(countsOf(one.goals.map((idx) => goals[idx]))),
              ),
        'number',
      ],
      [
        'tests',
        (one) => {
          const own = testsOfRequirement(one);
          return own.length === 0
            ? h('span', { class: 'badge open' }, '✗ no test')
            : [
                own
                  .slice(0, 8)
                  .map((test, at) => [
                    at > 0 && ', ',
                    link(links.test(tests[test]), tests[test].name),
                  ]),
                own.length > 8 && h('small', null, ` and ${grouped(own.length - 8)} more`),
              ];
        },
        'wide',
      ],
      ...(raw.run ? [['run', requirementInRun]] : []),
    ],
    list,
  );
}

// How many goals of a requirement the run reached, and the worst verdict of its tests.
function requirementInRun(one) {
  const own = one.goals.map((idx) => goals[idx]);
  const runs = testsOfRequirement(one).flatMap((test) => runsOfTests().get(test) ?? []);
  const worst = runs.sort((a, b) => a.outcome.rank - b.outcome.rank)[0];
  return [`${grouped(shownCounts(own)[REACHED])} of ${grouped(countingOf(countsOf(own)))} reached `, worst && runLink(worst)];
}

function requirementsShort() {
  const shown = requirements.slice(0, 12);
  return [
    requirementsTable(shown),
    requirements.length > shown.length &&
      h('p', null, link('#requirements', `All ${grouped(requirements.length)}`)),
  ];
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
      describe: (one, test) => [
        one.id,
        sets.get(one).has(test.idx) ? ' is tested by ' : ' is not tested by ',
        link(links.test(test), test.name),
      ],
      onopen: (one, test) => go(links.test(test)),
    }),
  ];
}
