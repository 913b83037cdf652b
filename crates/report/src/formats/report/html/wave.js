// A test as a waveform: variables are rows, time runs to the right.
//
// All is drawn on one canvas that covers what is seen of a large box, so that tests may have any
// number of states. Names stay on the left and states on top.

const WAVE_ROW = 26;
const WAVE_TOP = 44;
// Browsers lay out no wider boxes.
const WIDEST = 16e6;
const ZOOMS = [3, 6, 12, 20, 32, 48, 72, 108, 160];

function waveform(test, start, onstate) {
  const columns = columnsOf(test);
  let rows = waveRows('');
  const longest = most(
    rows.map((row) => (row.title ?? variables[row.variable].name).length),
    8,
  );
  const wanted = Math.min(260, Math.max(110, longest * 7.3 + 26));
  let left = wanted;
  const marks = new Map();
  goalsOfTest(test).forEach(([, state]) => marks.set(state, (marks.get(state) ?? 0) + 1));
  const failed =
    raw.run?.tests.find((one) => one.test === test.idx && one.verdict !== 'pass')?.step ?? -1;
  let zoom = Math.min(
    test.nStates <= 12 ? 72 : test.nStates <= 40 ? 48 : 32,
    WIDEST / test.nStates,
  );
  let cursor = Math.max(0, Math.min(test.nStates - 1, start));
  const canvas = h('canvas', { 'aria-hidden': 'true' });
  const sizer = h('div', { class: 'sizer' }, canvas);
  const box = h(
    'div',
    {
      class: 'wave',
      tabindex: '0',
      role: 'application',
      id: 'wave',
      'aria-label': `timeline of ${test.name}: left and right choose a state, plus and minus zoom`,
    },
    sizer,
  );
  const draw = everyFrame(render);

  function resize() {
    sizer.style.width = `${left + test.nStates * zoom + 12}px`;
    sizer.style.height = `${WAVE_TOP + rows.length * WAVE_ROW + 4}px`;
    draw();
  }

  function render() {
    const width = box.clientWidth;
    const height = box.clientHeight;
    if (width === 0) return;
    // In a narrow window the names leave room for the values.
    const room = Math.floor(Math.min(wanted, Math.max(60, width * 0.35)));
    if (room !== left) {
      left = room;
      resize();
    }
    const context = fit(canvas, width, height);
    const view = { context, width, height, left, zoom, x: box.scrollLeft, y: box.scrollTop };
    view.first = Math.max(0, Math.floor(view.x / zoom));
    view.last = Math.min(test.nStates - 1, Math.ceil((view.x + width - left) / zoom));
    context.font = `12px ${colour('mono')}`;
    context.textBaseline = 'middle';
    const xOf = (state) => left + state * zoom - view.x;
    context.fillStyle = colour('chosen');
    context.fillRect(xOf(cursor), 0, zoom, height);
    rows.forEach((row, idx) => {
      const y = WAVE_TOP + idx * WAVE_ROW - view.y;
      if (y < -WAVE_ROW || y > height) return;
      if (row.title) drawGroup(view, y);
      else drawColumn(view, columns[row.variable], variables[row.variable], y, xOf);
    });
    drawNames(view, rows);
    drawRuler(view, test, marks, failed, xOf, cursor);
  }

  function choose(state) {
    cursor = Math.max(0, Math.min(test.nStates - 1, state));
    const x = cursor * zoom;
    if (x < box.scrollLeft) box.scrollLeft = x;
    else if (x + zoom > box.scrollLeft + box.clientWidth - left)
      box.scrollLeft = x + zoom - box.clientWidth + left;
    draw();
    onstate(cursor);
  }

  function zoomTo(wanted, at) {
    const middle = at ?? left + (cursor + 0.5) * zoom - box.scrollLeft;
    const state = (box.scrollLeft + middle - left) / zoom;
    zoom = Math.min(wanted, WIDEST / test.nStates);
    resize();
    box.scrollLeft = state * zoom - middle + left;
  }

  function zoomBy(step, at) {
    const larger = ZOOMS.findIndex((one) => one >= zoom);
    zoomTo(ZOOMS[Math.max(0, Math.min(ZOOMS.length - 1, larger + step))], at);
  }

  function zoomAll() {
    zoomTo(Math.max(0.05, Math.min(160, (box.clientWidth - left - 14) / test.nStates)));
    box.scrollLeft = 0;
  }

  box.addEventListener('scroll', draw, { passive: true });
  box.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoomBy(event.deltaY < 0 ? 1 : -1, event.clientX - box.getBoundingClientRect().left);
    },
    { passive: false },
  );
  box.addEventListener('click', (event) => {
    const x = event.clientX - box.getBoundingClientRect().left;
    if (x > left) choose(Math.floor((x - left + box.scrollLeft) / zoom));
    box.focus({ preventScroll: true });
  });
  box.addEventListener('keydown', (event) => {
    const page = Math.max(1, Math.floor((box.clientWidth - left) / zoom) - 1);
    const steps = {
      ArrowRight: 1,
      ArrowLeft: -1,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in steps) choose(cursor + steps[event.key]);
    else if (event.key === '+' || event.key === '=') zoomBy(1);
    else if (event.key === '-') zoomBy(-1);
    else if (event.key === '0') zoomAll();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  new ResizeObserver(draw).observe(box);
  onTheme(box, draw);
  resize();
  setTimeout(() => choose(cursor));
  function filter(text) {
    rows = waveRows(text.toLowerCase());
    resize();
  }

  return { box, choose, zoomBy, zoomAll, filter };
}

// The variables whose names have a text in them, by role, each role under its title.
function waveRows(text) {
  const groups = [
    ['inputs', 'input'],
    ['outputs', 'output'],
    ['internal', 'internal'],
  ];
  return groups.flatMap(([title, role]) => {
    const own = variables
      .map((variable, idx) => ({ variable: idx, role: variable.role }))
      .filter(
        (row) => row.role === role && variables[row.variable].name.toLowerCase().includes(text),
      );
    return own.length > 0 ? [{ title }, ...own] : [];
  });
}

function drawGroup({ context, width, left }, y) {
  context.fillStyle = colour('soft');
  context.fillRect(left, y, width, WAVE_ROW);
}

// Booleans are lines of two heights, other values boxes with the value in them; numbers of a long
// test are steps.
function drawColumn(view, column, variable, y, xOf) {
  const { context, width, left } = view;
  const top = y + 5;
  const low = y + WAVE_ROW - 5;
  const heightOf = heights(variable, top, low);
  context.save();
  context.beginPath();
  context.rect(left, 0, width - left, view.height);
  context.clip();
  context.strokeStyle = colour(variable.role);
  context.lineWidth = 1.5;
  let from = column.indexOf(stretchAt(column, view.first));
  let before = null;
  for (; from < column.length && column[from][1] <= view.last; from++) {
    const [value, state, count] = column[from];
    const x = xOf(state);
    const end = xOf(state + count);
    if (value < 0) drawMissing(context, x, end, (top + low) / 2);
    else if (variable.shape === 'boolean')
      drawLevel(
        context,
        x,
        end,
        heightOf(value),
        before,
        top,
        low,
        variable.values[value] === 'TRUE',
      );
    else drawBox(view, x, end, top, low, variable, value, heightOf(value));
    before = value < 0 || variable.shape !== 'boolean' ? null : heightOf(value);
  }
  context.restore();
}

function heights(variable, top, low) {
  if (variable.shape === 'boolean')
    return (value) => (variable.values[value] === 'TRUE' ? top : low);
  if (variable.shape !== 'number') return () => low;
  const { known, least, range } = (variable.range ??= rangeOf(variable));
  return (value) =>
    Number.isNaN(known[value]) ? low : low - ((known[value] - least) / range) * (low - top);
}

// The numbers that a variable takes, and how far apart they are; fractions are none.
function rangeOf(variable) {
  const known = variable.values.map(Number);
  const numbers = known.filter((number) => !Number.isNaN(number));
  const least = -most(
    numbers.map((number) => -number),
    -Infinity,
  );
  return { known, least, range: most(numbers, -Infinity) - least || 1 };
}

function drawMissing(context, x, end, y) {
  context.save();
  context.setLineDash([2, 4]);
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(end, y);
  context.stroke();
  context.restore();
}

function drawLevel(context, x, end, y, before, top, low, isTrue) {
  if (isTrue) {
    context.save();
    context.globalAlpha = 0.16;
    context.fillStyle = context.strokeStyle;
    context.fillRect(x, top, end - x, low - top);
    context.restore();
  }
  context.beginPath();
  context.moveTo(x, before ?? y);
  context.lineTo(x, y);
  context.lineTo(end, y);
  context.stroke();
}

function drawBox({ context, left, width }, x, end, top, low, variable, value, level) {
  const slant = Math.min(4, (end - x) / 3);
  const middle = (top + low) / 2;
  if (variable.shape === 'number') {
    context.save();
    context.globalAlpha = 0.22;
    context.fillStyle = context.strokeStyle;
    context.fillRect(x, level, end - x, low - level + 0.5);
    context.restore();
  }
  context.beginPath();
  context.moveTo(x, middle);
  context.lineTo(x + slant, top);
  context.lineTo(end - slant, top);
  context.lineTo(end, middle);
  context.lineTo(end - slant, low);
  context.lineTo(x + slant, low);
  context.closePath();
  context.stroke();
  // The text stays in what is seen of the box.
  const from = Math.max(x, left);
  const to = Math.min(end, width);
  const room = to - from - 8;
  if (room < 8) return;
  const text = shorten(context, shown(brief(variable.values[value])), room);
  context.fillStyle = colour('text');
  context.textAlign = 'center';
  context.fillText(text, (from + to) / 2, middle + 0.5);
}

// A word without its type, which would leave no room for its value; the panel has both.
function brief(text) {
  return text.replace(/^(-?)0[us]d\d+_/, '$1');
}

function shorten(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  const n = Math.floor(room / context.measureText('m').width) - 1;
  return n < 1 ? '' : `${text.slice(0, n)}…`;
}

function drawNames({ context, height, left, y: scrolled }, rows) {
  context.fillStyle = colour('panel');
  context.fillRect(0, 0, left, height);
  context.textAlign = 'left';
  rows.forEach((row, idx) => {
    const y = WAVE_TOP + idx * WAVE_ROW - scrolled;
    if (y < -WAVE_ROW || y > height) return;
    if (row.title) {
      context.fillStyle = colour('soft');
      context.fillRect(0, y, left, WAVE_ROW);
    }
    context.fillStyle = colour(row.title ? 'quiet' : 'text');
    const text = row.title ?? variables[row.variable].name;
    context.fillText(
      shorten(context, shown(text), left - 24),
      row.title ? 10 : 18,
      y + WAVE_ROW / 2,
    );
  });
  context.fillStyle = colour('line');
  context.fillRect(left - 1, 0, 1, height);
}

function drawRuler(view, test, marks, failed, xOf, cursor) {
  const { context, width, left, zoom } = view;
  context.fillStyle = colour('panel');
  context.fillRect(0, 0, width, WAVE_TOP);
  context.fillStyle = colour('line');
  context.fillRect(0, WAVE_TOP - 1, width, 1);
  context.save();
  context.beginPath();
  context.rect(left, 0, width - left, WAVE_TOP);
  context.clip();
  const every =
    [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000].find(
      (step) => step * zoom >= 34,
    ) ?? 50000;
  context.textAlign = 'center';
  const dense = zoom < 8;
  for (let state = view.first; state <= view.last; state++) {
    const x = xOf(state) + zoom / 2;
    if (state === cursor) {
      context.fillStyle = colour('chosen');
      context.fillRect(xOf(state), 0, Math.max(1, zoom), WAVE_TOP - 1);
    }
    if (state % every === 0 || (state === cursor && zoom >= 34)) {
      context.fillStyle = colour(state === failed ? 'open' : 'text');
      context.fillText(state === test.loop ? `↻${state}` : String(state), x, 13);
    }
    if (marks.has(state)) drawMark(context, x, 32, dense ? 3 : 6, marks.get(state), zoom);
    if (state === failed) {
      context.fillStyle = colour('open');
      context.fillRect(xOf(state), 0, Math.max(2, zoom), 3);
    }
  }
  context.restore();
  context.fillStyle = colour('quiet');
  context.textAlign = 'left';
  context.fillText(shorten(context, 'state', left - 12), 10, 13);
  context.fillText(shorten(context, 'goals reached', left - 12), 10, 32);
}

// A diamond where goals are reached first, with their number if there is room.
function drawMark(context, x, y, size, count, zoom) {
  context.fillStyle = colour('covered');
  const left = zoom >= 48 ? x - 10 : x;
  context.beginPath();
  context.moveTo(left - size, y);
  context.lineTo(left, y - size);
  context.lineTo(left + size, y);
  context.lineTo(left, y + size);
  context.fill();
  if (zoom < 48) return;
  context.textAlign = 'left';
  context.fillText(String(count), left + size + 4, y + 0.5);
  context.textAlign = 'center';
}
