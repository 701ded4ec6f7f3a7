// follow_page.mjs PAGE: runs the blocks of a page in order, in this folder: `sh` by bash, `js` is
// written to the file that its first line names. Nothing is installed where emcc is there, or where
// the user may not.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const hasEmcc = spawnSync('emcc', ['--version']).status === 0;
const blocks = [...readFileSync(process.argv[2], 'utf8').matchAll(/^```(\w+)\n([^]*?)^```$/gm)];
if (blocks.length < 2) throw new Error(`${blocks.length} blocks`);
for (const [, language, text] of blocks) {
  if (/^apt-get /m.test(text) && (process.getuid() !== 0 || hasEmcc)) continue;
  if (language === 'js') writeFileSync(text.match(/^\/\/ (\S+)\n/)[1], text);
  else execFileSync('bash', ['-euo', 'pipefail', '-c', text], { stdio: 'inherit' });
}
