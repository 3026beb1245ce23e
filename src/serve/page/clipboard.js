// Copying: by the clipboard's interface, and where a page served without TLS has none by the old way.
import {announce, icon, iconButton} from './elements.js';

const SHOWN_MS = 1600;

function copyBySelection(text) {
  const area = document.createElement('textarea');
  area.value = text;
  area.setAttribute('aria-hidden', 'true');
  area.className = 'unseen';
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  return copied;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/// A button that copies what `text()` gives, and shows for a moment that it did.
export function copyButton(label, text, attributes = {}) {
  const button = iconButton('copy', label, async () => {
    const copied = await copy(text());
    announce(copied ? 'Copied' : 'The browser does not allow copying');
    button.focus();
    if (!copied) return;
    button.replaceChildren(icon('done'));
    setTimeout(() => button.replaceChildren(icon('copy')), SHOWN_MS);
  }, attributes);
  return button;
}
