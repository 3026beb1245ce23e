// The script of the page as the build has joined it: PAGE names the page's file.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import vm from 'node:vm';

const skip = process.env.PAGE ? false : 'PAGE names no file';

function joinedScript() {
  const page = readFileSync(process.env.PAGE, 'utf8');
  const open = '<script type="module">';
  const script = page.slice(page.indexOf(open) + open.length, page.indexOf('</script>'));
  return {script, strict: `'use strict'; (async () => {${script}\n})`};  // as in a module: declared twice is an error
}

test('the joined script is one script, in which no two files have the same names', {skip}, () => {
  const {script, strict} = joinedScript();
  new vm.Script(strict);
  const names = [...script.matchAll(/^(?:async )?(?:function\*?|class|const|let) (\w+)/gm)].map((match) => match[1]);
  assert.ok(names.length > 50);
  assert.deepEqual(names.filter((name, i) => names.indexOf(name) !== i), []);
});

test('no file of the joined script needs a later one when it is loaded', {skip}, async () => {
  // It comes as far as main.js, which needs a browser.
  await assert.rejects(vm.runInNewContext(`${joinedScript().strict}()`), {message: 'document is not defined'});
});
