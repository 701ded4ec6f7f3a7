// report_in_browser.mjs PAGE...: reports in Chromium, of tests/checks/report_page or bench/report:
// nothing but tables scrolls sideways on a phone, every text of a picture can be read, a dark
// screen stays dark, and paper has at most ten pages.
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { openPage } from '../adapters/wasm/browser.mjs';

const outside = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
const leastText = `Math.min(...[...document.querySelectorAll('svg')].flatMap((svg) => {
  const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  return scale ? [...svg.querySelectorAll('text')].map(
    (text) => text.getAttribute('font-size') * scale) : []; }))`;
const cut = `[...document.querySelectorAll('svg')].flatMap((svg) => {
  const box = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].filter((text) => {
    const { left, right } = text.getBoundingClientRect();
    return left < box.left - 1 || right > box.right + 1; }).map((text) => text.textContent);
}).join()`;
const brightness = `getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0] * 1`;
const opened = `document.querySelectorAll('details').forEach((d) => { d.open = true; })`;

for (const path of process.argv.slice(2)) {
  const page = await openPage(`file://${resolve(path)}`);
  while (await page.run('document.readyState') !== 'complete');
  const see = async (width, scheme) => {
    await page.send('Emulation.setDeviceMetricsOverride',
      { width, height: 800, deviceScaleFactor: 1, mobile: width < 600 });
    await page.send('Emulation.setEmulatedMedia',
      { features: [{ name: 'prefers-color-scheme', value: scheme }] });
    assert.equal(await page.run(outside), 0, `${path}: wider than ${width} px`);
    assert.ok(await page.run(leastText) >= 10.9, `${path}: small text at ${width} px`);
    assert.equal(await page.run(cut), '', `${path}: text beyond a picture at ${width} px`);
    assert.equal(await page.run(brightness) < 60, scheme === 'dark', path);
  };
  // A single level has no skyline, and its first picture stands below two tables.
  const first = "document.querySelector('#the-skyline svg')?.getBoundingClientRect().top ?? 0";
  await see(1280, 'light');
  assert.ok(await page.run(first) < 800, `${path}: no picture on the first screen`);
  for (const width of [390, 360]) await see(width, 'dark');
  await page.send('Emulation.setEmulatedMedia', { features: [] });
  const { data } = await page.send('Page.printToPDF', { preferCSSPageSize: true });
  const pages = Buffer.from(data, 'base64').toString('latin1').match(/\/Type\s*\/Page\b/g).length;
  assert.ok(pages <= 10, `${path}: ${pages} pages on paper`);
  await page.run(opened);
  await see(390, 'light');
  await page.close();
  console.log(`${path}: ${pages} pages on paper`);
}
