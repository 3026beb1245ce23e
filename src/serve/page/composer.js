// Where messages are written. What is not sent yet is kept for each chat until the page is closed.
import {byId, fitHeight, toast} from './elements.js';
import {FileTray} from './file_tray.js';
import {isSendKey, nameSendKey} from './keys.js';
import {roughTokens} from './turns.js';

export class Composer {
  #box = byId('prompt');
  #tray;
  #drafts = new Map();  // {text, files}
  #chat = '';

  /// `send(text, files)` gives whether it was taken; `stop()`; `onChange(cost)`; `files`: what a FileTray needs.
  constructor({send, stop, onChange, files}) {
    this.onChange = onChange;
    this.#tray = new FileTray({...files, onChange: () => this.#changed()});
    const submit = () => this.#submit(send);
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
  }

  /// Returns {tokens, files} of the message that is written: its tokens, about, and the number of its files.
  get #cost() {
    const texts = this.#tray.files.filter(({tokens}) => tokens === null).map(({text}) => text);
    const counted = this.#tray.files.reduce((sum, {tokens}) => sum + (tokens ?? 0), 0);
    return {tokens: counted + roughTokens([...texts, this.#box.value]), files: this.#tray.files.length};
  }

  /// The chat that is written to; '': a new one.
  open(chat) {
    if (chat === this.#chat) return;
    this.#drafts.set(this.#chat, {text: this.#box.value, files: this.#tray.files});
    this.#chat = chat;
    this.#set(this.#drafts.get(chat) ?? {text: '', files: []});
  }

  /// A new chat has become one that has an id: what is written goes with it.
  become(chat) { this.#chat = chat; }

  /// The chat or its context has changed.
  update() { this.#tray.update(); }

  /// The model has changed.
  recount() { this.#tray.recount(); }

  showRunning(running) {
    byId('send').hidden = running;
    byId('stop').hidden = !running;
  }

  /// Returns whether no other part of the page has the focus, and nothing is written.
  get isIdle() { return [this.#box, document.body].includes(document.activeElement) && this.#isEmpty; }

  /// Not where it would open a keyboard on the screen.
  focus() {
    if (matchMedia('(hover: hover)').matches) this.#box.focus();
  }

  get #isEmpty() { return !this.#box.value.trim() && !this.#tray.files.length; }

  #submit(send) {
    if (this.#isEmpty) return;
    const {trouble, files} = this.#tray;
    if (trouble) return toast(trouble);
    if (send(this.#box.value, files)) this.#set({text: '', files: []});
  }

  #set({text, files}) {
    this.#box.value = text;
    this.#tray.replace(files);
  }

  #changed() {
    byId('send').classList.toggle('idle', this.#isEmpty);
    fitHeight(this.#box);
    this.onChange(this.#cost);
  }
}
