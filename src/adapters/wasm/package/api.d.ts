/** The functions of 'simdbloom', by the bytes of simdbloom.wasm, from wherever they come. */
export function simdbloom(wasmBinary: Uint8Array | ArrayBuffer):
  Promise<typeof import('./index.js')>;
/** The same at once. Browsers refuse that, except in workers. */
export function simdbloomNow(wasmBinary: Uint8Array | ArrayBuffer): typeof import('./index.js');
export { SimdbloomError } from './index.js';
