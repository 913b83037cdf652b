// One test of a run: what decided it, and its exchanges, expected and seen side by side.

function pairsText(list) {
  return list.map(([name, value]) => `${name} = ${value}`).join(', ') || '–';
}

// The exchanges of a test that the page has: what was sent and seen, and where it is known, what was expected.
function exchangesOf(one) {
  if (!one.exchanges && one.coded !== null) {
    const text = reader(one.coded);
    const { inputs, outputs, values } = raw.run;
    const pairs = (names) =>
      Array.from({ length: text.number() }, () => [names[text.number()], values[text.number()]]);
    one.exchanges = [];
    for (let idx = text.number(); !text.isEnd(); idx++) {
      const exchange = { idx, sent: pairs(inputs), seen: pairs(outputs), expected: null };
      if (text.number() === 1) {
        exchange.expected = new Map(exchange.seen);
        exchange.other = new Map(pairs(outputs));
        exchange.other.forEach((value, name) => exchange.expected.set(name, value));
      }
      one.exchanges.push(exchange);
    }
  }
  return one.exchanges ?? null;
}

const isDeviant = ({ other }) => other !== undefined && other.size > 0;

function verdictView(one) {
  const list = filteredRuns();
  const at = list.indexOf(one);
  const near = (to, text, label) =>
    h(
      'a',
      {
        class: 'button',
        href: list[to] ? links.verdict(list[to]) : null,
        'aria-label': label,
        'aria-disabled': list[to] ? null : 'true',
      },
      text,
    );
  const branch = one.details?.branch ?? [];
  const facts = [counted(one.nExchanges, 'exchange')];
  if (branch.length > 0) facts.push(`branch ${branch.join('.')}`);
  if (one.reached) facts.push(`${counted(goalsOfRun(one)[0].length, 'goal')} reached`);
  return [
    h(
      'div',
      { class: 'title' },
      heading(1, one.name),
      runBadge(one),
      h('span', { class: 'quiet' }, facts.join(' · ')),
      one.test !== null && link(links.test(tests[one.test], one.step ?? undefined), 'the test as a waveform'),
      h('span', { class: 'grow' }),
      h(
        'span',
        { class: 'tools near' },
        near(at - 1, '‹ [', 'test before'),
        near(at + 1, '] ›', 'next test'),
        h('a', { class: 'button', href: links.run(runFilters), 'aria-label': 'all tests of the run' }, '✕'),
      ),
    ),
    deviation(one),
    heading(2, 'Exchanges'),
    timeline(one),
    goalsOfVerdict(one),
  ];
}

// What decided a test that did not pass.
function deviation(one) {
  const { details, outcome } = one;
  if (outcome.name === 'pass') return null;
  if (!details) return h('p', { class: 'quiet' }, 'What decided this test is left out to keep the page small.');
  const { expected, observed, allowed, more, message, stderr, places } = details;
  const where = one.step === null ? '' : `Exchange ${one.step}: `;
  const seen = new Map(observed);
  const unlike = (pairs) => pairs.filter(([name, value]) => seen.get(name) !== value);
  // After the run has left the test, what the model allows is all that is known.
  const isOnlyAnswer = expected.length === 0 && allowed.length === 1 && !more;
  const answers = allowed.slice(0, 16).map((pairs) => pairsText(observed.length > 0 ? unlike(pairs) : pairs));
  return h(
    'section',
    { class: `deviation ${outcome.css}`, 'aria-label': 'what decided the test' },
    h('p', null, h('strong', null, where), message ?? outcome.name),
    isOnlyAnswer ? comparison('allowed', allowed[0], observed) : comparison('expected', expected, observed),
    !isOnlyAnswer &&
      answers.length > 0 &&
      h(
        'dl',
        { class: 'facts' },
        h('dt', null, 'allowed instead'),
        h('dd', null, answers.map((text, idx) => [idx > 0 && ', or ', h('code', null, text)]), more && ', or others'),
      ),
    places.map(([output, name, text, place]) => [
      h(
        'p',
        null,
        'The model determines ',
        h('code', null, output),
        ' here: ',
        place ? link(links.source(place[0], place[1]), name) : name,
        !place && [' ', h('code', null, text)],
      ),
      place && snippet(place),
    ]),
    resemblance(details),
    stderr !== '' && [heading(3, 'Standard error'), h('pre', { class: 'stderr', tabindex: '0' }, stderr)],
  );
}

// The mutants of the model that would show where the test failed.
function resemblance({ resembles, more_resembled: nMore }) {
  if (resembles.length === 0) return null;
  const line = ([text, line, goal, remark]) => [
    goal === null ? text : link(links.goal(goals[goal]), text),
    line !== null && ` (line ${line})`,
    remark !== '' && `, ${remark}`,
  ];
  return h(
    'div',
    { class: 'resembles' },
    h('p', null, 'The failure resembles these mutants of the model, a hint where to look and no diagnosis:'),
    h(
      'ul',
      null,
      resembles.map((one) => h('li', null, line(one))),
      nMore > 0 && h('li', { class: 'quiet' }, counted(nMore, 'more mutant')),
    ),
  );
}

const LISTED_OUTPUTS = 40;

