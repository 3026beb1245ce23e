// Calls of tools: what the page shows of them, when they run, and what a chat has then.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {ApiError} from '../../../src/serve/page/api.js';
import {areAnswered, isOpen, readable, roundsOf} from '../../../src/serve/page/calls.js';
import {chatRequest} from '../../../src/serve/page/chat_request.js';
import {RpcError} from '../../../src/serve/page/mcp_client.js';
import {isAllowed, ToolRuns} from '../../../src/serve/page/tool_runs.js';
import {tokensOfPath} from '../../../src/serve/page/turns.js';

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));
const callOf = (more = {}) => ({id: 'c', name: 'f', arguments: '{"a":1}', server: 's', tool: 'f', ...more});
const answer = (...calls) => ({role: 'assistant', content: '', calls});
const chatWith = (...messages) => ({id: 'a', messages: [{role: 'user', content: 'Hi'}, ...messages]});

/// Runs whose server's answers are given by hand.
function scene() {
  const asked = [];
  const changes = [];
  const client = {
    call: (tool, given, options) => new Promise((resolve, reject) => asked.push({tool, given, resolve, reject, ...options})),
  };
  const runs = new ToolRuns({client: () => client}, {
    context: () => 0,
    onProgress: () => changes.push('progress'),
    onChange: () => changes.push('change'),
  });
  return {asked, changes, runs};
}

test('arguments are shown whole: digits, names and letters that cannot be seen', () => {
  assert.equal(readable('{"a":1, "b": [ "x y" ]}'), '{\n  "a": 1,\n  "b": [\n    "x y"\n  ]\n}');
  for (const raw of ['{"n":12345678901234567890}', '{"a":1,"a":2}', '{"a":1.0}', '{"a"', 'x'])
    assert.equal(readable(raw), raw);
  assert.equal(readable('{"a":"\u202eb\u200b"}'), '{\n  "a": "\\u202eb\\u200b"\n}');
});

test('a call runs once, and has its result', async () => {
  const {asked, changes, runs} = scene();
  const chat = chatWith(answer(callOf()));
  const [call] = chat.messages[1].calls;
  const over = runs.run(chat, call);
  runs.run(chat, call);
  runs.decline(chat, call);
  assert.equal(asked.length, 1);
  assert.deepEqual([asked[0].tool, asked[0].given], ['f', '{"a":1}']);
  assert.ok(runs.isRunning('a'));
  asked[0].onProgress('1 of 2');
  assert.deepEqual(runs.stateOf(call), {running: true, progress: '1 of 2', trouble: ''});
  assert.ok(!areAnswered(chat.messages[1]));
  asked[0].resolve({content: [{type: 'text', text: '42'}], isError: true});
  await over;
  assert.deepEqual(call, callOf({result: '42', failed: true}));
  assert.ok(areAnswered(chat.messages[1]));
  assert.ok(!runs.isRunning('a'));
  assert.deepEqual(changes, ['change', 'progress', 'change']);
});

test('an error of the server is told to the model, one of the way to it to the user', async () => {
  const {asked, runs} = scene();
  const chat = chatWith(answer(callOf(), callOf()));
  const [first, second] = chat.messages[1].calls;
  const over = [runs.run(chat, first), runs.run(chat, second)];
  asked[0].reject(new RpcError('Unknown tool (code -32602)'));
  asked[1].reject(new ApiError('It cannot be reached.'));
  await Promise.all(over);
  assert.equal(first.result, 'The server refused the call: Unknown tool (code -32602)');
  assert.ok(first.failed);
  assert.equal(second.result, undefined);
  assert.equal(runs.stateOf(second).trouble, 'It cannot be reached.');
  assert.ok(isOpen(second), 'it may be run again');
  assert.ok(!areAnswered(chat.messages[1]));
});

