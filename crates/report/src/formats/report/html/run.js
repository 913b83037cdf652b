// What a run of the suite gave.

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
  return h(
    'dl',
    { class: 'facts failed' },
    fields
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [h('dt', null, name), h('dd', null, h('code', null, value))]),
  );
}

function runView() {
  const { run } = raw;
  const table = longTable({
    label: 'run',
    columns: [
      { title: 'verdict', width: '9rem', narrow: '7.6rem', show: runBadge },
      {
        title: 'test',
        width: 'minmax(0, 1fr)',
        show: (one) =>
          one.test === null
            ? one.name
            : link(links.test(tests[one.test], one.step ?? undefined), one.name),
      },
      {
        title: 'state',
        width: '5rem',
        narrow: '3rem',
        show: (one) => (one.step === null ? '–' : grouped(one.step)),
        css: 'number',
      },
      {
        title: 'expected',
        width: 'minmax(0, 2fr)',
        narrow: null,
        show: (one) => h('code', null, pairsText(one.expected)),
      },
      {
        title: 'observed',
        width: 'minmax(0, 2fr)',
        narrow: null,
        show: (one) => h('code', null, pairsText(one.observed)),
      },
      {
        title: 'message',
        width: 'minmax(0, 1fr)',
        narrow: null,
        show: (one) => one.message ?? '',
      },
    ],
    empty: () => 'The run has no tests.',
    onopen: (one) => one.test !== null && go(links.test(tests[one.test], one.step ?? undefined)),
  });
  setTimeout(() => table.fill(runTests()));
  return [runHead(run), table.box];
}

function runHead(run) {
  const kinds = [
    ['passed', 'covered'],
    ['failed', 'open'],
    ['inconclusive', 'unknown'],
    ['errors', 'open'],
  ];
  return [
    heading(1, 'Run'),
    h('p', { class: 'quiet' }, h('code', null, run.path)),
    h(
      'div',
      { class: 'tiles' },
      kinds.map(([name, css]) =>
        tile(
          grouped(run[name]),
          name === 'errors' && run.errors === 1 ? 'error' : name,
          null,
          run[name] > 0 ? css : '',
        ),
      ),
    ),
  ];
}

// What a run says of each test, the worst first.
function runTests() {
  const rank = { fail: 0, error: 1, inconclusive: 2, pass: 3 };
  return [...raw.run.tests].sort((a, b) => (rank[a.verdict] ?? 2) - (rank[b.verdict] ?? 2));
}
