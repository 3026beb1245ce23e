// Files of chats: what is written is read again, and all else is refused by its fault.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {FormatError, readChats, writeChats} from '../../../src/serve/page/chat_format.js';
import {fileName} from '../../../src/serve/page/chat_transfer.js';

const user = (more = {}) => ({role: 'user', content: 'Hi', ...more});
const answer = (more = {}) => ({role: 'assistant', content: 'Ho', ...more});
const chat = (more = {}) =>
    ({id: 'a', title: 't', named: true, updated: 5, error: null, messages: [user(), answer()], ...more});
const file = (...chats) => JSON.stringify({format: 'skald-chats', version: 1, chats});

test('what is written is read again, with all versions', () => {
  const made = {server: 's', tool: 'f', failed: true, declined: true};
  const call = {id: 'c', name: 'f', arguments: '{}', result: '1', ...made};
  const counts = {promptTokens: 1, cachedTokens: 2, tokens: 3, leftOut: 4, context: 5};
  const full = answer({reasoning: 'r', seconds: 2, calls: [call], finish: 'stop', speed: 1.5, ...counts});
  const files = [{name: 'a.txt', size: 1, tokens: null, length: 2}];
  const tree = chat({messages: [user({files}), full, answer({parent: 0}), user({parent: -1})], leaf: 1});
  const chats = [tree, chat({id: 'b', error: 'It failed.', settings: {system: 'Be brief.', seed: '1', mcp: '{"s":[]}'}})];
  assert.deepEqual(readChats(writeChats(chats)), chats);
});

test('what only a running answer has is not written', () => {
  const running = chat({messages: [user(), answer({thinkingSince: 1000, speed: null})]});
  assert.deepEqual(readChats(writeChats([running])), [chat()]);
});

test('that tools run without a question is no part of a file', () => {
  assert.deepEqual(readChats(writeChats([chat({always: ['["s","f"]']})])), [chat()]);
  assert.throws(() => readChats(file(chat({always: []}))), /“always” is no part/);
});

test('a file that is none is refused by its fault', () => {
  for (const [text, fault] of [
           ['', /no JSON/],
           ['{"format"', /no JSON/],
           ['null', /no chats of Skald/],
           ['[]', /no chats of Skald/],
           ['{"format": "x"}', /no chats of Skald/],
           ['{"format": "skald-chats", "version": 2, "more": 1}', /version 2; this page reads 1/],
           ['{"format": "skald-chats", "version": [], "chats": []}', /“version” has a wrong value/],
           ['{"format": "skald-chats", "version": 1}', /“chats” is missing/],
           ['{"format": "skald-chats", "version": 1, "chats": {}}', /“chats” has a wrong value/],
           ['{"format": "skald-chats", "version": 1, "chats": [], "__proto__": {}}', /“__proto__” is no part/],
  ]) {
    assert.throws(() => readChats(text), (error) => error instanceof FormatError && fault.test(error.message), text);
  }
});

test('a chat that is none is refused by its place and its fault', () => {
  const only = (message) => chat({messages: [user(), message]});
  for (const [wrong, fault] of [
           [null, 'Chat 2: it is no object.'],
           [[], 'Chat 2: it is no object.'],
           [chat({id: '../x'}), 'Chat 2: “id” has a wrong value.'],
           [chat({id: 'b', title: 5}), 'Chat 2: “title” has a wrong value.'],
           [chat({id: 'b', updated: -1}), 'Chat 2: “updated” has a wrong value.'],
           [chat({id: 'b', updated: 1e300}), 'Chat 2: “updated” has a wrong value.'],
           [chat({id: 'b', settings: {seed: 1}}), 'Chat 2: “settings” has a wrong value.'],
           [chat({id: 'b', settings: {key: 'x'}}), 'Chat 2: “settings” has a wrong value.'],
           [chat({id: 'b', onclick: 'x'}), 'Chat 2: “onclick” is no part that this page knows.'],
           [chat({id: 'b', messages: {length: 1}}), 'Chat 2: “messages” has a wrong value.'],
           [chat(), 'Chat 2: an earlier chat has the same “id”.'],
           [only(null), 'Chat 2: message 2: it is no object.'],
           [only({content: ''}), 'Chat 2: message 2: “role” is missing.'],
           [only({role: 'constructor', content: ''}), 'Chat 2: message 2: “role” is neither user nor assistant.'],
           [only({role: ['user'], content: ''}), 'Chat 2: message 2: “role” is neither user nor assistant.'],
           [only({role: 'user'}), 'Chat 2: message 2: “content” is missing.'],
           [only(user({reasoning: 'x'})), 'Chat 2: message 2: “reasoning” is no part that this page knows.'],
           [only(answer({tokens: '3'})), 'Chat 2: message 2: “tokens” has a wrong value.'],
           [only(answer({speed: -1})), 'Chat 2: message 2: “speed” has a wrong value.'],
           [only(answer({calls: [{id: 'c', name: 'f', arguments: {}}]})), 'Chat 2: message 2: “calls” has a wrong value.'],
           [only(answer({calls: [null]})), 'Chat 2: message 2: “calls” has a wrong value.'],
           [only(user({parent: 1})), 'Chat 2: message 2 follows none that is before it.'],
           [only(user({parent: 'x'})), 'Chat 2: message 2: “parent” has a wrong value.'],
           [chat({id: 'b', leaf: 2}), 'Chat 2: its chosen path ends with no message.'],
  ]) {
    const second = wrong?.id === 'a' && wrong.messages?.length === 2 && wrong.messages[1]?.content !== 'Ho' ?
        {...wrong, id: 'b'} :
        wrong;
    assert.throws(() => readChats(file(chat(), second)), {message: fault}, fault);
  }
});

test('a circle of messages is refused', () => {
  const circle = chat({messages: [user({parent: 1}), answer({parent: 0})]});
  assert.throws(() => readChats(file(circle)), /Chat 1: message 1 follows none that is before it\./);
});

test('huge nesting and huge numbers of parts are refused', () => {
  const deep = `${'['.repeat(1e5)}${']'.repeat(1e5)}`;
  for (const name of ['title', 'messages', 'id', 'settings', 'leaf'])
    assert.throws(() => readChats(file(chat()).replace(/\}\]\}$/, `,"${name}":${deep}}]}`)), FormatError, name);
  assert.throws(() => readChats(`{"format":"skald-chats","version":${deep},"chats":[]}`), FormatError);
  assert.throws(() => readChats(deep), FormatError);
  assert.throws(() => readChats(file(chat({messages: Array(10001).fill(user())}))), /more than 10,000 messages/);
  assert.throws(() => readChats(file(...Array(10001).fill(0))), /more than 10,000 chats/);
});

test('files are named as all systems allow', () => {
  assert.equal(fileName('What is “a/b\\c”: ..?', 'md'), 'What-is-a-b-c.md');
  assert.equal(fileName('../../..', 'json'), 'chat.json');
  assert.equal(fileName('Größe 日本', 'json'), 'Größe-日本.json');
  assert.equal(fileName('x'.repeat(500), 'md').length, 63);
});
