// The tools that an answer calls. The page makes calls of MCP servers after the user's word; of others people enter the
// results.
import {argumentsOf, isEntered, isOpen, readable, roundsOf, withHidden} from './calls.js';
import {element, icon, plainButton} from './elements.js';
import {MOST_ROUNDS} from './tool_runs.js';

const shown = (text) => ({textContent: text, hidden: !text});

function noteOf({declined, failed}) {
  if (declined) return 'Declined.';
  return failed ? 'The tool says that it failed:' : '';
}

function faultOfCall(call) {
  const isWrong = call.server !== undefined && call.result === undefined && argumentsOf(call) === null;
  return isWrong ? 'The arguments are no JSON object, so that the call cannot be made.' : '';
}

class CallView {
  #call;

  /// `handlers`: runTool(call), declineTool(call), alwaysRunTool(call).
  constructor(handlers) {
    this.name = element('code', {class: 'name'});
    this.server = element('span');
    this.arguments = element('code');
    this.result = element(
        'textarea', {class: 'tool-result', rows: '2', placeholder: 'Result of the call', 'data-testid': 'tool-result'});
    this.note = element('p', {class: 'tool-note', 'data-testid': 'tool-note'});
    this.given = element('pre', {class: 'tool-given', 'data-testid': 'tool-given', tabindex: '0'});
    this.state = element('p', {class: 'tool-note', role: 'status', 'data-testid': 'tool-state'});
    this.words = element('p', {class: 'tool-words'});
    this.always = plainButton('Always run in this chat', 'tool-always', () => handlers.alwaysRunTool(this.#call));
    this.question = element(
        'div', {class: 'tool-question', role: 'group', tabindex: '-1', 'data-testid': 'tool-question'}, this.words,
        element(
            'div', {class: 'buttons'}, plainButton('Decline', 'tool-decline', () => handlers.declineTool(this.#call)),
            this.always, plainButton('Run', 'tool-run', () => handlers.runTool(this.#call))));
    this.root = element(
        'details', {class: 'tool-call', 'data-testid': 'tool-call', open: true},
        element('summary', {}, icon('fold', 'fold'), icon('tool'), this.name, this.server),
        element('pre', {tabindex: '0'}, this.arguments), this.note, this.given, this.result, this.state, this.question);
  }

  /// `asks`: whether the conversation waits for the call. `run`: {running, progress, trouble}; `mayAlways`: whether a tool
  /// may run without a question.
  show(call, asks, run, mayAlways) {
    this.#call = call;
    this.name.textContent = withHidden(call.name);
    this.server.textContent = call.server === undefined ? '' : `of ${call.server}`;
    this.arguments.textContent = readable(call.arguments);
    this.result.setAttribute('aria-label', `Result of ${call.name}`);
    this.result.hidden = !asks || !isEntered(call);
    Object.assign(this.note, shown(noteOf(call) || (asks ? faultOfCall(call) : '')));
    Object.assign(this.given, shown(call.declined ? '' : withHidden(call.result ?? '')));
    this.given.setAttribute('aria-label', `Result of ${call.name}`);
    Object.assign(this.state, shown(run.running ? `Running… ${withHidden(run.progress)}`.trim() : withHidden(run.trouble)));
    this.question.hidden = !asks || run.running || !isOpen(call);
    if (!this.question.hidden) this.#ask(call, mayAlways);
  }

  #ask({server, tool}, mayAlways) {
    const words = `Run the tool “${withHidden(tool)}” of the server “${server}” with these arguments?`;
    this.question.setAttribute('aria-label', words);
    const bound = `The model has called tools in more than ${MOST_ROUNDS} answers since your message: each call asks now.`;
    this.words.textContent = mayAlways ? words : `${words} ${bound}`;
    this.always.hidden = !mayAlways;
  }
}

export class ToolCallsView {
  #views = [];
  #message = null;
  #handlers;

  /// `handlers`: those of a CallView; toolResults(message); toolState(call); path().
  constructor(handlers) {
    this.#handlers = handlers;
    const send = () => {
      this.#message.calls.forEach((call, i) => {
        if (isEntered(call)) call.result = this.#views[i].result.value;
      });
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
      this.#views.push(new CallView(this.#handlers));
      this.calls.append(this.#views.at(-1).root);
    }
    const asks = last && !streaming;
    const mayAlways = asks && roundsOf(this.#handlers.path()) <= MOST_ROUNDS;
    calls.forEach((call, i) => this.#views[i].show(call, asks, this.#handlers.toolState(call), mayAlways));
    this.send.hidden = !asks || !calls.some(isEntered);
  }

  /// Puts the focus on the first question, if there is one: not on a button, which a key that is being typed would press.
  focusQuestion() {
    const open = this.#views.find(({question}) => !question.hidden);
    open?.question.focus();
    return Boolean(open);
  }
}
