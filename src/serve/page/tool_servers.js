// The MCP servers that the operator lists, and which of their tools a chat has: its setting `mcp`, JSON of
// {"SERVER": ["TOOL that is off", ...]} for the servers that are on.
import {ApiError, mcpServers} from './api.js';
import {isObject, isText} from './kinds.js';
import {McpClient} from './mcp_client.js';
import {definitionOf, namesFor} from './mcp_tools.js';

/// Returns the tools that are off by the servers that are on, of a setting that may be anything.
export function readChoice(text) {
  try {
    const value = JSON.parse(text);
    return new Map(
        Object.entries(isObject(value) ? value : {}).filter(([, off]) => Array.isArray(off) && off.every(isText)));
  } catch {
    return new Map();
  }
}

/// Returns the setting's text; '' where no server is on.
export function writeChoice(choice) { return choice.size ? JSON.stringify(Object.fromEntries(choice)) : ''; }

function namesIn(tools) {
  try {
    return JSON.parse(tools).map((tool) => tool?.function?.name);
  } catch {
    return [];  // none, or a fault that the request tells
  }
}

/// The tools of one request.
export class OfferedTools {
  #tools;
  #names;
  #before;  // tools in the request

  /// `tools`: [{server, tool}], each `tool` of a ToolList; `typed`: the setting with other tools.
  constructor(tools, typed = '') {
    this.#tools = tools;
    const others = namesIn(typed);
    this.#before = others.length;
    this.#names = namesFor(tools.map(({server, tool}) => ({server, tool: tool.name})), new Set(others));
  }

  /// Returns the JSON of each.
  get definitions() { return this.#tools.map(({tool}, i) => definitionOf(this.#names[i], tool)); }

  /// Writes into calls which servers they are for.
  mark(calls) {
    for (const call of calls ?? []) {
      const at = this.#names.indexOf(call.name);
      if (at >= 0) Object.assign(call, {server: this.#tools[at].server, tool: this.#tools[at].tool.name});
    }
  }

  /// Returns an error with the tool that it is about, if that is one of these.
  explain(error) {
    const found = /^tools\[(\d+)\]/.exec(error.param ?? '');
    const about = found ? this.#tools[found[1] - this.#before] : undefined;
    if (!about) return error;
    return new ApiError(
        `The model cannot have the tool “${about.tool.name}” of the server “${
            about.server}”: it can be switched off in the ` +
            `settings. ${error.message}`,
        error.status);
  }
}

export class ToolServers {
  #key;
  #clients = new Map();
  #lists = new Map();  // promises
  names = [];

  /// `key()`: of the server that gave the page.
  constructor(key) { this.#key = key; }

  /// Asks which servers there are. Throws ApiError.
  async load() {
    try {
      this.names = await mcpServers(this.#key());
    } catch (error) {
      if (error.status !== 404) throw error;
      this.names = [];  // an older server
    }
  }

  client(name) {
    if (!this.#clients.has(name)) this.#clients.set(name, new McpClient(name, this.#key));
    return this.#clients.get(name);
  }

  /// Returns the promise of a server's ToolList. One that failed is asked again the next time.
  list(name) {
    if (!this.#lists.has(name)) {
      const list = this.client(name).tools();
      this.#lists.set(name, list);
      list.catch(() => this.#lists.delete(name));
    }
    return this.#lists.get(name);
  }

  /// Asks for the tools anew the next time.
  forget(name) { this.#lists.delete(name); }

  /// Returns the OfferedTools for a chat with these settings. Throws ApiError, which names the server.
  async offered(settings) {
    const choice = readChoice(settings?.mcp ?? '');
    const lists = await Promise.all([...choice].map(async ([server, off]) => {
      const {tools} = await this.#named(server);
      return tools.filter(({name}) => !off.includes(name)).map((tool) => ({server, tool}));
    }));
    return new OfferedTools(lists.flat(), settings?.tools);
  }

  async #named(server) {
    try {
      return await this.list(server);
    } catch (error) {
      throw new ApiError(
          `The tools of the server “${server}” are on and cannot be had: ${error.message} They can be switched off in the ` +
          'settings.');
    }
  }

  /// The page is about to go.
  close() {
    for (const client of this.#clients.values()) client.close();
  }
}
