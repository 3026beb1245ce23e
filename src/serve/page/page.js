// The page as a whole: which chat is shown, and what is done to it.
import {Answers} from './answers.js';
import {ApiError, countTokens, pdfText} from './api.js';
import {messageWith, subjectOf, withText} from './attached.js';
import {CacheView} from './cache_view.js';
import {areAnswered, isOpen} from './calls.js';
import {ChatList} from './chat_list.js';
import {ChatSearch} from './chat_search.js';
import {ChatTransfer} from './chat_transfer.js';
import {addMessage, choosePath, endBefore, pathOf} from './chat_tree.js';
import {Composer} from './composer.js';
import {showContext} from './context_gauge.js';
import {announce, byId, isFocusLost, toast} from './elements.js';
import {readFile} from './files.js';
import {MessageList} from './messages.js';
import {ModelDefaults} from './model_defaults.js';
import {Models} from './models.js';
import {Scrolling} from './scrolling.js';
import {Settings} from './settings.js';
import {Sidebar} from './sidebar.js';
import {titleOf} from './store.js';
import {ToolRuns} from './tool_runs.js';
import {ToolServers} from './tool_servers.js';

export class Page {
  #store;
  #chat = null;   // that is shown; null: a new one
  #drawn = true;  // whether the last message's growth is on the screen

