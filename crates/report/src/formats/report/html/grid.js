// A matrix of any size on a canvas, with a cursor that the keyboard moves.

const CELLS = [1, 2, 3, 5, 8, 12, 16, 22];

// The end of a name tells more than its start.
function shortenStart(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  const n = Math.floor(room / context.measureText('m').width) - 1;
  return `…${text.slice(-Math.max(1, n))}`;
}

// `fill(row, column)` is the name of a colour, or null.
function grid({ label, rows, columns, rowName, columnName, fill, describe, onopen }) {
  const canvas = h('canvas', { 'aria-hidden': 'true' });
  const sizer = h('div', { class: 'sizer' }, canvas);
  const box = h(
    'div',
    {
      class: 'grid',
      tabindex: '0',
      role: 'application',
      'aria-label': `${label}: arrow keys choose a cell, Enter opens it`,
    },
    sizer,
  );
  const status = h(
    'p',
    { class: 'status', role: 'status', 'aria-live': 'polite' },
    'Choose a cell with the pointer or the arrow keys.',
  );
  const longest = most(
    rows.map((row) => rowName(row).length),
    4,
  );
  const left = Math.min(220, Math.max(60, longest * 7.3 + 18));
  // As large as shows all at once; few rows may be wider than the window.
  const least = rows.length <= 20 ? 12 : rows.length <= 40 ? 8 : 2;
  let cell = CELLS.filter(
    (size) => size <= least || (size * columns.length <= 1100 && size * rows.length <= 900),
  ).pop();
  let cursor = null;
  const widest = most(
    columns.map((column) => columnName(column).length),
    0,
  );
  const top = () => (cell >= 12 ? Math.min(190, widest * 7 + 18) : 10);
  const draw = everyFrame(render);

  function resize() {
    sizer.style.width = `${left + columns.length * cell + 2}px`;
    sizer.style.height = `${top() + rows.length * cell + 2}px`;
    draw();
  }

  function render() {
    const width = box.clientWidth;
    const height = box.clientHeight;
    if (width === 0) return;
    const context = fit(canvas, width, height);
    const [x, y] = [box.scrollLeft, box.scrollTop];
    const cells = {
      first: Math.floor(x / cell),
      last: Math.min(columns.length, Math.ceil((x + width - left) / cell)),
    };
    const lines = {
      first: Math.floor(y / cell),
      last: Math.min(rows.length, Math.ceil((y + height - top()) / cell)),
    };
    const gap = cell >= 5 ? 1 : 0;
    context.save();
    context.beginPath();
    context.rect(left, top(), width, height);
    context.clip();
    for (let row = lines.first; row < lines.last; row++) {
      for (let column = cells.first; column < cells.last; column++) {
        const name = fill(rows[row], columns[column]) ?? (gap ? 'soft' : null);
        if (!name) continue;
        context.fillStyle = colour(name);
        context.fillRect(left + column * cell - x, top() + row * cell - y, cell - gap, cell - gap);
      }
    }
    if (cursor) {
      context.strokeStyle = colour('focus');
      context.lineWidth = 2;
      context.strokeRect(
        left + cursor[1] * cell - x - 1,
        top() + cursor[0] * cell - y - 1,
        Math.max(4, cell + 1),
        Math.max(4, cell + 1),
      );
    }
    context.restore();
    names(context, lines, cells, x, y);
  }

  function names(context, lines, cells, x, y) {
    context.font = `11px ${colour('mono')}`;
    context.textBaseline = 'middle';
    context.fillStyle = colour('text');
    const every = Math.max(1, Math.ceil(12 / cell));
    context.textAlign = 'right';
    for (let row = Math.ceil(lines.first / every) * every; row < lines.last; row += every) {
      const at = top() + (row + 0.5) * cell - y;
      if (at > top())
        context.fillText(shorten(context, shown(rowName(rows[row])), left - 14), left - 8, at);
    }
    if (cell < 12) return;
    context.textAlign = 'left';
    for (let column = cells.first; column < cells.last; column++) {
      const at = left + (column + 0.5) * cell - x;
      if (at < left) continue;
      context.save();
      context.translate(at, top() - 6);
      context.rotate(-Math.PI / 2);
      context.fillText(shortenStart(context, shown(columnName(columns[column])), top() - 14), 0, 0);
      context.restore();
    }
  }

  function choose(row, column) {
    cursor = [
      Math.max(0, Math.min(rows.length - 1, row)),
      Math.max(0, Math.min(columns.length - 1, column)),
    ];
    status.replaceChildren();
    append(status, [describe(rows[cursor[0]], columns[cursor[1]])]);
    draw();
  }

  function reveal() {
    const [y, x] = cursor.map((at) => at * cell);
    if (x < box.scrollLeft) box.scrollLeft = x;
    else if (x + cell > box.scrollLeft + box.clientWidth - left)
      box.scrollLeft = x + cell - box.clientWidth + left;
    if (y < box.scrollTop) box.scrollTop = y;
    else if (y + cell > box.scrollTop + box.clientHeight - top())
      box.scrollTop = y + cell - box.clientHeight + top();
  }

  function at(event) {
    const place = box.getBoundingClientRect();
    const column = Math.floor((event.clientX - place.left - left + box.scrollLeft) / cell);
    const row = Math.floor((event.clientY - place.top - top() + box.scrollTop) / cell);
    return row >= 0 && column >= 0 && row < rows.length && column < columns.length
      ? [row, column]
      : null;
  }

  function zoomBy(step) {
    const now = CELLS.indexOf(cell);
    cell = CELLS[Math.max(0, Math.min(CELLS.length - 1, now + step))];
    resize();
  }

  const empty = rows.length === 0 || columns.length === 0;
  box.addEventListener('scroll', draw, { passive: true });
  box.addEventListener('pointermove', (event) => {
    const found = at(event);
    if (found && (!cursor || found[0] !== cursor[0] || found[1] !== cursor[1])) choose(...found);
  });
  box.addEventListener('click', (event) => {
    const found = at(event);
    if (found) onopen(rows[found[0]], columns[found[1]]);
  });
  box.addEventListener('keydown', (event) => {
    const moves = {
      ArrowDown: [1, 0],
      ArrowUp: [-1, 0],
      ArrowRight: [0, 1],
      ArrowLeft: [0, -1],
      PageDown: [20, 0],
      PageUp: [-20, 0],
      Home: [0, -Infinity],
      End: [0, Infinity],
    };
    if (empty || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in moves) {
      const [row, column] = cursor ?? [0, -1];
      choose(row + moves[event.key][0], column + moves[event.key][1]);
      reveal();
    } else if (event.key === 'Enter' && cursor) onopen(rows[cursor[0]], columns[cursor[1]]);
    else if (event.key === '+' || event.key === '=') zoomBy(1);
    else if (event.key === '-') zoomBy(-1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  new ResizeObserver(draw).observe(box);
  onTheme(box, draw);
  resize();
  const button = (text, label, step) =>
    h(
      'button',
      { type: 'button', 'aria-label': label, title: label, onclick: () => zoomBy(step) },
      text,
    );
  return [
    h(
      'div',
      { class: 'tools' },
      button('−', 'smaller cells', -1),
      button('+', 'larger cells', 1),
      status,
    ),
    box,
  ];
}
