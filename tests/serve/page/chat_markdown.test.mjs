// A chat as Markdown.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {chatMarkdown} from '../../../src/serve/page/chat_markdown.js';

const user = (content, more = {}) => ({role: 'user', content, ...more});
const answer = (content, more = {}) => ({role: 'assistant', content, ...more});

test('the chosen path is written, and no other version', () => {
  const messages = [user('A *pond*?'), answer('Small.'), answer('Large.', {parent: 0})];
  assert.equal(chatMarkdown({title: 'Ponds', messages}), '# Ponds\n\n## You\n\nA *pond*?\n\n## Answer\n\nLarge.\n');
  assert.equal(chatMarkdown({title: 'Ponds', messages, leaf: 1}), '# Ponds\n\n## You\n\nA *pond*?\n\n## Answer\n\nSmall.\n');
});

test('the system prompt of the chat comes first', () => {
  const text = chatMarkdown({title: 't', settings: {system: 'Be brief.'}, messages: [user('u')]});
  assert.equal(text, '# t\n\n## System prompt\n\nBe brief.\n\n## You\n\nu\n');
});

test('a title stays one heading', () => {
  assert.match(chatMarkdown({title: 'a\n# b', messages: [user('x')]}), /^# a # b\n\n## You/);
});

test('thoughts are quoted, and no result of a call ends its fence', () => {
  const calls = [{id: 'c', name: 'f', arguments: '{"a":1}', result: '```\nx'}];
  const text = chatMarkdown({title: 't', messages: [user('u'), answer('', {reasoning: 'Hm\n\nso', calls})]});
  assert.equal(text, `# t

## You

u

## Answer

> Hm
>
> so

Call of \`f\`:

\`\`\`json
{"a":1}
\`\`\`

Result:

\`\`\`\`
\`\`\`
x
\`\`\`\`
`);
});

test('calls of servers are told with them and their errors', () => {
  const calls = [{id: 'c', name: 'f', arguments: '{}', server: 's', tool: 'f', result: 'no disk', failed: true}];
  assert.match(
      chatMarkdown({title: 't', messages: [answer('', {calls})]}),
      /Call of `f` of the server `s`:[^]*\n\nError:\n\n```\nno disk/);
});

test('a hundred thousand fences take no long time', () => {
  const calls = [{id: 'c', name: 'f', arguments: '` '.repeat(2e5)}];
  assert.ok(chatMarkdown({title: 't', messages: [answer('', {calls})]}).length > 4e5);
});
