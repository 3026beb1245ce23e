// Server-sent events, read from the bytes of an answer (https://html.spec.whatwg.org/multipage/server-sent-events.html).

const MAX_EVENT = 16 << 20;  // characters; a server that sends more in one event is broken

/// Takes text in pieces, cut anywhere, and gives the events that each piece completes.
export class SseReader {
  #rest = '';  // of the line that is not complete
  #data = [];  // lines of the event that is not complete
  #size = 0;   // of #data
  #event = '';
  #afterCr = false;

  /// [{event, data}]. Throws Error where an event is too large.
  push(text) {
    if (this.#afterCr && text) {  // the second half of a CR LF
      this.#afterCr = false;
      if (text.startsWith('\n')) text = text.slice(1);
    }
    const lines = (this.#rest + text).split(/\r\n|\n|\r/);
    this.#rest = lines.pop();
    if (text.endsWith('\r')) this.#afterCr = true;
    const events = [];
    for (const line of lines) this.#line(line, events);
    if (this.#rest.length + this.#size > MAX_EVENT) throw new Error('The server sent an event without an end.');
    return events;
  }

  #line(line, events) {
    if (line === '') {
      if (this.#data.length) events.push({event: this.#event || 'message', data: this.#data.join('\n')});
      this.#data = [];
      this.#size = 0;
      this.#event = '';
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;  // a comment: the server's ping
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1));
    if (field === 'data') {
      this.#data.push(value);
      this.#size += value.length;
    } else if (field === 'event') {
      this.#event = value;
    }
  }
}

/// The events of a body (ReadableStream of bytes), as they come. What follows the last empty line is no event.
export async function* readEvents(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const sse = new SseReader();
  try {
    for (;;) {
      const {done, value} = await reader.read();
      if (done) return;
      yield* sse.push(decoder.decode(value, {stream: true}));
    }
  } finally {
    reader.cancel().catch(() => {});  // a reader that stops early ends the request
  }
}
