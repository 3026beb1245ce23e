// The search of chats, by their titles and the texts of their messages.
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

  /// Returns the chats that are found, and tells how many they are.
  found(chats) {
    const words = searchWords(this.#box.value);
    const found = chatsWith(chats, words);
    const told = words.length ? hitsTold(found.length) : '';
    if (this.#hits.textContent !== told) this.#hits.textContent = told;
    return found;
  }
}
