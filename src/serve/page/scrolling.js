// The conversation stays at its end while it grows, unless the reader has scrolled up.
import {byId} from './elements.js';

const NEAR = 48;  // pixels from the end that count as the end

export class Scrolling {
  #scroller = byId('scroller');
  #follows = true;
  #top = 0;        // of the scroller, when that was last known
  #marked = null;  // a message that was found

  constructor() {
    const button = byId('to-end');
    this.#scroller.addEventListener('scroll', () => {
      this.#note();
      button.hidden = this.#follows;
    }, {passive: true});
    button.addEventListener('click', () => this.toEnd());
    const grown = new ResizeObserver(() => {
      if (this.#follows)
        this.#jump();
      else
        button.hidden = this.#distance() < NEAR;
    });
    grown.observe(byId('messages'));
    grown.observe(this.#scroller);
  }

  toEnd() {
    this.#follows = true;
    this.#mark(null);
    this.#jump();
  }

  /// Shows a message that was found, and marks it until toEnd().
  toMessage(message) {
    this.#follows = false;
    this.#mark(message);
    message.scrollIntoView({block: 'center'});
  }

  /// Stays where the reader is, though what follows becomes another text.
  stay() { this.#follows = false; }

  #mark(message) {
    this.#marked?.classList.remove('found');
    this.#marked = message;
    message?.classList.add('found');
  }

  // An event that comes late finds more text below: only a reader goes up.
  #note() {
    const top = this.#scroller.scrollTop;
    if (this.#distance() < NEAR)
      this.#follows = true;
    else if (top < this.#top)
      this.#follows = false;
    this.#top = top;
  }

  #distance() { return this.#scroller.scrollHeight - this.#scroller.clientHeight - this.#scroller.scrollTop; }

  #jump() {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#top = this.#scroller.scrollTop;  // the event may come after the reader has gone up
    byId('to-end').hidden = true;
  }
}
