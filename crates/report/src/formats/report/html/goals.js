// The goals: a table with filters, and one goal beside it.

const filters = { q: '', c: '', v: '', r: '', u: '' };

// Texts in which a search looks, made once.
const searchTexts = once(() =>
  goals.map((goal) =>
    `${goal.id}\n${goal.text}\n${placeText(goal.place)}\n${goal.requirements.join(' ')}`.toLowerCase(),
  ),
);

function filteredGoals() {
  const words = filters.q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const texts = searchTexts();
  const wanted = requirements.filter(({ id }) => id === filters.r);
  const ofRequirement = wanted.length > 0 && new Set(wanted.flatMap((one) => one.goals));
  return goals.filter(
    (goal) =>
      (filters.c === '' || goal.criterion === Number(filters.c)) &&
      hasVerdict(goal, filters.v) &&
      (!ofRequirement || ofRequirement.has(goal.idx)) &&
      (filters.u === '' || shownOfGoals()[goal.idx] === Number(filters.u)) &&
      words.every((word) => texts[goal.idx].includes(word)),
  );
}

// A verdict is asked for by its number, one on properties by `p` and its number.
function hasVerdict(goal, wanted) {
  if (wanted === '') return true;
  return wanted.startsWith('p')
    ? goal.property === Number(wanted.slice(1))
    : goal.verdict === Number(wanted);
}

// The goals after and before the chosen one are those of the filters.
function goalsView(chosen) {
  const columns = [
    {
      title: 'verdict',
      width: '8rem',
      narrow: '2.2rem',
      show: (goal) => badge(goal),
      css: 'signed',
    },
    {
      title: 'goal',
      width: 'minmax(0, 3fr)',
      show: (goal) => h('span', { title: `${goal.text}\n${goal.id}` }, goal.text),
    },
    {
      title: 'id',
      width: 'minmax(0, 2fr)',
      show: (goal) => link(links.goal(goal), goal.id),
      css: 'id',
      narrow: null,
    },
    { title: 'place', width: '6rem', narrow: '4.2rem', show: (goal) => placeLink(goal.place) },
    ...(raw.run ? [{ title: 'run', width: '11.5rem', narrow: null, show: shownBadge }] : []),
    { title: 'tests', width: '3.6rem', narrow: '2.4rem', show: (goal) => grouped(goal.nTests), css: 'number' },
  ];
  // Beside a goal there is less room, and it says its id itself.
  const table = longTable({
    label: 'goals',
    columns: columns.filter(({ title }) => !chosen || (title !== 'id' && title !== 'run')),
    onopen: (goal) => go(links.goal(goal)),
    empty: () => (goals.length === 0 ? 'There are no goals.' : 'No goal fits the search and the filters.'),
  });
  const count = h('p', { class: 'quiet', role: 'status', 'aria-live': 'polite', id: 'goal-count' });
  function update() {
    const list = filteredGoals();
    count.textContent = `${grouped(list.length)} of ${counted(goals.length, 'goal')}`;
    table.fill(list, chosen);
  }
  function change(key, value) {
    filters[key] = value;
    history.replaceState(null, '', chosen ? links.goal(chosen) : links.goals(filters));
    update();
  }
  setTimeout(update);
  return [
    heading(1, 'Goals'),
    filterBar(change),
    count,
    h('div', { class: chosen ? 'split' : '' }, table.box, chosen && goalPanel(chosen)),
  ];
}

function filterBar(change) {
  const search = h('input', {
    type: 'search',
    id: 'search',
    placeholder: 'Search goals  ( / )',
    'aria-label': 'search goals',
    value: filters.q,
    oninput: (event) => change('q', event.target.value),
  });
  const choice = (key, label, options) => {
    const select = h(
      'select',
      { id: `filter-${key}`, onchange: (event) => change(key, event.target.value) },
      h('option', { value: '' }, `all ${label}`),
      options.map(([value, text]) => h('option', { value }, text)),
    );
    select.value = filters[key];
    return h('label', null, h('span', { class: 'hidden' }, label), select);
  };
  return h(
    'div',
    { class: 'filters', role: 'search' },
    search,
    choice(
      'v',
      'verdicts',
      [
        ...VERDICTS.map(({ name }, idx) => [String(idx), name]),
        ...(goals.some(isProperty)
          ? PROPERTIES.map(({ name }, idx) => [`p${idx}`, `property: ${name}`])
          : []),
      ],
    ),
    choice(
      'c',
      'criteria',
      criteria.map(({ name, idx }) => [String(idx), name]),
    ),
    requirements.length > 0 &&
      choice(
        'r',
        'requirements',
        [...new Set(requirements.map(({ id }) => id))].map((id) => [id, id]),
      ),
    raw.run && choice('u', 'of the run', SHOWN.map(({ name }, idx) => [String(idx), `run: ${name}`])),
    h(
      'button',
      {
        type: 'button',
        onclick: () => {
          Object.keys(filters).forEach((key) => (filters[key] = ''));
          go('#goals');
        },
      },
      'Clear',
    ),
  );
}

