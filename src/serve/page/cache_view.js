// The picture of the cache: a small bar on top, and below it what each running request holds. It is asked for while it can
// be seen and something happens.
import {ApiError, getJson} from './api.js';
import {amount, cacheState, mebibytes, runningSlots} from './cache_state.js';
import {byId, element, show} from './elements.js';
import {number, percent} from './numbers.js';
import {Pace} from './pace.js';

function bar(className, parts, whole) {
  const line = element('span', {class: className, 'aria-hidden': 'true'});
  fillBar(line, parts, whole);
  return line;
}

/// `parts`: [name, amount].
function fillBar(host, parts, whole) {
  while (host.children.length < parts.length) host.append(element('span'));
  parts.forEach(([name, amount], i) => {
    host.children[i].className = `part-${name}`;
    host.children[i].style.width = `${whole > 0 ? 100 * amount / whole : 0}%`;
  });
}

export class CacheView {
  #button = byId('kv');
  #panel = byId('kv-panel');
  #timer = null;
  #pace = new Pace();
  #asking = false;
  #told = '';  // what was shown last
  #reached = true;
  #context = 0;
  #slots = true;  // whether the server tells of its places

  /// `key()`, `model()`: what requests are made with; `isLoaded()`: whether there is a cache to ask about; `isBusy()`:
  /// whether an answer is being written; `onReached()`: the server answers again; `onContext()`: the context has another
  /// size; `onProps(props, model)`: what GET /props says of a model.
  constructor({key, model, isLoaded, isBusy, onReached, onContext, onProps}) {
    this.sources = {key, model, isLoaded, isBusy};
    this.onReached = onReached;
    this.onContext = onContext;
    this.onProps = onProps;
    this.#button.addEventListener('click', () => this.toggle());
    document.addEventListener('visibilitychange', () => this.wake());
    addEventListener('focus', () => this.#wakeIfIdle());
    document.addEventListener('pointerdown', (event) => {
      this.#wakeIfIdle();
      if (this.isOpen && !this.#panel.contains(event.target) && !this.#button.contains(event.target)) this.toggle(false);
    });
  }

  get isOpen() { return !this.#panel.hidden; }

  /// Returns the tokens that a text may have; 0 if that is not known.
  get context() { return this.#context; }

  toggle(open = this.#panel.hidden) {
    this.#panel.hidden = !open;
    this.#button.setAttribute('aria-expanded', String(open));
    if (open) this.wake();
  }

  /// Asks at once, and again while something changes.
  wake() {
    this.#pace.restart();
    return this.#ask();
  }

  #wakeIfIdle() {
    if (this.#timer === null && !this.#asking) this.wake();
  }

  async #ask() {
    clearTimeout(this.#timer);
    this.#timer = null;
    if (document.hidden || this.#asking) return;
    this.#asking = true;
    const wait = await this.#askOnce();
    this.#asking = false;
    if (wait !== Infinity) this.#timer = setTimeout(() => this.#ask(), wait);
  }

  /// Returns how long to wait then.
  async #askOnce() {
    try {
      const changed = await this.#update();
      if (!this.#reached) this.onReached();
      this.#reached = true;
      return this.#pace.afterAnswer({changed: changed || this.sources.isBusy(), watched: this.isOpen});
    } catch (error) {
      if (!(error instanceof ApiError)) console.error(error);
      this.#show(null, []);
      this.#reached = false;
      return this.#pace.afterError(error.status);
    }
  }

  /// Returns whether the server told something new.
  async #update() {
    if (!(await this.sources.isLoaded())) return this.#show(null, []);
    const model = this.sources.model();
    const query = model ? `?model=${encodeURIComponent(model)}` : '';
    const props = await getJson(`props${query}`, this.sources.key());
    const state = cacheState(props);
    this.onProps(props, model);
    let slots = [];
    if (this.#slots && this.isOpen) {
      try {
        slots = runningSlots(await getJson(`slots${query}`, this.sources.key()));
      } catch (error) {
        if (error.status !== 501) throw error;
        this.#slots = false;
      }
    }
    return this.#show(state, slots);
  }

  /// Returns whether this is new.
  #show(state, slots) {
    const told = JSON.stringify([state, slots]);
    const changed = told !== this.#told;
    this.#told = told;
    const context = state?.context ?? 0;
    const other = context !== this.#context;
    this.#context = context;
    if (other) this.onContext();
    const data = this.#button.dataset;
    if (!state) {
      for (const name of ['active', 'cached', 'free']) delete data[name];
      this.#button.setAttribute('aria-label', 'Cache: not known');
      byId('kv-text').textContent = '–';
      byId('kv-bar').replaceChildren();
    } else {
      Object.assign(data, {active: state.used, cached: state.kept, free: state.free});
      const full = percent(state.used + state.kept, state.total);
      this.#button.setAttribute(
          'aria-label', `Cache: ${percent(state.used, state.total)} % in use, ${percent(state.kept, state.total)} % kept`);
      this.#button.title =
          `Cache: ${amount(state.used, state)} in use; ${amount(state.kept, state)} kept; ${amount(state.free, state)} free`;
      byId('kv-text').textContent = `${full} %`;
      fillBar(byId('kv-bar'), [['used', state.used], ['kept', state.kept]], state.total);
    }
    if (this.isOpen) this.#showPanel(state, slots);
    return changed;
  }

  #showPanel(state, slots) {
    if (!state) {
      show(this.#panel, element('h2', {}, 'Cache'), element('p', {}, 'The server does not tell.'));
      return;
    }
    const row = (name, label, pages) =>
        [element('dt', {}, element('span', {class: `dot part-${name}`}), element('span', {}, label)),
         element('dd', {}, amount(pages, state))];
    const disk = state.diskPages ? element('p', {}, `On disk: ${mebibytes(state.diskBytes)} of prompts.`) : null;
    show(
        this.#panel, element('h2', {}, 'Cache'), bar('share', [['used', state.used], ['kept', state.kept]], state.total),
        element(
            'dl', {class: 'kv-legend'}, row('used', 'In use', state.used),
            row('kept', 'Kept for prompts that begin alike', state.kept), row('free', 'Free', state.free)),
        disk, element('h3', {}, 'Running requests'), this.#slotList(slots));
  }

  #slotList(slots) {
    if (!this.#slots) return element('p', {}, 'The server does not tell (--no-slots).');
    if (!slots.length) return element('p', {}, 'None.');
    const most = Math.max(...slots.map((slot) => slot.tokens));
    const share = (name, text) => element('span', {}, element('span', {class: `dot part-${name}`}), text);
    return element('ul', {class: 'kv-slots'}, slots.map((slot) => {
      const head =
          [element('span', {}, `Place ${slot.id}, ${slot.state}`), element('span', {}, `${number(slot.tokens)} tokens`)];
      const shares = [
        share('kept', `${number(slot.shared)} shared`),
        share('used', `${number(slot.read)} read`),
        share('made', `${number(slot.made)} written`),
      ];
      return element(
          'li', {}, element('div', {class: 'line'}, head),
          bar('share', [['kept', slot.shared], ['used', slot.read], ['made', slot.made]], most),
          element('div', {class: 'line quiet'}, shares));
    }));
  }
}
