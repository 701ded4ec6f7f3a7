// Full-text search of the manual, without a server. tests/checks/manual/words writes its entries,
// [title, place, words], to search_index.js.
'use strict';

/// The entries that have every word of the query, or words that begin so, the best first.
function found(entries, query) {
  const asked = query.toLowerCase().trim();
  const words = asked.match(/[\p{L}\p{N}_]+/gu) || [];
  const begins = words.map((word) => new RegExp(`(?<![\\p{L}\\p{N}])${word}`, 'gu'));
  const scored = [];
  if (words.length) for (const [title, place, text] of entries) {
    const [t, x] = [title.toLowerCase(), text.toLowerCase()];
    let score = 0;
    for (const begin of begins) {
      const n = 10 * (t.match(begin) || []).length + Math.min((x.match(begin) || []).length, 5);
      score = n && score >= 0 ? score + n : -1;
      if (score < 0) break;
    }
    if (score < 0) continue;
    if (x.includes(asked)) score += 10;
    if (/^(index|page-src-)/.test(place)) score += 15;  // the guide
    if (t.split(/::|\s/).includes(asked)) score += 40;
    // Of members of one name, the order of the entries decides: the core comes first.
    const name = t.includes('::') ? t.split('::').pop() : '';
    if (name === asked) score = 100;
    else if (name.startsWith(asked)) score += 20;
    scored.push([score, title, place, text, x.search(begins[0])]);
  }
  return scored.sort((a, b) => b[0] - a[0]);
}

/// Puts a box for the search into the head of a page.
function show() {
  const box = document.createElement('div');
  box.id = 'search';
  box.innerHTML = '<input type="search" placeholder="Search" aria-label="Search the manual">' +
    '<ol hidden></ol>';
  document.getElementById('titlearea').append(box);
  const [input, list] = box.children;
  const update = () => {
    if (typeof MANUAL === 'undefined') return;
    const results = found(MANUAL, input.value);
    list.replaceChildren(...results.slice(0, 30).map(([, title, place, text, at]) => {
      const item = document.createElement('li');
      const link = item.appendChild(document.createElement('a'));
      link.href = place;
      link.textContent = title;
      const from = Math.max(0, text.lastIndexOf(' ', Math.max(0, at - 40)));
      item.append(text.slice(from, from + 160));
      return item;
    }));
    if (!results.length) list.textContent = 'nothing found';
    list.hidden = !input.value.trim();
  };
  input.addEventListener('focus', () => {
    if (document.getElementById('search-index')) return;
    const script = document.createElement('script');
    script.id = 'search-index';
    script.src = 'search_index.js';
    script.onload = update;
    document.head.append(script);
  });
  input.addEventListener('input', update);
  box.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.target === input) list.querySelector('a')?.click();
    if (event.key === 'Escape') list.hidden = true;
  });
  list.addEventListener('click', () => { list.hidden = true; });  // also to this very page
}

if (typeof document === 'undefined') module.exports = found;
else document.addEventListener('DOMContentLoaded', show);
