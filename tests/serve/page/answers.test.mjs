// Answers while they are written: what stopping, dropping and leaving keep.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {Answers} from '../../../src/serve/page/answers.js';
import {addMessage, endBefore} from '../../../src/serve/page/chat_tree.js';
import {Store} from '../../../src/serve/page/store.js';
import {OfferedTools} from '../../../src/serve/page/tool_servers.js';

const chunk = (delta, finish = null) => `data: ${JSON.stringify({choices: [{index: 0, delta, finish_reason: finish}]})}\n\n`;
const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

/// A server whose answers are sent by hand, and a page without elements.
function scene() {
  const storage = new Map();
  const store = new Store({
    get length() { return storage.size; },
    key: (i) => [...storage.keys()][i],
    getItem: (key) => storage.get(key) ?? null,
    setItem: (key, value) => storage.set(key, value),
    removeItem: (key) => storage.delete(key),
  });
  const requests = [];
  globalThis.fetch = async (path, {body, signal}) => {
    let sink;
    const stream = new ReadableStream({start: (controller) => sink = controller});
    signal.addEventListener('abort', () => sink.error(new DOMException('aborted', 'AbortError')));
    requests.push({
      body: JSON.parse(body),
      signal,
      send: async (text) => {
        sink.enqueue(new TextEncoder().encode(text));
        await turn();
      },
      close: async () => {
        sink.close();
        await turn();
      },
    });
    return new Response(stream);
  };
  const ended = [];
  const answers = new Answers(
      store, {key: '', request: (chat, make) => make({}, null)}, {offered: async () => new OfferedTools([])},
      {context: () => 0, onBegin: () => {}, onChange: () => {}, onEnd: (chat) => ended.push(chat.id)});
  const chat = store.newChat();
  chat.messages.push({role: 'user', content: 'Hi'});
  store.save(chat);
  const kept = () => JSON.parse(storage.get(`skald.chat.${chat.id}`) ?? 'null');
  return {answers, chat, ended, kept, requests, store};
}

test('an answer is written, kept and over', async () => {
  const {answers, chat, ended, kept, requests} = scene();
  const over = answers.answer(chat);
  await turn();
  assert.ok(answers.isRunning(chat.id));
  assert.deepEqual(requests[0].body.messages, [{role: 'user', content: 'Hi'}]);
  await requests[0].send(chunk({content: 'Hel'}));
  assert.equal(chat.messages[1].content, 'Hel');
  await requests[0].send(`${chunk({content: 'lo'})}${chunk({}, 'stop')}data: [DONE]\n\n`);
  await over;
  assert.deepEqual(kept().messages[1], {role: 'assistant', content: 'Hello', finish: 'stop'});
  assert.equal(answers.count, 0);
  assert.deepEqual(ended, [chat.id]);
});

test('a prompt is watched until its answer begins', async () => {
  const {answers, chat, requests, kept} = scene();
  const over = answers.answer(chat);
  await turn();
  assert.equal(requests[0].body.return_progress, true);
  assert.equal(answers.reading(chat.id), null);
  const progress = (processed, ms) => {
    const prompt_progress = {total: 7000, cache: 1000, processed, time_ms: ms};
    return `data: ${JSON.stringify({choices: [{delta: {}}], prompt_progress})}\n\n`;
  };
  await requests[0].send(progress(1000, 0) + progress(3000, 4000));
  const {done, total, cached, secondsLeft} = answers.reading(chat.id);
  assert.deepEqual({done, total, cached, secondsLeft}, {done: 3000, total: 7000, cached: 1000, secondsLeft: 8});
  await requests[0].send(chunk({reasoning_content: 'Well'}));
  assert.equal(answers.reading(chat.id), null);
  await requests[0].send(`${progress(7000, 9000)}${chunk({content: 'Hi'}, 'stop')}data: [DONE]\n\n`);
  await over;
  assert.equal(answers.reading(chat.id), null);
  assert.ok(!JSON.stringify(kept()).includes('7000'));
});

/// A server that refuses chats of more than `most` messages.
function refuseAbove(most) {
  const stream = globalThis.fetch;
  const error = {message: 'prompt is too long', code: 'context_length_exceeded', n_prompt_tokens: 1001, n_ctx: 1000};
  const asked = [];
  globalThis.fetch = async (path, options) => {
    const {messages} = JSON.parse(options.body);
    asked.push(messages.map(({content}) => content));
    return messages.length > most ? new Response(JSON.stringify({error}), {status: 400}) : stream(path, options);
  };
  return asked;
}

