// Which keys send a message.
import assert from 'node:assert/strict';
import {afterEach, test} from 'node:test';

import {isSendKey, nameSendKey} from '../../../src/serve/page/keys.js';

/// A browser that fits the query, or not.
function browser(matches) {
  const query = Object.assign(new EventTarget(), {matches});
  globalThis.matchMedia = () => query;
  return query;
}
afterEach(() => delete globalThis.matchMedia);

test('Enter sends where there is a keyboard', () => {
  browser(false);
  assert.ok(isSendKey({key: 'Enter'}));
  for (const event of [{key: 'a'}, {key: 'Enter', shiftKey: true}, {key: 'Enter', isComposing: true}])
    assert.ok(!isSendKey(event), JSON.stringify(event));
  assert.ok(!isSendKey({key: 'Enter', keyCode: 229}));
});

test('Enter breaks the line on a phone, where the button sends', () => {
  browser(true);
  assert.ok(!isSendKey({key: 'Enter'}));
  assert.ok(isSendKey({key: 'Enter', ctrlKey: true}));
  assert.ok(isSendKey({key: 'Enter', metaKey: true}));
  assert.ok(!isSendKey({key: 'Enter', ctrlKey: true, isComposing: true}));
});

test('the key that sends is named anew when the screen is another', () => {
  const query = browser(false);
  const names = [];
  nameSendKey((name) => names.push(name));
  query.matches = true;
  query.dispatchEvent(new Event('change'));
  assert.deepEqual(names, ['Enter', '']);
});
