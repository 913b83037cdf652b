// The data of the page, taken apart once.

const raw = JSON.parse(document.getElementById('data').textContent);

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const DIGIT_OF = new Uint8Array(128);
for (let idx = 0; idx < 64; idx++) DIGIT_OF[DIGITS.charCodeAt(idx)] = idx;

// Reads digits and numbers from a string. A number has five bits a digit, the lowest first; the
// sixth says that more follow.
function reader(text) {
  let at = 0;
  const digit = () => DIGIT_OF[text.charCodeAt(at++)];
  const number = () => {
    for (let found = 0, scale = 1; ; scale *= 32) {
      const next = digit();
      found += (next & 31) * scale;
      if (next < 32 || at >= text.length) return found;
    }
  };
  return { digit, number, isEnd: () => at >= text.length };
}

// A digit below the first of these is a state of the next test, one below their sum of the next but
// one; the digit after these says that the distance and the state follow.
const NEXT = 44;
const NEXT_BUT_ONE = 18;

const COVERED = 0;
const NOT_COVERED = 1;
const INFEASIBLE = 2;
const UNKNOWN = 3;

// What each verdict is called, by its number; the sign tells it apart without colours.
const VERDICTS = [
  { name: 'covered', css: 'covered', sign: '✓' },
  { name: 'not covered', css: 'open', sign: '✗' },
  { name: 'infeasible', css: 'infeasible', sign: '∅' },
  { name: 'unknown', css: 'unknown', sign: '?' },
];

// The same for the model's own properties: a goal that is one has such a verdict as well.
const VIOLATED = 0;

const PROPERTIES = [
  { name: 'violated', css: 'open', sign: '✗' },
  { name: 'undecided', css: 'unknown', sign: '?' },
  { name: 'holds', css: 'covered', sign: '✓' },
];

const isProperty = (goal) => goal.property !== null;

function verdictOf(goal) {
  return isProperty(goal) ? PROPERTIES[goal.property] : VERDICTS[goal.verdict];
}

const criteria = raw.criteria.map(([name, about], idx) => ({ idx, name, about, goals: [] }));

const goals = raw.goals.map((fields, idx) => {
  const [id, criterion, text, place, verdict, reason, nTests, hits, pair, property, needs, shown] = fields;
  const goal = { idx, id, criterion, text, place, verdict, reason, nTests, coded: hits, pair };
  goal.property = property;
  goal.needs = needs;
  goal.shown = shown;
  goal.requirements = [];
  criteria[criterion].goals.push(goal);
  return goal;
});

const tests = raw.tests.map(([name, nStates, loop, coded, back], idx) => ({
  idx,
  name,
  nStates,
  loop,
  coded,
  back,
}));

const { variables, decisions, sources, requirements } = {
  variables: raw.variables,
  decisions: raw.decisions,
  sources: raw.sources.map(([path, text]) => ({ path, lines: text.split(/\r\n|\n/) })),
  requirements: raw.requirements,
};

requirements.forEach((requirement) => {
  requirement.goals = requirement.goals.filter((idx) => idx < goals.length);
  requirement.goals.forEach((idx) => {
    const known = goals[idx].requirements;
    if (!known.includes(requirement.id)) known.push(requirement.id);
  });
});

// Where tests reach a goal, by test: tests and states in turn. There may be millions of them in all,
// so they stand in flat arrays.
function hitsOf(goal) {
  if (!goal.hits) {
    const text = reader(goal.coded);
    const found = [];
    for (let test = -1; !text.isEnd();) {
      const digit = text.digit();
      const isFar = digit >= NEXT + NEXT_BUT_ONE;
      test += isFar ? text.number() : digit < NEXT ? 1 : 2;
      found.push(test, isFar ? text.number() : digit < NEXT ? digit : digit - NEXT);
    }
    goal.hits = Int32Array.from(found);
  }
  return goal.hits;
}

function eachHit(goal, visit) {
  const hits = hitsOf(goal);
  for (let at = 0; at < hits.length; at += 2) visit(hits[at], hits[at + 1]);
}

// The state by which a test reaches a goal, or -1.
function stateIn(goal, test) {
  const hits = hitsOf(goal);
  let low = 0;
  let high = hits.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (hits[2 * middle] < test.idx) low = middle + 1;
    else high = middle;
  }
  return 2 * low < hits.length && hits[2 * low] === test.idx ? hits[2 * low + 1] : -1;
}

// Is it left out of the page whether a test reaches a goal? That of all tests may be.
function isUnlisted(goal, test) {
  const hits = hitsOf(goal);
  return !goal.pair && hits.length / 2 < goal.nTests && !(test.idx <= hits[hits.length - 2]);
}

