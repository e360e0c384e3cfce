// SPDX-License-Identifier: Apache-2.0
// The page works without this: it keeps the place when the level changes, and makes line
// numbers clickable.

const severities = ['NONE', 'DEBUG', 'INFO', 'AUDIT', 'TRACE', 'WARNING', 'ERROR', 'CRITICAL'];

function lineAtTop() {
  const top = document.querySelector('header').getBoundingClientRect().bottom;
  return document.elementFromPoint(innerWidth / 2, top + 4)?.closest('#log span');
}

// The line the reader looks at, or the nearest one that the filter keeps: after it, else before.
function placeAt(level) {
  const wanted = severities.indexOf(level);
  const isKept = (line) => severities.indexOf(line.classList[0]) >= wanted;
  const named = decodeURIComponent(location.hash.slice(1));
  const target = document.getElementById(named) ?? document.getElementsByName(named)[0];
  const start = target?.closest('#log span') ?? lineAtTop();
  for (let line = start; line; line = line.nextElementSibling) if (isKept(line)) return line.id;
  for (let line = start; line; line = line.previousElementSibling) if (isKept(line)) return line.id;
}

document.addEventListener('click', (event) => {
  const link = event.target.closest('.levels a');
  if (link && (scrollY > 0 || location.hash)) {
    const place = placeAt(link.className);
    if (place) link.hash = place;
  }
  // The number is drawn before the line's text, in its padding.
  const line = event.target.closest('#log span');
  if (line && event.target === line && event.offsetX < 80 && getSelection().isCollapsed) {
    location.hash = line.id;
  }
});
