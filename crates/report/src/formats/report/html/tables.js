// The tables that the model is written in, with what its goals say in each cell.

const asCell = ([text, place, list]) => ({ text, place, goals: list.map((idx) => goals[idx]) });

const tables = raw.tables.map(({ kind, title, columns, rows, values }) => ({
  kind,
  title: asCell(title),
  columns,
  // The values that columns stand for come last, as in the literature.
  rows: [...rows, ...(values.length > 0 ? [values] : [])].map((cells) => cells.map(asCell)),
  hasValues: values.length > 0,
}));

// What a cell's mark says: that of a line, and where no test and no proof decides, that.
function cellMark(list) {
  const counts = countsOf(list);
  const isOpen = counts[COVERED] === 0 && counts[NOT_COVERED] === 0 && counts[UNKNOWN] > 0;
  if (isOpen && !list.some(isProperty)) return { css: 'unknown', sign: '?', text: 'unknown' };
  return lineMark(list);
}

// The address of a cell; that of a table's title has no row.
const cellAddress = (...at) => `#tables/${at.join('/')}`;

// The cell that an address means, and where it is.
function cellAt([table, row, column]) {
  const owner = tables[Number(table)];
  if (!owner) return null;
  if (row === undefined) return { owner, cell: owner.title, at: [Number(table)] };
  const cell = owner.rows[Number(row)]?.[Number(column)];
  return cell ? { owner, cell, at: [table, row, column].map(Number) } : null;
}

function tablesView(chosen) {
  if (chosen) setTimeout(showChosen);
  return [
    heading(1, 'Tables'),
    tableLegend(),
    h(
      'div',
      { class: chosen ? 'split' : '' },
      h(
        'div',
        { class: 'specs' },
        shownTables(true, chosen),
        h('div', { class: 'dictionaries' }, shownTables(false, chosen)),
      ),
      chosen && cellPanel(chosen),
    ),
  ];
}

// In a narrow window the panel stands below all tables, otherwise beside them.
function showChosen() {
  const isNarrow = matchMedia('(max-width: 70rem)').matches;
  const wanted = main.querySelector(isNarrow ? '#cell' : '.specs [aria-current]');
  wanted?.scrollIntoView({ block: isNarrow ? 'start' : 'nearest' });
}

// What gives values comes before the dictionaries, which have no kind besides their title.
function shownTables(isRule, chosen) {
  return tables.map(
    (table, idx) => (table.kind !== '') === isRule && specTable(table, idx, chosen),
  );
}

function tableLegend() {
  const list = [
    ['covered', '✓', 'all covered'],
    ['unknown', '◐', 'partly'],
    ['open', '✗', 'not covered'],
    ['infeasible', '∅', 'infeasible, with a proof'],
    ['unknown', '?', 'unknown'],
  ];
  return h(
    'p',
    { class: 'legend' },
    list.map(([css, sign, text]) =>
      h('span', null, h('span', { class: `mark ${css}`, 'aria-hidden': 'true' }, sign), ` ${text}`),
    ),
    h('span', null, 'without a mark: no goal'),
  );
}

