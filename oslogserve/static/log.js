// SPDX-License-Identifier: Apache-2.0
// The page works without this: it keeps the place when the level changes, and makes line
// numbers clickable.

// A level link leads to the line that is at the top of the window, if that line is still there.
function lineAtTop() {
  const top = document.querySelector('header').getBoundingClientRect().bottom;
  const line = document.elementFromPoint(innerWidth / 2, top + 4)?.closest('#log span');
  return line?.id;
}

document.addEventListener('click', (event) => {
  const link = event.target.closest('.levels a');
  if (link && scrollY > 0) {
    const line = location.hash.slice(1) || lineAtTop();
    if (line) link.hash = line;
  }
  // The number is drawn before the line's text, in its padding.
  const line = event.target.closest('#log span');
  if (line && event.target === line && event.offsetX < 80 && getSelection().isCollapsed) {
    location.hash = line.id;
  }
});
