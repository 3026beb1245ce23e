// The client of MCP servers, against one that is made up: sessions, streams, pages, and what goes wrong.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {ApiError} from '../../../src/serve/page/api.js';
import {McpClient, RpcError} from '../../../src/serve/page/mcp_client.js';

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));
const signal = new AbortController().signal;
const started = {
  protocolVersion: '2025-06-18',
  capabilities: {tools: {}},
  serverInfo: {name: 's', version: '1'}
};

const json = (value, headers = {}) =>
    new Response(JSON.stringify(value), {headers: {'Content-Type': 'application/json', ...headers}});
const events = (...values) => new Response(
    values.map((value) => `event: message\ndata: ${JSON.stringify(value)}\n\n`).join(''),
    {headers: {'Content-Type': 'text/event-stream'}});
const result = (id, value) => ({jsonrpc: '2.0', id, result: value});
const refusal = (status, error) => new Response(JSON.stringify({error}), {status});

/// A server whose answers to the methods of `answers` are theirs, and the requests that it got.
function serve(answers) {
  const asked = [];
  globalThis.fetch = async (path, {method, headers, body, signal: stop}) => {
    const message = body ? JSON.parse(body) : {};
    asked.push({path, method, headers, body, message});
    stop?.throwIfAborted();
    const answer = answers[message.method];
    if (answer) return answer(message, stop, asked);
    if (message.method === 'initialize') return json(result(message.id, started), {'Mcp-Session-Id': 's-1'});
    return new Response(null, {status: 202});
  };
  return asked;
}

const methods = (asked) => asked.map(({message}) => message.method);

test('a session begins once, and all later messages have it', async () => {
  const asked = serve({'tools/list': ({id}) => json(result(id, {tools: []}))});
  const client = new McpClient('a b', () => 'key');
  await Promise.all([client.tools(), client.tools()]);
  assert.deepEqual(methods(asked), ['initialize', 'notifications/initialized', 'tools/list', 'tools/list']);
  const [first, , , last] = asked;
  assert.equal(first.path, 'mcp/a%20b');
  assert.equal(first.message.params.protocolVersion, '2025-06-18');
  assert.equal(first.headers['Mcp-Session-Id'], undefined);
  assert.equal(last.headers['Mcp-Session-Id'], 's-1');
  assert.equal(last.headers['MCP-Protocol-Version'], '2025-06-18');
  assert.equal(last.headers.Authorization, 'Bearer key');
  client.close();
  assert.equal(asked.at(-1).method, 'DELETE');
  assert.equal(asked.at(-1).headers['Mcp-Session-Id'], 's-1');
});

test('a version that the page does not speak is refused', async () => {
  serve({initialize: ({id}) => json(result(id, {...started, protocolVersion: '1999-01-01'}))});
  await assert.rejects(new McpClient('s', () => '').tools(), /It speaks version “1999-01-01”/);
});

test('a list has all its pages, and ends where the server gives the same page again', async () => {
  const pages = {
    first: {tools: [{name: 'a', inputSchema: {}}], nextCursor: '2'},
    2: {tools: [{name: 'b', inputSchema: {}}]}
  };
  let asked = serve({'tools/list': ({id, params}) => json(result(id, pages[params.cursor ?? 'first']))});
  const {tools} = await new McpClient('s', () => '').tools();
  assert.deepEqual(tools.map(({name}) => name), ['a', 'b']);
  asked = serve({'tools/list': ({id}) => json(result(id, {tools: [], nextCursor: 'x'}))});
  await new McpClient('s', () => '').tools();
  assert.equal(methods(asked).filter((method) => method === 'tools/list').length, 2);
});

