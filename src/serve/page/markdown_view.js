// Markdown as elements. Text that grows is read again from its last block on only, so that an answer of any length streams
// smoothly.
import {copyButton} from './clipboard.js';
import {colorCode} from './code_colors.js';
import {wrapButton} from './code_wrap.js';
import {element} from './elements.js';
import {formula} from './formula.js';
import {parseBlocks} from './markdown_blocks.js';
import {parseInline} from './markdown_inline.js';

const EMPHASIS = {
  strong: 'strong',
  em: 'em',
  strike: 'del'
};

function inlineNodes(nodes) {
  return nodes.map((node) => {
    switch (node.type) {
      case 'text':
        return document.createTextNode(node.text);
      case 'code':
        return element('code', {}, node.text);
      case 'math':
        return formula(node.text) ?? element('code', {class: 'math'}, node.text);
      case 'break':
        return element('br');
      case 'link':
        return element(
            'a', {href: node.href, target: '_blank', rel: 'noopener noreferrer nofollow'}, inlineNodes(node.children));
      default:
        return element(EMPHASIS[node.type], {}, inlineNodes(node.children));
    }
  });
}

const inline = (text) => inlineNodes(parseInline(text));

function codeParts(block) {
  return colorCode(block.text, block.language)
      .map(({text, kind}) => kind ? element('span', {class: `hl-${kind}`}, text) : document.createTextNode(text));
}

function codeBlock(block) {
  const code = element('code', {}, codeParts(block));
  // The language is shown by the style sheet, so that it is no part of the text.
  return element(
      'div', {class: 'code'},
      element(
          'div', {class: 'code-head'}, element('span', {'data-language': block.language || 'text'}),
          element(
              'span', {class: 'code-tools'}, wrapButton(),
              copyButton('Copy code', () => code.textContent, {'data-testid': 'copy-code'}))),
      element('pre', {tabindex: '0'}, code));
}

function listItem({task, blocks}, tight) {
  const box = task === null ?
      null :
      element('input', {type: 'checkbox', disabled: true, checked: task, 'aria-label': task ? 'done' : 'open'});
  const children = blocks.flatMap((block) => {
    if (tight && block.type === 'paragraph') return inline(block.text);
    return [blockElement(block)];
  });
  return element('li', {class: box ? 'task' : null}, box, children);
}

function table(block) {
  const cell = (tag) => (text, column) => {
    const align = block.align[column];
    return element(tag, {class: align ? `align-${align}` : null, scope: tag === 'th' ? 'col' : null}, inline(text));
  };
  const row = (texts) => {
    const missing = block.header.length - texts.length;
    return element(
        'tr', {}, texts.map(cell('td')), missing > 0 ? element('td', {colspan: String(Math.min(missing, 1000))}) : null);
  };
  return element(
      'div', {class: 'table', tabindex: '0'},
      element(
          'table', {}, element('thead', {}, element('tr', {}, block.header.map(cell('th')))),
          element('tbody', {}, block.rows.map(row))));
}

function blockElement(block) {
  switch (block.type) {
    case 'heading':
      return element(`h${block.level}`, {}, inline(block.text));
    case 'rule':
      return element('hr');
    case 'code':
      return codeBlock(block);
    case 'math':
      return formula(block.text) ?? element('p', {class: 'math-block'}, block.text);
    case 'quote':
      return element('blockquote', {}, block.blocks.map(blockElement));
    case 'list': {
      const start = block.ordered && block.first !== 1 ? String(block.first) : null;
      return element(block.ordered ? 'ol' : 'ul', {start}, block.items.map((item) => listItem(item, block.tight)));
    }
    case 'table':
      return table(block);
    default:
      return element('p', {}, inline(block.text));
  }
}

/// What `host` shows of a text that is set again and again.
export class MarkdownView {
  #host;
  #text = '';
  #begin = 0;    // of the last block, in #text
  #kept = 0;     // elements of the blocks before it
  #code = null;  // the last block if it is code that goes on: {block, element}

  constructor(host) {
    this.#host = host;
    host.classList.add('rich');
  }

  show(text) {
    if (text === this.#text) return;
    if (!text.startsWith(this.#text)) {
      this.#begin = 0;
      this.#kept = 0;
      this.#code = null;
    }
    this.#text = text;
    const rest = text.slice(this.#begin);
    const blocks = parseBlocks(rest);
    if (blocks.length === 1 && this.#growCode(blocks[0])) return;
    while (this.#host.childNodes.length > this.#kept) this.#host.lastChild.remove();
    const elements = blocks.map(blockElement);
    this.#host.append(...elements);
    if (!blocks.length) return;
    const last = blocks.at(-1);
    this.#kept += blocks.length - 1;
    this.#begin += lineBegin(rest, last.start);
    this.#code = last.type === 'code' ? {block: last, element: elements.at(-1)} : null;
  }

  /// Code that grows stays the same element: what is selected in it, and how far it is scrolled, stays.
  #growCode(block) {
    if (!this.#code || block.type !== 'code' || block.language !== this.#code.block.language) return false;
    this.#code.element.querySelector('code').replaceChildren(...codeParts(block));
    this.#code.block = block;
    return true;
  }
}

/// Where a line begins. Line ends are \n, \r\n or \r.
function lineBegin(text, line) {
  const end = /\r\n?|\n/g;
  for (; line > 0; --line) end.exec(text);
  return end.lastIndex;
}
