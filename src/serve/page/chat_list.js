// The list of chats at the side.
import {byId, element, iconButton} from './elements.js';

const DAY_MS = 24 * 60 * 60 * 1000;

function dayOf(time) {
  const midnight = new Date().setHours(0, 0, 0, 0);
  if (time >= midnight) return 'Today';
  if (time >= midnight - DAY_MS) return 'Yesterday';
  if (time >= midnight - 7 * DAY_MS) return 'Last seven days';
  return new Date(time).toLocaleDateString(undefined, {month: 'long', year: 'numeric'});
}

export class ChatList {
  #host = byId('chat-list');
  #handlers;
  #renaming = null;  // a chat's id

  /// `handlers`: open(id), remove(id), rename(id, title).
  constructor(handlers) { this.#handlers = handlers; }

  /// `running(id)`: whether an answer of it is being written.
  show(chats, currentId, running) {
    if (this.#renaming !== null) return;  // or the box would be gone; it is shown again once it is closed
    const focused = this.#focused();
    const days = new Map();  // the items of each, in order
    for (const chat of chats) {
      const day = dayOf(chat.updated);
      if (!days.has(day)) days.set(day, []);
      days.get(day).push(this.#item(chat, chat.id === currentId, running(chat.id)));
    }
    this.#host.replaceChildren(...[...days].flatMap(
        ([day, items]) => [element('h2', {class: 'chat-day'}, day), element('ul', {'aria-label': day}, items)]));
    if (!focused) return;
    const same = this.#host.querySelector(`[data-chat="${focused.chat}"] .${focused.control}`);
    (same ?? this.#host.querySelector('.chat-title'))?.focus();
  }

  #item(chat, current, running) {
    const {open, remove} = this.#handlers;
    const title = element(
        'button', {type: 'button', class: 'chat-title', title: chat.title, 'aria-current': current ? 'page' : null},
        chat.title);
    const within = (act) => (event) => {
      event.stopPropagation();
      act();
    };
    const tools = element(
        'span', {class: 'chat-tools'},
        iconButton(
            'edit', `Rename “${chat.title}”`, within(() => this.#rename(chat, item)),
            {class: 'icon small rename-chat', title: 'Rename'}),
        iconButton(
            'delete', `Delete “${chat.title}”`, within(() => remove(chat.id)),
            {class: 'icon small delete-chat', title: 'Delete', 'data-testid': 'delete-chat'}));
    const state = `${current ? ' current' : ''}${running ? ' running' : ''}`;
    const item = element(
        'li', {class: `chat-item${state}`, 'data-testid': 'chat-item', 'data-chat': chat.id, onclick: () => open(chat.id)},
        title, tools);
    return item;
  }

  #rename(chat, item) {
    const box = element('input', {
      class: 'chat-rename',
      'aria-label': 'Title of the chat',
      maxlength: '200',
      onclick: (event) => event.stopPropagation()
    });
    box.value = chat.title;
    this.#renaming = chat.id;
    const close = (keep) => {
      if (this.#renaming === null) return;
      this.#renaming = null;
      this.#handlers.rename(chat.id, keep && box.value.trim() ? box.value.trim() : chat.title);
      this.#host.querySelector(`[data-chat="${chat.id}"] .chat-title`)?.focus();
    };
    box.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.isComposing) return;
      if (event.key === 'Enter') close(true);
      if (event.key === 'Escape') close(false);
    });
    box.addEventListener('blur', () => close(true));
    item.replaceChildren(box);
    box.focus();
    box.select();
  }

  /// Which control of which chat has the focus, which a list that is made again must not lose.
  #focused() {
    const chat = document.activeElement?.closest('.chat-item')?.dataset.chat;
    const control =
        ['chat-title', 'rename-chat', 'delete-chat'].find((name) => document.activeElement.classList.contains(name));
    return chat && control ? {chat, control} : null;
  }
}
