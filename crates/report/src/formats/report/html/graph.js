// What depends on what.

// The picture and what holds it, or null if there is none. It brings a style for itself; here it gets
// one that follows the theme, in a shadow tree that keeps it from the page.
function graphPicture() {
  const picture = new DOMParser().parseFromString(raw.graph, 'image/svg+xml').documentElement;
  const isPicture =
    picture.namespaceURI === 'http://www.w3.org/2000/svg' && picture.localName === 'svg';
  const host = h('div', {
    class: 'graph scroll',
    tabindex: '0',
    role: 'region',
    'aria-label': 'dependency graph',
  });
  if (!isPicture) return null;
  picture
    .querySelectorAll('style, script, foreignObject, a, image, use, .page')
    .forEach((one) => one.remove());
  const style = document.createElement('style');
  style.textContent = `
    svg { font: 12px var(--mono); max-width: none; display: block; }
    text { fill: var(--text); } .heading { font-size: 15px; font-weight: bold; } .quiet { fill: var(--quiet); }
    .node rect { fill: var(--soft); stroke: var(--quiet); stroke-width: 1.2; }
    .input rect { stroke: var(--input); fill: color-mix(in srgb, var(--input) 14%, var(--panel)); }
    .output rect { stroke: var(--output); fill: color-mix(in srgb, var(--output) 14%, var(--panel)); }
    .internal rect { stroke: var(--internal); fill: color-mix(in srgb, var(--internal) 14%, var(--panel)); }
    .frozen rect { stroke-dasharray: 4 3; }
    .frame rect { fill: none; stroke: var(--line); stroke-dasharray: 6 4; } .frame text { fill: var(--quiet); font-size: 11px; }
    .wire { fill: none; stroke: var(--quiet); stroke-width: 1.2; } .head { fill: var(--quiet); }
    .wire:hover { stroke: var(--open); stroke-width: 2.4; }`;
  host.attachShadow({ mode: 'open' }).append(style, document.adoptNode(picture));
  return { picture, host };
}

function graphView() {
  const found = graphPicture();
  if (!found)
    return [
      heading(1, 'Dependencies'),
      h(
        'p',
        { class: 'quiet' },
        'The graph is too large for a picture here; `trapline graph` shows parts of it.',
      ),
    ];
  const { picture, host } = found;
  const width = Number(picture.getAttribute('width')) || 800;
  const height = Number(picture.getAttribute('height')) || 600;
  let scale = 1;
  const zoom = (factor) => {
    scale = Math.max(0.1, Math.min(4, factor));
    picture.setAttribute('width', String(width * scale));
    picture.setAttribute('height', String(height * scale));
  };
  const button = (text, label, onclick) =>
    h('button', { type: 'button', 'aria-label': label, title: label, onclick }, text);
  const fitWidth = () => zoom((host.clientWidth - 24) / width);
  host.addEventListener('keydown', (event) => {
    if (event.key === '+' || event.key === '=') zoom(scale * 1.25);
    else if (event.key === '-') zoom(scale / 1.25);
    else if (event.key === '0') fitWidth();
    else return;
    event.preventDefault();
  });
  return [
    heading(1, 'Dependencies'),
    h(
      'div',
      { class: 'tools' },
      button('−', 'smaller', () => zoom(scale / 1.25)),
      button('+', 'larger', () => zoom(scale * 1.25)),
      button('fit', 'fit the width', fitWidth),
    ),
    host,
  ];
}
