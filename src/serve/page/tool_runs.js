// Calls of tools that run: each only after the user's word.
import {ApiError} from './api.js';
import {argumentsOf, isOpen, roundsOf} from './calls.js';
import {pathOf} from './chat_tree.js';
import {RpcError} from './mcp_client.js';
import {readResult} from './mcp_tools.js';

/// Rounds of calls for one message of the user in which “always” counts.
export const MOST_ROUNDS = 25;

const DECLINED = 'The user declined this call.';

const allowedName = ({server, tool}) => JSON.stringify([server, tool]);

/// Tells whether the user has said that a call's tool runs always in its chat.
export function isAllowed(chat, call) {
  return Array.isArray(chat.always) && chat.always.includes(allowedName(call)) && roundsOf(pathOf(chat)) <= MOST_ROUNDS;
}

export class ToolRuns {
  #servers;
  #runs = new Map();          // of a chat's id: a Map of calls to {abort, progress}
  #troubles = new WeakMap();  // of calls: why they have no result

  /// `context()`: the tokens that a chat may have; 0 if that is not known. `onProgress(chat)`; `onChange(chat)`: a call has
  /// begun, ended, or was declined.
  constructor(servers, {context, onProgress, onChange}) {
    this.#servers = servers;
    this.context = context;
    this.onProgress = onProgress;
    this.onChange = onChange;
  }

  /// Returns what a ToolCallsView needs. `chat()`: the one that is shown.
  handlers(chat) {
    return {
      runTool: (call) => this.run(chat(), call),
      declineTool: (call) => this.decline(chat(), call),
      alwaysRunTool: (call) => this.allow(chat(), call),
      toolState: (call) => this.stateOf(call),
      path: () => pathOf(chat()),
    };
  }

  isRunning(id) { return this.#runs.has(id); }

  /// Returns {running, progress, trouble} of a call.
  stateOf(call) {
    const run = [...this.#runs.values()].map((calls) => calls.get(call)).find(Boolean);
    return {running: Boolean(run), progress: run?.progress ?? '', trouble: this.#troubles.get(call) ?? ''};
  }

  /// Runs the calls of an answer that the user has allowed for its chat.
  runAllowed(chat, message) {
    for (const call of message.calls ?? [])
      if (isOpen(call) && isAllowed(chat, call)) this.run(chat, call);
  }

  /// Runs the call and from now on all of its tool in this chat without a question.
  allow(chat, call) {
    const allowed = new Set(Array.isArray(chat.always) ? chat.always : []);
    chat.always = [...allowed.add(allowedName(call))];
    this.runAllowed(chat, pathOf(chat).at(-1));
  }

  /// Gives the call its result, unless it is stopped or the server cannot be reached.
  async run(chat, call) {
    if (!isOpen(call) || this.stateOf(call).running) return;
    const run = {abort: new AbortController(), progress: ''};
    this.#begin(chat, call, run);
    try {
      const {text, failed} = await this.#call(chat, call, run);
      Object.assign(call, {result: text, ...(failed && {failed})});
    } catch (error) {
      this.#troubles.set(call, run.abort.signal.aborted ? 'The call was stopped.' : this.#saidOf(error));
    }
    if (this.#runs.get(chat.id)?.get(call) !== run) return;  // dropped
    this.#end(chat, call);
  }

  decline(chat, call) {
    if (!isOpen(call) || this.stateOf(call).running) return;
    Object.assign(call, {result: DECLINED, declined: true});
    this.onChange(chat);
  }

  /// Stops the calls of a chat; the server is told.
  stop(id) {
    for (const {abort} of this.#runs.get(id)?.values() ?? []) abort.abort();
  }

  /// Stops them, and lets their chat be.
  drop(id) {
    this.stop(id);
    this.#runs.delete(id);
  }

  #begin(chat, call, run) {
    this.#troubles.delete(call);
    if (!this.#runs.has(chat.id)) this.#runs.set(chat.id, new Map());
    this.#runs.get(chat.id).set(call, run);
    this.onChange(chat);
  }

  #end(chat, call) {
    const calls = this.#runs.get(chat.id);
    calls.delete(call);
    if (!calls.size) this.#runs.delete(chat.id);
    this.onChange(chat);
  }

  async #call(chat, {server, tool, ...call}, run) {
    const onProgress = (text) => {
      run.progress = text;
      this.onProgress(chat);
    };
    const options = {signal: run.abort.signal, onProgress};
    try {
      return readResult(await this.#servers.client(server).call(tool, argumentsOf(call), options), this.context());
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return {text: `The server refused the call: ${error.message}`, failed: true};  // the model may do better
    }
  }

  #saidOf(error) {
    if (error instanceof ApiError) return error.message;
    console.error(error);
    return `The page failed: ${error.message}`;
  }
}
