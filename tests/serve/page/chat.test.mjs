// What is sent, what comes back, and what is kept.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {addDelta} from '../../../src/serve/page/answers.js';
import {streamChat} from '../../../src/serve/page/api.js';
import {amount, cacheState, runningSlots} from '../../../src/serve/page/cache_state.js';
import {chatRequest, fieldJson, PARAMETERS} from '../../../src/serve/page/chat_request.js';
import {readPresets, readSettings, sameSettings, settingsOf} from '../../../src/serve/page/chat_settings.js';
import {defaultsOf} from '../../../src/serve/page/model_defaults.js';
import {readChat, Store, titleOf} from '../../../src/serve/page/store.js';

const user = (content) => ({role: 'user', content});
const parameter = (name) => PARAMETERS.find((one) => one.name === name);

test('settings that are empty are not sent', () => {
  assert.deepEqual(
      JSON.parse(chatRequest([user('Hi')], {temperature: ' ', stop: '\n', system: ' '}, null)),
      {messages: [user('Hi')], stream: true, return_progress: true});
});

test('settings are sent by their names', () => {
  const texts = {
    system: 'Be brief.',
    temperature: '0,5',
    top_k: '40',
    top_p: '.9',
    min_p: '0',
    seed: '7',
    max_tokens: '-1',
    stop: 'a\n b\\nc\n\\\\n',
    reasoning_budget: '0'
  };
  assert.deepEqual(JSON.parse(chatRequest([user('Hi')], texts, 'm')), {
    messages: [{role: 'system', content: 'Be brief.'}, user('Hi')],
    stream: true,
    return_progress: true,
    model: 'm',
    temperature: 0.5,
    top_k: 40,
    top_p: 0.9,
    min_p: 0,
    seed: 7,
    max_tokens: -1,
    stop: ['a', ' b\nc', '\\n'],
    reasoning_budget: 0,
  });
});

test('settings of a chat are texts that are not empty, whatever a value has', () => {
  assert.deepEqual(settingsOf({system: 'Be brief.', seed: '', top_k: 5, other: 'x'}), {system: 'Be brief.'});
  for (const wrong of [null, undefined, 'x', 5, []]) assert.deepEqual(settingsOf(wrong), {});
  for (const wrong of [null, '', '{', '5', '[]']) assert.deepEqual(readSettings(wrong), {});
  assert.ok(sameSettings({seed: '1'}, {seed: '1', top_k: ''}));
  assert.ok(!sameSettings({seed: '1'}, {}));
});

test('presets are read from what the storage has, whatever that is', () => {
  const kept = [['Cool', {temperature: '0.2'}], ['__proto__', {seed: '1'}]];
  assert.deepEqual([...readPresets(JSON.stringify(kept))], kept);
  assert.deepEqual([...readPresets('[["a", null], ["", {}], [5, {}], null, "x"]')], [['a', {}]]);
  for (const wrong of [null, '', '{', '{}', '5', 'null']) assert.equal(readPresets(wrong).size, 0);
});

test('defaults are told with where they come from', () => {
  const params = {
    temperature: 0.6000000238418579,
    top_k: 1234567,
    top_p: 0.949999988079071,
    seed: 2 ** 64,
    max_tokens: 50,
    reasoning_budget: -1
  };
  const from = (described) => defaultsOf({chat_generation_settings: {params}}, described);
  const server = 'the server';
  const file = 'the model’s file';
  assert.deepEqual(from(''), {
    temperature: {value: '0.6', source: server},
    top_k: {value: '1234567', source: server},
    top_p: {value: '0.95', source: server},
    seed: {value: 'random', source: server},
    max_tokens: {value: '50', source: server},
    reasoning_budget: {value: 'no limit', source: server},
  });
  const told = from('temp 0.6, top_k 20, top_p 0.95, sequence k;p');
  assert.deepEqual([told.temperature.source, told.top_k.source, told.top_p.source], [file, server, file]);
});

test('defaults that the server does not tell are not known', () => {
  const wrong = {top_k: '40', min_p: null, seed: 2 ** 60, max_tokens: -2, reasoning_budget: '5'};
  for (const props
           of [null, {}, {default_generation_settings: {params: {top_k: 40}}}, {chat_generation_settings: {params: wrong}}])
    assert.deepEqual(defaultsOf(props, undefined), {});
});

test('a seed keeps digits that a double loses', () => {
  assert.match(chatRequest([user('Hi')], {seed: '18446744073709551615'}, null), /"seed":18446744073709551615[,}]/);
});

