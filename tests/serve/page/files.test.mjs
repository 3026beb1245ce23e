// Files for a message.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {messageWith, splitMessage, subjectOf, withText} from '../../../src/serve/page/attached.js';
import {gaugeWords} from '../../../src/serve/page/context_gauge.js';
import {markTooMuch, troubleOf} from '../../../src/serve/page/file_tray.js';
import {cleanName, FileError, quoted, readFile, textOf} from '../../../src/serve/page/files.js';

const bytes = (...values) => new Uint8Array(values);
const notes = {
  name: 'notes.md',
  size: 5,
  tokens: 2,
  text: '# Hi\n'
};

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
  assert.match(quoted('a.md', '```\n'.repeat(130_000)), /^a\.md:\n````md\n/);
});

test('a hostile name becomes a short line of visible letters without folders', () => {
  assert.equal(cleanName('../../etc/passwd'), 'passwd');
  assert.equal(cleanName('C:\\temp\\a.txt'), 'a.txt');
  assert.equal(cleanName('a\n```\u2028\u202egnp.exe\0'), 'a ``` gnp.exe');
  assert.equal(cleanName('\u0007'), 'file');
  assert.equal(cleanName('/'), 'file');
  assert.equal(cleanName('<img src=x onerror=alert(1)>'), '<img src=x onerror=alert(1)>');
  const long = cleanName(`${'😀'.repeat(5000)}.csv`);
  assert.equal(Array.from(long).length, 80);
  assert.match(long, /…😀+\.csv$/u);
});

test('a file that is too large, binary or gone is refused by its name', async () => {
  const file = (name, body) => new File([body], name);
  assert.equal(await readFile(file('a.csv', 'a,b\n')), 'a,b\n');
  const large = new Uint8Array(512 * 1024 + 1);
  await assert.rejects(
      readFile(file('log.txt', large)), {message: /^log\.txt has 513 KiB\. .* up to 512 KiB can be read\.$/});
  await assert.rejects(readFile(file('x/a.png', bytes(0x89, 0))), {message: /^a\.png is no text\./});
  const gone = {name: 'gone', size: 1, arrayBuffer: () => Promise.reject(new Error('NotFoundError'))};
  await assert.rejects(readFile(gone), FileError);
});

test('the server reads a PDF, whatever its name', async () => {
  const pdf = (name) => new File(['%PDF-1.4 x'], name);
  const read = (name, text) => readFile(pdf(name), async (read) => text ?? `${read.length} bytes`);
  assert.equal(await read('a.pdf'), '10 bytes');
  assert.equal(await read('a'), '10 bytes');
  await assert.rejects(read('a.pdf', ' \n'), {message: 'a.pdf has no text. Its pages may be pictures.'});
  const fail = async () => {
    throw new Error('The PDF is damaged.');
  };
  await assert.rejects(readFile(pdf('a.pdf'), fail), {message: 'a.pdf: The PDF is damaged.'});
  const large = (start, name) => new File([start, new Uint8Array(1024 * 1024).fill(97)], name);
  assert.equal(await readFile(large('%PDF-1.4', 'b.pdf'), async () => 'read'), 'read');
  await assert.rejects(readFile(large('text', 'b.pdf'), fail), {message: /^b\.pdf is no text/});
  await assert.rejects(readFile(large('%PDF-1.4', 'b.doc'), fail), {message: /^b\.doc has 1,025 KiB/});
});

test('a message begins with its files and knows where its own text begins', () => {
  const message = messageWith('What is it?', [notes, {...notes, name: 'b', text: '```\n'}]);
  assert.equal(message.content, 'notes.md:\n```md\n# Hi\n```\n\nb:\n````\n```\n````\n\nWhat is it?');
  assert.equal(splitMessage(message).text, 'What is it?');
  assert.deepEqual(
      splitMessage(message).files.map(({name, size, tokens}) => [name, size, tokens]), [['notes.md', 5, 2], ['b', 5, 2]]);
  const changed = withText(message, 'Why?');
  assert.equal(splitMessage(changed).text, 'Why?');
  assert.equal(splitMessage(changed).files.length, 2);
  assert.equal(subjectOf(message), 'What is it?');
  assert.equal(subjectOf(messageWith('', [notes])), 'notes.md');
  assert.deepEqual(messageWith('Hi', []), {role: 'user', content: 'Hi'});
});

test('files of a storage that fit no content leave the whole text', () => {
  const good = {name: 'a', size: 1, tokens: null, length: 2};
  for (const files
           of [{}, 'x', [null], [{...good, length: 4}], [{...good, length: -1}], [{...good, name: {}}], [good, good]])
    assert.deepEqual(splitMessage({role: 'user', content: 'abc', files}), {files: [], text: 'abc'}, JSON.stringify(files));
  assert.equal(splitMessage({role: 'user', content: 'abc', files: [good]}).text, 'c');
});

test('files that the context has no room for are named', () => {
  const files = [{name: 'a', tokens: 60}, {name: 'b', tokens: 50}, {name: 'c', tokens: null}];
  markTooMuch(files, 0);
  assert.equal(troubleOf(files), '');
  markTooMuch(files, 100);
  assert.equal(troubleOf(files), 'The context has no room for b, c.');
  markTooMuch(files, 1000);
  assert.equal(troubleOf([...files, {name: 'd', tokens: null, isReading: true}]), 'Not read yet: d.');
});

test('the gauge has the tokens of the chat and of the message that is written', () => {
  const words = gaugeWords(100, {tokens: 25, files: 1}, 1000);
  assert.equal(words, 'About 125 of 1,000 tokens of context, 25 of them for this message');
  assert.equal(gaugeWords(100, {tokens: 0, files: 0}, 1000), '100 of 1,000 tokens of context');
  assert.equal(gaugeWords(0, {tokens: 3, files: 0}, 1000), '');
  assert.match(gaugeWords(0, {tokens: 3, files: 1}, 1000), /^About 3 /);
  assert.equal(gaugeWords(100, {tokens: 25, files: 1}, 0), '');
});
