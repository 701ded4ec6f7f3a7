// Compiled for Node.js without `using`, and run.
import assert from 'node:assert';
import { Filter } from 'simdbloom';

let kept: Filter;
{
  using filter = Filter.make('split256', 1000, 12);
  filter.insert(7);
  kept = filter;
}
assert.throws(() => kept.contains(7), /was freed/);
