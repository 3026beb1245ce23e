// Turns of a chat: a user's message and all up to the next one. Where the context is full, requests leave the oldest out, as
// `skald chat` does. The chat itself stays whole.

import {isCount} from './numbers.js';

const ANSWER_SHARE = 8;   // an eighth of the context is kept for the answer
const KEPT_SHARE = 2;     // a prompt that turns are left out of has half of it: all is read anew, so several go at once
const TOKEN_LETTERS = 4;  // of a text that the server has not counted; where it has more tokens, the server refuses it

/// Returns the tokens of the context that an answer and its prompt take; 0 where that is not known.
export function tokensUsed({promptTokens, cachedTokens, tokens}) {
  const counts = [promptTokens, cachedTokens, tokens];
  return counts.every(isCount) ? counts.reduce((a, b) => a + b) : 0;
}

const lettersIn = (texts) => texts.reduce((sum, text) => sum + text.length, 0);

/// Returns about how many tokens texts have that the server has not counted.
export function roughTokens(texts) { return Math.ceil(lettersIn(texts) / TOKEN_LETTERS); }

/// Returns how many turns an answer's request has left out.
export function turnsForgotten({leftOut}) { return isCount(leftOut) ? leftOut : 0; }

const resultsOf = ({calls}) => (calls ?? []).map(({result}) => result ?? '');

/// Returns the tokens of the context that the messages of a path take, about: those of the last answer that was counted, and
/// the results of its calls. 0 where no answer was.
export function tokensOfPath(path) {
  const last = path.findLast((message) => tokensUsed(message) > 0);
  return last ? tokensUsed(last) + roughTokens(resultsOf(last)) : 0;
}

function turnsOf(messages) {
  const turns = [[]];
  for (const message of messages) {
    if (message.role === 'user' && turns.at(-1).some(({role}) => role === 'user')) turns.push([]);
    turns.at(-1).push(message);
  }
  return turns;
}

function lettersOf(messages) {
  return lettersIn(messages.flatMap(
      ({content, calls}) => [content, ...(calls ?? []).flatMap((call) => [call.arguments, call.result ?? ''])]));
}

/// Returns the messages without the `n` oldest turns.
export function withoutTurns(messages, n) { return turnsOf(messages).slice(n).flat(); }

/// Returns how many turns to leave out instead of `leftOut`, with which a prompt has `tokens`: more by at least one, unless
/// only the last turn is left.
export function turnsToForget(messages, leftOut, {tokens, context}) {
  const letters = turnsOf(messages).map(lettersOf);
  const all = letters.slice(leftOut).reduce((sum, n) => sum + n, 0);
  let kept = all;
  let n = leftOut;
  while (n < letters.length - 1 && (n === leftOut || tokens * kept > all * context / KEPT_SHARE)) kept -= letters[n++];
  return n;
}

/// Returns how many turns a request leaves out at first: as many as the last answer's did, so that the server's cache has
/// the beginning of the prompt; more where no room for the answer would be left. `context`: tokens; 0 if it is not known.
export function turnsLeftOut(messages, context) {
  const at = messages.findLastIndex((message) => message.role === 'assistant' && tokensUsed(message) > 0);
  if (at < 0 || !context) return 0;
  const last = messages[at];
  const most = turnsOf(messages).length - 1;
  const leftOut = last.context === context ? Math.min(turnsForgotten(last), most) : 0;
  const tokens = tokensOfPath(messages) + lettersOf(messages.slice(at + 1)) / TOKEN_LETTERS;
  return tokens > context - context / ANSWER_SHARE ? turnsToForget(messages, leftOut, {tokens, context}) : leftOut;
}
