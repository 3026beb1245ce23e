// The bar of a prompt that waits for a place and is read, until the answer begins.
import {announce, element} from './elements.js';
import {number, percent} from './numbers.js';
import {roughTime} from './prompt_reading.js';

const SAY_MS = 15000;  // between two words to a screen reader

export class ReadingView {
  #said = null;  // when a screen reader was told of it; at first, when it began

  constructor() {
    this.fill = element('span');
    this.text = element('p', {'aria-hidden': 'true'});
    this.bar = element('div', {class: 'reading-bar', role: 'progressbar', 'aria-label': 'Reading the prompt'}, this.fill);
    this.root = element('div', {class: 'reading', 'data-testid': 'reading', hidden: true}, this.bar, this.text);
  }

  /// Shows a PromptReading; null: none.
  show(reading) {
    this.root.hidden = !reading?.total;
    if (this.root.hidden) {
      this.#said = null;
      return;
    }
    this.bar.hidden = reading.before !== null;
    if (this.bar.hidden)
      this.#showWaiting(reading.before);
    else
      this.#showRead(reading);
  }

  #showWaiting(before) {
    const words = waitingWords(before);
    if (this.text.textContent === words) return;
    this.text.textContent = words;
    announce(words);
  }

  #showRead(reading) {
    const words = wordsOf(reading);
    this.fill.style.width = `${100 * reading.done / reading.total}%`;
    this.text.textContent = words.join(' · ');
    this.bar.setAttribute('aria-valuemax', String(reading.total));
    this.bar.setAttribute('aria-valuenow', String(reading.done));
    this.bar.setAttribute('aria-valuetext', words.join(', '));
    this.#say(reading, Date.now());
  }

  #say({done, total}, now) {
    this.#said ??= now;
    if (now - this.#said < SAY_MS) return;
    this.#said = now;
    announce(`${percent(done, total)} % of the prompt read`);
  }
}

function waitingWords(before) {
  const waits = 'Waiting for a free place';
  if (before === 0) return waits;
  return `${waits} · ${before === 1 ? '1 other request goes' : `${number(before)} other requests go`} first`;
}

function wordsOf({done, total, cached, secondsLeft}) {
  const words = [`${number(done)} of ${number(total)} tokens read`];
  if (cached) words.push(`${number(cached)} spared by the cache`);
  if (secondsLeft !== null && done < total) words.push(`about ${roughTime(secondsLeft)} left`);
  return words;
}
