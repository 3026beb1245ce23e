// The reader of Markdown: CommonMark's blocks and emphasis as trees of texts, never as HTML, in time that grows with the
// text.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {colorCode} from '../../../src/serve/page/code_colors.js';
import {parseBlocks} from '../../../src/serve/page/markdown_blocks.js';
import {parseInline, plainText, safeHref} from '../../../src/serve/page/markdown_inline.js';

/// A tree as one line: em(a strong(b)).
function line(nodes) {
  return nodes
      .map((node) => {
        if (node.type === 'text') return node.text;
        if (node.type === 'break') return '⏎';
        if (node.type === 'link') return `link<${node.href}>(${line(node.children)})`;
        return `${node.type}(${node.text ?? line(node.children)})`;
      })
      .join('');
}
const inline = (text) => line(parseInline(text));

function blocks(text) {
  const shown = (list) =>
      list.map((block) => {
            switch (block.type) {
              case 'heading':
                return `h${block.level}(${block.text})`;
              case 'code':
                return `code:${block.language}(${block.text})`;
              case 'quote':
                return `quote(${shown(block.blocks)})`;
              case 'list': {
                const items = block.items.map(
                    ({task, blocks: inner}) => `${
                        task === null ? '' :
                            task      ? '[x]' :
                                        '[ ]'}${shown(inner)}`);
                return `${block.ordered ? `ol${block.first}` : 'ul'}${block.tight ? '' : ' loose'}(${items.join(' | ')})`;
              }
              case 'table':
                return `table${JSON.stringify([block.align, block.header, ...block.rows])}`;
              case 'rule':
                return 'rule';
              default:
                return `${block.type === 'paragraph' ? 'p' : block.type}(${block.text})`;
            }
          })
          .join(' ');
  return shown(parseBlocks(text));
}

test('emphasis', () => {
  assert.equal(
      inline('**bold** *em* `a*b*` ~~gone~~ ***both***'), 'strong(bold) em(em) code(a*b*) strike(gone) em(strong(both))');
  assert.equal(inline('*a **b** c*'), 'em(a strong(b) c)');
  assert.equal(inline('***a** b*'), 'em(strong(a) b)');
  assert.equal(inline('2 * 3 * 4, snake_case_name, ~5, a*b*c'), '2 * 3 * 4, snake_case_name, ~5, aem(b)c');
  assert.equal(inline('**not closed'), '**not closed');
  assert.equal(inline('\\*no\\* **日本**語'), '*no* strong(日本)語');
});

test('code spans', () => {
  assert.equal(inline('`` a`b `` and ` ` and ``open`'), 'code(a`b) and code( ) and ``open`');
});

test('line ends are breaks', () => {
  assert.equal(inline('a  \nb\nc<br>d<br/>e'), 'a⏎b⏎c⏎d⏎e');
});

test('HTML is text', () => {
  const evil = '<img src=x onerror="f()"><script>f()</script><a href="javascript:f()">';
  assert.equal(inline(evil), evil);
  assert.equal(blocks(`<div>\n${evil}\n</div>`), `p(<div>\n${evil}\n</div>)`);
});

test('entities are characters', () => {
  assert.equal(inline('&lt;b&gt; &amp; &#233; &#x1F600; &nope; &#0; &#xD800;'), '<b> & é 😀 &nope; \ufffd \ufffd');
});

test('links', () => {
  assert.equal(inline('[a *b*](https://x.org/c_(d) "title")'), 'link<https://x.org/c_(d)>(a em(b))');
  assert.equal(inline('[m](mailto:a@b.org) <https://x.org>'), 'link<mailto:a@b.org>(m) link<https://x.org/>(https://x.org)');
  assert.equal(
      inline('(see https://x.org/a_(b)), or https://y.org/?q=1.'),
      '(see link<https://x.org/a_(b)>(https://x.org/a_(b))), or link<https://y.org/?q=1>(https://y.org/?q=1).');
  assert.equal(inline('[https://x.org](https://y.org)'), 'link<https://y.org/>(https://x.org)');
  assert.equal(
      inline('[a [b](https://x.org) c](https://y.org)'),
      '[a link<https://x.org/>(b) c](link<https://y.org/>(https://y.org))');
});