// A table as it is written. The chosen cell is the one that is shown beside it.
function specTable(table, idx, chosen) {
  const isChosen = (at) => chosen && String(chosen.at) === String(at);
  const width = Math.max(table.columns.length, ...table.rows.map((cells) => cells.length));
  const last = table.columns.length - 1;
  return h(
    'section',
    null,
    heading(
      2,
      table.title.goals.length > 0 ? titleLink(table.title, idx, isChosen([idx])) : table.title.text,
      table.kind !== '' && h('small', null, ` ${table.kind}`),
    ),
    h(
      'div',
      { class: 'scroll' },
      h(
        'table',
        { class: 'spec', 'aria-label': `${table.title.text} ${table.kind}`.trim() },
        h(
          'thead',
          null,
          h(
            'tr',
            null,
            table.columns.map((title, column) =>
              h('th', { scope: 'col', colspan: column === last ? width - last : null }, title),
            ),
          ),
        ),
        h(
          'tbody',
          null,
          table.rows.map((cells, row) =>
            h(
              'tr',
              { class: table.hasValues && row === table.rows.length - 1 ? 'values' : null },
              cells.map((cell, column) =>
                specCell(cell, [idx, row, column], isChosen([idx, row, column])),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

function titleLink(title, idx, isChosen) {
  const { css, sign, text } = cellMark(title.goals);
  return h(
    'a',
    { href: cellAddress(idx), 'aria-current': isChosen ? 'true' : null },
    title.text,
    ' ',
    h('span', { class: `mark ${css}`, 'aria-label': text }, sign),
  );
}

function specCell(cell, at, isChosen) {
  const name = at[2] === 0 ? 'th' : 'td';
  const scope = at[2] === 0 ? 'row' : null;
  const text = h('code', null, coloured(cell.text, false));
  if (cell.goals.length === 0) return h(name, { scope }, text);
  const { css, sign, text: words, isWhole } = cellMark(cell.goals);
  const counts = countsOf(cell.goals);
  const counting = isWhole ? 0 : countingOf(counts);
  const label = isWhole ? words : `${words}: ${coveredText(counts)}`;
  return h(
    name,
    { scope, class: `cell ${css}` },
    h(
      'a',
      { href: cellAddress(...at), title: label, 'aria-current': isChosen ? 'true' : null },
      text,
      h(
        'span',
        { class: `mark ${css}`, 'aria-label': label },
        counting === 0 ? sign : `${sign} ${counts[COVERED]}/${counting}`,
      ),
    ),
  );
}

// What stands in a cell, and what is behind it: its goals, their proofs, and the tests.
function cellPanel({ owner, cell, at }) {
  const first = at.length === 3 && at[2] > 0 ? owner.rows[at[1]][0].text : '';
  const where = [owner.title.text, first].filter((text) => text !== '').join(', ');
  return h(
    'article',
    { class: 'panel', id: 'cell', 'aria-label': 'cell' },
    h(
      'div',
      { class: 'tools' },
      h('span', { class: 'quiet' }, where),
      h('span', { class: 'grow' }),
      h('a', { class: 'button', href: '#tables', 'aria-label': 'close' }, '✕'),
    ),
    h('pre', { class: 'one' }, cell.text),
    cell.place && h('p', { class: 'quiet' }, 'Written in ', placeLink(cell.place)),
    goalsByCriterion(cell.goals, cell.place),
    heading(3, 'Tests', h('span', { class: 'count' }, grouped(testsOfCell(cell).length))),
    cellTests(cell),
    truthTables(cell.goals),
  );
}

// The tests that reach goals of a cell: test, first state, and how many goals.
function testsOfCell(cell) {
  const found = new Map();
  for (const goal of cell.goals) {
    const own = new Set();
    eachHit(goal, (test, state) => {
      const [first, count] = found.get(test) ?? [state, 0];
      found.set(test, [Math.min(first, state), count + (own.has(test) ? 0 : 1)]);
      own.add(test);
    });
  }
  return [...found].map(([test, [state, count]]) => ({ test, state, count })).sort((a, b) => a.test - b.test);
}

const SHOWN_TESTS = 60;

function cellTests(cell) {
  const list = testsOfCell(cell);
  if (list.length === 0) return h('p', { class: 'quiet' }, 'No test reaches a goal of this cell.');
  return h(
    'ul',
    { class: 'chips' },
    list
      .slice(0, SHOWN_TESTS)
      .map(({ test, state, count }) =>
        h(
          'li',
          null,
          link(
            links.test(tests[test], state),
            tests[test].name,
            h('small', null, ` @${state} · ${counted(count, 'goal')}`),
          ),
        ),
      ),
    list.length > SHOWN_TESTS && h('li', null, `and ${grouped(list.length - SHOWN_TESTS)} more`),
  );
}
