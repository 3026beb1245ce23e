// Files of chats: {"format": "skald-chats", "version": 1, "chats": [...]}, a chat as the store has it. A file that is read
// may come from anywhere: each part of it is checked by these tables, and a part that no table has is a fault.
import {SETTING_NAMES} from './chat_settings.js';
import {treeFault} from './chat_tree.js';
import {isObject, isText} from './kinds.js';
import {isCount, number} from './numbers.js';

const FORMAT = 'skald-chats';
const VERSION = 1;
const MOST_CHATS = 10_000;
const MOST_MESSAGES = 10_000;  // of a chat: each is made an element
const LAST_TIME = 8.64e15;     // of JavaScript's dates, in ms

/// The bytes of a file that is read.
export const MOST_FILE_BYTES = 32 * 1024 * 1024;

/// A file that is no file of chats; the message names the fault.
export class FormatError extends Error {}

const isFlag = (value) => typeof value === 'boolean';
const isIndex = (value) => Number.isInteger(value);
const isListOf = (table) => (value) => Array.isArray(value) && value.every((one) => isObject(one) && !faultOf(one, table));

// Of each part: its check, and whether it may be missing.
const must = (check) => ({check, optional: false});
const may = (check) => ({check, optional: true});

const CALL = {
  id: must(isText),
  name: must(isText),
  arguments: must(isText),
  result: may(isText),
  server: may(isText),
  tool: may(isText),
  failed: may(isFlag),
  declined: may(isFlag),
};
const ATTACHED = {
  name: must(isText),
  size: must(isCount),
  tokens: must((value) => value === null || isCount(value)),
  length: must(isCount),
};
const MESSAGES = {
  user: {role: must(isText), content: must(isText), parent: may(isIndex), files: may(isListOf(ATTACHED))},
  assistant: {
    role: must(isText),
    content: must(isText),
    parent: may(isIndex),
    reasoning: may(isText),
    seconds: may(isCount),
    calls: may(isListOf(CALL)),
    finish: may(isText),
    speed: may((value) => Number.isFinite(value) && value > 0),
    promptTokens: may(isCount),
    cachedTokens: may(isCount),
    tokens: may(isCount),
    leftOut: may(isCount),
    context: may(isCount),
  },
};
const CHAT_PARTS = {
  id: must((value) => isText(value) && /^[a-z0-9]+$/.test(value)),
  title: must(isText),
  named: must(isFlag),
  updated: must((value) => isCount(value) && value <= LAST_TIME),
  error: must((value) => value === null || isText(value)),
  leaf: may(isIndex),
  settings: may(isSettings),
  messages: must(Array.isArray),
};
const FILE_PARTS = {
  format: must((value) => value === FORMAT),
  version: must(isCount),
  chats: must(Array.isArray)
};

function isSettings(value) {
  const table = Object.fromEntries(SETTING_NAMES.map((name) => [name, may(isText)]));
  return isObject(value) && !faultOf(value, table);
}

function faultOf(value, table) {
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(table, name));
  if (unknown !== undefined) return `“${shortened(unknown)}” is no part that this page knows`;
  const missing = Object.keys(table).find((name) => !table[name].optional && !Object.hasOwn(value, name));
  if (missing) return `“${missing}” is missing`;
  const wrong = Object.keys(value).find((name) => !table[name].check(value[name]));
  return wrong ? `“${wrong}” has a wrong value` : '';
}

function shortened(name) { return name.length > 40 ? `${name.slice(0, 40)}…` : name; }

function messageFault(message) {
  if (!isObject(message)) return 'it is no object';
  if (!Object.hasOwn(message, 'role')) return '“role” is missing';
  const isKnown = isText(message.role) && Object.hasOwn(MESSAGES, message.role);
  return isKnown ? faultOf(message, MESSAGES[message.role]) : '“role” is neither user nor assistant';
}

function chatFault(chat) {
  if (!isObject(chat)) return 'it is no object';
  const fault = faultOf(chat, CHAT_PARTS);
  if (fault) return fault;
  const {messages} = chat;
  if (messages.length > MOST_MESSAGES) return `it has more than ${number(MOST_MESSAGES)} messages`;
  for (const [i, message] of messages.entries()) {
    const wrong = messageFault(message);
    if (wrong) return `message ${i + 1}: ${wrong}`;
  }
  return treeFault(chat);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new FormatError('This file is no JSON.');
  }
}

/// Returns the chats of a file's text. Throws FormatError.
export function readChats(text) {
  const file = parsed(text);
  if (!isObject(file) || file.format !== FORMAT) throw new FormatError('This file has no chats of Skald.');
  if (isCount(file.version) && file.version !== VERSION)
    throw new FormatError(`The file has version ${file.version}; this page reads ${VERSION}.`);
  const fault = faultOf(file, FILE_PARTS);
  if (fault) throw new FormatError(`The file: ${fault}.`);
  if (file.chats.length > MOST_CHATS) throw new FormatError(`The file has more than ${number(MOST_CHATS)} chats.`);
  const ids = new Set();
  for (const [i, chat] of file.chats.entries()) {
    const wrong = chatFault(chat) || (ids.has(chat.id) ? 'an earlier chat has the same “id”' : '');
    if (wrong) throw new FormatError(`Chat ${i + 1}: ${wrong}.`);
    ids.add(chat.id);
  }
  return file.chats;
}

/// Returns the parts that a table knows, without those that are wrong: what the storage has may be older than the table.
function knownParts(value, table) {
  return Object.fromEntries(
      Object.entries(value).filter(([name, one]) => Object.hasOwn(table, name) && table[name].check(one)));
}

/// Returns the text of a file with these chats.
export function writeChats(chats) {
  const written = chats.map((chat) => ({
                              ...knownParts(chat, CHAT_PARTS),
                              messages: chat.messages.map((message) => knownParts(message, MESSAGES[message.role])),
                            }));
  return `${JSON.stringify({format: FORMAT, version: VERSION, chats: written}, null, 1)}\n`;
}
