// Files for a message: which of them can be read, and as which text.

const MOST_BYTES = 512 * 1024;
const MOST_LETTERS = 80;  // of a name

/// Files of one message, and letters of their texts together.
export const MOST_FILES = 16;
export const MOST_TEXT = 1024 * 1024;

/// A file that cannot go with a message; the message names it.
export class FileError extends Error {}

/// Returns "900 B" or "12 KiB".
export function sizeWords(bytes) {
  return bytes < 1024 ? `${bytes} B` : `${Math.ceil(bytes / 1024).toLocaleString('en')} KiB`;
}

/// Returns a name without its folders, in one line of visible letters. A long one loses its middle.
export function cleanName(name) {
  const last = name.split(/[/\\]/).findLast((part) => part) ?? '';
  const letters = Array.from(last.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim());
  if (!letters.length) return 'file';
  if (letters.length <= MOST_LETTERS) return letters.join('');
  const end = MOST_LETTERS / 4;
  return [...letters.slice(0, MOST_LETTERS - end - 1), '…', ...letters.slice(-end)].join('');
}

/// The fault of a file of this size; '' where there is none.
export function tooLarge(name, size, most = MOST_BYTES) {
  if (size <= most) return '';
  return `${name} has ${sizeWords(size)}. Files like it of up to ${sizeWords(most)} can be read.`;
}

/// The text of a file's bytes; null where they are no UTF-8, or have a zero as only binary files do.
export function textOf(bytes) {
  try {
    const text = new TextDecoder('utf-8', {fatal: true}).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

/// The file as a part of a message: its name, and its text in a fence that no line of it ends.
export function quoted(name, text) {
  const longest = Math.max(2, ...[...text.matchAll(/^ *(`{3,})/gm)].map((match) => match[1].length));
  const fence = '`'.repeat(longest + 1);
  const type = /\.(\w{1,12})$/.exec(name)?.[1] ?? '';
  return `${name}:\n${fence}${type}\n${text.replace(/\n$/, '')}\n${fence}\n`;
}

async function bytesOf(file, name) {
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch {
    throw new FileError(`${name} cannot be read.`);  // a folder, or a file that is gone
  }
}

/// Returns a File's text. Throws FileError.
export async function readText(file) {
  const name = cleanName(file.name);
  const large = tooLarge(name, file.size);
  if (large) throw new FileError(large);
  const text = textOf(await bytesOf(file, name));
  if (text === null) throw new FileError(`${name} is no text. Pictures, sounds and programs cannot be read here.`);
  return text;
}
