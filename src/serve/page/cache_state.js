// The server's cache as numbers, from what GET /props and GET /slots say.
import {isCount, number} from './numbers.js';

const count = (value) => isCount(value) ? value : 0;

/// {context, pageTokens, pageBytes, total, used, kept, free, diskPages, diskBytes} of /props; null where it has no "kv".
/// `context`: the tokens that a text may have.
export function cacheState(props) {
  const kv = props?.kv;
  if (!kv || !Number.isInteger(kv.pages_total)) return null;
  return {
    context: count(props.default_generation_settings?.n_ctx),
    pageTokens: count(kv.page_tokens),
    pageBytes: count(kv.page_bytes),
    total: count(kv.pages_total),
    used: count(kv.pages_active),
    kept: count(kv.pages_cached),
    free: count(kv.pages_free),
    diskPages: count(kv.disk_pages),
    diskBytes: count(kv.disk_bytes),
  };
}

const STATES = {
  prefill: 'reading',
  decode: 'writing',
  paused: 'paused'
};

/// Of the places at work: {id, state, pages, tokens, shared, read, made}: tokens that the cache had, that the prompt has
/// besides, that were generated.
export function runningSlots(slots) {
  if (!Array.isArray(slots)) return [];
  return slots.filter((slot) => slot?.is_processing).map((slot) => {
    const prompt = count(slot.n_prompt_tokens);
    const shared = Math.min(count(slot.n_prompt_tokens_cached), prompt);
    const made = count(slot.n_decoded);
    return {
      id: slot.id,
      state: STATES[slot.state] ?? 'running',
      pages: count(slot.pages),
      tokens: prompt + made,
      shared,
      read: prompt - shared,
      made
    };
  });
}

/// "12 MiB"; below one, "0.4 MiB".
export function mebibytes(bytes) {
  const mib = bytes / 2 ** 20;
  return `${number(mib < 10 ? Math.round(10 * mib) / 10 : Math.round(mib))} MiB`;
}

/// Pages in words: "8,192 tokens, 96 MiB"; an older server does not tell the bytes.
export function amount(pages, {pageTokens, pageBytes}) {
  const tokens = `${number(pages * pageTokens)} tokens`;
  return pageBytes ? `${tokens}, ${mebibytes(pages * pageBytes)}` : tokens;
}
