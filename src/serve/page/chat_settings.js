// The settings of a chat, as texts by their names: `chat.settings`. What is empty is left out.
import {PARAMETERS} from './chat_request.js';

/// `mcp`: which tools of servers there are (tool_servers.js).
export const SETTING_NAMES = [...PARAMETERS.map(({name}) => name), 'mcp'];

/// Returns the settings of a value that may be anything.
export function settingsOf(value) {
  const texts = SETTING_NAMES.map((name) => [name, value?.[name]]);
  return Object.fromEntries(texts.filter(([, text]) => typeof text === 'string' && text !== ''));
}

/// Returns the settings of a text of JSON, or null; none where it is wrong.
export function readSettings(json) {
  try {
    return settingsOf(JSON.parse(json));
  } catch {
    return {};
  }
}

export function sameSettings(one, other) { return SETTING_NAMES.every((name) => (one[name] ?? '') === (other[name] ?? '')); }

/// Returns the presets, settings by their names, of a text of JSON: [[name, settings], ...].
export function readPresets(json) {
  let entries = [];
  try {
    entries = JSON.parse(json);
  } catch {
    return new Map();
  }
  if (!Array.isArray(entries)) return new Map();
  const good = entries.filter((entry) => Array.isArray(entry) && typeof entry[0] === 'string' && entry[0] !== '');
  return new Map(good.map(([name, settings]) => [name, settingsOf(settings)]));
}
