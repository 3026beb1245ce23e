// How much of the context the shown chat has filled, and what the message that is written would fill.
import {pathOf} from './chat_tree.js';
import {byId} from './elements.js';
import {number, percent} from './numbers.js';
import {tokensOfPath} from './turns.js';

/// Returns the gauge's words; '' where there is nothing to show: the message is short, has no files and begins a chat.
/// `used`: tokens of the chat; `cost`: {tokens, files} of the message; `context`: tokens; 0 if it is not known.
export function gaugeWords(used, cost, context) {
  const isShown = used > 0 || cost.files > 0 || percent(cost.tokens, context) > 0;
  if (!context || !isShown) return '';
  const all = `${number(used + cost.tokens)} of ${number(context)} tokens of context`;
  return cost.tokens ? `About ${all}, ${number(cost.tokens)} of them for this message` : all;
}

/// Shows the tokens of the chat, and those of the message that is written.
export function showContext(chat, cost, context) {
  const used = chat ? tokensOfPath(pathOf(chat)) : 0;
  const words = gaugeWords(used, cost, context);
  const gauge = byId('context');
  gauge.hidden = !words;
  if (!words) return;
  const width = (tokens) => `${Math.min(100, percent(tokens, context))}%`;
  byId('context-fill').style.width = width(used);
  byId('context-cost').style.width = width(used + cost.tokens);
  byId('context-text').textContent = words;
  gauge.setAttribute('aria-valuemax', String(context));
  gauge.setAttribute('aria-valuenow', String(Math.min(used + cost.tokens, context)));
  gauge.setAttribute('aria-valuetext', words);
}
