// Starts the page.
import {startCodeWrap} from './code_wrap.js';
import {toast} from './elements.js';
import {listenToKeys} from './keys.js';
import {Page} from './page.js';
import {openStorage, Store} from './store.js';
import {startTheme} from './theme.js';

let told = false;
const store = new Store(openStorage(), () => {
  if (told) return;
  told = true;
  toast('The browser’s storage is full: what follows is lost when the page is closed. Deleting chats makes room.');
});

/// Which chat this tab shows outlives a reload, and is no other tab's business.
const tab = {
  current() {
    try {
      return sessionStorage.getItem('skald.current') ?? '';
    } catch {
      return '';
    }
  },
  remember(id) {
    try {
      sessionStorage.setItem('skald.current', id);
    } catch {
      // a new chat is shown after a reload then
    }
  },
};

startTheme(store);
startCodeWrap(store);
const page = new Page(store, tab);
listenToKeys({escape: () => page.escape(), newChat: () => page.newChat()});
addEventListener('storage', (event) => page.tookEntry(event.key, event.newValue));
addEventListener('pagehide', () => page.leave());
page.reach();
page.composer.focus();
