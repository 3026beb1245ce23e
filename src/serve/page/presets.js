// Settings with names: saved, chosen and deleted at the top of the panel.
import {readPresets, sameSettings} from './chat_settings.js';
import {element, plainButton} from './elements.js';

const PREFERENCE_OF_PRESETS = 'presets';

export class Presets {
  #store;
  #json = null;
  #presets = new Map();
  #settings = {};

  /// `onChoose(settings)`: the user wants these.
  constructor(store, onChoose) {
    this.#store = store;
    this.choice = element('select', {id: 'preset', 'data-testid': 'preset'});
    this.choice.addEventListener('change', () => {
      const chosen = this.#presets.get(this.choice.value);
      if (!chosen) return;
      this.name.value = this.choice.value;
      onChoose(chosen);
    });
    this.name = element('input', {id: 'preset-name', 'data-testid': 'preset-name', maxlength: '60', autocomplete: 'off'});
    this.name.addEventListener('input', () => this.#showButtons());
    this.save = plainButton('Save', 'preset-save', () => this.#save());
    this.remove = plainButton('Delete', 'preset-delete', () => this.#remove());
    this.reset = plainButton('Reset to defaults', 'settings-reset', () => onChoose({}));
    this.told = element('p', {class: 'hint', role: 'status', 'data-testid': 'preset-told'});
    this.root = element(
        'fieldset', {class: 'presets'}, element('legend', {}, 'Presets'),
        element('div', {class: 'field wide'}, element('label', {'for': 'preset'}, 'Preset'), this.choice),
        element('div', {class: 'field wide'}, element('label', {'for': 'preset-name'}, 'Name'), this.name),
        element('div', {class: 'choices'}, this.save, this.remove, this.reset), this.told);
  }

  /// `settings`: of the chat that is shown.
  show(settings) {
    this.#settings = settings;
    this.#read();
    const same = [...this.#presets].filter(([, preset]) => sameSettings(preset, settings)).map(([name]) => name);
    const chosen = same.includes(this.name.value) ? this.name.value : same[0] ?? '';
    const names = [...this.#presets.keys()].sort((a, b) => a.localeCompare(b));
    const options = names.map((name) => element('option', {value: name}, name));
    const other = names.length ? 'Choose a preset' : 'No preset is saved';
    this.choice.replaceChildren(element('option', {value: ''}, chosen ? 'Choose another' : other), ...options);
    this.choice.value = chosen;
    this.#showButtons();
  }

  #showButtons() {
    this.save.disabled = !this.name.value.trim();
    this.remove.disabled = !this.choice.value;
  }

  #read() {
    const json = this.#store.preference(PREFERENCE_OF_PRESETS);
    if (json === null || json === this.#json) return;  // null: none, or no storage
    this.#json = json;
    this.#presets = readPresets(json);
  }

  #save() {
    const name = this.name.value.trim();
    if (!name) return;
    this.#read();
    this.#presets.set(name, {...this.#settings});
    this.#keep(`“${name}” was saved.`);
  }

  #remove() {
    const name = this.choice.value;
    this.#read();
    this.#presets.delete(name);
    this.name.value = name;  // so that it can be saved again
    this.#keep(`“${name}” was deleted.`);
    this.choice.focus();
  }

  #keep(words) {
    const kept = this.#store.prefer(PREFERENCE_OF_PRESETS, JSON.stringify([...this.#presets]));
    this.told.textContent = kept ? words : `${words} The browser’s storage is full: this is lost when the page is closed.`;
    this.show(this.#settings);
  }
}
