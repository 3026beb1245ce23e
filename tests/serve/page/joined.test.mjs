// The script of the page as the build has joined it: PAGE names the page's file.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import vm from 'node:vm';

test(
    'the joined script is one script, in which no two files have the same names',
    {skip: process.env.PAGE ? false : 'PAGE names no file'}, () => {
      const page = readFileSync(process.env.PAGE, 'utf8');
      const open = '<script type="module">';
      const script = page.slice(page.indexOf(open) + open.length, page.indexOf('</script>'));
      // As in a module: strict, and declared twice is an error.
      new vm.Script(`'use strict'; (async () => {${script}\n})`);
      const names = [...script.matchAll(/^(?:async )?(?:function\*?|class|const|let) (\w+)/gm)].map((match) => match[1]);
      assert.ok(names.length > 50);
      assert.deepEqual(names.filter((name, i) => names.indexOf(name) !== i), []);
    });