test('what is no value is refused by the name of its setting', () => {
  for (const [name, text] of [
           ['temperature', 'warm'], ['temperature', '1e'], ['temperature', '0x10'], ['top_k', '1.5'], ['seed', '--1'],
           ['max_tokens', 'Infinity'], ['tools', '{}'], ['tools', '[']]) {
    assert.throws(
        () => fieldJson(parameter(name), text), new RegExp(`^Error: ${parameter(name).label}: `), `${name} ${text}`);
    assert.throws(() => chatRequest([user('Hi')], {[name]: text}, null));
  }
});

test('calls go back with their results; those without are left out', () => {
  const call = {id: 'c', name: 'f', arguments: '{"a":1}'};
  const answered = {role: 'assistant', content: '', reasoning: 'why', calls: [{...call, result: '2'}]};
  const sent = (message) => JSON.parse(chatRequest([user('Hi'), message], {}, null)).messages.slice(1);
  assert.deepEqual(sent(answered), [
    {
      role: 'assistant',
      content: '',
      reasoning_content: 'why',
      tool_calls: [{id: 'c', type: 'function', function: {name: 'f', arguments: '{"a":1}'}}]
    },
    {role: 'tool', tool_call_id: 'c', content: '2'},
  ]);
  assert.deepEqual(sent({role: 'assistant', content: 'x', calls: [call]}), [{role: 'assistant', content: 'x'}]);
  assert.deepEqual(
      sent({role: 'assistant', content: 'x', calls: [{...call, arguments: '{', result: '2'}]}),
      [{role: 'assistant', content: 'x'}]);
});

test('deltas add up', () => {
  const message = {role: 'assistant', content: ''};
  addDelta(message, {role: 'assistant', content: null}, 0);
  addDelta(message, {reasoning_content: 'a'}, 1000);
  addDelta(message, {reasoning_content: 'b'}, 2000);
  addDelta(message, {content: 'c'}, 5000);
  addDelta(message, {tool_calls: [{index: 0, id: 'x', function: {name: 'f', arguments: '{'}}]}, 6000);
  addDelta(
      message,
      {tool_calls: [{index: 0, function: {arguments: '}'}}, {index: 1, id: 'y', function: {name: 'g', arguments: ''}}]},
      6000);
  assert.deepEqual(message, {
    role: 'assistant',
    content: 'c',
    reasoning: 'ab',
    seconds: 4,
    calls: [{id: 'x', name: 'f', arguments: '{}'}, {id: 'y', name: 'g', arguments: ''}]
  });
  assert.throws(() => addDelta(message, {tool_calls: [{index: 1e9}]}, 0), /out of order/);
});

/// What streamChat makes of an answer.
async function streamed(answer, init = {}) {
  const kept = globalThis.fetch;
  globalThis.fetch = async () => {
    if (answer instanceof Error) throw answer;
    return new Response(answer, {status: 200, ...init});
  };
  try {
    const got = [];
    for await (const part of streamChat('{}', 'key', new AbortController().signal)) got.push(part);
    return got;
  } finally {
    globalThis.fetch = kept;
  }
}
const chunk = (delta, finish = null, more = {}) =>
    `data: ${JSON.stringify({choices: [{index: 0, delta, finish_reason: finish}], ...more})}\n\n`;

test('a stream is deltas up to its end', async () => {
  const got = await streamed(`: ping\n\n${chunk({content: 'a'})}${
      chunk({}, 'stop', {timings: {predicted_per_second: 5}})}data: {"choices":[],"usage":{}}\n\ndata: [DONE]\n\n`);
  assert.deepEqual(got, [
    {delta: {content: 'a'}, finish: null, timings: null, progress: null},
    {delta: {}, finish: 'stop', timings: {predicted_per_second: 5}, progress: null}
  ]);
});

test('what goes wrong is said', async () => {
  await assert.rejects(streamed(new TypeError('Failed to fetch')), /cannot be reached/);
  await assert.rejects(streamed(chunk({content: 'a'})), /ended before the answer did/);
  await assert.rejects(streamed('data: {"error":{"message":"out of memory"}}\n\n'), /out of memory/);
  await assert.rejects(streamed('data: {oops\n\n'), /no JSON/);
  await assert.rejects(streamed('{"error":{"message":"Invalid API key"}}', {status: 401}), /Invalid API key\. .*settings/);
  await assert.rejects(
      streamed('{"error":{"message":"queue full"}}', {status: 429, headers: {'Retry-After': '3'}}),
      /queue full\. Try again in 3 s\./);
  await assert.rejects(streamed('<html>', {status: 502}), /status 502/);
});

