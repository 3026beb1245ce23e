// Keys that work everywhere on the page.

const phone = () => matchMedia('(pointer: coarse), (max-width: 30rem)');

/// Enter sends, Shift+Enter breaks the line, and an Enter that ends what an input method composes does neither. The keyboard
/// of a phone has no Shift+Enter: Enter breaks the line there, and Ctrl+Enter sends.
export function isSendKey(event) {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return false;
  return event.ctrlKey || event.metaKey || !phone().matches;
}

/// Names the key that sends, now and whenever it is another: `name(key)`; '' where only the button does.
export function nameSendKey(name) {
  const query = phone();
  const tell = () => name(query.matches ? '' : 'Enter');
  query.addEventListener('change', tell);
  tell();
}

/// `escape()`, `newChat()`.
export function listenToKeys({escape, newChat}) {
  document.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    if (event.key === 'Escape') {
      escape();
    } else if ((event.ctrlKey || event.metaKey) && event.shiftKey && event.key.toLowerCase() === 'o') {
      event.preventDefault();
      newChat();
    }
  });
}
