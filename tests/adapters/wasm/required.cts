// Compiled and run as CommonJS.
import assert = require('node:assert');
import simdbloom = require('simdbloom');

const filter = simdbloom.Filter.make('split256', 1000, 12);
filter.insert(['a', 'ä']);
assert.ok(filter.contains('ä') && !filter.contains('b'));
assert.throws(() => simdbloom.Filter.make('none', 1, 1), simdbloom.SimdbloomError);
