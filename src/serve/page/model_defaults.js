// The values that count where a setting is empty, and where they come from: GET /props has the values, POST /api/show those
// of them that the model's file says.
import {ApiError, postJson} from './api.js';
import {isCount} from './numbers.js';

// The names in the file's description.
const NAMES_IN_FILE = {
  temperature: 'temp',
  top_k: 'top_k',
  top_p: 'top_p',
  min_p: 'min_p'
};
const RANDOM_SEED = 2 ** 64;  // nearest to the 2^64 - 1 of the server
const DIGITS = 6;             // of a float; more are noise

function textOfNumber(value) {
  if (!Number.isFinite(value)) return null;
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS)));
}

function numbersInFile(described) {
  const pairs = typeof described === 'string' ? described.split(', ').map((pair) => pair.split(' ')) : [];
  return new Map(pairs.map(([name, value]) => [name, textOfNumber(Number(value))]));
}

function seedText(seed) {
  if (seed === RANDOM_SEED) return 'random';
  return Number.isSafeInteger(seed) ? String(seed) : null;  // a double has lost the digits of others
}

function limitText(limit) { return limit === -1 ? 'no limit' : isCount(limit) ? String(limit) : null; }

/// Returns {value, source} by the names of settings. `props`: of the server. `described`: "temp 0.6, top_k 20".
export function defaultsOf(props, described) {
  const params = props?.chat_generation_settings?.params ?? {};
  const inFile = numbersInFile(described);
  const defaults = {};
  for (const [name, nameInFile] of Object.entries(NAMES_IN_FILE)) {
    const value = textOfNumber(params[name]);
    if (value === null) continue;
    defaults[name] = {value, source: inFile.get(nameInFile) === value ? 'the model’s file' : 'the server'};
  }
  const others = {
    seed: seedText(params.seed),
    max_tokens: limitText(params.max_tokens),
    reasoning_budget: limitText(params.reasoning_budget)
  };
  for (const [name, value] of Object.entries(others))
    if (value !== null) defaults[name] = {value, source: 'the server'};
  return defaults;
}

export class ModelDefaults {
  #model = null;
  #described = '';
  #told = '{}';

  /// `onChange(defaults)`: others are known.
  constructor(onChange) { this.onChange = onChange; }

  /// What the server says of a model, or null; the model's id, or null where it is not known.
  async take(props, model, key) {
    if (model !== this.#model) {
      this.#model = model;
      this.#described = '';
      if (model !== null) await this.#ask(model, key);
    }
    const defaults = props ? defaultsOf(props, this.#described) : {};
    const told = JSON.stringify([model, defaults]);
    if (model !== this.#model || told === this.#told) return;
    this.#told = told;
    this.onChange(defaults);
  }

  async #ask(model, key) {
    try {
      const described = (await postJson('api/show', {model}, key))?.parameters;
      if (model === this.#model) this.#described = described;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;  // the file's values then count as the server's
    }
  }
}
