// The search of chats, by their titles and the texts of their messages.
import {pathOf} from './chat_tree.js';
import {byId} from './elements.js';
import {number} from './numbers.js';

const plain = (text) => text.normalize('NFC').toLowerCase();

/// Returns the words of a search, as they are compared.
export function searchWords(text) { return plain(text).split(/\s+/).filter(Boolean); }

function textsOfMessage({content, reasoning, calls}) {
  const ofCalls = (calls ?? []).flatMap((call) => [call.name, call.arguments, call.result ?? '']);
  return [content, reasoning ?? '', ...ofCalls];
}

/// Returns the chats that have each word somewhere, in any version of their messages. Without words: all.
export function chatsWith(chats, words) {
  if (!words.length) return chats;
  return chats.filter((chat) => {
    const text = plain([chat.title, ...chat.messages.flatMap(textsOfMessage)].join('\n'));
    return words.every((word) => text.includes(word));
  });
}

function countIn(message, words) {
  const text = plain(textsOfMessage(message).join('\n'));
  return words.filter((word) => text.includes(word)).length;
}

/// Returns the message that a found chat is opened at: of those with most of the words, the newest on the path, or else the
/// newest. Null: no message has one.
export function hitIn(chat, words) {
  const path = new Set(pathOf(chat));
  const hits = chat.messages.map((message) => ({message, count: countIn(message, words)}));
  const most = Math.max(1, ...hits.map(({count}) => count));
  const best = hits.filter(({count}) => count === most).map(({message}) => message);
  return best.findLast((message) => path.has(message)) ?? best.at(-1) ?? null;
}

/// Returns the words that tell how many there are.
export function hitsTold(count) {
  return count === 0 ? 'No chat found' : count === 1 ? '1 chat found' : `${number(count)} chats found`;
}

/// The field above the list. Escape empties it, before it does anything else.
export class ChatSearch {
  #box = byId('chat-search');
  #hits = byId('chat-hits');

  /// `onChange()`: other words are searched.
  constructor(onChange) {
    this.#box.addEventListener('input', onChange);
    this.#box.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || event.isComposing || !this.#box.value) return;
      event.stopPropagation();
      event.preventDefault();
      this.#box.value = '';
      onChange();
    });
  }

  get #words() { return searchWords(this.#box.value); }

  /// Returns the message of a chat that was searched; null: none.
  hit(chat) { return this.#words.length ? hitIn(chat, this.#words) : null; }

  /// Returns the chats that are found, and tells how many they are.
  found(chats) {
    const words = this.#words;
    const found = chatsWith(chats, words);
    const told = words.length ? hitsTold(found.length) : '';
    if (this.#hits.textContent !== told) this.#hits.textContent = told;
    return found;
  }
}
