// Versions of messages: a chat is a tree, of which the page shows the path to one message.
//
// `chat.messages` has all messages in the order in which they were made. A message follows the one before it in the list, or
// the one at its index `parent`; -1: it begins the chat. A plain list is a chat with one path. `chat.leaf` is the index of
// the path's last message, if that is not the list's last.

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

/// Ends the chosen path before a message of it: the next one that is added is another version of that message.
export function endBefore(chat, message) { setLeaf(chat, parentAt(chat.messages, chat.messages.indexOf(message))); }

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

/// Chooses the path through a message, up to the newest one that came of it.
export function choosePath(chat, message) {
  const {messages} = chat;
  let newest = messages.indexOf(message);
  const below = new Set([newest]);
  for (let i = newest + 1; i < messages.length; ++i) {
    if (!below.has(parentAt(messages, i))) continue;
    below.add(i);
    newest = i;
  }
  setLeaf(chat, newest);
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
