// Colours of code: comments, strings, numbers and words that most languages keep for themselves. No parser: what a family of
// languages shares is enough to read by.

const WORDS =
    new Set(`abstract and as assert async await bool boolean break case catch char class const constexpr continue def
default defer del delete do double elif else end enum except explicit export extends extern false False final finally float fn for
foreach from func function global go goto if impl implements import in include inline instanceof int interface internal is lambda let
local long loop match mod module mut mutable namespace new nil None nonlocal not null nullptr of operator or override package pass
private protected pub public raise readonly register require return self Self short signed sizeof static string struct super switch
template then this throw throws trait True true try type typedef typename typeof undefined union unless unsafe unsigned until use
using var virtual void volatile when where while with yield`.split(/\s+/));
const SQL =
    new Set(`add all alter and as asc avg between by case check column constraint count create default delete desc distinct
drop else end exists foreign from full group having in index inner insert into is join key left like limit max min not null offset on
or order outer primary references right select set sum table then union unique update values view when where with`.split(
        /\s+/));

const QUOTED = String.raw`"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?`;
const NUMERAL = String.raw`\b(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?)\w*`;
const NAME = String.raw`[A-Za-z_$][\w$]*`;

const family = (remark, text = QUOTED) =>
    new RegExp(`(?<remark>${remark})|(?<text>${text})|(?<number>${NUMERAL})|(?<word>${NAME})`, 'g');
const FAMILIES = {
  c: family(String.raw`\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)`, `\`(?:[^\`\\\\]|\\\\.)*\`?|${QUOTED}`),
  hash: family('(?<![\\w$\'"&])#[^\\n]*', `"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|${QUOTED}`),
  dashes: family(String.raw`--[^\n]*|\/\*[^]*?(?:\*\/|$)`),
  markup: new RegExp(`(?<remark><![-]-[^]*?(?:-->|$))|(?<word></?[A-Za-z][\\w:-]*)|(?<text>${QUOTED})`, 'g'),
  css: family(String.raw`\/\*[^]*?(?:\*\/|$)`),
};
const LANGUAGES = {
  hash:
      'bash cmake dockerfile elixir julia make makefile nim perl pl py python python3 r rb ruby sh shell toml yaml yml zsh',
  dashes: 'haskell hs lua sql mysql postgresql sqlite ada',
  markup: 'html xml svg xhtml vue',
  css: 'css scss less',
  c: 'c cc cpp cs csharp c++ cuda cxx d dart go glsl groovy h hpp java javascript js json json5 jsonc jsx kotlin kt objc php proto rs ' +
      'rust scala solidity swift ts tsx typescript zig',
};

function familyOf(language) {
  const name = language.toLowerCase();
  return Object.keys(LANGUAGES).find((one) => LANGUAGES[one].split(' ').includes(name)) ?? null;
}

/// [{text, kind}], whose texts are the code; `kind` word, text, number, remark or ''.
export function colorCode(code, language) {
  const kindOfLanguage = familyOf(language);
  if (!kindOfLanguage) return [{text: code, kind: ''}];
  const parts = [];
  let end = 0;
  const add = (text, kind) => {
    if (parts.length && parts.at(-1).kind === kind)
      parts.at(-1).text += text;
    else if (text)
      parts.push({text, kind});
  };
  for (const match of code.matchAll(FAMILIES[kindOfLanguage])) {
    let kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
    const sql = language.toLowerCase().includes('sql') && SQL.has(match[0].toLowerCase());
    if (kind === 'word' && kindOfLanguage !== 'markup' && !WORDS.has(match[0]) && !sql) kind = '';
    add(code.slice(end, match.index), '');
    add(match[0], kind);
    end = match.index + match[0].length;
  }
  add(code.slice(end), '');
  return parts;
}
