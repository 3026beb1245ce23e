// Chats to files and back: a part of the settings.
import {FormatError, MOST_FILE_BYTES, readChats, writeChats} from './chat_format.js';
import {chatMarkdown} from './chat_markdown.js';
import {element, plainButton} from './elements.js';
import {number} from './numbers.js';

const NAME_LENGTH = 60;
const DOWNLOAD_MS = 60_000;  // for the browser to take the file

/// Returns a file's name that all systems take.
export function fileName(title, type) {
  const words = title.normalize('NFC').replace(/[^\p{L}\p{N}]+/gu, '-');
  const letters = Array.from(words).slice(0, NAME_LENGTH).join('').replace(/^-+|-+$/g, '');
  return `${letters || 'chat'}.${type}`;
}

function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], {type}));
  element('a', {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), DOWNLOAD_MS);
}

async function chatsOf(file) {
  if (file.size > MOST_FILE_BYTES)
    throw new FormatError(`This file has more than ${number(MOST_FILE_BYTES / 1024 / 1024)} MiB.`);
  let text = '';
  try {
    text = await file.text();
  } catch {
    throw new FormatError('This file cannot be read.');
  }
  return readChats(text);
}

export class ChatTransfer {
  #chat = null;
  #told = element('p', {class: 'hint', role: 'status', 'data-testid': 'import-told'});

  /// `chats()`: all; `add(chats)` takes those of a file, and gives whether the storage has room for them.
  constructor({chats, add}) {
    const saveJson = () => download(fileName(this.#chat.title, 'json'), 'application/json', writeChats([this.#chat]));
    const saveMarkdown = () => download(fileName(this.#chat.title, 'md'), 'text/markdown', chatMarkdown(this.#chat));
    const saveAll = () => download('skald-chats.json', 'application/json', writeChats(chats()));
    this.one = [
      plainButton('This chat as JSON', 'export-json', saveJson),
      plainButton('This chat as Markdown', 'export-markdown', saveMarkdown),
    ];
    this.all = plainButton('All chats as JSON', 'export-all', saveAll);
    this.chats = chats;
    this.add = add;
    const picker =
        element('input', {type: 'file', accept: '.json,application/json', hidden: true, 'data-testid': 'import-file'});
    picker.addEventListener('change', () => this.#take(picker));
    const open = plainButton('Import chats…', 'import', () => picker.click());
    this.root = element(
        'fieldset', {class: 'transfer'}, element('legend', {}, 'Export and import'),
        element('div', {class: 'choices'}, this.one, this.all, open), picker, this.#told);
  }

  /// `chat`: the one that is shown, or null.
  show(chat) {
    this.#chat = chat;
    for (const button of this.one) button.disabled = !chat?.messages.length;
    this.all.disabled = !this.chats().length;
  }

  async #take(picker) {
    const [file] = picker.files;
    if (!file) return;
    try {
      const chats = await chatsOf(file);
      const kept = this.add(chats);
      const count = chats.length === 1 ? '1 chat was imported.' : `${number(chats.length)} chats were imported.`;
      this.#tell(
          kept ?
              count :
              `${count} The browser’s storage is full: the chats that it has no room for are lost when the page is closed.`,
          !kept);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.#tell(`${file.name}: ${error.message} No chat was imported.`, true);
    }
    picker.value = '';  // so that the same file can be chosen again
  }

  #tell(text, wrong) {
    this.#told.textContent = text;
    this.#told.className = wrong ? 'wrong' : 'hint';
  }
}
