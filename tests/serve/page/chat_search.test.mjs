// The search of chats.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {chatsWith, hitIn, hitsTold, searchWords} from '../../../src/serve/page/chat_search.js';

const chat = (title, ...texts) => ({title, messages: texts.map((content) => ({role: 'user', content}))});
const found = (chats, text) => chatsWith(chats, searchWords(text)).map(({title}) => title);

test('a chat is found by its title and its messages, whatever their capitals', () => {
  const chats = [chat('Ponds', 'How deep?'), chat('Dogs', 'In a POND'), chat('Ants')];
  assert.deepEqual(found(chats, 'pond'), ['Ponds', 'Dogs']);
  assert.deepEqual(found(chats, 'DEEP'), ['Ponds']);
  assert.deepEqual(found(chats, 'é'), []);
});

test('all words must be there, in any order and place', () => {
  const chats = [chat('Ponds', 'How deep?', 'Very'), chat('Deep')];
  assert.deepEqual(found(chats, '  very\tdeep pond '), ['Ponds']);
  assert.deepEqual(found(chats, 'very shallow'), []);
});

test('no words find all chats', () => {
  const chats = [chat('a'), chat('b')];
  assert.deepEqual(found(chats, ''), ['a', 'b']);
  assert.deepEqual(found(chats, ' \n'), ['a', 'b']);
});

test('a letter with its accent is found as one sign or two', () => {
  assert.deepEqual(found([chat('caf\u00e9')], 'CAFE\u0301'), ['caf\u00e9']);
});

test('thoughts, calls and their results are searched, signs of patterns as text', () => {
  const call = {id: 'c', name: 'clock', arguments: '{"zone":"UTC"}', result: '12:30'};
  const chats = [{title: 'a', messages: [{role: 'assistant', content: '', reasoning: 'Hmm.*', calls: [call]}]}];
  for (const text of ['hmm.*', 'clock', 'utc', '12:30']) assert.deepEqual(found(chats, text), ['a'], text);
  assert.deepEqual(found(chats, '.+'), []);
});

test('the hit is the newest message with most of the words, one that is shown before others', () => {
  const messages = ['ants', 'bees', 'ants and bees', 'ants and bees'].map((content) => ({role: 'user', content}));
  messages[3].parent = 1;
  const at = (leaf, text) => messages.indexOf(hitIn({title: 'wasps', messages, leaf}, searchWords(text)));
  assert.deepEqual([at(3, 'ants bees'), at(2, 'ants bees'), at(1, 'ants bees'), at(0, 'bees wasps')], [3, 2, 3, 3]);
  assert.equal(at(3, 'wasps'), -1);
});

test('the number of hits is told', () => {
  assert.deepEqual([0, 1, 1234].map(hitsTold), ['No chat found', '1 chat found', '1,234 chats found']);
});
