// Markdown's blocks as a tree: [{type, start, ...}], `start` the index of the block's first line:
//   {type: 'paragraph', text} | {type: 'heading', level, text} | {type: 'rule'} | {type: 'math', text}
//   {type: 'code', language, text} | {type: 'quote', blocks} | {type: 'list', ordered, first, tight, items: [{task,
//   blocks}]} {type: 'table', align: ['left' | 'center' | 'right' | ''], header: [text], rows: [[text]]}, rows maybe shorter
// `task` is true or false for a box, null for none. A fence that is not closed reaches to the end, as while an answer
// streams.

const MAX_NESTING = 12;  // of quotes and lists in each other; what is deeper is a paragraph

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])(?:[ \t]+|$)/;
const UNDERLINE = /^ {0,3}(={2,}|-{2,})[ \t]*$/;  // one alone is mostly the beginning of something else that streams
const TABLE_RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const MATH = /^ {0,3}(\$\$|\\\[)/;

const blank = (line) => line.trim() === '';

/// Columns of space before the text; a tab reaches to the next multiple of 4.
function indent(line) {
  let columns = 0;
  for (const letter of line) {
    if (letter === '\t')
      columns += 4 - columns % 4;
    else if (letter === ' ')
      ++columns;
    else
      break;
  }
  return columns;
}

/// Without its first columns of space, at most the given number; what is left of a tab is spaces.
function dedent(line, columns) {
  let at = 0, taken = 0;
  while (taken < columns && (line[at] === ' ' || line[at] === '\t')) {
    taken += line[at] === '\t' ? 4 - taken % 4 : 1;
    ++at;
  }
  return ' '.repeat(Math.max(0, taken - columns)) + line.slice(at);
}

/// Whether a line ends the paragraph before it.
function interrupts(line) {
  if (FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line)) return true;
  const item = ITEM.exec(line);
  return item !== null && indent(line) < 4 && item[0].trim() !== line.trim() &&
      (/^[-*+]$/.test(item[2]) || parseInt(item[2], 10) === 1);
}

/// The cells of a row: | that are escaped or in code are text.
function cells(line) {
  const found = [];
  let cell = '', code = false;
  const row = line.trim();
  for (let i = row[0] === '|' ? 1 : 0; i < row.length; ++i) {
    if (row[i] === '\\' && row[i + 1] === '|') {
      cell += '|';
      ++i;
    } else if (row[i] === '|' && !code) {
      found.push(cell.trim());
      cell = '';
    } else {
      if (row[i] === '`') code = !code && row.indexOf('`', i + 1) > 0;
      cell += row[i];
    }
  }
  if (!row.endsWith('|') || cell.trim()) found.push(cell.trim());
  return found;
}

class BlockReader {
  #lines;
  #depth;
  #at = 0;

  constructor(lines, depth) {
    this.#lines = lines;
    this.#depth = depth;
  }

  read() {
    const blocks = [];
    while (this.#at < this.#lines.length) {
      const start = this.#at;
      if (blank(this.#lines[start]))
        ++this.#at;
      else
        blocks.push({start, ...this.#block()});
    }
    return blocks;
  }

  #block() {
    const line = this.#lines[this.#at];
    if (indent(line) >= 4) return this.#indentedCode();
    const deeper = this.#depth < MAX_NESTING;
    let match;
    if ((match = FENCE.exec(line))) return this.#fence(match);
    if ((match = HEADING.exec(line))) {
      ++this.#at;
      return {type: 'heading', level: match[1].length, text: match[2] ?? ''};
    }
    if (RULE.test(line)) {
      ++this.#at;
      return {type: 'rule'};
    }
    if ((match = MATH.exec(line))) return this.#math(match[1]);
    if (deeper && QUOTE.test(line)) return this.#quote();
    if (deeper && (match = ITEM.exec(line))) return this.#list(match);
    return this.#table() ?? this.#paragraph();
  }

  #indentedCode() {
    const taken = [];
    for (; this.#at < this.#lines.length; ++this.#at) {
      const line = this.#lines[this.#at];
      if (!blank(line) && indent(line) < 4) break;
      taken.push(dedent(line, 4));
    }
    while (blank(taken.at(-1))) taken.pop();
    return {type: 'code', language: '', text: `${taken.join('\n')}\n`};
  }

  #fence([line, fence, info]) {
    const inset = indent(line);
    const close = new RegExp(`^ {0,3}${fence[0]}{${fence.length},}\\s*$`);
    const taken = [];
    for (++this.#at; this.#at < this.#lines.length; ++this.#at) {
      const inner = this.#lines[this.#at];
      if (close.test(inner)) {
        ++this.#at;
        break;
      }
      taken.push(dedent(inner, inset));
    }
    return {type: 'code', language: info.trim().split(/[\s{,]/)[0], text: taken.map((inner) => `${inner}\n`).join('')};
  }

  /// Between $$ and $$, or \[ and \], on lines of their own; without an end it is a paragraph.
  #math(open) {
    const close = open === '$$' ? '$$' : '\\]';
    const first = this.#lines[this.#at].trim();
    const alone = first.length > open.length && first.indexOf(close, open.length) > 0;
    if (alone && !first.endsWith(close)) return this.#paragraph();
    let end = this.#at;
    if (!alone) {
      do ++end;
      while (end < this.#lines.length && !blank(this.#lines[end]) && !this.#lines[end].trimEnd().endsWith(close));
      if (end === this.#lines.length || blank(this.#lines[end])) return this.#paragraph();
    }
    const text = this.#lines.slice(this.#at, end + 1).join('\n').trim();
    this.#at = end + 1;
    return {type: 'math', text};
  }

  #quote() {
    const taken = [];
    for (; this.#at < this.#lines.length; ++this.#at) {
      const line = this.#lines[this.#at];
      const goesOn =
          !blank(line) && taken.length > 0 && !blank(taken.at(-1)) && !interrupts(line) && !FENCE.test(taken.at(-1));
      if (QUOTE.test(line))
        taken.push(line.replace(QUOTE, ''));
      else if (goesOn)
        taken.push(line);
      else
        break;
    }
    return {type: 'quote', blocks: this.#inner(taken)};
  }

  #list(first) {
    const ordered = /\d/.test(first[2]);
    const list = {type: 'list', ordered, first: ordered ? parseInt(first[2], 10) : null, tight: true, items: []};
    const mark = first[2].at(-1);
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at];
      const match = ITEM.exec(line);
      if (!match || match[2].at(-1) !== mark || indent(line) >= 4 || RULE.test(line)) break;
      const {item, loose} = this.#item(match);
      list.items.push(item);
      const another = this.#at < this.#lines.length && ITEM.exec(this.#lines[this.#at])?.[2].at(-1) === mark;
      if (loose.within || (loose.after && another)) list.tight = false;
    }
    return list;
  }

