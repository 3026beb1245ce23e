// The reader of server-sent events: any cut gives the events that the whole text has.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {readEvents, SseReader} from '../../../src/serve/page/sse.js';

const whole = (text) => new SseReader().push(text);
const data = (text) => whole(text).map((event) => event.data);

test('an event ends with an empty line', () => {
  assert.deepEqual(whole('data: a\n\ndata: b\n\n'), [{event: 'message', data: 'a'}, {event: 'message', data: 'b'}]);
  assert.deepEqual(data('data: never ended\n'), []);
});

test('one space after the colon is no part of the value', () => {
  assert.deepEqual(data('data:a\n\ndata:  b\n\ndata\n\n'), ['a', ' b', '']);
});

test('several lines are joined, names of events kept', () => {
  assert.deepEqual(
      whole('event: error\ndata: a\ndata: b\n\ndata: c\n\n'),
      [{event: 'error', data: 'a\nb'}, {event: 'message', data: 'c'}]);
});

test('comments, unknown fields and events without data are no events', () => {
  assert.deepEqual(data(': ping\n\nid: 3\nretry: 5\nfoo: bar\n\nevent: x\n\ndata: a\n\n'), ['a']);
});

test('lines end with LF, CR LF or CR', () => {
  assert.deepEqual(data('data: a\r\n\r\ndata: b\r\rdata: c\n\r\n'), ['a', 'b', 'c']);
});

test('any cut gives the same events', () => {
  const text = ': ping\r\n\r\nevent: e\r\ndata: {"a":"é😀"}\r\n\r\ndata: b\rdata: c\r\rdata: d\n\n';
  const want = whole(text);
  for (let first = 0; first <= text.length; ++first) {
    for (let second = first; second <= text.length; ++second) {
      const reader = new SseReader();
      const got =
          [text.slice(0, first), text.slice(first, second), text.slice(second)].flatMap((piece) => reader.push(piece));
      assert.deepEqual(got, want, `cut at ${first} and ${second}`);
    }
  }
});

test('an event without an end is refused before it fills the memory', () => {
  const reader = new SseReader();
  const piece = 'x'.repeat(1 << 20);
  assert.throws(() => {
    for (let i = 0; i < 100; ++i) reader.push(piece);
  }, /without an end/);
  const lines = new SseReader();
  assert.throws(() => {
    for (let i = 0; i < 100; ++i) lines.push(`data: ${piece}\n`);
  }, /without an end/);
});

test('characters that are cut between bytes are whole', async () => {
  const bytes = new TextEncoder().encode('data: é😀日\n\ndata: [DONE]\n\n');
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const got = [];
  for await (const event of readEvents(body)) got.push(event.data);
  assert.deepEqual(got, ['é😀日', '[DONE]']);
});

test('a reader that stops early ends the request', async () => {
  let cancelled = false;
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('data: a\n\n')),
    cancel: () => cancelled = true,
  });
  for await (const event of readEvents(body)) {
    assert.equal(event.data, 'a');
    break;
  }
  assert.ok(cancelled);
});
