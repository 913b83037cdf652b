// Every criterion's suite against every criterion's goals, as a heat map.

function compareView() {
  const { suites, path } = raw.comparison;
  const cell = (suite, idx) => {
    const of = suites[idx].feasible;
    const share = of === 0 ? 1 : suite.reached[idx] / of;
    const title = `the suite of ${suite.name} reaches ${suite.reached[idx]} of ${of} goals of ${suites[idx].name}`;
    // Only all is 100, and the darkest.
    return h(
      'td',
      { class: share === 1 ? 'heat all' : 'heat', title, style: { '--share': share.toFixed(3) } },
      h('strong', null, String(Math.floor(share * 100))),
      h('small', null, `${grouped(suite.reached[idx])}/${grouped(of)}`),
    );
  };
  return [
    heading(1, 'Comparison'),
    h(
      'p',
      { class: 'quiet' },
      'Each row is the suite of a criterion; each column says how many percent of the feasible goals of a criterion it reaches. From ',
      h('code', null, path),
      '.',
    ),
    h(
      'div',
      { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'comparison' },
      h(
        'table',
        { class: 'heatmap' },
        h(
          'thead',
          null,
          h(
            'tr',
            null,
            h('th', { scope: 'col' }, 'suite'),
            h('th', { scope: 'col', class: 'number' }, 'tests'),
            h('th', { scope: 'col', class: 'number' }, 'steps'),
            suites.map(({ name }) =>
              h('th', { scope: 'col', class: 'slanted' }, h('span', null, name)),
            ),
          ),
        ),
        h(
          'tbody',
          null,
          suites.map((suite) =>
            h(
              'tr',
              null,
              h('th', { scope: 'row' }, suite.name),
              h('td', { class: 'number' }, grouped(suite.tests)),
              h('td', { class: 'number' }, grouped(suite.steps)),
              suites.map((_, idx) => cell(suite, idx)),
            ),
          ),
        ),
      ),
    ),
  ];
}
