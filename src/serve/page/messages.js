// The conversation on the screen: a view per message, kept while its message stays.
import {splitMessage} from './attached.js';
import {pathOf, versionsOf} from './chat_tree.js';
import {copyButton} from './clipboard.js';
import {editForm} from './edit_form.js';
import {element, fitHeight, iconButton, plainButton} from './elements.js';
import {fileChips} from './file_chips.js';
import {MarkdownView} from './markdown_view.js';
import {number} from './numbers.js';
import {ReadingView} from './reading_view.js';
import {ThinkingView} from './thinking.js';
import {ToolCallsView} from './tool_calls.js';
import {tokensUsed, turnsForgotten} from './turns.js';
import {VersionsView} from './versions_view.js';

const NOTES = {
  length: 'The answer was cut at the limit of tokens.',
  stopped: 'Stopped.'
};

function countsOf(message) {
  if (!tokensUsed(message)) return '';
  const {promptTokens, cachedTokens, tokens} = message;
  return `${number(promptTokens + cachedTokens)} tokens of prompt, ${number(cachedTokens)} of them from the cache; ${
      number(tokens)} of answer`;
}

function leftOutWords(turns) {
  const [oldest, them] = turns === 1 ? ['oldest turn was', 'it'] : [`${number(turns)} oldest turns were`, 'them'];
  return `The ${oldest} left out of the prompt: the context has no room for ${them}.`;
}

class UserView {
  constructor(message, handlers) {
    this.message = message;
    const {files, text: written} = splitMessage(message);
    const chips = element('ul', {class: 'files', 'aria-label': 'Files', hidden: !files.length}, fileChips(files));
    const text = element(
        'div', {class: 'message-text', 'data-testid': 'message-text', dir: 'auto', hidden: !written.trim()}, written);
    const edit = () => {
      const form = editForm(written, (changed) => handlers.edit(message, changed), () => {
        this.root.replaceChildren(chips, text, actions);
        actions.querySelector('[data-testid=edit]').focus();
      });
      this.root.replaceChildren(chips, form);
      const box = form.querySelector('textarea');
      fitHeight(box);
      box.focus();
    };
    this.versions = new VersionsView(message, handlers.choose);
    const actions = element(
        'div', {class: 'actions'}, this.versions.root,
        copyButton('Copy message', () => message.content, {'data-testid': 'copy'}),
        iconButton('edit', 'Edit message', edit, {'data-testid': 'edit'}));
    this.root = element(
        'article',
        {class: 'message', 'data-testid': 'message', 'data-role': 'user', 'data-streaming': 'false', 'aria-label': 'You'},
        chips, text, actions);
  }

  update() {}
}

class AssistantView {
  constructor(message, handlers) {
    this.message = message;
    this.reading = new ReadingView();
    this.thinking = new ThinkingView();
    this.calls = new ToolCallsView(handlers);
    this.text = element('div', {class: 'message-text', 'data-testid': 'message-text', dir: 'auto'});
    this.markdown = new MarkdownView(this.text);
    this.leftOut = element('p', {class: 'left-out', 'data-testid': 'left-out', hidden: true});
    this.note = element('p', {class: 'note', hidden: true});
    this.speed = element('span', {class: 'speed', hidden: true});
    this.again = iconButton('again', 'Regenerate answer', handlers.regenerate, {'data-testid': 'regenerate', hidden: true});
    this.versions = new VersionsView(message, handlers.choose);
    this.actions = element(
        'div', {class: 'actions'}, this.versions.root,
        copyButton('Copy answer', () => message.content, {'data-testid': 'copy'}), this.again, this.speed);
    this.root = element(
        'article', {class: 'message', 'data-testid': 'message', 'data-role': 'assistant', 'aria-label': 'Answer'},
        this.leftOut, this.reading.root, this.thinking.root, this.text, this.calls.root, this.note, this.actions);
  }

  /// `last`: the conversation's last message. `reading`: of its prompt, or null.
  update(streaming, last, reading) {
    const {message} = this;
    this.root.dataset.streaming = String(streaming);
    this.root.setAttribute('aria-busy', String(streaming));
    this.#showLeftOut();
    this.reading.show(reading);
    this.thinking.show(message, streaming);
    this.markdown.show(message.content);
    this.text.hidden = !message.content && Boolean(message.reasoning || message.calls?.length || reading?.total);
    this.calls.show(message, streaming, last);
    this.again.hidden = streaming || !last;
    this.#showNote(streaming);
    this.#showSpeed(last && !streaming);
  }

  #showLeftOut() {
    const turns = turnsForgotten(this.message);
    this.leftOut.hidden = !turns;
    this.leftOut.textContent = turns ? leftOutWords(turns) : '';
  }

  #showNote(streaming) {
    const {content, calls, finish} = this.message;
    const empty = !content && !calls?.length && finish === 'stop';
    const note = streaming ? '' : NOTES[finish] ?? (empty ? 'The answer is empty.' : '');
    this.note.textContent = note;
    this.note.hidden = !note;
  }

  #showSpeed(wanted) {
    const speed = wanted ? this.message.speed : undefined;
    this.speed.hidden = !speed;
    delete this.speed.dataset.testid;
    if (!speed) return;
    this.speed.dataset.testid = 'speed';
    this.speed.textContent = `${speed.toFixed(speed < 100 ? 1 : 0)} tokens/s`;
    this.speed.title = countsOf(this.message);
  }
}

export class MessageList {
  #host;
  #handlers;
  #views = [];
  #error = null;

  /// `handlers`: edit(message, text), choose(message), regenerate(), retry(), and those of ToolCallsView.
  constructor(host, handlers) {
    this.#host = host;
    this.#handlers = handlers;
  }

  /// Shows a chat's messages as they are now. `writing`: whether an answer is; `busy`: that, or a tool runs; `reading`: of
  /// the prompt of that answer, or null.
  show(chat, {writing, busy, reading}) {
    const messages = chat ? pathOf(chat) : [];
    const versions = chat ? versionsOf(chat) : new Map();
    let same = 0;
    while (same < messages.length && this.#views[same]?.message === messages[same]) ++same;
    for (const view of this.#views.splice(same)) view.root.remove();
    this.#error?.remove();
    this.#error = null;
    for (const message of messages.slice(same)) {
      const view =
          message.role === 'user' ? new UserView(message, this.#handlers) : new AssistantView(message, this.#handlers);
      this.#views.push(view);
      this.#host.append(view.root);
    }
    this.#views.forEach((view, i) => {
      const last = i === this.#views.length - 1;
      view.root.classList.toggle('last', last);
      view.update(writing && last, last, last ? reading : null);
      view.versions.show(versions.get(view.message), busy);
    });
    const unanswered = !busy && messages.at(-1)?.role === 'user';  // another version failed, or was chosen since
    const error = chat?.error ?? (unanswered ? 'This message has no answer.' : null);
    if (error) this.#showError(error);
  }

  viewOf(message) { return this.#views.find((view) => view.message === message); }

  /// Puts the focus on the question about a tool. Returns whether there is one.
  focusQuestion() { return Boolean(this.#views.at(-1)?.calls?.focusQuestion()); }

  /// The last message has grown.
  grow(writing, reading) { this.#views.at(-1)?.update(writing, true, reading); }

  #showError(text) {
    const retry = plainButton('Try again', 'retry', this.#handlers.retry);
    this.#error = element('div', {class: 'error', 'data-testid': 'error', role: 'alert'}, element('p', {}, text), retry);
    this.#host.append(this.#error);
  }
}
