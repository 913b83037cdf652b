// What is printed: not the view that is open, but the report, as far as paper can show it.

const PRINTED_GOALS = 3000;
const PRINTED_LINES = 4000;
const PRINTED_DECISIONS = 300;

function printedReport() {
  return h(
    'div',
    { id: 'print' },
    h('section', null, heading(1, raw.model.path), summaryView(PRINTED_GOALS)),
    h(
      'section',
      null,
      heading(1, 'Goals'),
      goals.length > PRINTED_GOALS &&
        h('p', null, `The first ${grouped(PRINTED_GOALS)} of ${grouped(goals.length)}.`),
      smallTable(
        'goals',
        [
          ['verdict', (goal) => badge(goal.verdict)],
          ['goal', (goal) => [goal.text, h('small', null, goal.id)], 'wide'],
          ['place', (goal) => placeText(goal.place)],
          ['tests', (goal) => grouped(goal.nTests), 'number'],
        ],
        goals.slice(0, PRINTED_GOALS),
      ),
    ),
    h(
      'section',
      null,
      heading(1, 'Tests'),
      smallTable(
        'tests',
        [
          ['test', (test) => test.name],
          ['steps', (test) => grouped(test.nStates - 1), 'number'],
          ['goals', (test) => grouped(nGoalsOfTests()[test.idx]), 'number'],
          ['only here', (test) => grouped(nOwnOfTests()[test.idx]), 'number'],
          ...(raw.run ? [['run', (test) => runBadge(runOfTest().get(test.idx))]] : []),
        ],
        tests,
      ),
    ),
    requirements.length > 0 &&
      h('section', null, heading(1, 'Requirements'), requirementsTable(requirements)),
    decisions.length > 0 &&
      h(
        'section',
        null,
        heading(1, 'Decisions'),
        decisions.slice(0, PRINTED_DECISIONS).map((_, idx) => truthTable(idx, null)),
      ),
    raw.comparison && h('section', null, compareView()),
    sources.map((source, file) =>
      h('section', null, heading(1, source.path), printedSource(source, file)),
    ),
  );
}

function printedSource(source, file) {
  const marks = goalsOfLines()[file];
  return h(
    'div',
    { class: 'printed' },
    source.lines
      .slice(0, PRINTED_LINES)
      .map((text, idx) =>
        h(
          'div',
          null,
          h('span', { class: 'margin' }, marginMark(null, marks.get(idx + 1))),
          h('span', { class: 'no' }, String(idx + 1)),
          h('code', null, text === '' ? ' ' : text),
        ),
      ),
  );
}

window.addEventListener('beforeprint', () => {
  document.getElementById('print')?.remove();
  document.body.append(printedReport());
});
window.addEventListener('afterprint', () => document.getElementById('print')?.remove());
