// The files that go with the next message: they are picked, dropped or pasted, and shown above it until it is sent.
import {byId, show, toast} from './elements.js';
import {fileChips} from './file_chips.js';
import {cleanName, FileError, MOST_FILES, MOST_TEXT} from './files.js';

/// Marks the files that the context has no room for, after those before them. `context`: tokens; 0 if it is not known.
export function markTooMuch(files, context) {
  let sum = 0;
  for (const file of files) {
    sum += file.tokens ?? 0;
    file.isTooMuch = context > 0 && sum >= context;
  }
}

/// Returns why these files cannot be sent now; '' where they can.
export function troubleOf(files) {
  const names = (some) => some.map(({name}) => name).join(', ');
  const tooMuch = files.filter(({isTooMuch}) => isTooMuch);
  if (tooMuch.length) return `The context has no room for ${names(tooMuch)}.`;
  const unread = files.filter(({isReading}) => isReading);
  return unread.length ? `Not read yet: ${names(unread)}.` : '';
}

export class FileTray {
  #files = [];  // {name, size, text, tokens, isReading, isTooMuch, abort}; tokens are null until they are counted
  #looks = '';

  /// `read(file, signal)` gives a File's text, or throws; `count(text)` its tokens; `context()` those that a chat may have;
  /// `onChange()`.
  constructor({read, count, context, onChange}) {
    this.read = read;
    this.count = count;
    this.context = context;
    this.onChange = onChange;
    this.#listenToPicks();
    this.#listenToDrops(byId('main'));
    byId('prompt').addEventListener('paste', (event) => {
      const {files, types} = event.clipboardData;
      if (!files.length || types.includes('text/plain')) return;
      event.preventDefault();
      this.#take([...files]);
    });
  }

  get files() { return this.#files; }

  /// Returns why nothing can be sent now; '' where it can.
  get trouble() { return troubleOf(this.#files); }

  /// Shows other files; the array is the tray's from now on.
  replace(files) {
    this.#files = files;
    this.update();
  }

  /// The model has changed, and each has its own tokens.
  recount() {
    for (const file of this.#files) this.#count(file);
  }

  update() {
    markTooMuch(this.#files, this.context());
    this.#show();
    byId('files-note').textContent = this.#files.some(({isTooMuch}) => isTooMuch) ? this.trouble : '';
    this.onChange();
  }

  /// Chips that look the same stay the same elements: one of their buttons may have the focus.
  #show() {
    const looks = JSON.stringify(this.#files.map((file) => [file.name, file.tokens, file.isReading, file.isTooMuch]));
    if (looks === this.#looks) return;
    this.#looks = looks;
    show(byId('files'), fileChips(this.#files, (file) => this.#remove(file)));
    byId('files').hidden = !this.#files.length;
  }

  #listenToPicks() {
    const choice = byId('file-choice');
    byId('attach').addEventListener('click', () => choice.click());
    choice.addEventListener('change', () => {
      this.#take([...choice.files]);
      choice.value = '';  // else the same file could not be picked again
    });
  }

  #listenToDrops(host) {
    const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes('Files');
    const mark = (on) => host.classList.toggle('dropping', on);
    addEventListener('dragover', (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();  // else the browser leaves the page for the file
      mark(true);
    });
    addEventListener('dragleave', (event) => {
      if (!event.relatedTarget) mark(false);
    });
    addEventListener('drop', (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      mark(false);
      this.#take([...event.dataTransfer.files]);
    });
  }

  async #take(picked) {
    const files = this.#files;  // of the chat that is shown now
    const room = MOST_FILES - files.length;
    const refusals = await Promise.all(picked.slice(0, room).map((file) => this.#add(file, files)));
    if (picked.length > room)
      refusals.push(`A message has up to ${MOST_FILES} files: ${picked.length - room} were left out.`);
    const said = refusals.filter(Boolean).join(' ');
    if (said) toast(said);
  }

  /// Returns why the file is not taken; '' where it is.
  async #add(picked, files) {
    const abort = new AbortController();
    const file = {name: cleanName(picked.name), size: picked.size, text: '', tokens: null, isReading: true, abort};
    files.push(file);
    this.update();
    try {
      file.text = await this.read(picked, abort.signal);
      if (files.reduce((sum, {text}) => sum + text.length, 0) > MOST_TEXT)
        throw new FileError(`${file.name} is too much: the files of a message have up to ${MOST_TEXT / 1024} KiB of text.`);
    } catch (error) {
      if (files.includes(file)) files.splice(files.indexOf(file), 1);
      this.update();
      return abort.signal.aborted ? '' : error.message;
    }
    file.isReading = false;
    await this.#count(file);
    return '';
  }

  async #count(file) {
    try {
      file.tokens = file.isReading ? null : await this.count(file.text);
    } catch {
      file.tokens = null;  // the server does not answer: sending says so
    }
    this.update();
  }

  #remove(file) {
    file.abort.abort();
    this.#files.splice(this.#files.indexOf(file), 1);
    this.update();
    byId('prompt').focus();
  }
}
