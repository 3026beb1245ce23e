// The panel of settings, and their values: the texts of its inputs, kept as they are. What is empty is not sent: the
// server's default counts then.
import {fieldJson, PARAMETERS} from './chat_request.js';
import {byId, element, iconButton} from './elements.js';

function textsOf(json) {
  try {
    const kept = JSON.parse(json ?? '{}');
    return Object.fromEntries(PARAMETERS.map(({name}) => [name, typeof kept?.[name] === 'string' ? kept[name] : '']));
  } catch {
    return textsOf('{}');
  }
}

export class Settings {
  #store;
  #texts;
  #key;
  #inputs = new Map();

  /// `onKey()`: the API key has changed. `model()`: the chosen model's id, or null.
  constructor(store, {onKey, model}) {
    this.#store = store;
    this.#texts = textsOf(store.preference('parameters'));
    this.#key = store.preference('key') ?? '';
    this.onKey = onKey;
    this.model = model;
    this.panel = byId('settings-panel');
    this.panel.append(this.#head(), ...this.#groups(), this.#keyField(), this.#resetButton());
    byId('settings').addEventListener('click', () => this.toggle());
  }

  get key() { return this.#key.trim(); }

  get isOpen() { return !this.panel.hidden; }

  toggle(open = this.panel.hidden) {
    this.panel.hidden = !open;
    byId('settings').setAttribute('aria-expanded', String(open));
    if (!open && this.panel.contains(document.activeElement)) byId('settings').focus();
  }

  /// What `make(texts, model)` gives. Throws its errors.
  request(make) { return make(this.#texts, this.model()); }

  #head() {
    return element(
        'div', {class: 'settings-head'}, element('h2', {}, 'Settings'),
        iconButton('close', 'Close settings', () => this.toggle(false)));
  }

  #groups() {
    const groups = [...new Set(PARAMETERS.map(({group}) => group))];
    return groups.map(
        (group) => element(
            'fieldset', {}, element('legend', {}, group),
            PARAMETERS.filter((one) => one.group === group).map((one) => this.#field(one))));
  }

  #field(parameter) {
    const {name, label, kind, rows, hint} = parameter;
    const id = `param-${name}`;
    const described = hint ? `${id}-hint ${id}-wrong` : `${id}-wrong`;
    const attributes = {
      id,
      'data-testid': id,
      placeholder: parameter.placeholder ?? 'default',
      autocomplete: 'off',
      spellcheck: 'false',
      'aria-describedby': described
    };
    if (rows)
      attributes.rows = String(rows);
    else
      attributes.inputmode = kind === 'integer' ? 'numeric' : 'decimal';
    const input = element(rows ? 'textarea' : 'input', attributes);
    const wrong = element('span', {class: 'wrong', id: `${id}-wrong`, hidden: true});
    const check = () => {
      const complaint = complaintOf(parameter, input.value);
      input.setAttribute('aria-invalid', String(complaint !== ''));
      wrong.textContent = complaint;
      wrong.hidden = !complaint;
    };
    input.value = this.#texts[name];
    const keep = () => {
      if (this.#texts[name] === input.value) return;
      this.#texts[name] = input.value;
      this.#store.prefer('parameters', JSON.stringify(this.#texts));
    };
    input.addEventListener('input', () => {
      keep();
      if (input.getAttribute('aria-invalid') === 'true') check();
    });
    input.addEventListener('change', () => {
      keep();
      check();
    });
    this.#inputs.set(name, {input, check});
    check();
    return element('div', {class: rows ? 'field wide' : 'field'}, element('label', {for: id
                   }, label), input, hint ? element('span', {class: 'hint', id: `${id}-hint`}, hint) : null, wrong);
  }

  #keyField() {
    const input = element('input', {
      id: 'api-key',
      'data-testid': 'api-key',
      type: 'password',
      autocomplete: 'off',
      placeholder: 'none',
      'aria-describedby': 'api-key-hint'
    });
    input.value = this.#key;
    const keep = () => {
      this.#key = input.value;
      this.#store.prefer('key', this.key);
    };
    input.addEventListener('input', keep);
    input.addEventListener('change', () => {
      keep();
      this.onKey();
    });
    return element(
        'fieldset', {}, element('legend', {}, 'Server'),
        element(
            'div', {class: 'field wide'},
            element(
                'label',
                {for: 'api-key'
                },
                'API key'),
            input,
            element('span', {class: 'hint', id: 'api-key-hint'}, 'For servers that ask for one. Kept in this browser.')));
  }

  #resetButton() {
    const reset = () => {
      for (const [name, {input, check}] of this.#inputs) {
        this.#texts[name] = input.value = '';
        check();
      }
      this.#store.prefer('parameters', null);
    };
    return element('button', {type: 'button', class: 'plain', onclick: reset}, 'Reset to defaults');
  }
}

function complaintOf(parameter, text) {
  try {
    fieldJson(parameter, text);
    return '';
  } catch (error) {
    return error.message;
  }
}