test('links that could run script, or lead to this server, are text', () => {
  for (const target
           of ['javascript:alert(1)', 'JaVaScRiPt:alert(1)', ' javascript:x', 'java\tscript:x', 'data:text/html,x',
               'vbscript:x', 'file:///etc/passwd', 'blob:null/1', '/v1/models', '//x.org', 'x', '']) {
    assert.equal(safeHref(target), null, target);
    for (const text of [`[a](${target})`, `[a](<${target}>)`, `<${target}>`])
      assert.doesNotMatch(inline(text), /link/, text);
  }
});

test('images are links', () => {
  assert.equal(inline('![a **b**](https://x.org/i.png)'), 'link<https://x.org/i.png>(a b)');
});

test('TeX stays as it is', () => {
  assert.equal(
      inline('\\(a_1 * b_2 * c\\), $x_i^*$ and $$a*b*c$$; \\[ *x* \\]'),
      'math(\\(a_1 * b_2 * c\\)), math($x_i^*$) and math($$a*b*c$$); math(\\[ *x* \\])');
  assert.equal(inline('$5 and $6, \\(open'), '$5 and $6, \\(open');
  assert.equal(inline('\\[ x_1 and \\[ y'), '\\[ x_1 and \\[ y');
  assert.equal(inline('$5-$10, US$3 and A$4; `$x$`'), '$5-$10, US$3 and A$4; code($x$)');
  assert.equal(inline('$\\frac{1}{2'), '$\\frac{1}{2');
  assert.equal(inline('$5 and $10, `$x$`; ($y$)'), '$5 and $10, code($x$); (math($y$))');
});

test('headings and rules', () => {
  assert.equal(
      blocks('# A #\n## B\n###### C\n#no\n\nD\n===\nE\n---\n***\n- - -'), 'h1(A) h2(B) h6(C) p(#no) h1(D) h2(E) rule rule');
});

test('fences', () => {
  assert.equal(blocks('```python x\na\n  b\n```\nafter'), 'code:python(a\n  b\n) p(after)');
  assert.equal(blocks('~~~\n```\n~~~'), 'code:(```\n)');
  assert.equal(blocks('````\n```\n````'), 'code:(```\n)');
  assert.equal(blocks('```make\na:\n\tb\n```'), 'code:make(a:\n\tb\n)');
  assert.equal(blocks('text\n```js\nstill open'), 'p(text) code:js(still open\n)');
  assert.equal(blocks('a\n\n    indented\n\n      more\n\nb'), 'p(a) code:(indented\n\n  more\n) p(b)');
});

test('lists', () => {
  assert.equal(blocks('- a\n- b\n  c\n+ d'), 'ul(p(a) | p(b\nc)) ul(p(d))');
  assert.equal(blocks('3. a\n4. b\n\n5. c'), 'ol3 loose(p(a) | p(b) | p(c))');
  assert.equal(blocks('1. a\n  - b\n    - c\n2. d'), 'ol1(p(a) ul(p(b) ul(p(c))) | p(d))');
  assert.equal(blocks('- a\n\t- b'), 'ul(p(a) ul(p(b)))');
  assert.equal(blocks('1. a\n\n   ```\n   x\n   ```\n\n   b\n2. c'), 'ol1 loose(p(a) code:(x\n) p(b) | p(c))');
  assert.equal(blocks('- [ ] a\n- [x] b'), 'ul([ ]p(a) | [x]p(b))');
  assert.equal(blocks('In\n1986. a year'), 'p(In\n1986. a year)');
});

test('quotes', () => {
  assert.equal(blocks('> a\n> - b\n>\n> c\nlazy\n\nd'), 'quote(p(a) ul(p(b)) p(c\nlazy)) p(d)');
});

test('tables', () => {
  assert.equal(
      blocks('x\n| a | b |\n|:--|--:|\n| `c|d` | e \\| f | g |\n| h |\n\nend'),
      'p(x) table[["left","right"],["a","b"],["`c|d`","e | f"],["h"]] p(end)');
  assert.equal(blocks('a | b\n:-: | -\n1 | 2'), 'table[["center",""],["a","b"],["1","2"]]');
  assert.equal(blocks('| a | b |\n|---|'), 'p(| a | b |\n|---|)');
});

