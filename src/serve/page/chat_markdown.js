// A chat as a text of Markdown: the messages of the chosen path.
import {pathOf} from './chat_tree.js';
import {fenced} from './fences.js';

const oneLine = (text) => text.trim().replace(/\s+/g, ' ');

const quote = (text) => text.trim().split('\n').map((line) => `> ${line}`.trimEnd()).join('\n');

function callParts({name, server, arguments: given, result, failed}) {
  const call =
      [`Call of \`${oneLine(name)}\`${server ? ` of the server \`${oneLine(server)}\`` : ''}:`, fenced(given, 'json')];
  return result === undefined ? call : [...call, failed ? 'Error:' : 'Result:', fenced(result)];
}

function messageParts({role, content, reasoning, calls}) {
  return [
    role === 'user' ? '## You' : '## Answer',
    reasoning ? quote(reasoning) : '',
    content.trim(),
    ...(calls ?? []).flatMap(callParts),
  ].filter(Boolean);
}

/// Returns the text of a file.
export function chatMarkdown(chat) {
  const system = chat.settings?.system?.trim();
  const head = [`# ${oneLine(chat.title)}`, ...(system ? ['## System prompt', system] : [])];
  return `${[...head, ...pathOf(chat).flatMap(messageParts)].join('\n\n')}\n`;
}
