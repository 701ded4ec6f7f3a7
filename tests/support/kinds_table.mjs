// The table of src/any/kinds.md, which is the rule that all front ends follow.
import { readFileSync } from 'node:fs';

/** {kind of a filter: the kinds of questions that it answers, its own among them} */
export function kindsTable(page) {
  const names = (cell) => [...cell.matchAll(/`(.*?)`/g)].map(([, name]) => name);
  const rows = readFileSync(page, 'utf8').split('\n').filter((line) => line.startsWith('| `'));
  return Object.fromEntries(rows.map((row) => {
    const [, kind, , answers] = row.split('|');
    return [names(kind)[0], names(kind + answers)];
  }));
}
