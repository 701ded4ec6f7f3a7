// The pictures of the page, as SVG: a layout with the bits of a key, and a chart.
const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const svg = (width, height, title, inner) =>
  `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" ` +
  `aria-label="${escaped(title)}">${inner}</svg>`;
const rect = (x, y, w, h, kind) =>
  `<rect class="${kind}" x="${x}" y="${y}" width="${w}" height="${h}"></rect>`;
const words = (x, y, text, kind = '') => `<text class="${kind}" x="${x}" y="${y}">${text}</text>`;
const CELL = 11;
/** What the pictures are as wide as, and the width of a cell. */
let WIDTH = 720, STEP = CELL;
function fitPictures(width) {
  WIDTH = Math.min(720, width);
  STEP = Math.min(CELL, (WIDTH - 74) / 64);
}

/** The whole filter as a strip, with a mark where the blocks are. */
function strip(y, blocks, places, unit) {
  let out = words(0, y + 11, `the filter: ${blocks.toLocaleString('en')} ${unit}`, 'soft') +
    rect(0, y + 18, WIDTH, 14, 'cell');
  for (const place of places)
    out += rect(Math.min(WIDTH - 4, WIDTH * place / blocks), y + 16, 4, 18, 'mark');
  return out;
}

/** Rows of cells of which `marked` has the kinds. Zones alternate between two tones. */
function grid(x, y, rows, columns, zoneOf, marked) {
  let out = '';
  for (let r = 0; r < rows; ++r)
    for (let c = 0; c < columns; ++c) {
      const i = r * columns + c;
      const kind = marked.get(i) ?? (zoneOf(i) % 2 === 1 ? 'cell odd' : 'cell');
      out += rect(x + c * STEP, y + r * (CELL + 3), STEP - 1, CELL, kind);
    }
  return out;
}

/** The picture of a layout, with the places of a key in a filter of so many blocks. `asked`: bits
 *  that are 0 look different. */
function layoutPicture(layout, blocks, touched, asked = false) {
  const kindOf = ({ isSet }) => asked && isSet === false ? 'mark zero' : 'mark';
  const places = touched.map(({ block }) => block);
  if (layout.anywhere) {
    const unit = 'words of 64 bits';
    const rows = Math.min(touched.length, 8);
    let out = strip(0, blocks, places, unit);
    const zerosFirst = [...touched].sort((a, b) => asked ? a.isSet - b.isSet : 0);
    zerosFirst.slice(0, rows).forEach((place, i) => {
      const { block, bit } = place;
      const at = Math.floor(bit / layout.cellBits), cells = 64 / layout.cellBits;
      out += grid(0, 52 + 17 * i, 1, cells, () => 0, new Map([[at, kindOf(place)]])) +
        words(cells * STEP + 8, 62 + 17 * i, `word ${block}`, 'soft');
    });
    const more = touched.length - rows;
    if (more > 0) out += words(0, 66 + 17 * rows, `and ${more} more`, 'soft');
    return svg(Math.max(WIDTH, 64 * STEP + 74), 72 + 17 * rows,
      `${layout.spec}: ${touched.length} words a key`, out);
  }
  if (layout.cells > 0) {
    const cells = layout.cells === 32 ? 8 : layout.cells;
    let out = strip(0, blocks, places, layout.cells === 32 ? 'blocks of four buckets' : 'buckets');
    const wide = Math.min(64, (WIDTH - 90) / cells);
    touched.forEach(({ block }, i) => {
      const y = 52 + 34 * i;
      for (let c = 0; c < cells; ++c)
        out += rect(c * wide, y, wide - 2, 24, c % 2 ? 'cell odd' : 'cell');
      out += rect(0, y, cells * wide - 2, 24, 'frame') +
        words(cells * wide + 8, y + 16, `bucket ${block}`, 'soft');
    });
    const value = touched[0].bit;
    out += words(0, 66 + 34 * touched.length, asked
      ? `looked for: the fingerprint ${value}, of ${layout.fingerprintBits} bits`
      : `one cell has the fingerprint, ${value}, of ${layout.fingerprintBits} bits`);
    const title = `${layout.spec}: ${touched.length} buckets a key`;
    return svg(WIDTH, 76 + 34 * touched.length, title, out);
  }
  const cells = layout.blockBits / layout.cellBits;
  const columns = Math.min(layout.wordBits / layout.cellBits, 64, cells);
  const cellsPerZone = cells / layout.zones;
  const marked = new Map(touched.map((place) =>
    [Math.floor(place.bit / layout.cellBits), kindOf(place)]));
  const rows = cells / columns;
  const out = strip(0, blocks, [places[0]], `blocks of ${layout.blockBits} bits`) +
    words(0, 60, `block ${places[0]}: ${rows} × ${columns} ` +
      (layout.cellBits === 1 ? 'bits' : 'counters of 4 bits'), 'soft') +
    grid(0, 68, rows, columns, (i) => Math.floor(i / cellsPerZone), marked);
  return svg(WIDTH, 72 + rows * (CELL + 3), `${layout.spec}: the ${marked.size} bits of a key in ` +
    'its block', out);
}

