// Loads the module beside this file, in Node.js and in browsers.
import { simdbloom } from './api.js';

const address = new URL('./simdbloom.wasm', import.meta.url);

async function bytesOf() {
  if (address.protocol === 'file:') return (await import('node:fs')).readFileSync(address);
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`simdbloom: ${address}: ${answer.status} ${answer.statusText}`);
  return answer.arrayBuffer();
}

export const { Filter, FilterTimes, SimdbloomError, version, isas, expectedFpr, bitsForFpr, layout,
  measure, advise } = await simdbloom(await bytesOf());
