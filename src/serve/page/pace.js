// When the server is asked again: often while something changes, ever more seldom while nothing does, and then no more.

const SHORTEST_MS = 500;
const WATCHED_MS = 4000;
const LONGEST_MS = 30000;

export class Pace {
  #wait = 0;

  /// Begins anew: something has happened that the server may tell of.
  restart() { this.#wait = 0; }

  /// Returns the milliseconds to wait after an answer; Infinity: until a restart. `changed`: it told something new, or soon
  /// will. `watched`: the user looks at it.
  afterAnswer({changed, watched}) {
    this.#wait = changed ? SHORTEST_MS : Math.max(SHORTEST_MS, 2 * this.#wait);
    if (watched) this.#wait = Math.min(this.#wait, WATCHED_MS);
    return this.#wait > LONGEST_MS ? Infinity : this.#wait;
  }

  /// Returns the same after an error. A model that is loaded is waited for, and so is a server that may come back.
  afterError(status) {
    if (status === 401) return Infinity;  // until another key
    this.#wait = status === 503 ? WATCHED_MS : Math.min(Math.max(WATCHED_MS, 2 * this.#wait), LONGEST_MS);
    return this.#wait;
  }
}
