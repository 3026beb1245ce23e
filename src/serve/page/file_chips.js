// Chips: a file on the screen, by its name, tokens and size.
import {element, iconButton} from './elements.js';
import {sizeWords} from './files.js';
import {number} from './numbers.js';

function detailsOf({size, tokens, isReading}) {
  if (isReading) return 'is being read …';
  return tokens === null ? sizeWords(size) : `${number(tokens)} tokens · ${sizeWords(size)}`;
}

function chip(file, remove) {
  return element(
      'li', {class: file.isTooMuch ? 'file too-much' : 'file', 'data-testid': 'file'},
      element('bdi', {class: 'file-name', title: file.name}, file.name),
      element('span', {class: 'file-details'}, detailsOf(file)),
      remove ? iconButton('close', `Remove ${file.name}`, () => remove(file), {'data-testid': 'remove-file'}) : null);
}

/// Returns an item of a list for each file. `remove(file)`: null where files stay.
export function fileChips(files, remove = null) { return files.map((file) => chip(file, remove)); }
