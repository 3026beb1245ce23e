// Which tools of MCP servers a chat has: a part of the settings.
import {withHidden} from './calls.js';
import {element, plainButton} from './elements.js';
import {number} from './numbers.js';
import {readChoice, writeChoice} from './tool_servers.js';

const SHOWN_DESCRIPTION = 300;  // letters

let lastBox = 0;

/// A box with its label. `hook`: its data-testid.
function checkBox(label, hook, onchange) {
  const id = `${hook}-${++lastBox}`;
  const input = element('input', {type: 'checkbox', id, 'data-testid': hook, onchange});
  return {input, root: element('div', {class: 'check'}, input, element('label', {'for': id}, label))};
}

/// A tool of a server.
class ToolBox {
  constructor({name, title, description}, onchange) {
    const {input, root} = checkBox(withHidden(name), 'mcp-tool', onchange);
    const words = withHidden([title, description].filter(Boolean).join(': '));
    const shown = words.length > SHOWN_DESCRIPTION ? `${words.slice(0, SHOWN_DESCRIPTION)}…` : words;
    this.name = name;
    this.input = input;
    this.root = element('li', {}, root, shown ? element('p', {class: 'hint'}, shown) : null);
  }
}

class ServerBox {
  #boxes = [];
  #list = null;

  /// `onChange(off)`: the names of the tools that are off, or null where the server is.
  constructor(name, onChange) {
    this.name = name;
    this.onChange = onChange;
    const {input, root} = checkBox(name, 'mcp-server', () => this.#changed());
    this.input = input;
    this.told = element('p', {role: 'status', 'data-testid': 'mcp-told', hidden: true});
    this.again = plainButton('Try again', 'mcp-again', () => this.#changed());
    this.again.hidden = true;
    this.tools = element('ul', {class: 'server-tools', 'aria-label': `Tools of ${name}`, hidden: true});
    this.root = element('div', {class: 'server'}, root, this.told, this.again, this.tools);
  }

  /// `off`: the names of the tools that are off; null where the server is.
  show(off) {
    this.input.checked = off !== null;
    for (const {name, input} of this.#boxes) input.checked = !off?.includes(name);
    this.tools.hidden = off === null || !this.#boxes.length;
    if (off === null) this.tell('');
  }

  /// `list`: a ToolList.
  showList(list) {
    if (list !== this.#list) {
      this.#list = list;
      this.#boxes = list.tools.map((tool) => new ToolBox(tool, () => this.#changed()));
      this.tools.replaceChildren(...this.#boxes.map(({root}) => root));
    }
    const count = list.tools.length === 1 ? '1 tool' : `${number(list.tools.length)} tools`;
    this.tell(list.leftOut ? `${count}. ${number(list.leftOut)} more cannot be offered to a model.` : `${count}.`);
  }

  tell(text, wrong = false) {
    this.told.textContent = withHidden(text);
    this.told.hidden = !text;
    this.told.className = wrong ? 'wrong' : 'hint';
    this.again.hidden = !wrong;
  }

  #changed() {
    const off = this.#boxes.filter(({input}) => !input.checked).map(({name}) => name);
    this.onChange(this.input.checked ? off : null);
  }
}

export class ServerChoice {
  #servers;
  #boxes = [];
  #choice = new Map();
  #watched = false;

  /// `servers`: the ToolServers; `onText(text)`: the setting has another text.
  constructor(servers, onText) {
    this.#servers = servers;
    this.onText = onText;
    this.list = element('div');
    this.root = element(
        'fieldset', {class: 'servers', hidden: true}, element('legend', {}, 'Tools of servers'),
        element(
            'p', {class: 'hint'},
            'The model may ask for the tools that are on. Each call is shown, and runs after your word. What a tool gives ' +
                'is read by the model, and may mislead it.'),
        this.list);
  }

  /// `text`: the setting of the chat that is shown.
  show(text) {
    this.#choice = readChoice(text);
    this.#showNames();
    for (const box of this.#boxes) {
      box.show(this.#choice.get(box.name) ?? null);
      this.#ask(box);
    }
  }

  /// The panel is open, or not: then no server is asked.
  watch(open) {
    this.#watched = open;
    for (const box of this.#boxes) this.#ask(box);
  }

  /// There are other servers now.
  refresh() { this.show(writeChoice(this.#choice)); }

  /// Those of the operator, and those that the chat has and the operator lists no more.
  #showNames() {
    const names = [...new Set([...this.#servers.names, ...this.#choice.keys()])];
    this.root.hidden = !names.length;
    if (JSON.stringify(names) === JSON.stringify(this.#boxes.map(({name}) => name))) return;
    this.#boxes = names.map((name) => new ServerBox(name, (off) => this.#changed(name, off)));
    this.list.replaceChildren(...this.#boxes.map(({root}) => root));
  }

  #changed(name, off) {
    const wasOn = this.#choice.has(name);
    if (off)
      this.#choice.set(name, off);
    else
      this.#choice.delete(name);
    if (!wasOn) this.#servers.forget(name);
    const text = writeChoice(this.#choice);
    this.onText(text);
    this.show(text);
  }

  async #ask(box) {
    if (!this.#watched || !this.#choice.has(box.name)) return;
    if (box.told.hidden || !box.again.hidden) box.tell('Asking for its tools…');
    try {
      const list = await this.#servers.list(box.name);
      if (!this.#choice.has(box.name)) return;
      box.showList(list);
      box.show(this.#choice.get(box.name));
    } catch (error) {
      if (this.#choice.has(box.name)) box.tell(error.message, true);
    }
  }
}
