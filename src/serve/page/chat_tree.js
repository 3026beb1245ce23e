// Versions of messages: a chat is a tree, of which the page shows the path to one message.
//
// `chat.messages` has all messages in the order in which they were made. A message follows the one before it in the list, or
// the one at its index `parent`; -1: it begins the chat. A plain list is a chat with one path. `chat.leaf` is the index of
// the path's last message, if that is not the list's last. `message.leaf` is the same of the last path through a message
// that was left for one past it.

function parentAt(messages, i) { return messages[i].parent ?? i - 1; }

function leafOf({messages, leaf}) { return leaf ?? messages.length - 1; }

function setLeaf(chat, at) {
  if (at === chat.messages.length - 1)
    delete chat.leaf;
  else
    chat.leaf = at;
}

/// Returns the messages of the chosen path.
export function pathOf(chat) {
  const path = [];
  for (let i = leafOf(chat); i >= 0; i = parentAt(chat.messages, i)) path.push(chat.messages[i]);
  return path.reverse();
}

/// Adds a message to the end of the chosen path.
export function addMessage(chat, message) {
  const parent = leafOf(chat);
  if (parent !== chat.messages.length - 1) message.parent = parent;
  chat.messages.push(message);
  delete chat.leaf;
}

// Remembers the chosen path's end in those of its messages that the path to `at` lacks; -1: in all.
function remember(chat, at) {
  const {messages} = chat;
  const leaf = leafOf(chat);
  const kept = new Set();
  for (let i = at; i >= 0; i = parentAt(messages, i)) kept.add(i);
  for (let i = leaf; i >= 0 && !kept.has(i); i = parentAt(messages, i)) messages[i].leaf = leaf;
}

/// Ends the chosen path before a message of it: the next one that is added is another version of that message.
export function endBefore(chat, message) {
  const before = parentAt(chat.messages, chat.messages.indexOf(message));
  remember(chat, before);
  setLeaf(chat, before);
}

/// Takes back the list's last message. The path ends with another version of it, if there is one, else before it.
export function takeBack(chat) {
  const {messages} = chat;
  const parent = parentAt(messages, messages.length - 1);
  messages.pop();
  const other = messages.findLastIndex((_, i) => parentAt(messages, i) === parent);
  setLeaf(chat, other < 0 ? parent : other);
}

/// Returns the versions of each message by the message: those that follow the same one, the oldest first.
export function versionsOf({messages}) {
  const byParent = new Map();
  messages.forEach((message, i) => {
    const parent = parentAt(messages, i);
    if (!byParent.has(parent)) byParent.set(parent, []);
    byParent.get(parent).push(message);
  });
  return new Map([...byParent.values()].flatMap((versions) => versions.map((message) => [message, versions])));
}

function newestOf(messages, at) {
  let newest = at;
  const below = new Set([at]);
  for (let i = at + 1; i < messages.length; ++i) {
    if (!below.has(parentAt(messages, i))) continue;
    below.add(i);
    newest = i;
  }
  return newest;
}

// Tells whether the message at `leaf` came of the one at `at`, or is that one.
function cameOf(messages, leaf, at) {
  let i = Number.isInteger(leaf) && leaf < messages.length ? leaf : -1;
  while (i > at) i = parentAt(messages, i);
  return i === at;
}

/// Chooses the path through a message, up to the one that was seen last of those that came of it, or else the newest.
export function choosePath(chat, message) {
  const {messages} = chat;
  const at = messages.indexOf(message);
  remember(chat, at);
  setLeaf(chat, cameOf(messages, message.leaf, at) ? message.leaf : newestOf(messages, at));
}

/// Returns the fault in the shape of a tree; '' where there is none. A parent comes before its child, so that no path is a
/// circle.
export function treeFault({messages, leaf}) {
  const at =
      messages.findIndex(({parent}, i) => parent !== undefined && !(Number.isInteger(parent) && parent >= -1 && parent < i));
  if (at >= 0) return `message ${at + 1} follows none that is before it`;
  const good = leaf === undefined || (Number.isInteger(leaf) && leaf >= 0 && leaf < messages.length);
  return good ? '' : 'its chosen path ends with no message';
}
