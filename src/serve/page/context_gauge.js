// How much of the context the shown chat has filled.
import {pathOf} from './chat_tree.js';
import {byId} from './elements.js';
import {number, percent} from './numbers.js';
import {tokensUsed} from './turns.js';

/// Shows the tokens of the last answer that was counted. `context`: tokens; 0 if it is not known.
export function showContext(chat, context) {
  const used = tokensUsed((chat ? pathOf(chat) : []).findLast((message) => tokensUsed(message) > 0) ?? {});
  const gauge = byId('context');
  gauge.hidden = !used || !context;
  if (gauge.hidden) return;
  const words = `${number(used)} of ${number(context)} tokens of context`;
  byId('context-fill').style.width = `${Math.min(100, percent(used, context))}%`;
  byId('context-text').textContent = words;
  gauge.setAttribute('aria-valuemax', String(context));
  gauge.setAttribute('aria-valuenow', String(Math.min(used, context)));
  gauge.setAttribute('aria-valuetext', words);
}