test('arguments are sent with the digits that they have', async () => {
  const asked = serve({'tools/call': ({id}) => json(result(id, {content: []}))});
  await new McpClient('s', () => '').call('f', '{"n":12345678901234567890}', {signal});
  assert.match(asked.at(-1).body, /"params":\{"name":"f","arguments":\{"n":12345678901234567890\}/);
});

test('a stream may have progress, requests and notifications before the answer', async () => {
  const told = [];
  const asked = serve({
    'tools/call': ({id, params}) => events(
        {jsonrpc: '2.0', method: 'notifications/message', params: {data: 'log'}}, {jsonrpc: '2.0', id: 'p', method: 'ping'},
        {jsonrpc: '2.0', id: 7, method: 'sampling/createMessage', params: {}},
        {jsonrpc: '2.0', method: 'notifications/progress', params: {progressToken: 'other', progress: 9}}, {
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: {progressToken: params._meta.progressToken, progress: 1, total: 4, message: 'reading'}
        },
        result(99, {wrong: true}), [result(id, {content: 'x'})], result(id, {late: true})),
  });
  const given = await new McpClient('s', () => '').call('f', '{}', {signal, onProgress: (text) => told.push(text)});
  assert.deepEqual(given, {content: 'x'});
  assert.deepEqual(told, ['1 of 4: reading']);
  const answers = asked.map(({message}) => message).filter(({method}) => !method);
  assert.deepEqual(answers, [
    {jsonrpc: '2.0', id: 'p', result: {}},
    {jsonrpc: '2.0', id: 7, error: {code: -32601, message: 'Method not found'}},
  ]);
});

test('a server that asks without an end is left', async () => {
  const ping = {jsonrpc: '2.0', id: 1, method: 'ping'};
  serve({'tools/call': () => events(...Array(200).fill(ping))});
  await assert.rejects(new McpClient('s', () => '').call('f', '{}', {signal}), /asks this page too much/);
});

test('an expired session begins anew, once', async () => {
  const expired = () => refusal(404, {message: 'expired', code: 'mcp_session'});
  let left = 1;
  let asked = serve({'tools/call': ({id}) => left-- > 0 ? expired() : json(result(id, {content: []}))});
  const client = new McpClient('s', () => '');
  await client.call('f', '{}', {signal});
  assert.deepEqual(
      methods(asked).filter((method) => method !== 'notifications/initialized'),
      ['initialize', 'tools/call', 'initialize', 'tools/call']);
  assert.equal(asked[3].headers['Mcp-Session-Id'], undefined);
  asked = serve({'tools/call': expired});
  await assert.rejects(client.call('f', '{}', {signal}), {status: 404});
  assert.equal(methods(asked).filter((method) => method === 'tools/call').length, 2);
});

test('errors of the server are told apart from those of the way to it', async () => {
  const client = () => new McpClient('s', () => '');
  const call = (answer) => {
    serve({'tools/call': answer});
    return client().call('f', '{}', {signal});
  };
  await assert.rejects(
      call(({id}) => json({jsonrpc: '2.0', id, error: {code: -32602, message: 'Unknown tool'}})),
      (error) => error instanceof RpcError && error.message === 'Unknown tool (code -32602)');
  await assert.rejects(call(({id}) => json({jsonrpc: '2.0', id})), RpcError);
  for (const [answer, said] of [
           [() => refusal(502, {message: 'it cannot be reached'}), /it cannot be reached\./],
           [() => events({error: {message: 'it sent nothing for 300 s'}}), /it sent nothing for 300 s/],
           [() => events(), /ended without a result/],
           [() => new Response('{', {headers: {'Content-Type': 'application/json'}}), /no JSON/],
           [() => json(5), /ended without a result/],
  ])
    await assert.rejects(call(answer), (error) => error instanceof ApiError && said.test(error.message), String(said));
});

test('a call that is stopped is cancelled at the server', async () => {
  const abort = new AbortController();
  const asked = serve({
    'tools/call': (_, stop) =>
        new Promise((__, reject) => stop.addEventListener('abort', () => reject(new DOMException('a', 'AbortError')))),
  });
  const call = new McpClient('s', () => '').call('f', '{}', {signal: abort.signal});
  while (methods(asked).at(-1) !== 'tools/call') await turn();
  abort.abort();
  await assert.rejects(call, {name: 'AbortError'});
  await turn();
  const {id} = asked.find(({message}) => message.method === 'tools/call').message;
  assert.equal(asked.at(-1).message.method, 'notifications/cancelled');
  assert.equal(asked.at(-1).message.params.requestId, id);
});

test('a server that cannot be reached is asked anew the next time', async () => {
  const client = new McpClient('s', () => '');
  serve({initialize: () => refusal(502, {message: 'down'})});
  await assert.rejects(client.tools(), /down/);
  serve({'tools/list': ({id}) => json(result(id, {tools: []}))});
  assert.deepEqual((await client.tools()).tools, []);
});
