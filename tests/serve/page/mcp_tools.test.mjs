// Lists of tools, names for a model, and results: whatever a server sends.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {definitionOf, namesFor, readResult, ToolList} from '../../../src/serve/page/mcp_tools.js';
import {OfferedTools, readChoice, writeChoice} from '../../../src/serve/page/tool_servers.js';

const tool = (name, more = {}) => ({name, inputSchema: {type: 'object'}, ...more});
const readTools = (list) => {
  const read = new ToolList();
  read.add(list);
  return read;
};
const names = (list, taken = []) => namesFor(list.map(([server, name]) => ({server, tool: name})), new Set(taken));

test('a list has tools with a name of their own and a schema', () => {
  const list = [
    tool('a', {title: 'A', description: 'does'}), tool('a'), tool(''), tool('x'.repeat(300)), null, 5, {name: 'b'},
    tool('c', {inputSchema: []}), tool('d', {inputSchema: {a: 'x'.repeat(60_000)}}), tool('e', {description: 5, title: {}})
  ];
  const {tools, leftOut} = readTools(list);
  assert.deepEqual(tools, [
    {name: 'a', title: 'A', description: 'does', schema: '{"type":"object"}'},
    {name: 'e', title: '', description: '', schema: '{"type":"object"}'},
  ]);
  assert.equal(leftOut, 8);
});

test('a huge list and a giant description are cut', () => {
  const many = readTools(Array.from({length: 1000}, (_, i) => tool(`t${i}`)));
  assert.deepEqual([many.tools.length, many.leftOut], [200, 800]);
  assert.equal(readTools([tool('a', {description: 'x'.repeat(1e6)})]).tools[0].description.length, 4001);
});

test('names for a model are plain, short and differ', () => {
  assert.deepEqual(names([['s', 'get'], ['t', 'put']]), ['get', 'put']);
  assert.deepEqual(names([['s', 'get'], ['t', 'get'], ['t', 'put']]), ['s_get', 't_get', 'put']);
  assert.deepEqual(names([['s', 'get']], ['get']), ['s_get']);
  assert.deepEqual(names([['s', 'a.b'], ['s', 'a/b'], ['s', 's_a_b']]), ['s_a_b_2', 's_a_b_3', 's_a_b']);
  const long = names([['s', 'x'.repeat(64)], ['t', 'x'.repeat(64)], ['s', 'é'.repeat(99)]]);
  assert.ok(long.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name)), long.join());
  assert.equal(new Set(long).size, 3);
});

test('a definition has the schema as it is', () => {
  const [one] = readTools([tool('a', {description: '"q"', inputSchema: {type: 'object', maximum: 5}})]).tools;
  assert.deepEqual(JSON.parse(definitionOf('n', one)), {
    type: 'function',
    function: {name: 'n', description: '"q"', parameters: {type: 'object', maximum: 5}},
  });
});

test('a result is its texts, and other parts are named', () => {
  const content = [
    {type: 'text', text: 'one'}, {type: 'image', data: 'AAAA', mimeType: 'image/png'},
    {type: 'audio', data: 'A'.repeat(4096), mimeType: 'audio/wav'},
    {type: 'resource', resource: {uri: 'file:///a', text: 'inside'}},
    {type: 'resource', resource: {uri: 'file:///b', blob: 'AAAA', mimeType: 'x/y'}},
    {type: 'resource_link', uri: 'file:///c', name: 'C'}, {type: 'new'}, null
  ];
  assert.deepEqual(readResult({content}, 0), {
    text: [
      'one', '[image, image/png, 1 KiB: only text goes to the model]',
      '[audio, audio/wav, 3 KiB: only text goes to the model]', '[resource file:///a]\ninside',
      '[resource, x/y, 1 KiB: only text goes to the model]', '[link to C, file:///c]', '[new: only text goes to the model]',
      '[a part of no kind]'
    ].join('\n'),
    failed: false,
  });
  assert.deepEqual(readResult({content: [{type: 'text', text: 'no'}], isError: true}, 0), {text: 'no', failed: true});
  assert.equal(readResult({structuredContent: {a: 1}}, 0).text, '{"a":1}');
  assert.equal(readResult({}, 0).text, '');
});

test('a result that is too long for the context is cut, and says so', () => {
  const of = (length, context) => readResult({content: [{type: 'text', text: 'x'.repeat(length)}]}, context).text;
  assert.equal(of(3000, 4096).length, 3000);
  assert.match(of(5000, 4096), /^x{4096}\n\[Cut: the result has 5,000 letters\.\]$/);
  assert.match(of(5000, 100), /^x{2000}\n/);
  assert.match(of(1e6, 1e6), /^x{50000}\n/);
  assert.equal(
      readResult({content: [{type: 'text', text: `${'x'.repeat(1999)}😀y`}]}, 1).text.split('\n')[0], 'x'.repeat(1999));
});

test('a choice of servers is read from what the storage has, whatever that is', () => {
  const choice = new Map([['files', []], ['web', ['get']]]);
  assert.deepEqual(readChoice(writeChoice(choice)), choice);
  assert.equal(writeChoice(new Map()), '');
  assert.deepEqual(readChoice('{"a": 5, "b": [5], "c": []}'), new Map([['c', []]]));
  for (const wrong of [null, '', '{', '[]', '5', 'null']) assert.equal(readChoice(wrong).size, 0);
});

test('calls are known by the names that were offered, and a refused schema by its tool', () => {
  const [one] = readTools([tool('get')]).tools;
  const offered = new OfferedTools([{server: 's', tool: one}, {server: 't', tool: one}], '[{"function": {"name": "put"}}]');
  const calls = [{name: 's_get'}, {name: 'put'}, {name: 'get'}];
  offered.mark(calls);
  assert.deepEqual(calls, [{name: 's_get', server: 's', tool: 'get'}, {name: 'put'}, {name: 'get'}]);
  const wrong = (param) => offered.explain({message: 'no such type.', status: 400, param}).message;
  assert.match(wrong('tools[2].function.parameters'), /“get” of the server “t”.*settings\. no such type\./);
  assert.equal(wrong('tools[0].function'), 'no such type.');
  assert.equal(wrong('messages[2]'), 'no such type.');
});
