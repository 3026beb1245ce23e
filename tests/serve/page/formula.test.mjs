// Formulas of the page.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {formula, formulaOf} from '../../../src/serve/page/formula.js';

test('a formula is its TeX without the marks, in a line or on lines of its own', () => {
  assert.deepEqual(formulaOf('$x$'), {tex: 'x', displayMode: false});
  assert.deepEqual(formulaOf('\\(x\\)'), {tex: 'x', displayMode: false});
  assert.deepEqual(formulaOf('$$\nx\n$$'), {tex: '\nx\n', displayMode: true});
  assert.deepEqual(formulaOf('\\[ x \\]'), {tex: ' x ', displayMode: true});
});

test('without KaTeX the source is shown', () => {
  assert.equal(formula('$x$'), null);
});
