// The server's models: one is named, of several one is chosen.
import {getJson} from './api.js';
import {byId, element} from './elements.js';

export class Models {
  #store;
  #ids = [];
  #loaded = new Set();

  /// `onLoad()`: it is known which there are; `onChoose()`: the user has chosen.
  constructor(store, {onLoad, onChoose}) {
    this.#store = store;
    this.onLoad = onLoad;
    byId('model-choice').addEventListener('change', (event) => {
      this.#store.prefer('model', event.target.value);
      onChoose();
    });
  }

  /// Null: the server's own choice, where it is not known which there are.
  get chosen() {
    const kept = this.#store.preference('model');
    return this.#ids.includes(kept) ? kept : this.#ids[0] ?? null;
  }

  /// Throws ApiError.
  async load(key) {
    const data = (await getJson('v1/models', key))?.data;
    const models = Array.isArray(data) ? data.filter((model) => typeof model?.id === 'string') : [];
    this.#loaded =
        new Set(models.filter((model) => (model.status?.value ?? 'loaded') === 'loaded').map((model) => model.id));
    const ids = models.map((model) => model.id);
    if (ids.join('\n') !== this.#ids.join('\n')) this.#show(ids);  // not else: the list may be open
    this.onLoad();
  }

  #show(ids) {
    this.#ids = ids;
    const several = ids.length > 1;
    const options = ids.map((id) => element('option', {value: id, selected: id === this.chosen}, id));
    byId('model-choice').replaceChildren(...options);
    byId('model-choice').hidden = !several;
    const name = several ? '' : this.chosen ?? '';
    byId('model-name').textContent = name;
    byId('model-name').title = name;
  }

  /// Whether the chosen model is loaded, as far as it must be known: of several, one that is asked about would be loaded for
  /// it. Throws ApiError.
  async isLoaded(key) {
    if (this.#ids.length > 1) await this.load(key);
    return this.#ids.length < 2 || this.#loaded.has(this.chosen);
  }
}