test('formulas on lines of their own', () => {
  assert.equal(blocks('$$\na_b\n$$\nx\n\\[ y \\]'), 'math($$\na_b\n$$) p(x) math(\\[ y \\])');
  assert.equal(blocks('$$ open\n\nx'), 'p($$ open) p(x)');
});

test('what is after the last block never changes what is before it', () => {
  const text =
      '# H\n\npara *a*\nb\n\n- x\n  - y\n\n  z\n- w\n\n```js\ncode\n\nmore\n```\n\n> q\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n1. o\n2. p\n\nend';
  const want = JSON.stringify(parseBlocks(text));
  const lines = (part) => part.split('\n').length - 1;
  for (let cut = 1; cut < text.length; ++cut) {
    const last = parseBlocks(text.slice(0, cut)).at(-1);
    if (!last) continue;
    const begin = text.split('\n').slice(0, last.start).join('\n').length + (last.start ? 1 : 0);
    const head = parseBlocks(text.slice(0, cut)).slice(0, -1);
    const tail =
        parseBlocks(text.slice(begin)).map((block) => ({...block, start: block.start + lines(text.slice(0, begin))}));
    assert.equal(JSON.stringify([...head, ...tail]), want, `cut at ${cut}`);
  }
});

test('no text takes long or fails', () => {
  const n = 8000;
  const texts = [
    '[',       '![',         '](',      '[a](https://b.c)',
    '*a ',     '**a *b _c ', 'a**b_c*', '\\(',
    '\\[',     '$a ',        '$$',      '> ',
    '- ',      '1. ',        '`',       '``` ',
    '<',       '&',          '_',       '~~',
    '|',       '\n',         '\t',      ' ',
    'http://', '[](a "',     '\\',      '<br',
    '&#',      '-\n',        '> -\n',   '|-',
    '\n|a',    '#',          '='
  ].map((part) => part.repeat(n));
  texts.push(
      'https://a' +
          ')'.repeat(n),
      '_'.repeat(n) + 'a' +
          '_'.repeat(n),
      `${'|'.repeat(n)}\n${'|-'.repeat(n)}\n${'|\n'.repeat(n)}`,
      Array.from({length: 200}, (_, i) => '`'.repeat(i)).join(' '),
      Array.from({length: 500}, (_, i) => `${'  '.repeat(i)}- a`).join('\n'));
  const read = (list) => {
    for (const block of list) {
      if (block.text !== undefined) plainText(parseInline(block.text));
      if (block.blocks) read(block.blocks);
      for (const item of block.items ?? []) read(item.blocks);
    }
  };
  for (const text of texts) {
    read(parseBlocks(text));
    plainText(parseInline(text));
  }
});

test('depth is bounded, and no text is lost by it', () => {
  const depth = (list) => 1 + Math.max(0, ...list.map((node) => node.children ? depth(node.children) : 0));
  const nested = parseInline(`${'*a **b '.repeat(500)}x${'** *'.repeat(500)}`);
  assert.ok(depth(nested) < 50);
  const text = plainText(parseInline(`${'*a **b '.repeat(100)}x`));
  assert.equal(text.replaceAll('*', ''), `${'a b '.repeat(100)}x`);
  assert.match(JSON.stringify(parseBlocks(`${'> '.repeat(100)}deep`)), /deep/);
});

test('colours do not change code', () => {
  const code =
      'def f(a): # "x"\n  return "str\\"ing" + \'c\' + 0x1F /* c */ // d\n<!-- h --><b class="x">\nSELECT 1 -- e\n"open';
  for (const language of ['python', 'js', 'html', 'sql', 'css', 'sh', 'nothing', '', '__proto__', 'constructor']) {
    assert.equal(colorCode(code, language).map(({text}) => text).join(''), code, language);
  }
  const kinds = Object.fromEntries(colorCode('return 42 + "a" # b', 'python').map(({text, kind}) => [text, kind]));
  assert.deepEqual(kinds, {'return': 'word', '42': 'number', '"a"': 'text', '# b': 'remark', ' ': '', ' + ': ''});
});
