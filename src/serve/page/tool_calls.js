// The tools that an answer calls. The page cannot run them: people enter what they gave.
import {element, icon} from './elements.js';

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;  // not complete, or no JSON
  }
}

class CallView {
  constructor() {
    this.name = element('code', {class: 'name'});
    this.arguments = element('code');
    this.result = element(
        'textarea', {class: 'tool-result', rows: '2', placeholder: 'Result of the call', 'data-testid': 'tool-result'});
    this.given = element('pre', {class: 'tool-given'});
    this.root = element(
        'details', {class: 'tool-call', 'data-testid': 'tool-call', open: true},
        element('summary', {}, icon('fold', 'fold'), icon('tool'), this.name),
        element('pre', {tabindex: '0'}, this.arguments), this.given, this.result);
  }

  show(call, asks) {
    this.name.textContent = call.name;
    this.arguments.textContent = pretty(call.arguments);
    this.result.setAttribute('aria-label', `Result of ${call.name}`);
    this.result.hidden = !asks;
    this.given.hidden = call.result === undefined;
    this.given.textContent = call.result ?? '';
  }
}

export class ToolCallsView {
  #views = [];
  #message = null;

  constructor(handlers) {
    const send = () => {
      this.#message.calls.forEach((call, i) => call.result = this.#views[i].result.value);
      handlers.toolResults(this.#message);
    };
    this.calls = element('div');
    this.send = element(
        'button', {type: 'button', class: 'plain strong', 'data-testid': 'tool-send', onclick: send}, 'Send results');
    this.root =
        element('div', {class: 'tool-calls', hidden: true}, this.calls, element('div', {class: 'buttons'}, this.send));
  }

  /// Results are asked for where the conversation waits for them.
  show(message, streaming, last) {
    this.#message = message;
    const calls = message.calls ?? [];
    this.root.hidden = !calls.length;
    while (this.#views.length < calls.length) {
      this.#views.push(new CallView());
      this.calls.append(this.#views.at(-1).root);
    }
    const asks = last && !streaming && calls.some((call) => call.result === undefined);
    calls.forEach((call, i) => this.#views[i].show(call, asks));
    this.send.hidden = !asks;
  }
}
