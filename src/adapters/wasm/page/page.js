// The page: its controls, the module's advice, and a saved filter.
const $ = (id) => document.getElementById(id);
const settings = ['keys', 'bits', 'work', 'hits'], needs = ['erase', 'grow', 'merge', 'allAtOnce'];

const LAYOUTS = {
  classic: 'The bits of a key lie anywhere in the filter. It has the fewest false positives of ' +
    'all filters of bits. In a large filter each bit is a cache miss.',
  register32: 'All bits of a key lie in one word of 32 bits: one load and one comparison answer.',
  register64: 'All bits of a key lie in one word of 64 bits: one load and one comparison answer, ' +
    'for a vector of keys at once.',
  split256: 'One bit in each of 8 words of 32 bits: half a cache line, tested by one vector of ' +
    '256 bits. Parquet has the same bits.',
  split512: 'One bit in each of 16 words of 32 bits: a cache line, tested by one vector of 512 ' +
    'bits.',
  sector512: 'One bit in each of the 8 words of a cache line, from one multiplication.',
  zoned512: 'The line has zones. A key takes one word of each zone, and some bits of that word: ' +
    'a test loads few words of one cache line.',
  blocked512: 'The bits of a key lie anywhere in one cache line: one cache miss, and the fewest ' +
    'false positives of all layouts of one line.',
  cuckoo: 'The filter stores a fingerprint of each key in one of two buckets. Keys can be ' +
    'erased. A lookup compares two buckets.',
  counting: 'Counters of 4 bits in place of bits: keys can be erased, for four times the space.',
  dleft: 'A remainder of the hash and a small counter, in the emptiest of four buckets. Keys can ' +
    'be erased.',
  fuse: 'A slot is the XOR of three slots that the hash chooses. All keys must be there when it ' +
    'is made. It needs the least space at equal false positives.',
  growing: 'A cuckoo table of fingerprints that doubles its size when it is full.',
};
const inWords = (spec) =>
  LAYOUTS[spec.split(':')[0]] ?? LAYOUTS[spec.match(/^(counting|cuckoo|dleft|growing|)/)[0]] ?? '';

const percent = (share) => share === 0 ? '0 %' : `${+(100 * share).toPrecision(2)} %`;
const time = (ns) => ns < 1e3 ? `${+ns.toPrecision(3)} ns` : ns < 1e6
  ? `${+(ns / 1e3).toPrecision(3)} µs` : `${+(ns / 1e6).toPrecision(3)} ms`;
