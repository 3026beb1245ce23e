// Messages with files. The content begins with the files' texts, so that requests, copies and searches have all of it.
// `files` has a {name, size, tokens, length} for each of them: `length` counts the letters of its part of the content.
import {quoted} from './files.js';
import {isCount} from './numbers.js';

const part = ({name, text}) => `${quoted(name, text)}\n`;

/// Returns a user's message. `files`: [{name, size, tokens, text}].
export function messageWith(text, files) {
  const message = {role: 'user', content: files.map(part).join('') + text};
  if (files.length) {
    message.files =
        files.map((file) => ({name: file.name, size: file.size, tokens: file.tokens, length: part(file).length}));
  }
  return message;
}

function isFile(file) {
  return file !== null && typeof file === 'object' && typeof file.name === 'string' &&
      [file.size, file.length].every(isCount) && (file.tokens === null || isCount(file.tokens));
}

/// Returns {files, begin}: `begin` is the place in the content after the files. The storage may hold anything.
function filesOf({content, files}) {
  if (!Array.isArray(files) || !files.every(isFile)) return {files: [], begin: 0};
  const begin = files.reduce((sum, file) => sum + file.length, 0);
  return begin <= content.length ? {files, begin} : {files: [], begin: 0};
}

/// Returns {files, text}: a message's files, and its own text.
export function splitMessage(message) {
  const {files, begin} = filesOf(message);
  return {files, text: message.content.slice(begin)};
}

/// Returns the message with another text and the same files.
export function withText(message, text) {
  const {files, begin} = filesOf(message);
  const changed = {role: 'user', content: message.content.slice(0, begin) + text};
  return files.length ? {...changed, files} : changed;
}

/// Returns a message's own text; the names of its files where it has none.
export function subjectOf(message) {
  const {files, text} = splitMessage(message);
  return text.trim() ? text : files.map(({name}) => name).join(', ');
}
