// Markdown within a paragraph as a tree: [{type: 'text', text} | {type: 'code' | 'math', text} | {type: 'break'} |
// {type: 'strong' | 'em' | 'strike', children} | {type: 'link', href, children}]. CommonMark's rules for emphasis; line ends
// are breaks, as chats want it; HTML is text but for <br>. Time grows with the text's length, whatever the text.
import {nest} from './markdown_emphasis.js';

const PUNCTUATION = /[\p{P}\p{S}]/u;
const SPACE = /\s/u;
const ENTITIES = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: '\'',
  nbsp: '\u00a0',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  times: '×',
  copy: '©'
};

/// The address of a link that may be followed: http, https or mailto; else null.
export function safeHref(text) {
  try {
    const url = new URL(text);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/// Regular expressions that match at one place only.
const at = {
  escape: /\\([!-/:-@[-`{-~])/y,
  ticks: /`+/y,
  run: /\*+|_+|~+/y,
  entity: /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/iy,
  angled: /<((?:https?:\/\/|mailto:)[^\s<>]*)>/iy,
  newline: /<br\s*\/?>/iy,
  bare: /https?:\/\/[^\s<>"`[\]]*[^\s<>"`[\].,:;!?'*_~]/iy,
  // [text](target "title"): brackets in a target come in pairs
  target: /\(\s*(?:<([^<>\n]*)>|((?:[^\s()\\]|\\.|\([^\s()]*\))*))(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/y,
  blockMath: /\$\$[^$]+\$\$/y,
  dollarMath: /(?<![\p{L}\p{N}])\$(?=[^\s$])[^$\n`]*[^\s$\\`]\$(?!\d)/uy,
  roundMath: /\\\([^]*?\\\)/y,
  squareMath: /\\\[[^]*?\\\]/y,
  plain: /[^\\`*_~&<[\]!$\nh]+/iy,
};

function matchAt(expression, text, position) {
  expression.lastIndex = position;
  return expression.exec(text);
}

class InlineReader {
  #text;
  #at = 0;
  #tokens = [];    // nodes, and delimiters {mark, count, opens, closes, canOpen, canClose}
  #brackets = [];  // [ and ![ that are open: {token, image}
  #linked = 0;     // brackets before the last link: only images of these can be closed
  #ticks = null;   // the places of runs of backticks by their length, once one is needed
  #noMath = {};    // kinds of math that have no end in the rest

  constructor(text) { this.#text = text; }

  read() {
    while (this.#at < this.#text.length) this.#step();
    return nest(this.#tokens);
  }

  #step() {
    const plain = matchAt(at.plain, this.#text, this.#at);
    if (plain) return this.#literal(plain[0]);
    switch (this.#text[this.#at]) {
      case '\n':
        return this.#newline();
      case '\\':
        return this.#math('roundMath', '\\(') || this.#math('squareMath', '\\[') || this.#escape();
      case '$':
        return this.#math('blockMath') || this.#math('dollarMath') || this.#literal('$');
      case '`':
        return this.#code();
      case '*':
      case '_':
      case '~':
        return this.#delimiter();
      case '&':
        return this.#entity();
      case '<':
        return this.#angled();
      case '!':
        return this.#text[this.#at + 1] === '[' ? this.#open('![') : this.#literal('!');
      case '[':
        return this.#open('[');
      case ']':
        return this.#close();
      default:
        return this.#bareLink();
    }
  }

  #literal(text, length = text.length) {
    const last = this.#tokens.at(-1);
    if (last?.type === 'text' && !last.bracket)
      last.text += text;
    else
      this.#tokens.push({type: 'text', text});
    this.#at += length;
    return true;
  }

  #node(node, length) {
    this.#tokens.push(node);
    this.#at += length;
    return true;
  }

  #newline() {
    const last = this.#tokens.at(-1);
    if (last?.type === 'text') last.text = last.text.trimEnd();
    const blank = /\n[ \t]*/y;
    return this.#node({type: 'break'}, matchAt(blank, this.#text, this.#at)[0].length);
  }

  #escape() {
    if (this.#text[this.#at + 1] === '\n') {
      ++this.#at;
      return this.#newline();
    }
    const match = matchAt(at.escape, this.#text, this.#at);
    return match ? this.#literal(match[1], 2) : this.#literal('\\');
  }

  /// What looks like emphasis in TeX is none.
  #math(kind, open) {
    if (open && !this.#text.startsWith(open, this.#at)) return false;
    if (this.#noMath[kind]) return this.#literal(open);
    const match = matchAt(at[kind], this.#text, this.#at);
    if (match) return this.#node({type: 'math', text: match[0]}, match[0].length);
    if (!open) return false;
    this.#noMath[kind] = true;   // it was looked for up to the text's end
    return this.#literal(open);  // a formula that streams is shown as its source
  }

  #code() {
    const open = matchAt(at.ticks, this.#text, this.#at)[0].length;
    if (!this.#ticks) {
      this.#ticks = new Map();
      for (const run of this.#text.matchAll(/`+/g)) {
        if (!this.#ticks.has(run[0].length)) this.#ticks.set(run[0].length, {next: 0, places: []});
        this.#ticks.get(run[0].length).places.push(run.index);
      }
    }
    const runs = this.#ticks.get(open);
    while (runs && runs.next < runs.places.length && runs.places[runs.next] <= this.#at) ++runs.next;
    if (!runs || runs.next === runs.places.length) return this.#literal('`'.repeat(open));
    const end = runs.places[runs.next];
    let text = this.#text.slice(this.#at + open, end).replace(/\n/g, ' ');
    if (text.startsWith(' ') && text.endsWith(' ') && text.trim()) text = text.slice(1, -1);
    return this.#node({type: 'code', text}, end + open - this.#at);
  }

  #delimiter() {
    const run = matchAt(at.run, this.#text, this.#at)[0];
    if (run[0] === '~' && run.length !== 2) return this.#literal(run);
    const before = this.#at ? this.#text[this.#at - 1] : ' ';
    const after = this.#text[this.#at + run.length] ?? ' ';
    const left = !SPACE.test(after) && (!PUNCTUATION.test(after) || SPACE.test(before) || PUNCTUATION.test(before));
    const right = !SPACE.test(before) && (!PUNCTUATION.test(before) || SPACE.test(after) || PUNCTUATION.test(after));
    const word = run[0] === '_';  // snake_case is no emphasis
    return this.#node(
        {
          mark: run[0],
          length: run.length,
          count: run.length,
          opens: [],
          closes: [],
          canOpen: left && (!word || !right || PUNCTUATION.test(before)),
          canClose: right && (!word || !left || PUNCTUATION.test(after)),
        },
        run.length);
  }

  #entity() {
    const match = matchAt(at.entity, this.#text, this.#at);
    if (!match) return this.#literal('&');
    const code = match[1] ? Number(match[1]) : match[2] ? parseInt(match[2], 16) : null;
    if (code === null) return this.#literal(ENTITIES[match[3]] ?? match[0], match[0].length);
    const good = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return this.#literal(good ? String.fromCodePoint(code) : '\ufffd', match[0].length);
  }

  #angled() {
    const newline = matchAt(at.newline, this.#text, this.#at);
    if (newline) return this.#node({type: 'break'}, newline[0].length);
    const match = matchAt(at.angled, this.#text, this.#at);
    const href = match ? safeHref(match[1]) : null;
    if (!href) return this.#literal('<');
    return this.#node({type: 'link', href, children: [{type: 'text', text: match[1]}]}, match[0].length);
  }

  #bareLink() {
    const inWord = this.#at > 0 && /[\p{L}\p{N}]/u.test(this.#text[this.#at - 1]);
    const match = inWord ? null : matchAt(at.bare, this.#text, this.#at);
    if (!match) return this.#literal(this.#text[this.#at]);
    const text = withoutOuterParentheses(match[0]);
    const href = safeHref(text);
    return href ? this.#node({type: 'link', href, children: [{type: 'text', text}]}, text.length) : this.#literal(text);
  }

  #open(text) {
    this.#brackets.push({token: this.#tokens.length, image: text === '!['});
    return this.#node({type: 'text', text, bracket: true}, text.length);
  }

  #close() {
    const open = this.#brackets.pop();
    const active = open && (open.image || this.#brackets.length >= this.#linked);
    this.#linked = Math.min(this.#linked, this.#brackets.length);
    const match = active ? matchAt(at.target, this.#text, this.#at + 1) : null;
    const href = match ? safeHref((match[1] ?? match[2]).replace(/\\([!-/:-@[-`{-~])/g, '$1')) : null;
    if (!href) return this.#literal(']');
    const children = nest(this.#tokens.splice(open.token).slice(1));
    if (!open.image) this.#linked = this.#brackets.length;
    // Images are links: showing them would ask another host.
    const shown = open.image ? [{type: 'text', text: plainText(children) || href}] : withoutLinks(children);
    return this.#node({type: 'link', href, children: shown}, 1 + match[0].length);
  }
}

/// "https://a.org/b_(c))." was "(see https://a.org/b_(c))": what the address does not open is not its own.
function withoutOuterParentheses(address) {
  let open = address.split('(').length - address.split(')').length;
  let end = address.length;
  for (; open < 0 && address[end - 1] === ')'; ++open) --end;
  return address.slice(0, end);
}

function withoutLinks(nodes) {
  return nodes.flatMap((node) => {
    if (node.type === 'link') return node.children;
    return node.children ? [{...node, children: withoutLinks(node.children)}] : [node];
  });
}

export function plainText(nodes) {
  return nodes.map((node) => node.text ?? (node.children ? plainText(node.children) : ' ')).join('');
}

/// `text`: of a paragraph, a heading or a cell of a table.
export function parseInline(text) { return new InlineReader(text).read(); }
