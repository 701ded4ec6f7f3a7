// browse.mjs HTML: the manual in headless Chromium, from its files. On a phone and on a desk
// nothing is wider than the window but what scrolls by itself; menu and search work.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { openPage } from '../../adapters/wasm/browser.mjs';

const folder = resolve(process.argv[2]);
const names = readdirSync(folder).filter((name) => !name.endsWith('-members.html') &&
  /^(index|page-.*|class.*|annotated)\.html$/.test(name));

// What the search finds, without a browser.
const find = createRequire(import.meta.url)(`${folder}/search.js`);
const entries = JSON.parse(readFileSync(`${folder}/search_index.js`, 'utf8').match(/=(.*);/s)[1]);
const first = (query, n) => find(entries, query).slice(0, n).map(([, , place]) => place);
const guide = /^(index|page-src-)/;
assert.match(first('false-positive rate', 1)[0], guide);
assert(first('validity NULL', 10).some((place) => place.startsWith('page-src-join-README')));
assert(first('kill a process save', 10).some((place) => place.startsWith('page-src-any-saving')));
assert.match(first('SplitBlockBloom', 1)[0], /^classsimdbloom_1_1SplitBlockBloom\.html$/);
assert.match(first('for_fpr', 1)[0], /#a[0-9a-f]+$/);
// The core comes before the extensions.
assert.match(first('contains', 1)[0], /1Interface\.html#/);
assert(first('fold', 5).some((place) => /1SetOperations\.html#/.test(place)));
assert.deepEqual(first('zyxwvut', 1), []);
assert.deepEqual(first('.*(', 1), []);

const page = await openPage(`file://${folder}/index.html`);
const { run, send } = page;
async function until(expression, words) {
  for (let i = 0; i < 200; ++i) {
    if (await run(expression)) return;
    await new Promise((done) => { setTimeout(done, 25); });
  }
  assert.fail(`not within 5 s: ${words}`);
}
async function visit(name) {
  await run('window.left = true');
  await send('Page.navigate', { url: `file://${folder}/${name}` });
  await until('!window.left && document.readyState === "complete"', name);
}
const sizes = (width) => send('Emulation.setDeviceMetricsOverride',
  { width, height: 844, deviceScaleFactor: 1, mobile: width < 768 });

/// What is wider than the window, but for what lies in something that scrolls.
const wide = `[...document.body.querySelectorAll('*')].filter((e) => {
  const { right, width } = e.getBoundingClientRect();
  if (!width || right <= innerWidth + 1) return false;
  for (let at = e; at !== document.body; at = at.parentElement)
    if (getComputedStyle(at).overflowX !== 'visible' &&
      at.getBoundingClientRect().right <= innerWidth + 1) return false;
  return true;
}).map((e) => e.tagName + ' ' + e.textContent.slice(0, 40)).slice(0, 3).join(' | ')`;
for (const width of [390, 1280]) {
  await sizes(width);
  const shown = width < 768 ? names : ['index.html', 'classsimdbloom_1_1SplitBlockBloom.html'];
  for (const name of shown) {
    await visit(name);
    assert.equal(await run(wide), '', `${name} at ${width} pixels`);
  }
}
await sizes(390);
await visit('index.html');
// A check that finds nothing any more says so.
await run(`document.querySelector('.contents').insertAdjacentHTML('beforeend',
  '<hr style="width: 999px">')`);
assert.match(await run(wide), /^HR/);
const link = '[...document.querySelectorAll("#main-menu a")].find((a) => a.textContent === "Join")';
assert(!await run(`${link}.offsetParent !== null`), 'the menu is open before');
await run('document.getElementById("main-menu-state").click()');
await until('document.getElementById("main-menu").offsetHeight > 50', 'the menu opens');
assert.match(await run(`${link}.href`), /page-src-join-README\.html$/);
await run(`{ const box = document.querySelector('#search input'); box.focus();
  box.value = 'false-positive rate'; box.dispatchEvent(new Event('input', { bubbles: true })); }`);
await until('document.querySelectorAll("#search li a").length > 5', 'the search finds pages');
await run('document.querySelector("#search li a").click()');
assert.equal(page.events.filter(({ method, params }) => method === 'Runtime.exceptionThrown' ||
  method === 'Network.requestWillBeSent' && !/^(file|data):/.test(params.request.url)).length, 0);
await page.close();
console.log(`${names.length} pages fit a phone; ${entries.length} entries can be found`);