const size = (bytes) => {
  const unit = Math.min(3, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  return `${+(bytes / 1024 ** unit).toPrecision(3)} ${['bytes', 'KiB', 'MiB', 'GiB'][unit]}`;
};

let lib, times, shown = null, chosen = null, asked = null;

function workload() {
  const at = Object.fromEntries(settings.map((name) => [name, +$(name).value]));
  const work = { keys: Math.round(10 ** at.keys), workNs: 10 ** at.work, hits: at.hits / 100,
    maxBitsPerKey: at.bits };
  if (work.keys > 1e3) work.keys = +work.keys.toPrecision(2);
  work.workNs = +work.workNs.toPrecision(2);
  for (const need of needs) work[need] = $(need).checked;
  return work;
}

function fail(words) {
  $('failure').textContent = words;
  $('failure').hidden = !words;
}

/** The typed key: a whole number unless `kind` says text. */
function typed(text, kind = 'number') {
  if (kind === 'text' || !/^\s*-?\d+\s*$/.test(text)) {
    if (kind === 'number' && text === '') throw new Error('no key was typed');
    return text;
  }
  return BigInt(text.trim());
}

/** The zero bits among those of an absent key, in words. */
function zeros(touched) {
  const all = touched.filter(({ isSet }) => isSet === false);
  if (all.length === 0) return '';
  const isOneBlock = all.every(({ block }) => block === all[0].block);
  const named = all.slice(0, 3).map(({ block, bit }) =>
    (isOneBlock ? bit : `${bit} of block ${block}`)).join(', ') + (all.length > 3 ? ', ..' : '');
  return ` ${all.length} of its ${touched.length} bits ${all.length === 1 ? 'is' : 'are'} 0: ` +
    `${named}${isOneBlock ? ` of block ${all[0].block}` : ''} (hollow in the picture).`;
}

/** The browser and its system, as their users call them. */
function browserName(agent) {
  const names =
    { Edg: 'Edge', OPR: 'Opera', Firefox: 'Firefox', Chrome: 'Chrome', Version: 'Safari' };
  const [, name, version] = agent.match(/(Edg|OPR|Firefox)\/(\d+)/) ??
    agent.match(/(Chrome|Version)\/(\d+)/) ?? [];
  const system = agent.match(/Android|iPhone|iPad|Windows|Mac OS X|CrOS|Linux/)?.[0];
  return name ? `${names[name]} ${version}${system ? ` on ${system}` : ''}` : 'this browser';
}

function drawLayout() {
  const { spec } = shown;
  $('shown').textContent = spec || 'no filter';
  $('layout-words').textContent = spec
    ? inWords(spec) : 'No filter costs less than the work that it would save.';
  $('picture').innerHTML = '';
  if (/^(fuse|growing)/.test(spec)) $('picture').innerHTML = structurePicture(spec);
  if (!spec || /^(fuse|growing)/.test(spec)) return;
  const bitsPerKey = Math.max(shown.bitsPerKey, 4);
  const filter = lib.Filter.make(spec, 1000, bitsPerKey);
  try {
    $('picture').innerHTML = layoutPicture(lib.layout(spec, 1000, bitsPerKey),
      filter.describe().blocks, filter.touched(typed($('sample').value)));
  } finally {
    filter.free();
  }
}

function drawChart(keys) {
  const lines = ['classic', 'blocked512', 'split256', 'register64'].map((spec) => {
    const points = [];
    for (let bits = 4; bits <= 24; bits += 2)
      points.push([bits, lib.expectedFpr(spec, keys, bits)]);
    return [spec, points];
  });
  $('chart').innerHTML = chart(lines, shown && shown.spec ? shown : null);
}

function rank(advice) {
  const cell = (text) => `<td class="n">${text}</td>`;
  const none = advice.ranking.findIndex(({ spec }) => spec === '');
  $('ranking').innerHTML = advice.ranking.slice(0, Math.max(8, none + 1)).map((c) =>
    `<tr data-spec="${escaped(c.spec)}"${c === shown ? ' class="shown"' : ''}>` +
    `<td><button type="button">${escaped(c.spec) || 'no filter'}</button></td>` +
    (c.spec ? cell(c.bitsPerKey.toFixed(1)) + cell(size(c.bytes)) + cell(percent(c.fpr)) +
      cell(time(c.lookupNs)) : cell('') + cell('') + cell('') + cell('')) +
    cell(time(c.totalNs)) + '</tr>').join('');
}

function update() {
  const work = workload();
  $('keys-out').textContent = work.keys.toLocaleString('en');
  $('bits-out').textContent = work.maxBitsPerKey;
  $('work-out').textContent = time(work.workNs);
  $('hits-out').textContent = `${Math.round(100 * work.hits)} %`;
  try {
    fitPictures($('chart').clientWidth);
    const advice = lib.advise(work, times);
    const best = advice.ranking[0];
    $('best').textContent = best.spec ? `${best.spec}, ${best.bitsPerKey.toFixed(1)} bits a key, ` +
      `${size(best.bytes)}: ${percent(best.fpr)} false positives` : 'No filter';
    $('why').textContent = advice.why;
    shown = advice.ranking.find(({ spec }) => spec === chosen) ?? best;
    rank(advice);
    drawLayout();
    drawChart(work.keys);
    fail('');
  } catch (e) {
    for (const id of ['best', 'why', 'ranking']) $(id).textContent = '';
    fail(e.message);
  }
}

/** Loads a saved filter. */
function take(name, bytes) {
  const filter = lib.Filter.load(bytes);
  asked?.free();
  asked = filter;
  const about = filter.describe();
  $('loaded').innerHTML = `<strong>${escaped(name)}</strong>: ` +
    `<code>${escaped(about.spec)}</code>, made for ${about.keys.toLocaleString('en')} keys, ` +
    `${size(about.bytes)}, ` +
    `${about.bitsPerKey.toFixed(1)} bits a key. Expected false positives ` +
    `${percent(about.expectedFpr)}; as it is filled now, ${percent(about.estimatedFpr)}.` +
    (about.keyKind === 'unknown' ? '' : ` Its keys: ${about.keyKind}.`);
  $('kind').value = about.keyKind === 'bytes' ? 'text' : 'number';
  $('ask').hidden = false;
  $('answer').textContent = $('asked').innerHTML = '';
}

async function takeFile(file) {
  if (!file) return;
  try {
    take(file.name, new Uint8Array(await file.arrayBuffer()));
  } catch (e) {
    $('loaded').innerHTML = `<span class="wrong">${escaped(`${file.name}: ${e.message}`)}</span>`;
  }
}

function ask(event) {
  event.preventDefault();
  try {
    const key = typed($('key').value, $('kind').value);
    if ($('kind').value === 'number' && typeof key === 'string')
      throw new Error(`“${key}” is not a whole number`);
    const found = asked.contains(key);
    const { spec, keys, bitsPerKey, blocks, estimatedFpr } = asked.describe();
    $('answer').textContent = found
      ? `Perhaps: it is a key, or one of the ${percent(estimatedFpr)} of absent keys that pass.`
      : 'No: it is certainly not a key.';
    const touched = blocks === undefined ? [] : asked.touched(key);
    if (!found) $('answer').textContent += zeros(touched);
    $('asked').innerHTML = blocks === undefined ? '' : layoutPicture(
      lib.layout(spec, keys, bitsPerKey), blocks, touched, true);
  } catch (e) {
    $('answer').textContent = e.message;
    $('asked').innerHTML = '';
  }
}

try {
  const bytes = Uint8Array.from(atob($('wasm').textContent), (c) => c.charCodeAt(0));
  lib = await simdbloom(bytes);
  $('browser').textContent = browserName(navigator.userAgent);
  $('best').textContent = 'Measuring this browser ..';
  await new Promise((painted) => { requestAnimationFrame(() => setTimeout(painted)); });
  // The sliders and boxes stay below these limits.
  times = lib.measure({ keys: 1e9, workNs: 0, maxBitsPerKey: 24, allAtOnce: true }, 100);
  let waiting = 0;
  const later = () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(update);
  };
  for (const name of [...settings, ...needs]) $(name).addEventListener('input', later);
  addEventListener('resize', later);
  $('sample').addEventListener('input', drawLayout);
  $('ranking').addEventListener('click', (event) => {
    const row = event.target.closest('tr');
    if (!row) return;
    chosen = row.dataset.spec;
    update();
    $('layout-title').scrollIntoView({ block: 'nearest' });
  });
  const drop = $('drop');
  // The whole page accepts a file: one dropped beside the frame must not replace the page.
  for (const kind of ['dragover', 'dragleave', 'drop'])
    document.addEventListener(kind, (event) => {
      event.preventDefault();
      drop.classList.toggle('over', kind === 'dragover');
      if (kind === 'drop') takeFile(event.dataTransfer.files[0]);
    });
  $('file').addEventListener('change', () => takeFile($('file').files[0]));
  $('ask').addEventListener('submit', ask);
  update();
  document.body.dataset.ready = lib.version;
} catch (e) {
  fail(`This browser cannot run the page: ${e.message}`);
}