  constructor(store, tab) {
    this.#store = store;
    this.tab = tab;
    this.sidebar = new Sidebar(store);
    this.scrolling = new Scrolling();
    this.models = new Models(store, {onLoad: () => this.#showWelcome(''), onChoose: () => this.#chose()});
    this.servers = new ToolServers(() => this.settings.key);
    this.settings = new Settings(store, this.servers, {onKey: () => this.reach(), model: () => this.models.chosen});
    this.defaults = new ModelDefaults((defaults) => this.settings.showDefaults(defaults));
    this.answers = new Answers(store, this.settings, this.servers, {
      context: () => this.cache.context,
      onBegin: (chat) => this.#began(chat),
      onChange: (chat) => this.#grew(chat),
      onEnd: (chat) => this.#ended(chat),
    });
    this.tools = new ToolRuns(this.servers, {
      context: () => this.cache.context,
      onProgress: (chat) => this.#grew(chat),
      onChange: (chat) => this.#toolsChanged(chat),
    });
    this.cache = new CacheView({
      key: () => this.settings.key,
      model: () => this.models.chosen,
      isLoaded: () => this.models.isLoaded(this.settings.key),
      isBusy: () => this.answers.count > 0,
      onReached: () => this.#loadModels(),
      onProps: (props, model) => this.defaults.take(props, model, this.settings.key),
      onContext: () => this.composer.update(),
    });
    this.messages = new MessageList(byId('messages'), {
      edit: (message, text) => this.#edit(message, text),
      choose: (message) => this.#choose(message),
      regenerate: () => this.#answerAgain(),
      retry: () => this.#answerAgain(),
      toolResults: () => this.#toolsChanged(this.#chat),
      ...this.tools.handlers(() => this.#chat),
    });
    this.transfer = new ChatTransfer({chats: () => this.#store.chats(), add: (chats) => this.#import(chats)});
    this.settings.panel.append(this.transfer.root);
    this.search = new ChatSearch(() => this.#showChats());
    this.chats = new ChatList({
      open: (id) => this.#openFound(id),
      remove: (id) => this.#remove(id),
      rename: (id, title) => this.#rename(id, title),
    });
    this.composer = new Composer({
      send: (text, files) => this.#send(text, files),
      stop: () => this.#stop(),
      onChange: (cost) => showContext(this.#chat, cost, this.cache.context),
      files: {
        read: (file, signal) => readFile(file, (bytes) => pdfText(bytes, this.settings.key, signal)),
        count: (text) => countTokens(text, this.models.chosen, this.settings.key),
        context: () => this.cache.context,
      },
    });
    byId('new-chat').addEventListener('click', () => this.newChat());
    this.open(tab.current());
  }

  /// Asks the server what it has: at the beginning, and with another key.
  async reach() {
    await Promise.all([this.#loadModels(), this.#loadServers()]);
    this.cache.wake();
  }

  async #loadServers() {
    try {
      await this.servers.load();
    } catch (error) {
      if (!(error instanceof ApiError)) console.error(error);
    }
    this.settings.servers.refresh();
  }

  async #loadModels() {
    try {
      await this.models.load(this.settings.key);
    } catch (error) {
      if (!(error instanceof ApiError)) console.error(error);
      this.#showWelcome(error.message);
    }
  }

  newChat() {
    this.open(null);
    this.composer.focus();
  }

  /// `id`: of a chat that there is; else a new one begins.
  open(id) {
    this.#chat = this.#store.chat(id) ?? null;
    this.settings.open(this.#chat);
    this.tab.remember(this.#chat?.id ?? '');
    this.composer.open(this.#chat?.id ?? '');
    this.sidebar.dismiss();
    this.#show();
    this.scrolling.toEnd();
  }

  /// Opens a chat of the list: where one is searched, at the message that was found, in a version that has it.
  #openFound(id) {
    const chat = this.#store.chat(id);
    const hit = chat ? this.search.hit(chat) : null;
    if (hit && !this.answers.isRunning(id) && !pathOf(chat).includes(hit)) {
      choosePath(chat, hit);
      chat.error = null;
      this.#store.save(chat);
    }
    this.open(id);
    const view = this.messages.viewOf(hit);
    if (view) this.scrolling.toMessage(view.root);
  }

  /// What Escape does: stop what runs here, else close what is open.
  escape() {
    if (this.#isRunning())
      this.#stop();
    else if (this.cache.isOpen)
      this.cache.toggle(false);
    else if (!this.sidebar.dismiss() && this.settings.isOpen)
      this.settings.toggle(false);
  }

  leave() {
    this.answers.leave();
    this.servers.close();
  }

  /// Another tab has changed an entry of the storage.
  tookEntry(key, text) {
    if (this.#isBusy(key?.split('.').at(-1))) return;  // this tab's is newer
    const id = this.#store.took(key, text);
    if (id && id === this.#chat?.id)
      this.open(id);
    else if (id)
      this.#showChats();
  }

  #chose() {
    this.cache.wake();
    this.composer.recount();
  }

  #reading() { return this.#chat && this.answers.reading(this.#chat.id); }

  #isBusy(id) { return this.answers.isRunning(id) || this.tools.isRunning(id); }

  #isRunning() { return this.#chat !== null && this.#isBusy(this.#chat.id); }

  /// Whether the shown chat's answer is being written.
  #isWriting() { return this.#chat !== null && this.answers.isRunning(this.#chat.id); }

  #show() {
    const running = this.#isRunning();
    byId('main').classList.toggle('empty', !this.#chat?.messages.length);
    byId('chat-heading').textContent = this.#chat?.title ?? '';
    byId('chat-heading').hidden = !this.#chat?.messages.length;
    this.messages.show(this.#chat, {writing: this.#isWriting(), busy: running, reading: this.#reading()});
    this.composer.showRunning(running);
    this.composer.update();
    document.title = this.#chat ? `${this.#chat.title} – Skald` : 'Skald';
    this.#showChats();
  }

  /// Whether the storage has room for them. They get ids of their own, so that no chat is overwritten.
  #import(chats) {
    const made = chats.map((chat) => ({...chat, id: this.#store.newChat().id}));
    const kept = made.map((chat) => this.#store.save(chat)).every(Boolean);
    if (made.length === 1)
      this.open(made[0].id);
    else
      this.#show();
    return kept;
  }

  #showChats() {
    this.chats.show(this.search.found(this.#store.chats()), this.#chat?.id, (id) => this.#isBusy(id));
    this.transfer.show(this.#chat);
  }

  #showWelcome(trouble) { byId('welcome-note').textContent = trouble; }

  /// Whether the text was taken.
  #send(text, files) {
    if (this.#isRunning()) return false;
    const chat = this.#chat ?? this.#store.newChat();
    if (!this.#chat) {
      this.#chat = chat;
      this.tab.remember(chat.id);
      this.composer.become(chat.id);
    }
    addMessage(chat, messageWith(text, files));
    this.#answer(chat);
    return true;
  }

  #answer(chat) {
    const first = pathOf(chat).find((message) => message.role === 'user');
    if (!chat.named) chat.title = titleOf(subjectOf(first));
    this.settings.use(chat);
    this.answers.answer(chat);
    this.#store.save(chat);
    this.#show();
    this.scrolling.toEnd();
  }

  #edit(message, text) {
    const chat = this.#chat;
    this.answers.cut(chat.id);
    this.tools.drop(chat.id);
    if (!chat.messages.includes(message)) return;
    endBefore(chat, message);
    addMessage(chat, withText(message, text));
    this.#answer(chat);
    this.composer.focus();
  }

  /// Gives the view of the message.
  #choose(message) {
    const chat = this.#chat;
    if (this.#isRunning() || !chat.messages.includes(message)) return null;
    choosePath(chat, message);
    chat.error = null;
    this.#store.save(chat);
    this.scrolling.stay();
    this.#show();
    return this.messages.viewOf(message);
  }

  #answerAgain() {
    const chat = this.#chat;
    if (!chat || this.#isRunning()) return;
    const last = pathOf(chat).at(-1);
    if (last?.role === 'assistant' && !areAnswered(last)) endBefore(chat, last);  // else what failed came after it
    this.#answer(chat);
    this.composer.focus();
  }

  #stop() {
    if (!this.#chat) return;
    this.answers.stop(this.#chat.id);
    this.tools.stop(this.#chat.id);
  }

  /// A call of the last answer has begun, ended or been declined.
  #toolsChanged(chat) {
    this.#store.save(chat);
    const goesOn = !this.#isBusy(chat.id) && areAnswered(pathOf(chat).at(-1));
    if (chat !== this.#chat) {
      if (goesOn) this.answers.answer(chat);
      return this.#showChats();
    }
    if (goesOn)
      this.#answer(chat);
    else
      this.#show();
    if (isFocusLost() && !this.messages.focusQuestion()) this.#focusBack();
  }

  #focusBack() {
    this.composer.focus();
    if (isFocusLost()) byId('scroller').focus({preventScroll: true});
  }

  #rename(id, title) {
    const chat = this.#store.chat(id);
    if (chat && title !== chat.title) {
      chat.title = title;
      chat.named = true;
      this.#store.save(chat);
    }
    this.#show();
  }

  #remove(id) {
    const chat = this.#store.chat(id);
    this.answers.drop(id);
    this.tools.drop(id);
    this.#store.remove(id);
    if (this.#chat?.id === id)
      this.newChat();
    else
      this.#showChats();
    const undo = () => {
      this.#store.save(chat);
      this.open(id);
    };
    toast('Chat deleted.', {label: 'Undo', run: undo});
  }

  #began(chat) {
    if (chat === this.#chat) this.#show();
    this.cache.wake();
  }

  /// Draws once a frame, however many events come.
  #grew(chat) {
    if (chat !== this.#chat || !this.#drawn) return;
    this.#drawn = false;
    requestAnimationFrame(() => {
      this.#drawn = true;
      if (this.#isRunning()) this.messages.grow(this.#isWriting(), this.#reading());
    });
  }

  #ended(chat) {
    const message = pathOf(chat).at(-1);
    if (message.finish === 'tool_calls' && !chat.error) this.tools.runAllowed(chat, message);
    if (chat === this.#chat) {
      this.#show();
      this.#tellEnd(chat, message);
    } else {
      this.#showChats();
    }
    this.cache.wake();
  }

  #tellEnd(chat, message) {
    const asks = !this.#isRunning() && message.calls?.some(isOpen);
    announce(chat.error ? '' : asks ? 'The model asks for a tool.' : 'The answer is complete.');
    if (asks && this.composer.isIdle) this.messages.focusQuestion();
  }
}