// How many different goals each test reaches.
const nGoalsOfTests = once(() => {
  const counts = new Int32Array(tests.length);
  for (const goal of goals) {
    let before = -1;
    // Both evaluations of a pair may be in one test.
    eachHit(goal, (test) => {
      if (test !== before) counts[test]++;
      before = test;
    });
  }
  return counts;
});

// The goals that a test reaches: [goal, state] each, by state; of a pair, both evaluations.
function goalsOfTest(test) {
  if (!test.reached) {
    test.reached = [];
    for (const goal of goals) {
      if (goal.pair) {
        eachHit(goal, (at, state) => at === test.idx && test.reached.push([goal.idx, state]));
      } else if (stateIn(goal, test) >= 0) {
        test.reached.push([goal.idx, stateIn(goal, test)]);
      }
    }
    test.reached.sort((a, b) => a[1] - b[1] || a[0] - b[0]);
  }
  return test.reached;
}

// What each variable does in a test: [value or -1, first state, number of states] each.
function columnsOf(test) {
  if (!test.columns && test.coded !== null) {
    const text = reader(test.coded);
    test.columns = variables.map(() => {
      const column = [];
      for (let state = 0; state < test.nStates && !text.isEnd();) {
        const value = text.number() - 1;
        const count = text.number();
        column.push([value, state, count]);
        state += count;
      }
      return column;
    });
  }
  return test.columns ?? null;
}

// The stretch of a column that holds a state.
function stretchAt(column, state) {
  let low = 0;
  let high = column.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (column[middle][1] <= state) low = middle;
    else high = middle - 1;
  }
  return column[low];
}

function valueAt(variable, column, state) {
  const stretch = stretchAt(column, state);
  return stretch && stretch[0] >= 0 ? variables[variable].values[stretch[0]] : '–';
}

// How many goals of a list have each verdict.
function countsOf(list) {
  const counts = [0, 0, 0, 0];
  list.forEach((goal) => counts[goal.verdict]++);
  return counts;
}

// How many goals count: all but the infeasible ones, in every number that the page shows.
function countingOf(counts) {
  return counts[COVERED] + counts[NOT_COVERED] + counts[UNKNOWN];
}

// The share of the goals that count, in words if there are none. Only all is 100 %.
function scoreText(counts) {
  const counting = countingOf(counts);
  if (counting === 0) return counts[INFEASIBLE] === 0 ? 'no goals' : 'all infeasible';
  return `${(Math.floor((counts[COVERED] / counting) * 1000) / 10).toFixed(1)} %`;
}

// How many of the goals that count are covered, and how many do not count.
function coveredText(counts) {
  const infeasible = `${grouped(counts[INFEASIBLE])} infeasible`;
  if (countingOf(counts) === 0 && counts[INFEASIBLE] > 0) return infeasible;
  const besides = counts[INFEASIBLE] > 0 ? ` (${infeasible})` : '';
  return `${grouped(counts[COVERED])} of ${grouped(countingOf(counts))}${besides}`;
}

function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

function counted(number, noun) {
  const plural = noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${grouped(number)} ${number === 1 ? noun : plural}`;
}

// Spreading a long list over arguments fails, so this goes one by one.
function most(list, least) {
  return list.reduce((found, number) => Math.max(found, number), least);
}

function once(make) {
  let made;
  return () => (made ??= make());
}

// What something is called in an address: its name, unless another one has the same.
function addresses(list, nameOf) {
  const byName = new Map();
  list.forEach((item) => {
    const name = nameOf(item);
    byName.set(name, byName.has(name) ? null : item);
  });
  // Somebody may be called like a number of ours.
  let sign = '~';
  while (list.some((item) => nameOf(item).startsWith(sign))) sign += '~';
  const numbered = (text) => (text?.startsWith(sign) ? list[Number(text.slice(sign.length))] : null);
  return {
    of: (item) =>
      byName.get(nameOf(item)) === item ? encodeURIComponent(nameOf(item)) : `${sign}${item.idx}`,
    find: (text) => byName.get(text) ?? numbered(text) ?? null,
  };
}

const goalAddresses = addresses(goals, (goal) => goal.id);
const testAddresses = addresses(tests, (test) => test.name);

const links = {
  goal: (goal) => `#goal/${goalAddresses.of(goal)}`,
  test: (test, state) => `#test/${testAddresses.of(test)}${state === undefined ? '' : `/${state}`}`,
  source: (file, line) => `#source/${line}${file === 0 ? '' : `/${file}`}`,
  goals: (filters) => {
    const parts = Object.entries(filters).filter(([, value]) => value !== '');
    const text = parts.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&');
    return text === '' ? '#goals' : `#goals/${text}`;
  },
};
