// What the browser keeps: chats and preferences, in localStorage. Each chat has an entry of its own, so that two tabs do not
// write over each other's. Where there is no storage (or it is full) all works until the page is closed, and `onLost` says
// so.
//
// A chat is {id, title, named, updated, messages, leaf, settings, error}: its messages are a tree (chat_tree.js); `title` is
// the user's if `named`; `updated` in ms; `error` the text of what went wrong with the last answer, or null. A message is
// {role: 'user', content, files (attached.js)} or {role: 'assistant', content, reasoning, seconds (of thinking), calls:
// [{id, name, arguments}], finish, speed (tokens per second), promptTokens (computed), cachedTokens, tokens, leftOut (turns,
// for want of room), context (in which they had none)}.

import {treeFault} from './chat_tree.js';

const CHAT = 'skald.chat.';
const PREFERENCE = 'skald.';

function isCall(call) {
  return call !== null && typeof call === 'object' &&
      [call.id, call.name, call.arguments].every((text) => typeof text === 'string');
}

function isMessage(message) {
  if (message === null || typeof message !== 'object' || typeof message.content !== 'string') return false;
  if (message.role === 'user') return true;
  return message.role === 'assistant' && ['string', 'undefined'].includes(typeof message.reasoning) &&
      (message.calls === undefined || (Array.isArray(message.calls) && message.calls.every(isCall)));
}

/// A chat from its entry; null if that is none.
export function readChat(text) {
  let chat;
  try {
    chat = JSON.parse(text);
  } catch {
    return null;
  }
  const good = chat !== null && typeof chat === 'object' && /^[a-z0-9]+$/.test(chat.id) && typeof chat.title === 'string' &&
      Array.isArray(chat.messages) && chat.messages.every(isMessage) && !treeFault(chat);
  if (!good) return null;
  return {named: false, error: null, ...chat, updated: Number(chat.updated) || 0};
}

const TITLE_LENGTH = 60;

export function titleOf(text) {
  const line = text.trim().replace(/\s+/g, ' ');
  const letters = Array.from(line);
  return letters.length <= TITLE_LENGTH ? line : `${letters.slice(0, TITLE_LENGTH - 1).join('').trimEnd()}…`;
}

function randomId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(9)), (byte) => byte.toString(36).padStart(2, '0')).join('');
}

export class Store {
  #storage;
  #chats = new Map();

  /// `storage`: localStorage, or null.
  constructor(storage, onLost = () => {}) {
    this.#storage = storage;
    this.onLost = onLost;
    for (let i = 0; storage && i < storage.length; ++i) {
      const key = storage.key(i);
      const chat = key.startsWith(CHAT) ? readChat(storage.getItem(key)) : null;
      if (chat) this.#chats.set(chat.id, chat);
    }
  }

  /// The last used first.
  chats() { return [...this.#chats.values()].sort((a, b) => b.updated - a.updated); }

  chat(id) { return this.#chats.get(id); }

  /// One that is kept once it is saved.
  newChat() { return {id: randomId(), title: '', named: false, updated: Date.now(), messages: [], error: null}; }

  /// Gives whether the storage has room for it.
  save(chat) {
    this.#chats.set(chat.id, chat);
    return this.#write(CHAT + chat.id, JSON.stringify(chat));
  }

  remove(id) {
    this.#chats.delete(id);
    this.#storage?.removeItem(CHAT + id);
  }

  /// An entry that another tab has written or removed. Gives the chat's id, or null if it is no chat.
  took(key, text) {
    if (!key?.startsWith(CHAT)) return null;
    const id = key.slice(CHAT.length);
    const chat = text === null ? null : readChat(text);
    if (chat)
      this.#chats.set(id, chat);
    else
      this.#chats.delete(id);
    return id;
  }

  preference(name) { return this.#storage?.getItem(PREFERENCE + name) ?? null; }

  /// null or '': none. Gives whether the storage has room for it.
  prefer(name, value) {
    if (value) return this.#write(PREFERENCE + name, value);
    this.#storage?.removeItem(PREFERENCE + name);
    return true;
  }

  #write(key, value) {
    try {
      this.#storage?.setItem(key, value);
      return true;
    } catch {
      this.onLost();
      return false;
    }
  }
}

/// localStorage, or null where the browser refuses it.
export function openStorage() {
  try {
    return globalThis.localStorage;
  } catch {
    return null;
  }
}
