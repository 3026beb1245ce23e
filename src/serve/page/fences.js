// Fences of code in texts of Markdown.

const LEAST_TICKS = 3;

/// Returns a text as a block of code. Its fence is longer than all runs of backticks in it. `type`: the language, or ''.
export function fenced(text, type = '') {
  const longest = (text.match(/`+/g) ?? []).reduce((most, ticks) => Math.max(most, ticks.length), LEAST_TICKS - 1);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${type}\n${text}\n${fence}`;
}
