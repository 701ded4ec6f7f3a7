// For require(). inline.mjs puts the other files in.
{{module.js}}
{{api.js}}
module.exports = simdbloomNow(require('node:fs').readFileSync(`${__dirname}/simdbloom.wasm`));
