// inline.mjs OUT TEMPLATE FILE...: the template with these files in place of {{their names}}, as
// one file. Removes imports, exports, and the address of the module, whose bytes are given.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

const [, , out, template, ...files] = process.argv;

function text(path) {
  if (path.endsWith('.wasm')) return readFileSync(path).toString('base64');
  const read = readFileSync(path, 'utf8');
  if (!path.endsWith('.js')) return read;
  return read.replace(/^import .*;$/gm, '').replace(/^export default .*;$/gm, '')
    .replace(/^export (?=class|(async )?function)/gm, '')
    .replaceAll('import.meta.url', "'file:///'").replaceAll('</script', '<\\/script');
}

let page = readFileSync(template, 'utf8');
for (const path of files) {
  const parts = page.split(`{{${basename(path)}}}`);
  if (parts.length !== 2) throw new Error(`{{${basename(path)}}} stands ${parts.length - 1} times`);
  page = parts.join(text(path));
}
const left = page.match(/\{\{[\w.]+\}\}/);
if (left) throw new Error(`${left[0]} is missing`);
writeFileSync(out, page);
