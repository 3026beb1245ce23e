// Chats that are longer than the context: what a request leaves out.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {tokensUsed, turnsForgotten, turnsLeftOut, turnsToForget, withoutTurns} from '../../../src/serve/page/turns.js';

const user = (content) => ({role: 'user', content});
const answer = (content, counts = {}) => ({role: 'assistant', content, ...counts});
const counted = (tokens, more = {}) => ({promptTokens: tokens - 10, cachedTokens: 6, tokens: 4, ...more});
const chat = (n, length = 100) =>
    Array.from({length: n}, (_, i) => [user(String(i).padEnd(length / 2)), answer('x'.padEnd(length / 2))]).flat();

test('a turn is a message of the user and all up to the next', () => {
  const messages = [...chat(3), answer('and more'), user('last')];
  assert.deepEqual(withoutTurns(messages, 0), messages);
  assert.deepEqual(withoutTurns(messages, 2), messages.slice(4));
  assert.deepEqual(withoutTurns(messages, 3), [user('last')]);
});

test('what comes before the first turn goes with it', () => {
  const messages = [answer('Welcome'), user('a'), answer('b'), user('c')];
  assert.deepEqual(withoutTurns(messages, 1), [user('c')]);
});

test('room for several turns is made at once, and the last turn stays', () => {
  const messages = [...chat(10), user('last')];
  assert.equal(turnsToForget(messages, 0, {tokens: 1000, context: 1000}), 6);
  assert.equal(turnsToForget(messages, 0, {tokens: 100, context: 1000}), 1);
  assert.equal(turnsToForget(messages, 6, {tokens: 1000, context: 1000}), 9);
  assert.equal(turnsToForget(messages, 0, {tokens: 1e6, context: 1000}), 10);
  assert.equal(turnsToForget(messages, 10, {tokens: 1e6, context: 1000}), 10);
  assert.equal(turnsToForget([user('alone')], 0, {tokens: 1e6, context: 1000}), 0);
});

test('results of tools count as the turn that they are in', () => {
  const long = {id: 'c', name: 'f', arguments: '{}', result: 'x'.repeat(10000)};
  const messages = [user('a'), answer('', {calls: [long]}), ...chat(5), user('last')];
  assert.equal(turnsToForget(messages, 0, {tokens: 2000, context: 1000}), 1);
});

test('a request leaves out as many turns as the last answer did', () => {
  const messages = [...chat(4), user('u'), answer('a', counted(500, {leftOut: 3, context: 1000})), user('next')];
  assert.equal(turnsLeftOut(messages, 1000), 3);
  assert.equal(turnsLeftOut(messages, 4000), 0, 'a context of another size');
  assert.equal(turnsLeftOut(messages, 0), 0, 'no context that is known');
  assert.equal(turnsLeftOut([...messages.slice(-2)], 1000), 0, 'turns that are gone');
});

test('room for an answer is kept', () => {
  const messages = (used) => [...chat(4), user('u'), answer('a', counted(used)), user('next')];
  assert.equal(turnsLeftOut(messages(800), 1000), 0);
  assert.ok(turnsLeftOut(messages(900), 1000) > 0);
  const long = [...chat(4), user('u'), answer('a', counted(500)), user('x'.repeat(2000))];
  assert.ok(turnsLeftOut(long, 1000) > 0);
});

test('counts that cannot be count as none', () => {
  for (const bad of [-1, 1.5, NaN, '3', null, {}, undefined]) {
    assert.equal(turnsForgotten({leftOut: bad}), 0);
    assert.equal(tokensUsed({promptTokens: bad, cachedTokens: 1, tokens: 1}), 0);
  }
  assert.equal(tokensUsed(counted(500)), 500);
});
