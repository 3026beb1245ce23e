// Tools of MCP servers: their lists, their names for a model, and their results, none of which is taken on trust.
import {isObject, isText} from './kinds.js';
import {number} from './numbers.js';

const MOST_TOOLS = 200;          // of a server
const MOST_NAME = 64;            // letters of a name that a model is told
const MOST_DESCRIPTION = 4_000;  // letters
const MOST_SCHEMA = 50_000;      // letters
const LEAST_RESULT = 2_000;      // letters that are kept of a result, whatever the context
const MOST_RESULT = 50_000;
const LETTERS_PER_KIB = 1024 * 4 / 3;  // of base64

function cutAt(text, most) {
  const isWithin = text.codePointAt(most - 1) > 0xffff;  // of a character of two units
  return text.slice(0, isWithin ? most - 1 : most);
}

function described({title, annotations, description}) {
  const text = isText(description) ? description : '';
  const heading = [title, annotations?.title].find(isText) ?? '';
  return {
    title: cutAt(heading, 100),
    description: text.length > MOST_DESCRIPTION ? `${cutAt(text, MOST_DESCRIPTION)}…` : text
  };
}

/// The list of a server's tools, page by page: `tools` are {name, title, description, schema}, with the schema as JSON.
/// `leftOut` counts those that cannot be offered: they have no name or one that was there before, a schema that is none or
/// too long, or the list has too many.
export class ToolList {
  tools = [];
  leftOut = 0;
  #names = new Set();

  add(list) {
    for (const tool of list) {
      const schema = isObject(tool?.inputSchema) ? JSON.stringify(tool.inputSchema) : '';
      if (schema && schema.length <= MOST_SCHEMA && this.tools.length < MOST_TOOLS && this.#isNew(tool.name)) {
        this.#names.add(tool.name);
        this.tools.push({name: tool.name, ...described(tool), schema});
      } else {
        ++this.leftOut;
      }
    }
  }

  #isNew(name) { return isText(name) && name !== '' && name.length <= 4 * MOST_NAME && !this.#names.has(name); }
}

/// Returns the names for a model of tools [{server, tool}], in their order: letters, digits, "_" and "-", at most 64 of
/// them. A tool has its own name where no other has that, and else its server's before it. `taken`: a set of names that are
/// used.
export function namesFor(tools, taken) {
  const plain = (text) => text.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, MOST_NAME);
  const own = tools.map(({tool}) => plain(tool));
  const used = new Set(taken);
  const isAlone = own.map((name, i) => !taken.has(name) && own.every((other, j) => other !== name || i === j));
  own.filter((_, i) => isAlone[i]).forEach((name) => used.add(name));
  return own.map((name, i) => {
    if (isAlone[i]) return name;
    const long = plain(`${tools[i].server}_${name}`);
    let made = long;
    for (let n = 2; used.has(made); ++n) made = `${long.slice(0, MOST_NAME - String(n).length - 1)}_${n}`;
    used.add(made);
    return made;
  });
}

/// Returns the JSON of a tool for POST /v1/chat/completions.
export function definitionOf(name, {description, schema}) {
  const said = description ? `,"description":${JSON.stringify(description)}` : '';
  return `{"type":"function","function":{"name":${JSON.stringify(name)}${said},"parameters":${schema}}}`;
}

function partText(part) {
  if (!isObject(part)) return '[a part of no kind]';
  const {type, text, data, mimeType, resource, uri, name} = part;
  if (type === 'text' && isText(text)) return text;
  if (type === 'resource' && isText(resource?.text)) return `[resource ${resource.uri}]\n${resource.text}`;
  if (type === 'resource_link') return `[link to ${[name, uri].filter(isText).join(', ')}]`;
  const bytes = data ?? resource?.blob;
  const size = isText(bytes) ? `, ${number(Math.ceil(bytes.length / LETTERS_PER_KIB))} KiB` : '';
  const kind = [type, mimeType ?? resource?.mimeType].filter(isText).join(', ');
  return `[${cutAt(kind, 100) || 'a part of no kind'}${size}: only text goes to the model]`;
}

/// Returns {text, failed} of the result of a call. `context`: tokens of the model's; 0 if that is not known. A text that is
/// too long is cut, and says so.
export function readResult({content, structuredContent, isError}, context) {
  const parts = Array.isArray(content) ? content.map(partText) : [];
  const text = parts.length || !isObject(structuredContent) ? parts.join('\n') : JSON.stringify(structuredContent);
  const most = context ? Math.max(LEAST_RESULT, Math.min(context, MOST_RESULT)) : MOST_RESULT;
  const cut = text.length > most ? `${cutAt(text, most)}\n[Cut: the result has ${number(text.length)} letters.]` : text;
  return {text: cut, failed: isError === true};
}
