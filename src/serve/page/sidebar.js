// The sidebar: beside the conversation where there is room, else over it until something is chosen.
import {byId} from './elements.js';

export class Sidebar {
  #narrow = matchMedia('(max-width: 46rem)');

  constructor(store) {
    const show = (open) => {
      document.body.classList.toggle('with-sidebar', open);
      byId('sidebar-toggle').setAttribute('aria-expanded', String(open));
      byId('shade').hidden = !(open && this.#narrow.matches);
    };
    this.show = show;
    byId('sidebar-toggle').addEventListener('click', () => {
      show(!this.isOpen);
      if (!this.#narrow.matches) store.prefer('sidebar', this.isOpen ? null : 'closed');
    });
    byId('shade').addEventListener('click', () => show(false));
    const fit = () => show(!this.#narrow.matches && store.preference('sidebar') !== 'closed');
    this.#narrow.addEventListener('change', fit);
    fit();
  }

  get isOpen() { return document.body.classList.contains('with-sidebar'); }

  /// Closes it where it lies over the conversation. Gives whether it did.
  dismiss() {
    if (!this.#narrow.matches || !this.isOpen) return false;
    this.show(false);
    return true;
  }
}
