// Elements made by script. Text becomes text nodes only: nothing that a model or a user writes is ever read as HTML.

const SVG = 'http://www.w3.org/2000/svg';

export const byId = (id) => document.getElementById(id);

const isThere = (child) => child !== null && child !== undefined;

/// element('button', {class: 'x', 'data-testid': 'y', onclick: f}, 'text', otherElement): null and undefined are left out,
/// attributes and children alike.
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function')
      made.addEventListener(name.slice(2), value);
    else
      made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children.flat().filter(isThere));
  return made;
}

/// Shows these instead of what is in `host`; null and undefined are left out.
export function show(host, ...children) { host.replaceChildren(...children.flat().filter(isThere)); }

/// One of the symbols of index.html.
export function icon(name, className) {
  const svg = document.createElementNS(SVG, 'svg');
  const use = document.createElementNS(SVG, 'use');
  use.setAttribute('href', `#icon-${name}`);
  if (className) svg.setAttribute('class', className);
  svg.setAttribute('aria-hidden', 'true');
  svg.append(use);
  return svg;
}

export function iconButton(name, label, onclick, attributes = {}) {
  return element(
      'button', {type: 'button', class: 'icon small', 'aria-label': label, title: label, onclick, ...attributes},
      icon(name));
}

/// A button with words. `hook`: its data-testid.
export function plainButton(label, hook, onclick) {
  return element('button', {type: 'button', class: 'plain', 'data-testid': hook, onclick}, label);
}

const MOST_HEIGHT = 0.4;  // of the window

/// Fits a box to its text where the style sheet's field-sizing cannot.
export function fitHeight(box) {
  if (CSS.supports('field-sizing', 'content')) return;
  box.style.height = 'auto';
  box.style.height = `${Math.min(box.scrollHeight, MOST_HEIGHT * innerHeight)}px`;
}

/// Tells whether what had the focus is gone or hidden.
export function isFocusLost() {
  const at = document.activeElement;
  return at === document.body || !at?.checkVisibility();
}

/// What screen readers say; eyes see it elsewhere.
export function announce(text) { byId('announcer').textContent = text; }

const TOAST_MS = 8000;

/// A line that goes away by itself. `action`: {label, run}.
export function toast(text, action) {
  const line = element('div', {class: 'toast'}, text);
  const close = () => line.remove();
  if (action) {
    const run = () => {
      close();
      action.run();
    };
    line.append(element('button', {type: 'button', onclick: run}, action.label));
  }
  byId('toasts').replaceChildren(line);
  setTimeout(close, TOAST_MS);
}