  /// Lines that are indented as the item's text, or by two columns before a further item, are the item's.
  #item(match) {
    const width = match[0].trim() === this.#lines[this.#at].trim() ? match[0].trimEnd().length + 1 : match[0].length;
    let inset = width - match[1].length - match[2].length > 4 ? match[1].length + match[2].length + 1 : width;
    const taken = [this.#lines[this.#at].slice(inset)];
    for (++this.#at; this.#at < this.#lines.length; ++this.#at) {
      const line = this.#lines[this.#at];
      const nested = indent(line) >= match[1].length + 2 && ITEM.test(line.trimStart());
      if (nested) inset = Math.min(inset, indent(line));
      if (blank(line))
        taken.push('');
      else if (indent(line) >= inset)
        taken.push(dedent(line, inset));
      else if (!blank(taken.at(-1)) && !interrupts(line) && !ITEM.test(line) && !FENCE.test(taken[0]))
        taken.push(line);
      else
        break;
    }
    let after = 0;
    for (; taken.length > 1 && blank(taken.at(-1)); ++after) taken.pop();
    const task = /^\[([ xX])\] /.exec(taken[0]);
    if (task) taken[0] = taken[0].slice(4);
    const blocks = this.#inner(taken);
    const within = blocks.some((block, i) => i > 0 && block.start > 0 && blank(taken[block.start - 1]));
    return {item: {task: task ? task[1] !== ' ' : null, blocks}, loose: {after: after > 0, within}};
  }

  #table() {
    const rule = this.#lines[this.#at + 1];
    if (!this.#lines[this.#at].includes('|') || rule === undefined || !TABLE_RULE.test(rule)) return null;
    const header = cells(this.#lines[this.#at]);
    const marks = cells(rule);
    if (header.length !== marks.length) return null;
    const align = marks.map((mark) => {
      if (mark.endsWith(':')) return mark.startsWith(':') ? 'center' : 'right';
      return mark.startsWith(':') ? 'left' : '';
    });
    const rows = [];
    for (this.#at += 2; this.#at < this.#lines.length; ++this.#at) {
      const line = this.#lines[this.#at];
      if (blank(line) || interrupts(line)) break;
      rows.push(cells(line).slice(0, header.length));
    }
    return {type: 'table', align, header, rows};
  }

  #paragraph() {
    const taken = [this.#lines[this.#at].trimStart()];
    for (++this.#at; this.#at < this.#lines.length; ++this.#at) {
      const line = this.#lines[this.#at];
      const underline = UNDERLINE.exec(line);
      if (underline) {
        ++this.#at;
        return {type: 'heading', level: underline[1][0] === '=' ? 1 : 2, text: taken.join('\n')};
      }
      const table = line.includes('|') && TABLE_RULE.test(this.#lines[this.#at + 1] ?? '');
      if (blank(line) || interrupts(line) || MATH.test(line) || table) break;
      taken.push(line.trimStart());
    }
    return {type: 'paragraph', text: taken.join('\n').trimEnd()};
  }

  #inner(lines) { return new BlockReader(lines, this.#depth + 1).read(); }
}

export function parseBlocks(text) { return new BlockReader(text.replace(/\r\n?/g, '\n').split('\n'), 0).read(); }
