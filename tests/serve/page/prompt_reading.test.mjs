// Prompts that are read: how much, and how long it takes.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {PromptReading, roughTime} from '../../../src/serve/page/prompt_reading.js';

const read = (...events) => {
  const reading = new PromptReading();
  for (const [processed, time_ms, total = 10000, cache = 0] of events) reading.take({total, cache, processed, time_ms});
  return reading;
};

test('the time left follows the rate of the last events', () => {
  assert.equal(read().secondsLeft, null);
  assert.equal(read([0, 0]).secondsLeft, null);
  assert.equal(read([0, 0], [1000, 1000]).secondsLeft, 9);
  const slower = [[0, 0], [1000, 10]];
  for (let i = 2; i < 10; ++i) slower.push([100 * i + 1000, 1000 * i]);
  assert.equal(read(...slower).secondsLeft, 81);
});

test('the rate counts tokens that are read, not those of the cache', () => {
  assert.equal(read([8000, 0, 10000, 8000], [9000, 2000, 10000, 8000]).secondsLeft, 2);
});

test('a prompt that waits for a place tells no rate, and how many go before it', () => {
  const reading = read();
  const waits = {total: 100, cache: 0, processed: 0, time_ms: 0};
  for (const queued_before of [3, 0]) {
    reading.take({...waits, queued_before});
    assert.equal(reading.before, queued_before);
  }
  for (const [processed, time_ms] of [[0, 0], [50, 1000]]) reading.take({...waits, processed, time_ms});
  assert.deepEqual([reading.before, reading.secondsLeft], [null, 1]);
});

test('progress that cannot be is ignored', () => {
  const good = {total: 10, cache: 2, processed: 4, time_ms: 1};
  for (const bad
           of [{total: 1e99}, {total: '10'}, {processed: 11}, {processed: -1}, {cache: 5}, {time_ms: null},
               {total: undefined}, {queued_before: -1}, {queued_before: '2'}]) {
    const reading = new PromptReading();
    reading.take({...good, ...bad});
    assert.equal(reading.total, 0, JSON.stringify(bad));
  }
});

test('times are rounded', () => {
  assert.deepEqual(
      [0, 0.4, 3.6, 19.7, 42, 88, 100, 3600].map(roughTime),
      ['1 s', '1 s', '4 s', '20 s', '40 s', '90 s', '2 min', '60 min']);
});
