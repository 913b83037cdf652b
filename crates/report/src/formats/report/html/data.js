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

const criteria = raw.criteria.map(([name, about], idx) => ({ idx, name, about, goals: [] }));

const goals = raw.goals.map((fields, idx) => {
  const [id, criterion, text, place, verdict, reason, nTests, hits, pair] = fields;
  const goal = { idx, id, criterion, text, place, verdict, reason, nTests, coded: hits, pair };
  goal.requirements = [];
  criteria[criterion].goals.push(goal);
  return goal;
});

const tests = raw.tests.map(([name, nStates, loop, coded], idx) => ({
  idx,
  name,
  nStates,
  loop,
  coded,
}));

const { variables, decisions, sources, requirements } = {
  variables: raw.variables,
  decisions: raw.decisions,
  sources: raw.sources.map(([path, text]) => ({ path, lines: text.split(/\r\n|\n/) })),
  requirements: raw.requirements,
};

requirements.forEach((requirement) => {
  requirement.goals = requirement.goals.filter((idx) => idx < goals.length);
  requirement.goals.forEach((idx) => goals[idx].requirements.push(requirement.id));
});

// Where tests reach a goal: [test, state] each.
function hitsOf(goal) {
  if (!goal.hits) {
    const text = reader(goal.coded);
    goal.hits = [];
    for (let test = -1; !text.isEnd();) {
      const digit = text.digit();
      const isFar = digit >= NEXT + NEXT_BUT_ONE;
      test += isFar ? text.number() : digit < NEXT ? 1 : 2;
      goal.hits.push([test, isFar ? text.number() : digit < NEXT ? digit : digit - NEXT]);
    }
  }
  return goal.hits;
}

// For each test the goals that it reaches: [goal, state] each, by state.
const goalsOfTests = once(() => {
  const reached = tests.map(() => []);
  for (const goal of goals) {
    for (const [test, state] of hitsOf(goal)) {
      const known = reached[test];
      const last = known[known.length - 1];
      // Both evaluations of a pair may be in one test; each is a mark of its own.
      if (!last || last[0] !== goal.idx || last[1] !== state) known.push([goal.idx, state]);
    }
  }
  reached.forEach((list) => list.sort((a, b) => a[1] - b[1] || a[0] - b[0]));
  return reached;
});

// Is it left out of the page whether a test reaches a goal?
function isUnlisted(goal, test) {
  const listed = hitsOf(goal);
  return !goal.pair && listed.length < goal.nTests && test.idx > listed[listed.length - 1][0];
}

// How many different goals each test reaches.
const nGoalsOfTests = once(() =>
  goalsOfTests().map((list) => new Set(list.map(([goal]) => goal)).size),
);

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

// The share of the goals that count; all of nothing is everything.
function scoreOf(counts) {
  const counting = counts[COVERED] + counts[NOT_COVERED] + counts[UNKNOWN];
  return counting === 0 ? 1 : counts[COVERED] / counting;
}

// Only all is 100 %.
function percent(share) {
  return `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;
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
  return {
    of: (item) =>
      byName.get(nameOf(item)) === item ? encodeURIComponent(nameOf(item)) : `~${item.idx}`,
    find: (text) => (/^~\d+$/.test(text) ? list[Number(text.slice(1))] : byName.get(text)) ?? null,
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