/** Structures without a layout: the slots of a key. */
function structurePicture(spec) {
  const fuse = spec.startsWith('fuse');
  const wide = Math.min(64, WIDTH / 9);
  const boxes = fuse ? [0, 1, 2].map((i) => [i * WIDTH / 3, 1, `slot in window ${i + 1}`])
    : [0, 1].map((i) => [i * WIDTH / 2, 4, i ? 'or its other bucket' : 'the first bucket']);
  let out = strip(0, 3, boxes.map(([x]) => 3 * (x + WIDTH / 12) / WIDTH), 'parts').replace(
    /the filter.*?</,
    fuse ? 'the filter: slots, in three windows<' : 'the filter: buckets<');
  for (const [x, cells, name] of boxes) {
    for (let c = 0; c < cells; ++c)
      out += rect(x + c * wide, 52, wide - 2, 24, c % 2 ? 'cell odd' : 'cell');
    out += words(x, 92, name, 'soft');
    if (fuse && x < WIDTH / 2) out += words(x + WIDTH / 5, 69, '⊕');
  }
  return svg(WIDTH, 116, `${spec}: what a lookup reads`, out + words(0, 110, fuse
    ? 'the XOR of the three is the fingerprint of the key'
    : 'one cell has the fingerprint of the key'));
}

/** Lines of [name, [[x, y], ..]], y from 1e-6 to 1 in logarithms. */
function chart(lines, at) {
  const left = 64, right = WIDTH - 110, top = 10, bottom = 300, [from, to] = [4, 24];
  const x = (bits) => left + (right - left) * (bits - from) / (to - from);
  const y = (fpr) => top + (bottom - top) * Math.min(6, -Math.log10(Math.max(fpr, 1e-6))) / 6;
  const colours = ['#4477aa', '#cc6677', '#228833', '#ccaa22', '#9467bd'];
  let out = '';
  for (let e = 0; e <= 6; ++e)
    out += `<line class="axis" x1="${left}" x2="${right}" y1="${y(10 ** -e)}" ` +
      `y2="${y(10 ** -e)}"/>` +
      words(2, y(10 ** -e) + 4, `${+(100 * 10 ** -e).toPrecision(1)} %`, 'soft');
  for (let b = from; b <= to; b += 4) out += words(x(b) - 6, bottom + 18, b, 'soft');
  out += words((left + right) / 2 - 30, bottom + 36, 'bits a key', 'soft');
  const labels = lines.map(([name, points], i) => ({ name, i, y: y(points.at(-1)[1]) }))
    .sort((a, b) => a.y - b.y);
  labels.forEach((label, i) => { if (i) label.y = Math.max(label.y, labels[i - 1].y + 15); });
  const over = Math.max(0, labels.at(-1).y - bottom);
  for (const label of labels) {
    const level = label.y - over;
    out += `<line style="stroke:${colours[label.i]};stroke-width:3" x1="${right + 6}" ` +
      `x2="${right + 16}" y1="${level}" y2="${level}"/>` + words(right + 20, level + 4, label.name);
  }
  lines.forEach(([name, points], i) => {
    out += `<polyline stroke="${colours[i]}" points="` +
      `${points.map(([b, f]) => `${x(b).toFixed(1)},${y(f).toFixed(1)}`).join(' ')}">` +
      `<title>${name}</title></polyline>`;
  });
  if (at && at.bitsPerKey >= from && at.bitsPerKey <= to)
    out += `<circle class="mark" cx="${x(at.bitsPerKey)}" cy="${y(at.fpr)}" r="6">` +
      `<title>${escaped(at.spec)}</title></circle>`;
  return svg(WIDTH, bottom + 44, 'false-positive rate against bits a key', out);
}
