// The calls of tools in an answer: {id, name, arguments, result, server, tool, failed, declined}. `server` and `tool` are
// those of a call that the page can make; people enter the `result` of others. `failed`: the tool says so; `declined`: the
// user did.
import {isObject, isText} from './kinds.js';

/// Returns the arguments of a call as JSON of an object; null where they are none.
export function argumentsOf(call) {
  const text = call.arguments.trim() || '{}';
  try {
    return isObject(JSON.parse(text)) ? text : null;
  } catch {
    return null;
  }
}

/// Tells whether a request has a call with its result. The server refuses arguments that are no JSON, and calls without an
/// answer are no conversation.
export function isAnswered({arguments: given, result}) {
  if (!isText(result)) return false;
  try {
    JSON.parse(given.trim() || '{}');
    return true;
  } catch {
    return false;
  }
}

/// Tells whether the user is asked about a call: the page can make it, and it has no result.
export function isOpen(call) { return isText(call.server) && call.result === undefined && argumentsOf(call) !== null; }

/// Tells whether people enter the result of a call.
export function isEntered(call) { return !isText(call.server) && call.result === undefined; }

/// Tells whether the chat can go on after an answer: it has calls, and no result is missing.
export function areAnswered({calls}) {
  return Boolean(calls?.some(({result}) => isText(result))) && !calls.some((call) => isOpen(call) || isEntered(call));
}

/// Returns how many answers with calls a path has since the user's last message.
export function roundsOf(path) {
  const last = path.findLastIndex(({role}) => role === 'user');
  return path.slice(last + 1).filter(({calls}) => calls?.length).length;
}

function withoutSpace(json) { return json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1'); }

// Letters that cannot be seen, or turn the order of others.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/// Returns a text in which letters that cannot be seen stand as \uXXXX.
export function withHidden(text) {
  return text.replace(HIDDEN, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/// Returns arguments in lines, if no digit, name or order of them is lost by that; else as they are.
export function readable(text) {
  let lines = text;
  try {
    const value = JSON.parse(text);
    if (JSON.stringify(value) === withoutSpace(text)) lines = JSON.stringify(value, null, 2);
  } catch {
    // not complete, or no JSON
  }
  return withHidden(lines);
}
