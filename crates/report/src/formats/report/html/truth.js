// Decisions as truth tables: conditions are columns, evaluations rows, pairs are linked.

function truthTable(decisionIdx, chosen) {
  const decision = decisions[decisionIdx];
  const pairs = goals.filter((goal) => goal.pair && goal.pair[0] === decisionIdx);
  const of = (condition) => pairs.filter((goal) => goal.pair[1] === condition);
  const conditions = decision.conditions.map((text, idx) =>
    h(
      'th',
      { scope: 'col', class: chosen && chosen.pair[1] === idx ? 'chosen' : null, title: text },
      `c${idx + 1}`,
      h('code', null, text),
    ),
  );
  const isShown = (row) => chosen?.pair[2]?.includes(row) ?? false;
  const order = decision.rows.map((_, idx) => idx);
  // Pairs are easier to see when what was made stands first.
  order.sort(
    (a, b) =>
      isShown(b) - isShown(a) ||
      (decision.rows[b][2] !== null) - (decision.rows[a][2] !== null) ||
      a - b,
  );
  const isObserved = areObserved(decision);
  const rows = order.map((idx) => truthRow(decision, idx, pairs, isShown(idx), chosen));
  const feet = decision.conditions.map((_, idx) =>
    h(
      'td',
      null,
      of(idx).map((goal) => pairMark(goal)),
    ),
  );
  return h(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'truth table' },
    h(
      'table',
      { class: 'truth' },
      h('caption', null, decision.place ? ['Decision at ', placeLink(decision.place)] : 'Decision'),
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          h('th', { scope: 'col' }, '#'),
          conditions,
          h('th', { scope: 'col' }, 'decision'),
          isObserved && h('th', { scope: 'col', title: 'the condition whose effect is seen at an output' }, 'seen'),
          h('th', { scope: 'col' }, 'made by'),
          h('th', { scope: 'col' }, 'shows'),
        ),
      ),
      h('tbody', null, rows),
      h(
        'tfoot',
        null,
        h('tr', null, h('th', { scope: 'row' }, 'pair'), feet, h('td'), isObserved && h('td'), h('td'), h('td')),
      ),
    ),
    decision.leftOut > 0 &&
      h(
        'p',
        { class: 'quiet' },
        `${counted(decision.leftOut, 'evaluation')} that no test makes are not listed.`,
      ),
  );
}

// Must evaluations show at an output? Then the same values may stand in several rows, one for each condition
// whose effect is seen.
function areObserved(decision) {
  return decision.rows.length > 0 && decision.rows[0][4] !== null;
}

function truthRow(decision, idx, pairs, isShown, chosen) {
  const [bits, value, hit, nTests, observed] = decision.rows[idx];
  const cells = [...bits].map((bit, condition) => {
    const css = [bit === '1' ? 'true' : bit === '0' ? 'false' : 'any'];
    if (isShown && chosen.pair[1] === condition) css.push('deciding');
    return h('td', { class: css.join(' ') }, bit === '1' ? 'T' : bit === '0' ? 'F' : '·');
  });
  // A pair may be shown by other tests than those that make its evaluations first.
  const place = isShown ? 2 * chosen.pair[2].indexOf(idx) : 0;
  const chosenHits = isShown ? hitsOf(chosen) : [];
  const own = chosenHits.length > place ? chosenHits.slice(place, place + 2) : hit;
  const made = hit
    ? [
        link(links.test(tests[own[0]], own[1]), tests[own[0]].name),
        nTests > 1 && h('small', null, ` +${nTests - 1}`),
      ]
    : h('span', { class: 'quiet' }, 'no test');
  return h(
    'tr',
    { class: [hit ? '' : 'unmade', isShown ? 'pair' : ''].join(' ').trim() || null },
    h('th', { scope: 'row' }, String(idx + 1)),
    cells,
    h('td', { class: value ? 'true' : 'false' }, value ? 'T' : 'F'),
    areObserved(decision) && h('td', null, observed === null ? '' : `c${observed + 1}`),
    h('td', null, made),
    h('td', { class: 'shows' }, shownBy(idx, pairs)),
  );
}

// The conditions that an evaluation helps to show, each once, with the readings in which it does.
function shownBy(row, pairs) {
  const serves = pairs.filter((goal) => goal.pair[2]?.includes(row));
  const conditions = [...new Set(serves.map((goal) => goal.pair[1]))].sort((a, b) => a - b);
  const reading = (goal) => criteria[goal.criterion].name.replace(/^mcdc-/, '');
  return conditions.map((condition) =>
    h(
      'div',
      null,
      `c${condition + 1}: `,
      serves
        .filter((goal) => goal.pair[1] === condition)
        .map((goal, at) => [at > 0 && ', ', link(links.goal(goal), reading(goal))]),
    ),
  );
}

function pairMark(goal) {
  const { css, sign, name } = verdictOf(goal);
  const title = `${criteria[goal.criterion].name}: ${name}`;
  const made = goal.pair[2] && [...goal.pair[2]].sort((a, b) => a - b);
  const rows = made ? ` ${made.map((row) => row + 1).join('–')}` : '';
  return h(
    'a',
    { href: links.goal(goal), class: `mark ${css}`, title, 'aria-label': title },
    sign,
    rows,
  );
}
