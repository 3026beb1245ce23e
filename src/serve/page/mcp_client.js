// A client of the Model Context Protocol over streamable HTTP, for one server of the operator's list.
import {ApiError, endMcpSession, sendToMcp} from './api.js';
import {isObject} from './kinds.js';
import {ToolList} from './mcp_tools.js';
import {readEvents} from './sse.js';

const VERSIONS = ['2025-06-18', '2025-03-26'];  // the first is offered
const LIST_MS = 30_000;                         // for a session and a list; a call may take as long as the server lets it
const MOST_PAGES = 50;                          // of a list
const MOST_ASKED = 100;                         // requests of the server within one answer
const METHOD_NOT_FOUND = -32601;
const EXPIRED = 'mcp_session';

/// An error that the server gives as the answer to a request.
export class RpcError extends Error {}

/// The messages of an answer, which is JSON or a stream of events.
async function* messagesOf(response) {
  if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
    yield* [await response.json()].flat();
    return;
  }
  for await (const {data} of readEvents(response.body))
    if (data) yield* [JSON.parse(data)].flat();
}

/// Returns the result of the answer to a request. Throws RpcError.
function resultOf({result, error}) {
  if (isObject(result)) return result;
  const {message, code} = isObject(error) ? error : {};
  throw new RpcError(typeof message === 'string' && message ? `${message} (code ${code})` : 'The answer has no result.');
}

/// Returns what a promise gives, unless `signal` says so before.
export async function unlessAborted(promise, signal) {
  let stop;
  const aborted = new Promise((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

export class McpClient {
  #name;
  #key;
  #session = '';
  #version = '';
  #connected = null;  // a promise
  #lastId = 0;

  /// `key()`: of the server that gave the page.
  constructor(name, key) {
    this.#name = name;
    this.#key = key;
  }

  /// Returns the ToolList of all its pages. Throws ApiError and RpcError.
  async tools() {
    const found = new ToolList();
    let cursor;
    for (let page = 0; page < MOST_PAGES; ++page) {
      const params = JSON.stringify(cursor === undefined ? {} : {cursor});
      const {tools, nextCursor} = await this.#withinTime((signal) => this.#request('tools/list', params, {signal}));
      if (Array.isArray(tools)) found.add(tools);
      if (typeof nextCursor !== 'string' || nextCursor === cursor) break;
      cursor = nextCursor;
    }
    return found;
  }

  /// Calls a tool with arguments, a JSON text of an object. Returns the result as it comes. `onProgress(text)`. Throws
  /// ApiError and RpcError, and AbortError once `signal` says so: the server is told.
  async call(tool, given, {signal, onProgress}) {
    const token = `${this.#lastId + 1}`;
    const params = `{"name":${JSON.stringify(tool)},"arguments":${given},"_meta":{"progressToken":"${token}"}}`;
    const take = ({progressToken, progress, total, message}) => {
      if (progressToken !== token) return;
      const done = [progress, total].filter(Number.isFinite).join(' of ');
      onProgress([done, typeof message === 'string' ? message : ''].filter(Boolean).join(': '));
    };
    return this.#request('tools/call', params, {signal, onProgress: take, isCancelled: true});
  }

  /// Ends the session, if there is one; the page may be about to go.
  close() {
    if (this.#session) endMcpSession(this.#name, this.#headers, this.#key());
    this.#forget();
  }

  get #headers() {
    return {
      ...(this.#version && {'MCP-Protocol-Version': this.#version}),
      ...(this.#session && {'Mcp-Session-Id': this.#session}),
    };
  }

  #forget() {
    this.#session = '';
    this.#version = '';
    this.#connected = null;
  }

  async #request(method, params, options) {
    for (let again = true;; again = false) {
      await unlessAborted(this.#connect(), options.signal);
      try {
        return await this.#ask(method, params, options);
      } catch (error) {
        if (error.code !== EXPIRED || !again) throw error;
        this.#forget();
      }
    }
  }

  #connect() {
    this.#connected ??= this.#begin().catch((error) => {
      this.#forget();
      throw error;
    });
    return this.#connected;
  }

  async #begin() {
    const params = {protocolVersion: VERSIONS[0], capabilities: {}, clientInfo: {name: 'skald', version: '1'}};
    const {protocolVersion} = await this.#withinTime((signal) => this.#ask('initialize', JSON.stringify(params), {signal}));
    if (!VERSIONS.includes(protocolVersion))
      throw new ApiError(`It speaks version “${String(protocolVersion).slice(0, 20)}” of the protocol; this page speaks ${
          VERSIONS.join(' and ')}.`);
    this.#version = protocolVersion;
    await this.#withinTime((signal) => this.#tell('{"jsonrpc":"2.0","method":"notifications/initialized"}', signal));
  }

  async #withinTime(act) {
    const signal = AbortSignal.timeout(LIST_MS);
    try {
      return await act(signal);
    } catch (error) {
      if (signal.aborted) throw new ApiError(`It did not answer within ${LIST_MS / 1000} s.`);
      throw error;
    }
  }

  #send(json, signal) { return sendToMcp(this.#name, json, {headers: this.#headers, key: this.#key(), signal}); }

  /// For a message that has no answer.
  async #tell(json, signal) {
    const response = await this.#send(json, signal);
    await response.body?.cancel();
  }

  async #ask(method, params, {signal, onProgress = () => {}, isCancelled = false}) {
    const id = ++this.#lastId;
    const cancel = () => this.#cancel(id);
    if (isCancelled) signal.addEventListener('abort', cancel);
    try {
      const json = `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
      const response = await this.#send(json, signal);
      if (method === 'initialize') this.#session = response.headers.get('Mcp-Session-Id') ?? '';
      return await this.#answerTo(id, response, onProgress);
    } catch (error) {
      if (error instanceof ApiError || error instanceof RpcError || signal.aborted) throw error;
      throw new ApiError(
          error instanceof SyntaxError ? 'It sent no JSON.' : 'The connection to it ended before its answer did.');
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  async #answerTo(id, response, onProgress) {
    let asked = 0;
    for await (const message of messagesOf(response)) {
      if (!isObject(message)) continue;
      const {id: itsId, method, error} = message;
      if (typeof method === 'string' && itsId !== undefined && ++asked > MOST_ASKED)
        throw new ApiError('It asks this page too much.');
      if (typeof method === 'string')
        this.#take(message, onProgress);
      else if (itsId === id)
        return resultOf(message);
      else if (message.jsonrpc === undefined && isObject(error))
        throw new ApiError(String(error.message));  // of the server between, within the stream
    }
    throw new ApiError('Its answer ended without a result.');
  }

  /// A request or a notification of the server.
  #take({id, method, params}, onProgress) {
    if (id === undefined || id === null) {
      if (method === 'notifications/progress' && isObject(params)) onProgress(params);
      return;
    }
    const answer = method === 'ping' ? {result: {}} : {error: {code: METHOD_NOT_FOUND, message: 'Method not found'}};
    this.#tellIfPossible(JSON.stringify({jsonrpc: '2.0', id, ...answer}));
  }

  #cancel(id) {
    const params = {requestId: id, reason: 'The user stopped it.'};
    this.#tellIfPossible(JSON.stringify({jsonrpc: '2.0', method: 'notifications/cancelled', params}));
  }

  /// A server that does not hear it notices by itself.
  #tellIfPossible(json) { this.#tell(json).catch(() => {}); }
}
