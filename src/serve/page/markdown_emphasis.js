// Emphasis of Markdown, by CommonMark's rules: from a row of nodes and delimiters to a tree of nodes. A delimiter is {mark,
// length, count, canOpen, canClose, opens, closes}: `count` of its `length` marks are text.

const MAX_EMPHASIS = 32;  // of emphasis in emphasis; what is deeper loses its emphasis, not its text

/// Pairs delimiters: each gets the emphases that it opens and closes, the inner ones first.
function pair(tokens) {
  const open = [];           // indices of delimiters that may open, by place
  const bottom = new Map();  // for each kind of closer: no opener of it is at or before this index
  tokens.forEach((closer, index) => {
    if (!closer.mark) return;
    while (closer.canClose && closer.count > 0) {
      const kind = `${closer.mark}${closer.canOpen}${closer.length % 3}`;
      let k = open.length - 1;
      while (k >= 0 && open[k] > (bottom.get(kind) ?? -1) && !matches(tokens[open[k]], closer)) --k;
      if (k < 0 || open[k] <= (bottom.get(kind) ?? -1)) {
        bottom.set(kind, index - 1);
        break;
      }
      const opener = tokens[open[k]];
      const width = opener.count > 1 && closer.count > 1 ? 2 : 1;
      const type = closer.mark === '~' ? 'strike' : width === 2 ? 'strong' : 'em';
      opener.opens.push(type);
      closer.closes.push(type);
      opener.count -= width;
      closer.count -= width;
      open.length = opener.count > 0 ? k + 1 : k;
    }
    if (closer.canOpen && closer.count > 0) open.push(index);
  });
}

function matches(opener, closer) {
  if (opener.mark !== closer.mark) return false;
  const both = opener.canClose || closer.canOpen;
  return !(both && (opener.length + closer.length) % 3 === 0 && (opener.length % 3 || closer.length % 3));
}

/// Tokens as a tree.
export function nest(tokens) {
  pair(tokens);
  const root = {children: []};
  const path = [root];
  let ignored = 0;  // emphases that are open beyond MAX_EMPHASIS
  const add = (node) => path.at(-1).children.push(node);
  for (const token of tokens) {
    if (!token.mark) {
      add(token);
      continue;
    }
    for (let i = 0; i < token.closes.length; ++i) {
      if (ignored)
        --ignored;
      else
        path.pop();
    }
    if (token.count) add({type: 'text', text: token.mark.repeat(token.count)});
    for (const type of token.opens.reverse()) {
      if (path.length > MAX_EMPHASIS) {
        ++ignored;
        continue;
      }
      const node = {type, children: []};
      add(node);
      path.push(node);
    }
  }
  return root.children;
}
