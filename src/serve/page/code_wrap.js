// Long lines of code: scrolled, or wrapped in all blocks at once where the user wants that. It is remembered.
import {iconButton} from './elements.js';

const BUTTON = '[data-testid=wrap-code]';

const isWrapped = () => document.documentElement.classList.contains('wrap-code');

export function wrapButton() {
  return iconButton('wrap', 'Wrap long lines', null, {'data-testid': 'wrap-code', 'aria-pressed': String(isWrapped())});
}

function wrapCode(wrap) {
  document.documentElement.classList.toggle('wrap-code', wrap);
  for (const button of document.querySelectorAll(BUTTON)) button.setAttribute('aria-pressed', String(wrap));
}

/// Listens to the buttons of all blocks, those that are yet to come included.
export function startCodeWrap(store) {
  wrapCode(store.preference('wrap') === 'on');
  document.addEventListener('click', (event) => {
    if (!event.target.closest(BUTTON)) return;
    wrapCode(!isWrapped());
    store.prefer('wrap', isWrapped() ? 'on' : null);
  });
}
