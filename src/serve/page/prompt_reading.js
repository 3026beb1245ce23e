// How far the server has read a prompt, and how long the rest takes.
import {isCount} from './numbers.js';

const RECENT = 8;  // events: later tokens of a long prompt take longer, so that old ones tell little

export class PromptReading {
  #recent = [];  // {done, ms}, the oldest first
  total = 0;
  done = 0;
  cached = 0;
  before = null;  // requests that get a place before this one, while it waits for one

  /// Takes a `prompt_progress` of the stream. Ignores one that is none.
  take({total, cache, processed, time_ms: ms, queued_before: before = null}) {
    if (![total, cache, processed, ms, before ?? 0].every(isCount) || processed > total || cache > processed) return;
    Object.assign(this, {total, done: processed, cached: cache, before});
    if (before !== null) return;
    this.#recent.push({done: processed, ms});
    if (this.#recent.length > RECENT) this.#recent.shift();
  }

  /// Returns the seconds until the prompt is read, by the rate of the last events; null while that is not known.
  get secondsLeft() {
    const first = this.#recent[0];
    const last = this.#recent.at(-1);
    if (!first || last.done <= first.done || last.ms <= first.ms) return null;
    return (this.total - last.done) * (last.ms - first.ms) / (last.done - first.done) / 1000;
  }
}

/// Says a time in words: "2 min", "40 s". Longer ones are rounded more, so that they do not flicker.
export function roughTime(seconds) {
  if (seconds >= 90) return `${Math.round(seconds / 60)} min`;
  const step = seconds > 20 ? 5 : 1;
  return `${Math.max(1, step * Math.round(seconds / step))} s`;
}
