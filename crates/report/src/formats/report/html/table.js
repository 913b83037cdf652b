// A table of any length: only the rows that are seen are in the document.
//
// It takes the keyboard: arrows, page keys, Home and End choose a row, Enter opens it.

const ROW = 32;

// `empty` says why there are no rows.
function longTable({ label, columns, onopen, css, height, empty }) {
  const rowHeight = height ?? ROW;
  let rows = [];
  let active = 0;
  // In a narrow window some columns are left out, and others have another width.
  const narrow = columns.filter((column) => column.narrow !== null);
  const style = {
    '--columns': columns.map(({ width }) => width).join(' '),
    '--narrow': narrow.map((column) => column.narrow ?? column.width).join(' '),
  };
  const cell = (role, { css, narrow }, content) =>
    h('span', { role, class: `${css ?? ''} ${narrow === null ? 'wideonly' : ''}` }, content);
  const body = h('div', { class: 'rows', role: 'rowgroup' });
  const head = h(
    'div',
    { class: 'row head', role: 'row' },
    columns.map((column) => cell('columnheader', column, column.title)),
  );
  const box = h(
    'div',
    {
      class: `long ${css ?? ''}`,
      role: 'grid',
      tabindex: '0',
      'aria-label': label,
      style,
      onkeydown: onKey,
    },
    h('div', { role: 'rowgroup', class: 'top' }, head),
    body,
  );
  const draw = everyFrame(render);
  box.addEventListener('scroll', draw, { passive: true });
  new ResizeObserver(draw).observe(box);
  let drawn = null;

  function render() {
    const first = Math.max(0, Math.floor((box.scrollTop - ROW) / rowHeight) - 8);
    const last = Math.min(rows.length, first + Math.ceil(box.clientHeight / rowHeight) + 18);
    const wanted = `${first} ${last} ${active}`;
    if (drawn === wanted) return;
    drawn = wanted;
    const shown = [];
    for (let idx = first; idx < last; idx++) shown.push(line(idx));
    if (rows.length === 0 && empty) shown.push(h('p', { class: 'empty' }, empty()));
    body.replaceChildren(...shown);
    if (rows.length > 0) box.setAttribute('aria-activedescendant', `${label}-${active}`);
  }

  function line(idx) {
    const row = rows[idx];
    return h(
      'div',
      {
        class: idx === active ? 'row active' : 'row',
        role: 'row',
        'aria-selected': idx === active ? 'true' : 'false',
        id: `${label}-${idx}`,
        'aria-rowindex': String(idx + 2),
        style: {
          top: `${idx * rowHeight}px`,
          height: `${rowHeight}px`,
        },
        onclick: (event) => {
          active = idx;
          drawn = null;
          render();
          if (!event.target.closest('a')) onopen(row);
        },
      },
      columns.map((column) => cell('gridcell', column, column.show(row))),
    );
  }

  function move(to) {
    active = Math.max(0, Math.min(rows.length - 1, to));
    const top = active * rowHeight;
    const room = box.clientHeight - ROW - rowHeight;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top > box.scrollTop + room) box.scrollTop = top - room;
    drawn = null;
    render();
  }

  function onKey(event) {
    const page = Math.max(1, Math.floor(box.clientHeight / rowHeight) - 2);
    const steps = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    };
    if (event.target !== box || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in steps) move(active + steps[event.key]);
    else if (event.key === 'Enter' && rows[active]) onopen(rows[active]);
    else return;
    event.preventDefault();
  }

  return {
    box,
    // Shows these rows, and chooses one of them.
    fill(list, chosen) {
      rows = list;
      box.setAttribute('aria-rowcount', String(rows.length + 1));
      const isEmpty = rows.length === 0 && empty !== undefined;
      body.style.height = `${(isEmpty ? 1 : rows.length) * rowHeight}px`;
      const at = chosen === undefined ? -1 : rows.indexOf(chosen);
      active = Math.max(0, at);
      drawn = null;
      // What was asked for stands in the middle.
      if (at >= 0) box.scrollTop = at * rowHeight - (box.clientHeight - ROW - rowHeight) / 2;
      render();
    },
  };
}
