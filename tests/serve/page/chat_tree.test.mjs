// Versions of messages: the tree of a chat, and the path that is chosen.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {addMessage, choosePath, endBefore, pathOf, takeBack, treeFault, versionsOf} from '../../../src/serve/page/chat_tree.js';

const message = (content) => ({role: 'user', content});
const chatOf = (...texts) => ({messages: texts.map(message)});
const words = (chat) => pathOf(chat).map(({content}) => content).join(' ');
const find = (chat, text) => chat.messages.find(({content}) => content === text);
const versions = (chat, text) => versionsOf(chat).get(find(chat, text)).map(({content}) => content);

/// a1 with b1 and b2 (c below b1), and a2.
function branched() {
  const chat = chatOf('a1', 'b1', 'c');
  endBefore(chat, find(chat, 'b1'));
  addMessage(chat, message('b2'));
  endBefore(chat, find(chat, 'a1'));
  addMessage(chat, message('a2'));
  return chat;
}

test('a plain list is one path', () => {
  const chat = chatOf('a', 'b', 'c');
  assert.equal(words(chat), 'a b c');
  assert.deepEqual(versions(chat, 'b'), ['b']);
  addMessage(chat, message('d'));
  assert.deepEqual(chat, chatOf('a', 'b', 'c', 'd'));
  assert.equal(words({messages: []}), '');
});

test('a new version begins a branch from the same message', () => {
  const chat = branched();
  assert.equal(words(chat), 'a2');
  assert.deepEqual(versions(chat, 'a1'), ['a1', 'a2']);
  assert.deepEqual(versions(chat, 'b2'), ['b1', 'b2']);
  assert.equal(chat.messages.length, 5);
});

test('a version that is chosen shows the newest message that came of it', () => {
  const chat = branched();
  choosePath(chat, find(chat, 'a1'));
  assert.equal(words(chat), 'a1 b2');
  choosePath(chat, find(chat, 'b1'));
  assert.equal(words(chat), 'a1 b1 c');
  addMessage(chat, message('d'));
  assert.equal(words(chat), 'a1 b1 c d');
  choosePath(chat, find(chat, 'a2'));
  assert.equal(words(chat), 'a2');
});

test('a version that is chosen again shows the message that was seen last', () => {
  const chat = branched();
  choosePath(chat, find(chat, 'b1'));
  choosePath(chat, find(chat, 'a2'));
  choosePath(chat, find(chat, 'a1'));
  assert.equal(words(chat), 'a1 b1 c');
  endBefore(chat, find(chat, 'a1'));
  addMessage(chat, message('a3'));
  choosePath(chat, find(chat, 'a1'));
  assert.equal(words(chat), 'a1 b1 c');
});

test('a message that was seen last counts only where it came of the version', () => {
  for (const leaf of [4, 5, 99, -1, 0.5, '2', null]) {
    const chat = branched();
    find(chat, 'a1').leaf = leaf;
    choosePath(chat, find(chat, 'a1'));
    assert.equal(words(chat), 'a1 b2', String(leaf));
  }
});

test('the tree and its path outlive a copy as JSON', () => {
  const chat = branched();
  choosePath(chat, find(chat, 'b1'));
  assert.equal(words(JSON.parse(JSON.stringify(chat))), 'a1 b1 c');
});

test('a version that is taken back gives way to another, or to the end before it', () => {
  const chat = branched();
  takeBack(chat);
  assert.equal(words(chat), 'a1');
  choosePath(chat, find(chat, 'b1'));
  addMessage(chat, message('d'));
  takeBack(chat);
  assert.equal(words(chat), 'a1 b1 c');
  const alone = chatOf('a');
  takeBack(alone);
  assert.equal(words(alone), '');
});

test('a tree that is none has a fault', () => {
  assert.equal(treeFault(branched()), '');
  for (const parent of [1, 2, -2, 0.5, '0', null, {}])
    assert.match(
        treeFault({messages: [message('a'), {...message('b'), parent}]}), /^message 2 follows none/, String(parent));
  for (const leaf of [-1, 1, 0.5, '0', null])
    assert.match(treeFault({messages: [message('a')], leaf}), /path ends with no message/, String(leaf));
});

test('a hundred thousand versions take no long time', () => {
  const chat = {messages: Array.from({length: 1e5}, (_, i) => ({...message(String(i)), parent: i ? 0 : -1}))};
  const before = Date.now();
  choosePath(chat, chat.messages[5]);
  assert.equal(versionsOf(chat).get(chat.messages[5]).length, 1e5 - 1);
  assert.equal(words(chat), '0 5');
  assert.ok(Date.now() - before < 2000);
});
