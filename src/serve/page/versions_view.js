// Which version of a message is shown, and the buttons that show another.
import {announce, element, iconButton} from './elements.js';

export class VersionsView {
  #message;
  #versions = [];

  /// `choose(version)` shows another, and gives its view.
  constructor(message, choose) {
    this.#message = message;
    const step = (by, control) => () => {
      const at = this.#at + by;
      const shown = choose(this.#versions[at]);
      announce(`Version ${at + 1} of ${this.#versions.length}`);
      shown?.versions.focus(control);
    };
    this.previous = iconButton('back', 'Previous version', step(-1, 'previous'), {'data-testid': 'version-previous'});
    this.next = iconButton('fold', 'Next version', step(1, 'next'), {'data-testid': 'version-next'});
    this.count = element('span', {'data-testid': 'version-count'});
    this.root = element(
        'span', {class: 'versions', role: 'group', 'aria-label': 'Versions', hidden: true}, this.previous, this.count,
        this.next);
  }

  get #at() { return this.#versions.indexOf(this.#message); }

  /// `locked`: none can be chosen, for an answer is being written.
  show(versions, locked) {
    this.#versions = versions;
    const at = this.#at;
    this.root.hidden = versions.length < 2;
    this.count.textContent = `${at + 1} / ${versions.length}`;
    this.previous.disabled = locked || at === 0;
    this.next.disabled = locked || at === versions.length - 1;
  }

  /// Puts the focus on one of the buttons, or on the other where that one leads nowhere.
  focus(control) {
    const wanted = this[control];
    (wanted.disabled ? this.root.querySelector('button:enabled') : wanted)?.focus();
  }
}