// One goal: what it is, where it stands, what shows it.
function goalPanel(goal) {
  const criterion = criteria[goal.criterion];
  const list = filteredGoals();
  const at = list.indexOf(goal);
  const step = (to, text, label) =>
    h(
      'a',
      {
        class: 'button',
        href: list[to] ? links.goal(list[to]) : null,
        'aria-label': label,
        'aria-disabled': list[to] ? null : 'true',
      },
      text,
    );
  return h(
    'article',
    { class: 'panel', id: 'goal', 'aria-label': 'goal' },
    h(
      'div',
      { class: 'tools' },
      badge(goal),
      h('span', { class: 'grow' }),
      step(at - 1, '‹', 'goal before'),
      step(at + 1, '›', 'next goal'),
      h('a', { class: 'button', href: links.goals(filters), 'aria-label': 'close' }, '✕'),
    ),
    heading(2, goal.text),
    h('p', null, h('code', null, goal.id)),
    h('p', { class: 'quiet' }, `${criterion.name}: ${criterion.about}`),
    goal.reason &&
      h(
        'p',
        { class: 'reason' },
        h('strong', null, goal.verdict === INFEASIBLE ? 'Proof: ' : 'Why: '),
        goal.reason,
      ),
    goal.shown && h('p', { class: 'reason' }, h('strong', null, 'Note: '), goal.shown),
    goal.requirements.length > 0 && h('p', null, 'Requirements: ', goal.requirements.join(', ')),
    raw.run && goalInRun(goal),
    goal.place && snippet(goal.place),
    goal.pair && truthTable(goal.pair[0], goal),
    heading(
      3,
      goal.pair ? 'Evaluations' : 'Tests',
      h('span', { class: 'count' }, grouped(goal.nTests)),
    ),
    goal.nTests === 0 ? h('p', { class: 'quiet' }, isProperty(goal) ? 'No test violates it.' : 'No test reaches it.') : testLinks(goal),
  );
}

// What the run shows of a goal, and the tests that did.
function goalInRun(goal) {
  const runs = runsOfGoals()[goal.idx];
  const FIRST = 12;
  return h(
    'div',
    { class: 'inrun' },
    h('p', null, 'In the run: ', shownBadge(goal)),
    h(
      'ul',
      { class: 'chips' },
      runs.slice(0, FIRST).map((one) =>
        h('li', null, link(links.verdict(one), h('span', { class: `sign ${one.outcome.css}` }, one.outcome.sign), ` ${one.name}`)),
      ),
      runs.length > FIRST && h('li', null, `and ${grouped(runs.length - FIRST)} more`),
    ),
  );
}

// The line of a place and its neighbours.
function snippet([file, line, column]) {
  const { lines } = sources[file];
  const near = lines.slice(Math.max(0, line - 3), line + 2).filter((text) => text.trim() !== '');
  const indent = Math.min(...near.map((text) => text.length - text.trimStart().length), 200);
  const rows = [];
  for (let at = Math.max(1, line - 2); at <= Math.min(lines.length, line + 2); at++) {
    rows.push(
      h(
        'a',
        { class: at === line ? 'here' : null, href: links.source(file, at) },
        h('span', { class: 'no' }, String(at)),
        h('code', null, lines[at - 1].slice(indent) || ' '),
      ),
    );
  }
  return h(
    'div',
    { class: 'snippet', 'aria-label': `${sources[file].path}, line ${line}, column ${column}` },
    rows,
  );
}