/// As localStorage, with room for `room` entries.
class FakeStorage {
  #map = new Map();
  constructor(room = Infinity) { this.room = room; }
  get length() { return this.#map.size; }
  key(i) { return [...this.#map.keys()][i]; }
  getItem(key) { return this.#map.get(key) ?? null; }
  removeItem(key) { this.#map.delete(key); }
  setItem(key, value) {
    if (this.#map.size >= this.room && !this.#map.has(key)) throw new Error('QuotaExceededError');
    this.#map.set(key, value);
  }
}

test('chats and preferences outlive the page', () => {
  const storage = new FakeStorage();
  const store = new Store(storage);
  const [old, fresh] = [store.newChat(), store.newChat()];
  Object.assign(old, {title: 'old', updated: 1, messages: [user('Hi')]});
  Object.assign(fresh, {title: 'new', updated: 2});
  store.save(old);
  assert.equal(store.save(fresh), true);
  store.prefer('theme', 'dark');
  const again = new Store(storage);
  assert.deepEqual(again.chats(), [fresh, old]);
  assert.equal(again.preference('theme'), 'dark');
  again.remove(fresh.id);
  again.prefer('theme', null);
  assert.deepEqual(new Store(storage).chats(), [old]);
  assert.equal(new Store(storage).preference('theme'), null);
});

test('entries that are no chats are left alone', () => {
  const storage = new FakeStorage();
  const broken = [
    '', '{', 'null', '[]', '{"id":1}', '{"id":"a","title":"","messages":[{"role":"system","content":""}]}',
    '{"id":"a","title":"","messages":[null]}'
  ];
  broken.forEach((text, i) => storage.setItem(`skald.chat.${i}`, text));
  storage.setItem('other', '1');
  assert.deepEqual(new Store(storage).chats(), []);
  assert.equal(storage.length, broken.length + 1);
  for (const text of broken) assert.equal(readChat(text), null);
});

test('a full storage is told, and loses nothing until the page is closed', () => {
  let lost = 0;
  const store = new Store(new FakeStorage(0), () => ++lost);
  const chat = store.newChat();
  assert.equal(store.save(chat), false);
  assert.equal(lost, 1);
  assert.equal(store.chat(chat.id), chat);
  const none = new Store(null);
  none.save(chat);
  assert.deepEqual(none.chats(), [chat]);
});

test('what another tab writes is taken over', () => {
  const store = new Store(new FakeStorage());
  const chat = {...store.newChat(), title: 't'};
  assert.equal(store.took(`skald.chat.${chat.id}`, JSON.stringify(chat)), chat.id);
  assert.equal(store.chat(chat.id).title, 't');
  assert.equal(store.took(`skald.chat.${chat.id}`, null), chat.id);
  assert.equal(store.chat(chat.id), undefined);
  assert.equal(store.took('skald.theme', 'dark'), null);
});

test('pages of the cache are told as tokens and memory', () => {
  assert.equal(amount(128, {pageTokens: 64, pageBytes: 768 * 1024}), '8,192 tokens, 96 MiB');
  assert.equal(amount(1, {pageTokens: 64, pageBytes: 100 * 1024}), '64 tokens, 0.1 MiB');
  assert.equal(amount(2, {pageTokens: 64, pageBytes: 0}), '128 tokens');
});

test('titles are the beginning of the first message', () => {
  assert.equal(titleOf('  Tell me\nabout\ta pond. '), 'Tell me about a pond.');
  assert.equal(Array.from(titleOf('😀'.repeat(100))).length, 60);
});

test('the picture of the cache is made of what is known', () => {
  assert.equal(cacheState({}), null);
  assert.equal(cacheState(null), null);
  assert.deepEqual(
      cacheState({kv: {page_tokens: 64, pages_total: 10, pages_active: 2, pages_cached: 3, pages_free: 5}}),
      {context: 0, pageTokens: 64, pageBytes: 0, total: 10, used: 2, kept: 3, free: 5, diskPages: 0, diskBytes: 0});
  assert.deepEqual(
      runningSlots([
        {id: 0, is_processing: false}, {
          id: 1,
          is_processing: true,
          state: 'decode',
          n_prompt_tokens: 100,
          n_prompt_tokens_cached: 64,
          n_decoded: 5,
          pages: 2
        }
      ]),
      [{id: 1, state: 'writing', pages: 2, tokens: 105, shared: 64, read: 36, made: 5}]);
  assert.deepEqual(runningSlots({error: 1}), []);
});
