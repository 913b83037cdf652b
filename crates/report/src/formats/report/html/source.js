// The model's text, with what its goals say in the margin.

// For each file and line the goals that stand there.
const goalsOfLines = once(() => {
  const files = sources.map(() => new Map());
  for (const goal of goals) {
    if (!goal.place) continue;
    const [file, line] = goal.place;
    const lines = files[file];
    if (!lines.has(line)) lines.set(line, []);
    lines.get(line).push(goal);
  }
  return files;
});

// What a line's mark says: all that count are covered, some, none, or none counts.
function lineMark(list) {
  const properties = list.filter(isProperty).map((goal) => goal.property);
  const worst = properties.length > 0 ? Math.min(...properties) : null;
  if (worst === VIOLATED || (worst !== null && properties.length === list.length)) {
    const { css, sign, name } = PROPERTIES[worst];
    return { css, sign, text: `property: ${name}`, isWhole: true };
  }
  const counts = countsOf(list);
  const missing = counts[NOT_COVERED] + counts[UNKNOWN];
  if (counts[COVERED] === 0 && missing === 0)
    return { css: 'infeasible', sign: '∅', text: 'infeasible' };
  if (missing === 0) return { css: 'covered', sign: '✓', text: 'covered' };
  if (counts[COVERED] > 0) return { css: 'unknown', sign: '◐', text: 'partly covered' };
  return { css: 'open', sign: '✗', text: 'not covered' };
}

function sourceView(file, line) {
  const source = sources[file];
  const marks = goalsOfLines()[file];
  const list = longTable({
    label: 'source',
    columns: [
      { title: 'goals', width: '4.6rem', show: (row) => marginMark(row, marks.get(row.line)) },
      { title: 'line', width: '2.6rem', show: (row) => String(row.line), css: 'no' },
      {
        title: source.path,
        width: 'minmax(0, 1fr)',
        show: (row) => coloured(row.text, row.isInside),
        css: 'text',
      },
    ],
    onopen: (row) => go(links.source(file, row.line)),
    css: 'code',
    height: 22,
  });
  let isInside = false;
  const rows = source.lines.map((text, idx) => {
    const row = { line: idx + 1, text, isInside };
    isInside = pieces(text, isInside).isInside;
    return row;
  });
  setTimeout(() => list.fill(rows, rows[line - 1]));
  return [
    heading(1, 'Source'),
    sources.length > 1 &&
      h(
        'p',
        { class: 'files' },
        sources.map((other, idx) =>
          h(
            'a',
            {
              class: 'button',
              href: links.source(idx, 1),
              'aria-current': idx === file ? 'true' : null,
            },
            other.path,
          ),
        ),
      ),
    legend(),
    h('div', { class: 'split' }, list.box, linePanel(file, line, marks.get(line) ?? [])),
  ];
}

function legend() {
  const list = [
    ['covered', '✓', 'all covered'],
    ['unknown', '◐', 'partly'],
    ['open', '✗', 'none'],
    ['infeasible', '∅', 'infeasible only'],
  ];
  return h(
    'p',
    { class: 'legend' },
    list.map(([css, sign, text]) =>
      h('span', null, h('span', { class: `mark ${css}`, 'aria-hidden': 'true' }, sign), ` ${text}`),
    ),
  );
}

function marginMark(row, list) {
  if (!list) return '';
  const { css, sign, text, isWhole } = lineMark(list);
  const counts = countsOf(list);
  const counting = isWhole ? 0 : countingOf(counts);
  const label = isWhole ? text : `${text}: ${coveredText(counts)}`;
  return h(
    'span',
    { class: `mark ${css}`, title: label, 'aria-label': label },
    counting === 0 ? sign : `${sign} ${counts[COVERED]}/${counting}`,
  );
}

// What the language of the model calls its own.
const WORDS = new Set(raw.model.keywords);
const [LINE_COMMENT, OPEN, CLOSE] = raw.model.comments;
const literally = (text) => text.replace(/[^\w\s]/g, '\\$&');

// Strings come before comments, which may stand in them; the longer comment before the shorter.
const TOKEN = new RegExp(
  [
    '"[^"]*"?',
    ...(OPEN ? [literally(OPEN)] : []),
    `${literally(LINE_COMMENT)}.*$`,
    '[A-Za-z_][A-Za-z0-9_$#-]*',
    '$',
  ].join('|'),
);

// A line in pieces, and whether a comment of several lines goes on behind it. It may have begun
// before.
function pieces(text, isInside) {
  const list = [];
  for (let at = 0; at < text.length;) {
    let inner = at;
    if (!isInside) {
      const found = TOKEN.exec(text.slice(at));
      list.push(text.slice(at, at + found.index));
      at += found.index;
      if (!OPEN || found[0] !== OPEN) {
        list.push(found[0]);
        at += found[0].length;
        continue;
      }
      inner = at + OPEN.length;
    }
    const end = text.indexOf(CLOSE, inner);
    isInside = end < 0;
    const stop = isInside ? text.length : end + CLOSE.length;
    list.push(text.slice(at, stop));
    at = stop;
  }
  return { list, isInside };
}

// Words of the language and comments, for the eye only.
function coloured(text, isInside) {
  return pieces(text, isInside).list.map((piece, idx) => {
    const opens = (start) => start && piece.startsWith(start);
    if (opens(LINE_COMMENT) || opens(OPEN) || (isInside && idx === 0)) return h('i', null, piece);
    return WORDS.has(piece) ? h('b', null, piece) : piece;
  });
}

// The goals of a line, with the truth tables of its decisions.
function linePanel(file, line, list) {
  return h(
    'article',
    { class: 'panel', id: 'line', 'aria-label': `line ${line}` },
    heading(2, `Line ${line}`),
    h('pre', { class: 'one' }, (sources[file].lines[line - 1] ?? '').trim() || ' '),
    list.length === 0 &&
      h(
        'p',
        { class: 'quiet' },
        'No goal stands on this line. Choose one with a mark in the margin.',
      ),
    goalsByCriterion(list, [file, line]),
    truthTables(list),
  );
}

// Goals of a place by criterion, with their proofs.
function goalsByCriterion(list, place) {
  const byCriterion = criteria.map((criterion) =>
    list.filter((goal) => goal.criterion === criterion.idx),
  );
  return byCriterion.map(
    (own, idx) =>
      own.length > 0 && [
        heading(3, criteria[idx].name, h('span', { class: 'count' }, coveredText(countsOf(own)))),
        h(
          'ul',
          { class: 'goals' },
          own
            .slice(0, 200)
            .map((goal) =>
              h(
                'li',
                null,
                badge(goal),
                ' ',
                link(links.goal(goal), goal.text),
                goal.reason && h('small', null, goal.reason),
              ),
            ),
        ),
        own.length > 200 &&
          h(
            'p',
            null,
            link(
              links.goals({ c: String(idx), q: placeText(place) }),
              `and ${grouped(own.length - 200)} more`,
            ),
          ),
      ],
  );
}

// The truth tables of the decisions that goals are about.
function truthTables(list) {
  const found = new Set(list.filter((goal) => goal.pair).map((goal) => goal.pair[0]));
  return [...found].map((idx) => truthTable(idx, null));
}