test('a call that is stopped waits for the user again; a dropped one changes nothing', async () => {
  const {asked, changes, runs} = scene();
  const chat = chatWith(answer(callOf()));
  const [call] = chat.messages[1].calls;
  let over = runs.run(chat, call);
  runs.stop('a');
  assert.ok(asked[0].signal.aborted);
  asked[0].reject(new DOMException('aborted', 'AbortError'));
  await over;
  assert.equal(runs.stateOf(call).trouble, 'The call was stopped.');
  assert.ok(isOpen(call));
  over = runs.run(chat, call);
  runs.drop('a');
  const before = changes.length;
  asked[1].reject(new DOMException('aborted', 'AbortError'));
  await over;
  assert.equal(changes.length, before);
  assert.ok(!runs.isRunning('a'));
});

test('declining tells the model so', () => {
  const {asked, runs} = scene();
  const chat = chatWith(answer(callOf()));
  runs.decline(chat, chat.messages[1].calls[0]);
  assert.equal(asked.length, 0);
  const sent = JSON.parse(chatRequest(chat.messages, {}, null)).messages;
  assert.deepEqual(sent.at(-1), {role: 'tool', tool_call_id: 'c', content: 'The user declined this call.'});
});

test('nothing runs by itself but a tool that is allowed in its chat', async () => {
  const {asked, runs} = scene();
  const chat = chatWith(answer(callOf(), callOf({tool: 'g'}), callOf({arguments: '['})));
  const [message] = chat.messages.slice(-1);
  runs.runAllowed(chat, message);
  assert.equal(asked.length, 0);
  runs.allow(chat, message.calls[0]);
  assert.deepEqual(asked.map(({tool}) => tool), ['f']);
  assert.ok(!isAllowed(chatWith(message), message.calls[0]), 'another chat');
  assert.ok(!isAllowed(chat, callOf({server: 't'})), 'another server');
  assert.ok(!isAllowed({...chatWith(), always: 'x'}, callOf()));
  await turn();
});

test('a tool that is allowed asks again after many rounds without the user', () => {
  const {runs} = scene();
  const rounds = (n) => chatWith(...Array.from({length: n}, () => answer(callOf({result: '1'}))), answer(callOf()));
  const chat = rounds(24);
  const call = chat.messages.at(-1).calls[0];
  runs.allow(chat, call);
  assert.equal(roundsOf(chat.messages), 25);
  assert.ok(isAllowed(chat, call));
  const longer = {...rounds(25), always: chat.always};
  assert.ok(!isAllowed(longer, call));
  longer.messages.push({role: 'user', content: 'Go on'}, answer(call));
  assert.ok(isAllowed(longer, call));
});

test('a call without arguments has an empty object, and wrong ones cannot be made', () => {
  const call = callOf({arguments: ''});
  assert.ok(isOpen(call));
  const [, said] = JSON.parse(chatRequest(chatWith(answer({...call, result: '1'})).messages, {}, null)).messages;
  assert.equal(said.tool_calls[0].function.arguments, '{}');
  for (const wrong of ['[', '[]', '5', 'null', '{"a":']) assert.ok(!isOpen(callOf({arguments: wrong})), wrong);
});

test('results of the last answer count as tokens of the chat', () => {
  const counts = {promptTokens: 60, cachedTokens: 30, tokens: 10};
  const message = {...answer(callOf({result: 'x'.repeat(400)})), ...counts};
  assert.equal(tokensOfPath([message]), 200);
  assert.equal(tokensOfPath([{role: 'user', content: 'x'}]), 0);
});

test('tools of servers stand after those that are typed', () => {
  const sent = (typed) => JSON.parse(chatRequest([], {tools: typed}, null, ['{"b":1}'])).tools;
  assert.deepEqual(sent('[{"a": 1} ]'), [{a: 1}, {b: 1}]);
  assert.deepEqual(sent(' [ ] '), [{b: 1}]);
  assert.deepEqual(sent(''), [{b: 1}]);
});
