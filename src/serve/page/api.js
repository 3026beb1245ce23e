// The server: its answers as values, its errors as ApiError with a text for people.
import {readEvents} from './sse.js';

export class ApiError extends Error {
  /// `status`: HTTP's; 0 where no answer came. `tooLong`: {tokens, context} of a prompt that the context has no room for.
  /// `code`: the server's word for it; `param`: the path of the field that is wrong.
  constructor(message, status = 0, {tooLong = null, code = '', param = ''} = {}) {
    super(message);
    Object.assign(this, {status, tooLong, code, param});
  }
}

const UNREACHABLE = 'The server cannot be reached. Is it still running?';
const BROKEN_OFF = 'The connection ended before the answer did.';

function headersWith(key) {
  if (!key) return {};
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new ApiError('The API key in the settings has a letter or a space that no key can have.');
  return {Authorization: `Bearer ${key}`};
}

async function request(path, options) {
  try {
    return await fetch(path, {cache: 'no-store', ...options});
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError(UNREACHABLE);
  }
}

function tooLongOf({code, n_prompt_tokens: tokens, n_ctx: context}) {
  const counted = [tokens, context].every((count) => Number.isSafeInteger(count) && count > 0);
  return code === 'context_length_exceeded' && counted ? {tokens, context} : null;
}

/// Of an answer that is no success: {"error": {"message"}} or what else it says.
async function errorOf(response) {
  const text = await response.text().catch(() => '');
  let error = {};
  try {
    error = JSON.parse(text).error ?? {};
  } catch {
    // no JSON: a proxy's page
  }
  const said = error.message ?? '';
  const sentences = [said ? said.replace(/[^.!?]$/, '$&.') : `The server answered with status ${response.status}.`];
  if (response.status === 401) sentences.push('The API key is entered in the settings.');
  const wait = Number(response.headers.get('Retry-After'));
  if ((response.status === 429 || response.status === 503) && wait > 0) sentences.push(`Try again in ${wait} s.`);
  const {code, param} = error;
  return new ApiError(
      sentences.join(' '), response.status, {tooLong: tooLongOf(error), code: code ?? '', param: param ?? ''});
}

async function requestJson(path, options) {
  const response = await request(path, options);
  if (!response.ok) throw await errorOf(response);
  try {
    return await response.json();
  } catch {
    throw new ApiError(`The server sent no JSON for ${path}.`, response.status);
  }
}

/// JSON of a GET. Throws ApiError.
export async function getJson(path, key) { return requestJson(path, {headers: headersWith(key)}); }

/// JSON of a POST of `value`. Throws ApiError.
export async function postJson(path, value, key) {
  const headers = {'Content-Type': 'application/json', ...headersWith(key)};
  return requestJson(path, {method: 'POST', headers, body: JSON.stringify(value)});
}

/// Returns a text's tokens for a model, which is null where the server has one. Throws ApiError.
export async function countTokens(text, model, key) {
  const answer = await postJson('tokenize', {content: text, parse_special: false, ...(model && {model})}, key);
  if (!Array.isArray(answer?.tokens)) throw new ApiError('The server sent no tokens.');
  return answer.tokens.length;
}

/// Returns the text of a PDF's bytes. Throws ApiError, and AbortError once `signal` says so.
export async function pdfText(bytes, key, signal) {
  const answer = await requestJson('pdf-text', {method: 'POST', headers: headersWith(key), body: bytes, signal});
  if (typeof answer?.text !== 'string') throw new ApiError('The server sent no text.');
  return answer.text;
}

/// Returns the names of the MCP servers that the operator lists. Throws ApiError.
export async function mcpServers(key) {
  const {servers} = await getJson('mcp', key);
  if (!Array.isArray(servers)) throw new ApiError('The server sent no list of MCP servers.');
  return servers.map(({name}) => String(name));
}

/// Sends a message, a JSON text, to such a server. Returns the Response. Throws ApiError, and AbortError once `signal` says
/// so.
export async function sendToMcp(name, json, {headers, key, signal}) {
  const all = {'Content-Type': 'application/json', ...headers, ...headersWith(key)};
  const response = await request(`mcp/${encodeURIComponent(name)}`, {method: 'POST', headers: all, body: json, signal});
  if (!response.ok) throw await errorOf(response);
  return response;
}

/// Ends a session with such a server, which may refuse that.
export function endMcpSession(name, headers, key) {
  const options = {method: 'DELETE', headers: {...headers, ...headersWith(key)}, keepalive: true};
  request(`mcp/${encodeURIComponent(name)}`, options).catch(() => {});
}

/// The deltas of a chat: `body` is the request's JSON text. Yields {delta, finish, timings, progress}, each maybe
/// null. Throws ApiError, and AbortError once `signal` says so.
export async function* streamChat(body, key, signal) {
  const response = await request('v1/chat/completions', {
    method: 'POST',
    headers: {'Content-Type': 'application/json', ...headersWith(key)},
    body,
    signal,
  });
  if (!response.ok) throw await errorOf(response);
  let finished = false;
  try {
    for await (const {data} of readEvents(response.body)) {
      if (data === '[DONE]') return;
      const chunk = JSON.parse(data);
      if (chunk.error) throw new ApiError(chunk.error.message ?? 'The server failed.', response.status);
      const choice = chunk.choices?.[0];
      finished ||= Boolean(choice?.finish_reason);
      if (!choice && !chunk.timings) continue;
      yield {
        delta: choice?.delta ?? null,
        finish: choice?.finish_reason ?? null,
        timings: chunk.timings ?? null,
        progress: chunk.prompt_progress ?? null
      };
    }
  } catch (error) {
    if (error instanceof ApiError || signal.aborted) throw error;
    throw new ApiError(error instanceof SyntaxError ? 'The server sent an event that is no JSON.' : BROKEN_OFF);
  }
  if (!finished) throw new ApiError(BROKEN_OFF);
}
