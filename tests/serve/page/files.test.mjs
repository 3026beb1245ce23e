// Files that are dropped on the page.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {quoted, textOf, tooLarge} from '../../../src/serve/page/files.js';

const bytes = (...values) => new Uint8Array(values);

test('text is UTF-8 without zeros', () => {
  assert.equal(textOf(new TextEncoder().encode('naïve\n')), 'naïve\n');
  assert.equal(textOf(bytes()), '');
  assert.equal(textOf(bytes(0x89, 0x50, 0x4e, 0x47)), null);
  assert.equal(textOf(bytes(0x61, 0, 0x62)), null);
  assert.equal(textOf(bytes(0xff, 0xfe, 0x61)), null);
});

test('a file stands below its name in a fence that its text does not end', () => {
  assert.equal(quoted('a.py', 'print(1)\n'), 'a.py:\n```py\nprint(1)\n```\n');
  assert.equal(quoted('Makefile', 'all:'), 'Makefile:\n```\nall:\n```\n');
  assert.equal(quoted('a.md', '```\nx\n```\n'), 'a.md:\n````md\n```\nx\n```\n````\n');
});

test('a file that is too large is refused with its name and size', () => {
  assert.equal(tooLarge('a.txt', 512 * 1024), '');
  assert.match(tooLarge('log.txt', 3 * 1024 * 1024), /^log\.txt has 3,072 KiB\. Text files of up to 512 KiB/);
});
