// The box in which a message is changed.
import {element, fitHeight, plainButton} from './elements.js';
import {isSendKey} from './keys.js';

/// `save(text)`: what was written, which is not empty; `cancel()`.
export function editForm(text, save, cancel) {
  const box = element('textarea', {'data-testid': 'edit-box', 'aria-label': 'Edit message', dir: 'auto', rows: '3'});
  box.value = text;
  box.addEventListener('input', () => fitHeight(box));
  const saveIt = () => {
    if (box.value.trim()) save(box.value);
  };
  box.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      event.stopPropagation();
      cancel();
    } else if (isSendKey(event)) {
      event.preventDefault();
      saveIt();
    }
  });
  return element(
      'div', {class: 'edit-form'}, box,
      element(
          'div', {class: 'buttons'}, plainButton('Cancel', 'edit-cancel', cancel),
          element('button', {type: 'button', class: 'plain strong', 'data-testid': 'edit-save', onclick: saveIt}, 'Send')));
}