test('the oldest turns are left out of a request where the context is full, not of the chat', async () => {
  const {answers, chat, kept, requests} = scene();
  const asked = refuseAbove(3);
  chat.messages = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(
      (content, i) => ({role: i % 2 ? 'assistant' : 'user', content: content.repeat(50)}));
  const whole = structuredClone(chat.messages);
  const over = answers.answer(chat);
  await turn();
  assert.deepEqual(asked.map((texts) => texts.map((text) => text[0]).join('')), ['abcdefg', 'efg']);
  await requests[0].send(`${chunk({content: 'Hi'}, 'stop')}data: [DONE]\n\n`);
  await over;
  assert.equal(kept().error, null);
  assert.deepEqual(kept().messages.slice(0, -1), whole);
  assert.deepEqual(kept().messages.at(-1), {role: 'assistant', content: 'Hi', leftOut: 2, context: 1000, finish: 'stop'});
});

test('a last message that is too long by itself is said to be', async () => {
  const {answers, chat} = scene();
  const asked = refuseAbove(0);
  chat.messages = [{role: 'user', content: 'a'}, {role: 'assistant', content: 'b'}, {role: 'user', content: 'c'}];
  await answers.answer(chat);
  assert.deepEqual(asked, [['a', 'b', 'c'], ['c']]);
  assert.match(chat.error, /last message is too long: it takes 1,001 tokens .* has 1,000\./);
  assert.equal(chat.messages.length, 3);
});

test('a chat is answered once at a time, several chats at once', async () => {
  const {answers, chat, requests, store} = scene();
  const other = {...store.newChat(), messages: [{role: 'user', content: 'Ho'}]};
  const over = [answers.answer(chat), answers.answer(chat), answers.answer(other)];
  await turn();
  assert.equal(requests.length, 2);
  assert.equal(answers.count, 2);
  for (const request of requests) await request.send(`${chunk({content: 'x'}, 'stop')}data: [DONE]\n\n`);
  await Promise.all(over);
  assert.equal(other.messages.length, 2);
});

test('stopping keeps the text and ends the request', async () => {
  const {answers, chat, kept, requests} = scene();
  const over = answers.answer(chat);
  await turn();
  await requests[0].send(chunk({content: 'Hel'}));
  answers.stop(chat.id);
  await over;
  assert.ok(requests[0].signal.aborted);
  assert.deepEqual(kept().messages[1], {role: 'assistant', content: 'Hel', finish: 'stopped'});
  assert.equal(kept().error, null);
});

test('dropping ends the request and writes nothing more', async () => {
  const {answers, chat, ended, kept, requests, store} = scene();
  const over = answers.answer(chat);
  await turn();
  await requests[0].send(chunk({content: 'Hel'}));
  store.remove(chat.id);
  answers.drop(chat.id);
  await over;
  assert.ok(requests[0].signal.aborted);
  assert.equal(kept(), null);
  assert.deepEqual(ended, []);
});

test('leaving the page keeps what there is at once', async () => {
  const {answers, chat, kept, requests} = scene();
  const over = answers.answer(chat);
  await turn();
  await requests[0].send(chunk({reasoning_content: 'hm'}) + chunk({content: 'Hel'}));
  answers.leave();
  assert.equal(kept().messages[1].content, 'Hel');
  assert.equal(kept().messages[1].finish, 'stopped');
  assert.ok(requests[0].signal.aborted);
  await over;
  assert.equal(answers.count, 0);
});

test('an answer that is cut keeps what there is, and makes room for another', async () => {
  const {answers, chat, kept, requests} = scene();
  const over = answers.answer(chat);
  await turn();
  await requests[0].send(chunk({content: 'Hel'}));
  answers.cut(chat.id);
  assert.deepEqual(kept().messages[1], {role: 'assistant', content: 'Hel', finish: 'stopped'});
  assert.ok(!answers.isRunning(chat.id));
  endBefore(chat, chat.messages[0]);
  addMessage(chat, {role: 'user', content: 'Ho'});
  const next = answers.answer(chat);
  await turn();
  assert.deepEqual(requests[1].body.messages, [{role: 'user', content: 'Ho'}]);
  await requests[1].send(`${chunk({content: 'Hey'}, 'stop')}data: [DONE]\n\n`);
  await Promise.all([over, next]);
  assert.deepEqual(kept().messages.map(({content}) => content), ['Hi', 'Hel', 'Ho', 'Hey']);
});

test('an error keeps what was said, and leaves no empty answer', async () => {
  const {answers, chat, kept, requests} = scene();
  let over = answers.answer(chat);
  await turn();
  await requests[0].send(chunk({content: 'Hel'}));
  await requests[0].close();
  await over;
  assert.match(kept().error, /ended before/);
  assert.equal(kept().messages[1].content, 'Hel');
  chat.messages.pop();
  over = answers.answer(chat);
  assert.equal(chat.error, null);
  await turn();
  await requests[1].send('data: {"error":{"message":"no memory"}}\n\n');
  await over;
  assert.equal(kept().error, 'no memory');
  assert.equal(kept().messages.length, 1);
});
