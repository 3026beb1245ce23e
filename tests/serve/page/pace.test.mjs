// How often the page asks the server.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {Pace} from '../../../src/serve/page/pace.js';

const SAME = {
  changed: false,
  watched: false
};
const NEW = {
  changed: true,
  watched: false
};

/// The waits of `n` answers.
const waits = (pace, n, answer = SAME) => Array.from({length: n}, () => pace.afterAnswer(answer));

test('questions end where nothing changes, and begin again with a restart', () => {
  const pace = new Pace();
  assert.deepEqual(waits(pace, 8), [500, 1000, 2000, 4000, 8000, 16000, Infinity, Infinity]);
  pace.restart();
  assert.deepEqual(waits(pace, 2), [500, 1000]);
});

test('changes are asked about often', () => {
  const pace = new Pace();
  waits(pace, 5);
  assert.deepEqual(waits(pace, 3, NEW), [500, 500, 500]);
  assert.equal(pace.afterAnswer(SAME), 1000);
});

test('questions go on while the user looks', () => {
  const pace = new Pace();
  assert.deepEqual(waits(pace, 6, {changed: false, watched: true}), [500, 1000, 2000, 4000, 4000, 4000]);
});

test('a server that does not answer is asked ever more seldom', () => {
  const pace = new Pace();
  assert.deepEqual([0, 0, 500, 0, 0].map((status) => pace.afterError(status)), [4000, 8000, 16000, 30000, 30000]);
  assert.deepEqual([503, 503].map((status) => pace.afterError(status)), [4000, 4000]);
  assert.equal(pace.afterError(401), Infinity);
});
