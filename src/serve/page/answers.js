// Answers that are being written: one per chat at most, each by a request that ends when it is stopped.
import {ApiError, streamChat} from './api.js';
import {chatRequest, SettingError} from './chat_request.js';
import {addMessage, pathOf, takeBack} from './chat_tree.js';
import {unlessAborted} from './mcp_client.js';
import {number} from './numbers.js';
import {PromptReading} from './prompt_reading.js';
import {turnsLeftOut, turnsToForget, withoutTurns} from './turns.js';

const SAVE_MS = 1000;

/// What a delta adds to a message.
export function addDelta(message, delta, now) {
  const thought = delta.reasoning_content ?? '';
  const said = delta.content ?? '';
  if (thought) {
    message.thinkingSince ??= now;
    message.reasoning = (message.reasoning ?? '') + thought;
  }
  if (said) message.content += said;
  for (const part of delta.tool_calls ?? []) addCall(message, part);
  if (message.thinkingSince && message.seconds === undefined && (said || delta.tool_calls?.length))
    endThinking(message, now);
}

function addCall(message, part) {
  message.calls ??= [];
  const index = part.index ?? message.calls.length;
  if (!Number.isInteger(index) || index < 0 || index > message.calls.length)
    throw new ApiError('The server sent a tool call out of order.');
  const call = message.calls[index] ??= {id: '', name: '', arguments: ''};
  if (part.id) call.id = part.id;
  call.name += part.function?.name ?? '';
  call.arguments += part.function?.arguments ?? '';
}

function endThinking(message, now) {
  message.seconds = Math.max(1, Math.round((now - message.thinkingSince) / 1000));
  delete message.thinkingSince;
}

function addTimings(message, timings) {
  if (timings.predicted_per_second > 0) message.speed = timings.predicted_per_second;
  Object.assign(message, {promptTokens: timings.prompt_n, cachedTokens: timings.cache_n, tokens: timings.predicted_n});
}

function isEmpty(message) { return !message.content && !message.reasoning && !message.calls?.length; }

function tooLongWords({tokens, context}) {
  return `The last message is too long: it takes ${number(tokens)} tokens with the system prompt and the tools, and the ` +
      `context has ${number(context)}.`;
}

function saidOf(error) {
  if (error instanceof ApiError || error instanceof SettingError) return error.message;
  console.error(error);
  return `The page failed: ${error.message}`;
}

export class Answers {
  #store;
  #settings;
  #servers;
  #running = new Map();  // {abort, saved, reading} by the chat's id

  /// `servers`: the ToolServers. `context()`: the tokens that a chat may have; 0 if that is not known. `onChange(chat)`: a
  /// message has grown; `onBegin(chat)`, `onEnd(chat)`.
  constructor(store, settings, servers, {context, onBegin, onChange, onEnd}) {
    this.#store = store;
    this.#settings = settings;
    this.#servers = servers;
    this.context = context;
    this.onBegin = onBegin;
    this.onChange = onChange;
    this.onEnd = onEnd;
  }

  isRunning(id) { return this.#running.has(id); }

  get count() { return this.#running.size; }

  /// Returns the PromptReading of an answer that has not begun; null: none.
  reading(id) { return this.#running.get(id)?.reading ?? null; }

  /// Answers a chat's last message, which is the user's or has results of tools.
  async answer(chat) {
    if (this.isRunning(chat.id)) return;
    const abort = new AbortController();
    const sent = pathOf(chat);
    const message = {role: 'assistant', content: ''};
    addMessage(chat, message);
    chat.error = null;
    chat.updated = Date.now();
    this.#running.set(chat.id, {abort, saved: 0, reading: null});
    this.onBegin(chat);
    try {
      const tools = await unlessAborted(this.#servers.offered(chat.settings), abort.signal);
      await this.#streamFitting(chat, sent, message, tools, abort.signal);
    } catch (error) {
      if (abort.signal.aborted) {
        message.finish = 'stopped';
      } else {
        chat.error = saidOf(error);
      }
    }
    if (this.#running.get(chat.id)?.abort !== abort) return;  // stopped by leave()
    this.#end(chat, message);
    this.onEnd(chat);
  }

  /// Leaves out turns until the context has room for the rest.
  async #streamFitting(chat, sent, message, tools, signal) {
    let context = this.context();
    let leftOut = turnsLeftOut(sent, context);
    for (;;) {
      if (leftOut > 0) Object.assign(message, {leftOut, context});
      try {
        return await this.#stream(chat, withoutTurns(sent, leftOut), message, tools, signal);
      } catch (error) {
        if (!error.tooLong) throw tools.explain(error);
        context = error.tooLong.context;
        const more = turnsToForget(sent, leftOut, error.tooLong);
        if (more === leftOut) throw new ApiError(tooLongWords(error.tooLong), error.status);
        leftOut = more;
      }
    }
  }

  async #stream(chat, sent, message, tools, signal) {
    const body = this.#settings.request(chat, (texts, model) => chatRequest(sent, texts, model, tools.definitions));
    this.#save(chat);
    for await (const {delta, finish, timings, progress} of streamChat(body, this.#settings.key, signal)) {
      if (delta) addDelta(message, delta, Date.now());
      if (finish) message.finish = finish;
      if (timings) addTimings(message, timings);
      this.#read(chat, progress, message);
      this.#save(chat);
      this.onChange(chat);
    }
    tools.mark(message.calls);
  }

  #read(chat, progress, message) {
    const run = this.#running.get(chat.id);
    if (!run) return;
    if (!isEmpty(message))
      run.reading = null;
    else if (progress)
      (run.reading ??= new PromptReading()).take(progress);
  }

  #save(chat) {
    const run = this.#running.get(chat.id);
    if (!run || Date.now() - run.saved < SAVE_MS) return;
    run.saved = Date.now();
    this.#store.save(chat);
  }

  #end(chat, message) {
    if (message.thinkingSince) endThinking(message, Date.now());
    if (chat.error && isEmpty(message)) takeBack(chat);
    this.#running.delete(chat.id);
    this.#store.save(chat);
  }

  stop(id) { this.#running.get(id)?.abort.abort(); }

  /// Stops one and what it would still do to its chat, at once.
  drop(id) {
    const run = this.#running.get(id);
    this.#running.delete(id);
    run?.abort.abort();
  }

  /// The page is about to go: what there is of each answer is kept.
  leave() {
    for (const id of [...this.#running.keys()]) {
      this.cut(id);
      this.onEnd(this.#store.chat(id));
    }
  }

  /// Stops one, if it runs, and keeps what there is of it at once.
  cut(id) {
    const run = this.#running.get(id);
    if (!run) return;
    const chat = this.#store.chat(id);
    const message = chat.messages.at(-1);
    message.finish = 'stopped';
    this.#end(chat, message);
    run.abort.abort();
  }
}
