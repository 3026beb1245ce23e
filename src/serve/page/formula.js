// Formulas in TeX: typeset by KaTeX where the build carries it (cmake/Katex.cmake), else shown as their source.
import {element} from './elements.js';

const FORMULA_MARKS = [['$$', '$$'], ['\\[', '\\]'], ['\\(', '\\)'], ['$', '$']];
const KATEX_OPTIONS = {
  trust: false,  // no links, pictures or attributes
  strict: 'ignore',
  maxSize: 20,  // em
  maxExpand: 500,
};
const MOST_TEX_LETTERS = 5000;  // a longer formula would hold the page up
const MOST_FORMULAS = 200;

const keptFormulas = new Map();  // an answer that streams shows the same formulas again and again
let fontsAreLoaded = false;

/// Returns a formula's TeX, and whether it stands on lines of its own. `source` has its marks.
export function formulaOf(source) {
  const [open, close] = FORMULA_MARKS.find(([mark]) => source.startsWith(mark));
  return {tex: source.slice(open.length, -close.length), displayMode: open === '$$' || open === '\\['};
}

/// The policy of the page allows no font by its address, and these have none: they are bytes of the script.
function loadFonts(fonts) {
  if (fontsAreLoaded) return;
  fontsAreLoaded = true;
  for (const {family, weight, style, hex} of fonts) {
    const bytes = Uint8Array.from(hex.match(/../g), (byte) => parseInt(byte, 16));
    document.fonts.add(new FontFace(family, bytes, {weight, style}));
  }
}

function typeset(source) {
  const {katex, katexFonts} = globalThis;
  const {tex, displayMode} = formulaOf(source);
  if (!katex || tex.length > MOST_TEX_LETTERS) return null;
  const host = element(displayMode ? 'div' : 'span', {class: 'formula', tabindex: displayMode ? '0' : null});
  try {
    katex.render(tex, host, {...KATEX_OPTIONS, displayMode});
  } catch {
    return null;  // no TeX that KaTeX knows, or nested too deep
  }
  loadFonts(katexFonts);
  return host;
}

/// Returns the formula as an element; null where its source is to be shown.
export function formula(source) {
  if (!keptFormulas.has(source)) {
    if (keptFormulas.size >= MOST_FORMULAS) keptFormulas.clear();
    keptFormulas.set(source, typeset(source));
  }
  return keptFormulas.get(source)?.cloneNode(true) ?? null;
}
