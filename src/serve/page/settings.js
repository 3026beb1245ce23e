// The panel of settings. They belong to the chat that is shown; a new chat begins with those that were used last. What is
// empty is not sent: the server's default counts then.
import {PARAMETERS} from './chat_request.js';
import {readSettings, settingsOf} from './chat_settings.js';
import {byId, element, iconButton} from './elements.js';
import {Presets} from './presets.js';
import {ServerChoice} from './server_choice.js';
import {SettingField} from './setting_field.js';

export class Settings {
  #store;
  #chat = null;
  #settings = {};
  #key;
  #fields = new Map();

  /// `servers`: the ToolServers. `onKey()`: the API key has changed. `model()`: the chosen model's id, or null.
  constructor(store, servers, {onKey, model}) {
    this.#store = store;
    this.#key = store.preference('key') ?? '';
    this.onKey = onKey;
    this.model = model;
    this.presets = new Presets(store, (settings) => this.#choose(settings));
    this.servers = new ServerChoice(servers, (text) => this.#type('mcp', text));
    this.panel = byId('settings-panel');
    this.panel.append(this.#head(), this.presets.root, ...this.#groups(), this.servers.root, this.#keyField());
    byId('settings').addEventListener('click', () => this.toggle());
    this.open(null);
  }

  get key() { return this.#key.trim(); }

  get isOpen() { return !this.panel.hidden; }

  toggle(open = this.panel.hidden) {
    this.panel.hidden = !open;
    byId('settings').setAttribute('aria-expanded', String(open));
    this.servers.watch(open);
    if (!open && this.panel.contains(document.activeElement)) byId('settings').focus();
  }

  /// Shows the settings of a chat; null: of a new one.
  open(chat) {
    this.#chat = chat;
    const settings = chat?.settings;
    this.#settings = settings ? settingsOf(settings) : readSettings(this.#store.preference('parameters'));
    this.#show();
  }

  /// Gives the shown settings to a chat that is about to be answered.
  use(chat) {
    this.#chat = chat;
    this.#keep();
  }

  /// `defaults`: {value, source} by the names of settings.
  showDefaults(defaults) {
    for (const [name, field] of this.#fields) field.showDefault(defaults[name] ?? null);
  }

  /// What `make(texts, model)` gives for a chat. Throws its errors.
  request(chat, make) { return make(settingsOf(chat.settings), this.model()); }

  #show() {
    for (const [name, field] of this.#fields) field.show(this.#settings[name] ?? '');
    this.servers.show(this.#settings.mcp ?? '');
    this.presets.show(this.#settings);
  }

  #choose(settings) {
    this.#settings = {...settings};
    this.#keep();
    this.#saveChat();
    this.#show();
  }

  #type(name, text) {
    if ((this.#settings[name] ?? '') === text) return;
    this.#settings = settingsOf({...this.#settings, [name]: text});
    this.#keep();
    this.#saveChat();
    this.presets.show(this.#settings);
  }

  #keep() {
    if (this.#chat) this.#chat.settings = this.#settings;
    this.#store.prefer('parameters', JSON.stringify(this.#settings));
  }

  #saveChat() {
    if (this.#chat) this.#store.save(this.#chat);
  }

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
    const field = new SettingField(parameter, (text) => this.#type(parameter.name, text));
    this.#fields.set(parameter.name, field);
    return field.root;
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
            'div', {class: 'field wide'}, element('label', {'for': 'api-key'}, 'API key'), input,
            element('span', {class: 'hint', id: 'api-key-hint'}, 'For servers that ask for one. Kept in this browser.')));
  }
}
