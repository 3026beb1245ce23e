// Keys that work everywhere on the page.

/// Enter sends, Shift+Enter breaks the line, and an Enter that ends what an input method composes does neither.
export function isSendKey(event) {
  return event.key === 'Enter' && !event.shiftKey && !event.isComposing && event.keyCode !== 229;
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