// Outputs that are not as expected; or all, if none is.
function comparison(title, expected, observed) {
  if (expected.length + observed.length === 0) return null;
  const [before, after] = [new Map(expected), new Map(observed)];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  // What is not shown does not differ: parameters are shown once.
  const isOther = (name) => before.has(name) && after.has(name) && before.get(name) !== after.get(name);
  const others = names.filter(isOther);
  const shown = others.length > 0 ? others : names;
  const value = (of, css) => (name) =>
    of.has(name) ? h('code', { class: isOther(name) ? css : null }, of.get(name)) : '–';
  const rest = names.length - Math.min(shown.length, LISTED_OUTPUTS);
  return [
    smallTable(
      'expected and seen',
      [
        ['output', (name) => h('code', null, name)],
        before.size > 0 && [title, value(before, 'right')],
        after.size > 0 && ['seen', value(after, 'wrong')],
      ].filter((column) => column),
      shown.slice(0, LISTED_OUTPUTS),
    ),
    rest > 0 &&
      h('p', { class: 'quiet' }, shown.length > LISTED_OUTPUTS ? `and ${counted(rest, 'more output')}` : `${counted(rest, 'other output')} as ${title}`),
  ];
}

let showsAll = false;

// All exchanges that the page has; by default only what changes.
function timeline(one) {
  const list = exchangesOf(one);
  if (!list) return h('p', { class: 'quiet' }, 'The exchanges of this test are left out to keep the page small.');
  if (list.length === 0) return h('p', { class: 'quiet' }, 'Nothing was exchanged.');
  const box = h('div', null, timelineTable(one, list));
  const toggle = h('input', { type: 'checkbox', id: 'all-values' });
  toggle.checked = showsAll;
  toggle.addEventListener('change', () => {
    showsAll = toggle.checked;
    box.replaceChildren();
    append(box, [timelineTable(one, list)]);
  });
  const [first, last] = [list[0].idx, list[list.length - 1].idx];
  return [
    h('div', { class: 'tools' }, h('label', null, toggle, ' all values, not only those that change')),
    first > 0 && h('p', { class: 'quiet' }, `Exchanges 0 to ${grouped(first - 1)} are left out to keep the page small.`),
    box,
    last + 1 < one.nExchanges &&
      h('p', { class: 'quiet' }, `Exchanges ${grouped(last + 1)} to ${grouped(one.nExchanges - 1)} are left out to keep the page small.`),
  ];
}

function timelineTable(one, list) {
  const before = new Map(list.map((exchange, at) => [exchange, list[at - 1]]));
  const leaves = list.find(isDeviant);
  const isNew = (pairs, old) => {
    const known = new Map(old ?? []);
    return ([name, value]) => showsAll || !old || known.get(name) !== value;
  };
  const outputs = (exchange) => {
    const last = before.get(exchange);
    const changed = exchange.seen.filter(isNew(exchange.seen, last?.seen)).map(([name]) => name);
    const names = new Set([...changed, ...(exchange.other?.keys() ?? [])]);
    return [...new Set([...exchange.seen.map(([name]) => name), ...(exchange.expected?.keys() ?? [])])].filter((name) => names.has(name));
  };
  const cells = (names, valueOf, exchange, css) =>
    names
      .filter((name) => valueOf(name) !== undefined)
      .map((name) => h('code', { class: exchange.other?.has(name) ? css : null }, `${name} = ${valueOf(name)}`));
  const sent = (exchange) => exchange.sent.filter(isNew(exchange.sent, before.get(exchange)?.sent));
  const expected = (exchange) =>
    exchange.expected === null
      ? h('span', { class: 'quiet', title: 'The run had left the test before.' }, '–')
      : cells(outputs(exchange), (name) => exchange.expected.get(name), exchange, 'right');
  const seen = (exchange) => {
    const known = new Map(exchange.seen);
    return known.size === 0 && one.outcome.name !== 'pass' && exchange.idx === one.step
      ? h('span', { class: `badge ${one.outcome.css}` }, one.outcome.name === 'error' ? 'no answer' : 'refused')
      : cells(outputs(exchange), (name) => known.get(name), exchange, 'wrong');
  };
  const mark = (exchange) => {
    if (exchange.idx === one.step) return runBadge(one);
    return exchange === leaves && h('span', { class: 'badge unknown' }, 'left the test');
  };
  const table = smallTable(
    'exchanges',
    [
      ['exchange', (exchange) => [grouped(exchange.idx), ' ', mark(exchange)], 'exchange'],
      ['sent', (exchange) => sent(exchange).map(([name, value]) => h('code', null, `${name} = ${value}`))],
      ['expected', expected],
      ['seen', seen],
    ],
    list,
  );
  table.classList.add('timeline');
  [...table.querySelectorAll('tbody tr')].forEach((row, at) => {
    if (list[at].idx === one.step) row.className = `here ${one.outcome.css}`;
    else if (list[at] === leaves) row.className = 'unknown';
  });
  return table;
}

const LISTED_GOALS = 200;

// What a run of a test reached.
function goalsOfVerdict(one) {
  if (!one.reached) return h('p', { class: 'quiet' }, 'The goals of this test are left out to keep the page small.');
  const [reached, perhaps] = goalsOfRun(one);
  const ids = [...new Set(reached.flatMap((goal) => goals[goal].requirements))];
  const listed = (title, list) =>
    list.length > 0 && [
      heading(2, title, h('span', { class: 'count' }, grouped(list.length))),
      h(
        'ul',
        { class: 'goals' },
        list
          .slice(0, LISTED_GOALS)
          .map((goal) => h('li', null, link(links.goal(goals[goal]), goals[goal].text), h('small', null, goals[goal].id))),
      ),
      list.length > LISTED_GOALS && h('p', { class: 'quiet' }, `and ${grouped(list.length - LISTED_GOALS)} more`),
    ];
  return [
    ids.length > 0 && [
      heading(2, 'Requirements', h('span', { class: 'count' }, grouped(ids.length))),
      h('ul', { class: 'chips' }, ids.map((id) => h('li', null, link(links.goals({ r: id }), id)))),
    ],
    listed('Goals reached', reached),
    listed('Goals that may have been reached', perhaps),
  ];
}
