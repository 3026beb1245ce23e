// Files for a message: which of them can be read, and as which text.
import {fenced} from './fences.js';
import {number} from './numbers.js';

const MOST_BYTES = 512 * 1024;
const MOST_PDF_BYTES = 8 * 1024 * 1024;
const MOST_NAME_LETTERS = 80;  // of a name

/// Files of one message, and letters of their texts together.
export const MOST_FILES = 16;
export const MOST_TEXT = 1024 * 1024;

/// A file that cannot go with a message; the message names it.
export class FileError extends Error {}

/// Returns "900 B" or "12 KiB".
export function sizeWords(bytes) { return bytes < 1024 ? `${bytes} B` : `${number(Math.ceil(bytes / 1024))} KiB`; }

/// Returns a name without its folders, in one line of visible letters. A long one loses its middle.
export function cleanName(name) {
  const last = name.split(/[/\\]/).findLast((part) => part) ?? '';
  const letters = Array.from(last.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim());
  if (!letters.length) return 'file';
  if (letters.length <= MOST_NAME_LETTERS) return letters.join('');
  const end = MOST_NAME_LETTERS / 4;
  return [...letters.slice(0, MOST_NAME_LETTERS - end - 1), '…', ...letters.slice(-end)].join('');
}

/// The fault of a file of this size; '' where there is none.
function tooLarge(name, size, most) {
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

/// The file as a part of a message: its name, and its text as a block of code.
export function quoted(name, text) {
  const type = /\.(\w{1,12})$/.exec(name)?.[1] ?? '';
  return `${name}:\n${fenced(text.replace(/\n$/, ''), type)}\n`;
}

async function bytesOf(file, name) {
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch {
    throw new FileError(`${name} cannot be read.`);  // a folder, or a file that is gone
  }
}

/// Whether bytes begin as a PDF does.
const isPdf = (bytes) => new TextDecoder('latin1').decode(bytes.subarray(0, 5)) === '%PDF-';

async function textOfPdf(bytes, name, pdfText) {
  let text;
  try {
    text = await pdfText(bytes);
  } catch (error) {
    throw new FileError(`${name}: ${error.message}`);
  }
  if (!text.trim()) throw new FileError(`${name} has no text. Its pages may be pictures.`);
  return text;
}

/// Returns a File's text. `pdfText(bytes)` gives that of a PDF, or throws. Throws FileError.
export async function readFile(file, pdfText) {
  const name = cleanName(file.name);
  const large = tooLarge(name, file.size, /\.pdf$/i.test(name) ? MOST_PDF_BYTES : MOST_BYTES);
  if (large) throw new FileError(large);
  const bytes = await bytesOf(file, name);
  if (isPdf(bytes)) return textOfPdf(bytes, name, pdfText);
  const text = bytes.length <= MOST_BYTES ? textOf(bytes) : null;
  if (text === null) throw new FileError(`${name} is no text. Pictures, sounds and programs cannot be read here.`);
  return text;
}
