// page_test.mjs PAGE GOLDEN KINDS: the page in headless Chromium, from its file. What it says is
// compared with what the package says in Node.js, but for the times.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { advise, expectedFpr, Filter, measure } from 'simdbloom';
import { openPage } from './browser.mjs';
import { kindsTable } from './kinds_table.mjs';
import { randomKey } from './support.mjs';

const [, , pageFile, golden, kindsPage] = process.argv;
const times = measure({ keys: 1e9, workNs: 0, maxBitsPerKey: 24, allAtOnce: true }, 100);
const page = await openPage(`file://${pageFile}`);
const { run } = page;
const textOf = (id) => run(`document.getElementById('${id}').textContent`);

async function until(expression, words) {
  for (let i = 0; i < 300; ++i) {
    if (await run(expression)) return;
    await new Promise((done) => { setTimeout(done, 50); });
  }
  assert.fail(`not within 15 s: ${words}; the page says: ${await textOf('failure')}`);
}
async function set(settings) {
  for (const [id, value] of Object.entries(settings))
    await run(`{ const e = document.getElementById('${id}');
      if (e.type === 'checkbox') e.checked = ${value}; else e.value = ${value};
      e.dispatchEvent(new Event('input', { bubbles: true })); }`);
  await run('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}
async function drop(name, bytes) {
  await run(`{ const dataTransfer = new DataTransfer();
    const bytes = Uint8Array.from(atob('${Buffer.from(bytes).toString('base64')}'),
      (c) => c.charCodeAt(0));
    dataTransfer.items.add(new File([bytes], '${name}'));
    document.getElementById('drop').dispatchEvent(
      new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })); }`);
  await until(`document.getElementById('loaded').textContent.includes('${name}')`, name);
}
async function answerTo(key, kind) {
  await run(`{ document.getElementById('key').value = ${JSON.stringify(String(key))};
    document.getElementById('kind').value = '${kind}';
    document.querySelector('#ask button').click(); }`);
  return textOf('answer');
}

try {
  await until('document.body?.dataset.ready', 'the page is ready');
  assert.equal(await run("document.getElementById('failure').hidden"), true);

  // The advice is that of the package, for whatever is moved.
  const needs = { erase: false, grow: false, merge: false, allAtOnce: false };
  for (const [sliders, checked] of [
    [{ keys: 6, bits: 16, work: 1.5, hits: 10 }, {}],
    [{ keys: 2, bits: 4, work: -0.3, hits: 0 }, {}],
    [{ keys: 9, bits: 24, work: 6, hits: 50 }, {}],
    [{ keys: 5, bits: 20, work: 3, hits: 0 }, { erase: true }],
    [{ keys: 7, bits: 20, work: 4, hits: 20 }, { allAtOnce: true }],
    [{ keys: 7, bits: 20, work: 4, hits: 20 }, { grow: true }],
    [{ keys: 4, bits: 12, work: 2, hits: 100 }, { merge: true }],
  ]) {
    await set({ ...sliders, ...needs, ...checked });
    const work = { keys: 10 ** sliders.keys, workNs: +(10 ** sliders.work).toPrecision(2),
      hits: sliders.hits / 100, maxBitsPerKey: sliders.bits, ...checked };
    // Which growing table is best depends on times, of which the page has its own.
    const named = (spec) => spec.split(':')[0].replace(/^growing\d+/, 'growing');
    const known = new Set(advise(work, times).ranking.map(({ spec }) => named(spec)));
    const rows = await run(`[...document.querySelectorAll('#ranking tr')].map((r) =>
      [r.dataset.spec, ...[...r.children].map((c) => c.textContent)])`);
    assert.equal(await textOf('shown'), rows[0][0] || 'no filter', JSON.stringify(sliders));
    assert.ok((await textOf('why')).startsWith(`Take ${rows[0][0] || 'no filter'}`));
    for (const [spec] of rows) assert.ok(known.has(named(spec)), spec);
    assert.ok(rows.some(([spec]) => spec === ''), 'no filter is in the table');
    for (const [spec, , bits, , fpr] of rows)
      if (work.keys > 1000 && /^(register|split|sector|blocked|classic)/.test(spec)) {
        const model = 100 * expectedFpr(spec, Math.round(work.keys), +bits);
        assert.ok(Math.abs(parseFloat(fpr) / model - 1) < 0.2, `${spec}: ${fpr}, ${model} %`);
      }
    assert.equal(await run("document.querySelectorAll('#chart polyline').length"), 4);
  }
  await set({ keys: 3, bits: 4, erase: true, grow: true, merge: true });
  assert.match(await textOf('failure'), /no structure can erase and grow and be united in 4/);
  await set({ keys: 6, bits: 24, work: 1.5, hits: 10, ...needs, allAtOnce: true });
  assert.equal(await textOf('failure'), '');

  // Every layout that can be chosen has words, and the picture of its bits.
  const rows = await run("document.querySelectorAll('#ranking tr').length");
  assert.ok(rows > 8);
  for (let i = 0; i < rows; ++i) {
    await run(`document.querySelectorAll('#ranking button')[${i}].click()`);
    const spec = await textOf('shown');
    assert.ok((await textOf('layout-words')).length > 40, spec);
    const marks = await run("document.querySelectorAll('#picture .mark').length");
    if (/^(fuse|growing)/.test(spec)) assert.equal(marks, spec.startsWith('fuse') ? 3 : 2);
    if (/^(fuse|growing|no filter)/.test(spec)) continue;
    const bits = await run(
      `+document.querySelectorAll('#ranking tr')[${i}].children[1].textContent`);
    const filter = Filter.make(spec, 1000, Math.max(bits + 0.1, 4));
    const touched = filter.touched(42), places = new Set(touched.map(({ block }) => block)).size;
    const expected = /^(cuckoo|dleft)/.test(spec) ? touched.length
      : /^(classic|counting:)/.test(spec) ? 2 * touched.length
        : places + new Set(touched.map(({ bit }) => bit)).size;
    assert.equal(marks, expected, spec);
    filter.free();
  }

  const picture = () => run("document.getElementById('picture').innerHTML");
  await run("document.querySelector('#ranking button').click()");
  const of42 = await picture();
  await set({ sample: "'words'" });
  assert.notEqual(await picture(), of42, 'another key has other bits');

  // Every saved filter is described and asked.
  const files = readdirSync(golden).filter((name) => name.endsWith('.filter'));
  for (const name of files) {
    const bytes = new Uint8Array(readFileSync(`${golden}/${name}`));
    await drop(name, bytes);
    const filter = Filter.load(bytes);
    assert.ok((await textOf('loaded')).includes(`: ${filter.spec}, made for 100 keys`), name);
    assert.match(await answerTo('key 3', 'text'), /^Perhaps/);
    assert.match(await answerTo(randomKey(7), 'number'), /^Perhaps/);
    assert.equal(await run("document.querySelectorAll('#asked .zero').length"), 0);
    for (let i = 1000000; i < 1000004; ++i) {
      const answer = await answerTo(randomKey(i), 'number');
      assert.match(answer, filter.contains(randomKey(i)) ? /^Perhaps/ : /^No/);
      // A No says which bits are 0; tables and other structures have none.
      const all = filter.describe().blocks === undefined ? [] : filter.touched(randomKey(i));
      const zero = all.filter(({ isSet }) => isSet === false);
      for (const { block, bit } of zero.slice(0, 3))
        assert.match(answer, new RegExp(` 0: .*\\b${bit}\\b.* of block ${block}\\b`), name);
      assert.equal(zero.length > 0, !filter.contains(randomKey(i)) && 'isSet' in (all[0] ?? {}));
      if (zero.length)
        assert.ok(await run("document.querySelectorAll('#asked .mark.zero').length") > 0, name);
    }
    assert.ok(await run("document.querySelectorAll('#asked .mark').length") > 0, name);
    filter.free();
  }
  // A filter that knows what its keys are does not say No about others.
  for (const [kind, answers] of Object.entries(kindsTable(kindsPage))) {
    const file = `${kind}.filter`;
    await drop(file, new Uint8Array(readFileSync(`${golden}/kinds/${file}`)));
    assert.ok((await textOf('loaded')).endsWith(`Its keys: ${kind}.`));
    for (const [asked, key, way] of [['integers', '5', 'number'], ['integers', '-3', 'number'],
      ['bytes', 'a', 'text'], ['bytes', 'é', 'text']])
      assert.match(await answerTo(key, way), answers.includes(asked)
        ? /^Perhaps/ : /^simdbloom: a filter of .* cannot be probed with/, `${kind} ${asked}`);
  }
  await drop(files[0], new Uint8Array(readFileSync(`${golden}/${files[0]}`)));
  assert.match(await answerTo('seven', 'number'), /“seven” is not a whole number/);
  assert.match(await answerTo('99999999999999999999', 'number'), /at most 64 bits/);
  const damaged = readFileSync(`${golden}/${files[0]}`);
  damaged[80] ^= 1;
  await drop('damaged', damaged);
  assert.match(await textOf('loaded'), /damaged: simdbloom: .*checksum/);
  assert.match(await answerTo('key 3', 'text'), /^Perhaps/, 'the filter before is still there');
  await drop('<b>nothing</b>', new Uint8Array(0));
  assert.match(await textOf('loaded'), /<b>nothing<\/b>: simdbloom: 0 bytes/);

  // On a phone, in the dark, and without a name for an input.
  await page.send('Emulation.setDeviceMetricsOverride',
    { width: 360, height: 740, deviceScaleFactor: 2, mobile: true });
  await run('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  assert.deepEqual(await run(`[...document.querySelectorAll('html, .box, .picture')]
    .filter((e) => e.scrollWidth > 360 || e.scrollWidth > e.clientWidth)
    .map((e) => [e.id, e.scrollWidth, e.clientWidth])`), [], 'it is wider than a phone');
  assert.ok(await run(`[...document.querySelectorAll('#chart text')].every((e) =>
    e.getBBox().x + e.getBBox().width <= e.ownerSVGElement.viewBox.baseVal.width)`));
  assert.match(await textOf('browser'), /^Chrome \d+ on Linux$/);
  const paper = () => run('getComputedStyle(document.body).backgroundColor');
  const light = await paper();
  await page.send('Emulation.setEmulatedMedia',
    { features: [{ name: 'prefers-color-scheme', value: 'dark' }] });
  assert.notEqual(await paper(), light);
  assert.deepEqual(await run(`[...document.querySelectorAll('input, select')]
    .filter((e) => !e.labels.length && !e.ariaLabel).map((e) => e.id)`), []);

  const asked = page.events.filter(({ method }) => method === 'Network.requestWillBeSent')
    .map(({ params }) => params.request.url).filter((url) => !url.startsWith('data:'));
  assert.deepEqual(asked, [`file://${pageFile}`], 'it asks for nothing else');
  const faults = page.events.filter(({ method }) => method === 'Runtime.exceptionThrown');
  assert.deepEqual(faults, []);
  console.log(`the page: ${files.length} filters asked, ${rows} layouts drawn`);
} finally {
  await page.close();
}
