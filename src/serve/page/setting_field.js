// A setting's field: its input, what is wrong with its text, and the value that counts where it is empty.
import {fieldJson} from './chat_request.js';
import {element} from './elements.js';

function complaintOf(parameter, text) {
  try {
    fieldJson(parameter, text);
    return '';
  } catch (error) {
    return error.message;
  }
}

function inputOf({name, kind, rows, placeholder}) {
  const id = `param-${name}`;
  const attributes = {
    id,
    'data-testid': id,
    placeholder: placeholder ?? 'default',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-describedby': `${id}-hint ${id}-wrong`,
  };
  if (rows)
    attributes.rows = String(rows);
  else
    attributes.inputmode = kind === 'integer' ? 'numeric' : 'decimal';
  return element(rows ? 'textarea' : 'input', attributes);
}

export class SettingField {
  #parameter;
  #input;
  #hint;
  #wrong;

  /// `onText(text)`: another one was typed.
  constructor(parameter, onText) {
    this.#parameter = parameter;
    const id = `param-${parameter.name}`;
    this.#input = inputOf(parameter);
    this.#hint = element('span', {class: 'hint', id: `${id}-hint`});
    this.#wrong = element('span', {class: 'wrong', id: `${id}-wrong`, hidden: true});
    this.#input.addEventListener('input', () => {
      onText(this.#input.value);
      if (!this.#wrong.hidden) this.#check();
    });
    this.#input.addEventListener('change', () => {
      onText(this.#input.value);
      this.#check();
    });
    this.showDefault(null);
    const label = element('label', {'for': id}, parameter.label);
    this.root =
        element('div', {class: parameter.rows ? 'field wide' : 'field'}, label, this.#input, this.#hint, this.#wrong);
  }

  show(text) {
    if (this.#input.value !== text) this.#input.value = text;
    this.#check();
  }

  /// `known`: {value, source}, or null.
  showDefault(known) {
    const {hint, placeholder} = this.#parameter;
    const told = known ? `Default: ${known.value}, from ${known.source}.` : '';
    this.#input.placeholder = known?.value ?? placeholder ?? 'default';
    this.#hint.textContent = [told, hint].filter(Boolean).join(' ');
    this.#hint.hidden = !this.#hint.textContent;
  }

  #check() {
    const complaint = complaintOf(this.#parameter, this.#input.value);
    this.#input.setAttribute('aria-invalid', String(complaint !== ''));
    this.#wrong.textContent = complaint;
    this.#wrong.hidden = !complaint;
  }
}
