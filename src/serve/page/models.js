// The server's models: one is named, of several one is chosen.
import {getJson} from './api.js';
import {byId, element} from './elements.js';

export class Models {
  #store;
  #ids = [];

  constructor(store, onChange) {
    this.#store = store;
    this.onChange = onChange;
    byId('model-choice').addEventListener('change', (event) => {
      this.#store.prefer('model', event.target.value);
      this.onChange();
    });
  }

  /// Null: the server's own choice, where it is not known which there are.
  get chosen() {
    const kept = this.#store.preference('model');
    return this.#ids.includes(kept) ? kept : this.#ids[0] ?? null;
  }

  /// Throws ApiError.
  async load(key) {
    const {data} = await getJson('v1/models', key);
    this.#ids = Array.isArray(data) ? data.map((model) => model?.id).filter((id) => typeof id === 'string') : [];
    const several = this.#ids.length > 1;
    byId('model-choice')
        .replaceChildren(...this.#ids.map((id) => element('option', {value: id, selected: id === this.chosen}, id)));
    byId('model-choice').hidden = !several;
    byId('model-name').textContent = several ? '' : this.chosen ?? '';
    byId('model-name').title = several ? '' : this.chosen ?? '';
    this.onChange();
  }
}
