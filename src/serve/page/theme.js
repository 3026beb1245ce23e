// Light and dark: the system's until the user chooses.
import {byId} from './elements.js';

export function startTheme(store) {
  const root = document.documentElement;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const chosen = () => ['light', 'dark'].find((theme) => theme === store.preference('theme'));
  const show = () => {
    root.dataset.theme = chosen() ?? (dark.matches ? 'dark' : 'light');
    const label = root.dataset.theme === 'dark' ? 'Light theme' : 'Dark theme';
    byId('theme').setAttribute('aria-label', label);
    byId('theme').title = label;
  };
  let here = null;  // the choice, where nothing can be kept
  byId('theme').addEventListener('click', () => {
    here = root.dataset.theme === 'dark' ? 'light' : 'dark';
    store.prefer('theme', here);
    show();
    root.dataset.theme = here;
  });
  dark.addEventListener('change', () => {
    if (!here) show();
  });
  show();
}
