// What is sent for a chat: the JSON text of POST /v1/chat/completions.
import {isAnswered} from './calls.js';

/// Settings by the names of the request's fields. `kind`: number and integer go to the server with the digits that were
/// typed, which may be more than a double holds; lines: a text each; json: as it is. `system` becomes the first message.
export const PARAMETERS = [
  {
    name: 'system',
    label: 'System prompt',
    kind: 'text',
    group: 'Conversation',
    rows: 4,
    placeholder: 'How the model should answer'
  },
  {
    name: 'tools',
    label: 'Tools',
    kind: 'json',
    group: 'Conversation',
    rows: 2,
    placeholder: '[{"type": "function", …}]',
    hint: 'A JSON array of functions that the model may call. Their results are entered below its calls.'
  },
  {name: 'temperature', label: 'Temperature', kind: 'number', group: 'Sampling'},
  {name: 'top_p', label: 'Top p', kind: 'number', group: 'Sampling'},
  {name: 'top_k', label: 'Top k', kind: 'integer', group: 'Sampling'},
  {name: 'min_p', label: 'Min p', kind: 'number', group: 'Sampling'},
  {name: 'seed', label: 'Seed', kind: 'integer', group: 'Sampling'},
  {name: 'max_tokens', label: 'Max. tokens', kind: 'integer', group: 'Length'},
  {name: 'reasoning_budget', label: 'Thinking tokens', kind: 'integer', group: 'Length', hint: '0: no thinking.'},
  {
    name: 'stop',
    label: 'Stop texts',
    kind: 'lines',
    group: 'Length',
    rows: 2,
    placeholder: 'none',
    hint: 'One a line; \\n is a line break, \\\\ a backslash.'
  },
];

/// A setting that cannot be sent; the message names it.
export class SettingError extends Error {}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
const INTEGER = /^-?(?:0|[1-9]\d*)$/;

function stopText(line) {
  return line.replace(/\\(n|t|r|\\)/g, (_, letter) => ({n: '\n', t: '\t', r: '\r', '\\': '\\'})[letter]);
}

/// JSON of a setting's text; '' where it is not to be sent. Throws SettingError.
export function fieldJson({label, kind}, text) {
  if (kind === 'lines') {
    const lines = text.split('\n').filter((line) => line !== '').map(stopText);
    return lines.length ? JSON.stringify(lines) : '';
  }
  const value = text.trim();
  if (!value) return '';
  if (kind === 'text') return JSON.stringify(text);
  if (kind === 'json') {
    try {
      if (Array.isArray(JSON.parse(value))) return value;
    } catch {
      // the same complaint
    }
    throw new SettingError(`${label}: this is no JSON array.`);
  }
  const decimal = value.replace(',', '.').replace(/^(-?)\./, '$10.').replace(/^\+/, '');
  if (!(kind === 'integer' ? INTEGER : NUMBER).test(decimal))
    throw new SettingError(`${label}: “${value}” is no ${kind === 'integer' ? 'whole number' : 'number'}.`);
  return decimal;
}

function assistantMessages(message) {
  const calls = (message.calls ?? []).filter(isAnswered);
  const said = {role: 'assistant', content: message.content};
  if (message.reasoning) said.reasoning_content = message.reasoning;
  if (calls.length) {
    said.tool_calls = calls.map(
        (call) => ({id: call.id, type: 'function', function: {name: call.name, arguments: call.arguments.trim() || '{}'}}));
  }
  return [said, ...calls.map((call) => ({role: 'tool', tool_call_id: call.id, content: call.result}))];
}

/// Returns a JSON array with more values at its end.
function withMore(array, values) {
  const own = array.slice(1, -1).trim();
  return values.length ? `[${[own, ...values].filter(Boolean).join(',')}]` : array;
}

/// `texts`: of the settings by name. `model`: its id, or null. `tools`: JSON of tools beside those of the settings. Throws
/// SettingError.
export function chatRequest(messages, texts, model, tools = []) {
  const sent = messages.flatMap(
      (message) => message.role === 'user' ? [{role: 'user', content: message.content}] : assistantMessages(message));
  if (texts.system?.trim()) sent.unshift({role: 'system', content: texts.system});
  const fields = [['messages', JSON.stringify(sent)], ['stream', 'true'], ['return_progress', 'true']];
  if (model) fields.push(['model', JSON.stringify(model)]);
  for (const parameter of PARAMETERS) {
    if (parameter.name === 'system') continue;
    const typed = fieldJson(parameter, texts[parameter.name] ?? '');
    const json = parameter.name === 'tools' ? withMore(typed, tools) : typed;
    if (json) fields.push([parameter.name, json]);
  }
  return `{${fields.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
}
