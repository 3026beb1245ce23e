// Where messages are written. What is not sent yet is kept for each chat until the page is closed.
import {byId, fitHeight} from './elements.js';
import {isSendKey, nameSendKey} from './keys.js';

export class Composer {
  #box = byId('prompt');
  #drafts = new Map();
  #chat = '';

  /// `send(text)` gives whether it was taken; `stop()`.
  constructor({send, stop}) {
    const submit = () => {
      const text = this.#box.value;
      if (text.trim() && send(text)) this.#set('');
    };
    byId('composer').addEventListener('submit', (event) => {
      event.preventDefault();
      submit();
    });
    byId('composer').addEventListener('click', (event) => {
      if (event.target === event.currentTarget) this.#box.focus();
    });
    byId('stop').addEventListener('click', () => {
      stop();
      this.focus();
    });
    this.#box.addEventListener('keydown', (event) => {
      if (!isSendKey(event)) return;
      event.preventDefault();
      submit();
    });
    nameSendKey((key) => {
      this.#box.enterKeyHint = key ? 'send' : 'enter';
      byId('send').title = key ? `Send (${key})` : 'Send';
    });
    this.#box.addEventListener('input', () => this.#changed());
    this.#changed();
  }

  /// The chat that is written to; '': a new one.
  open(chat) {
    if (chat === this.#chat) return;
    this.#drafts.set(this.#chat, this.#box.value);
    this.#chat = chat;
    this.#set(this.#drafts.get(chat) ?? '');
  }

  /// A new chat has become one that has an id: what is written goes with it.
  become(chat) { this.#chat = chat; }

  /// Puts a text after what is written, on a line of its own.
  add(text) {
    const before = this.#box.value;
    this.#set(before && !before.endsWith('\n') ? `${before}\n${text}` : before + text);
    this.focus();
  }

  showRunning(running) {
    byId('send').hidden = running;
    byId('stop').hidden = !running;
  }

  /// Not where it would open a keyboard on the screen.
  focus() {
    if (matchMedia('(hover: hover)').matches) this.#box.focus();
  }

  #set(text) {
    this.#box.value = text;
    this.#changed();
  }

  #changed() {
    byId('send').classList.toggle('idle', !this.#box.value.trim());
    fitHeight(this.#box);
  }
}
