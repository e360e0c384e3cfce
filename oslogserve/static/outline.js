// SPDX-License-Identifier: Apache-2.0
// What went wrong in a build: a card above the log. The chapters of a build: an outline beside the log, or folded above it on a narrow screen, and a fold
// for each. log.js leaves the summary in `log.page`, next to its functions that are used here.

const LEAST = 3; // lines that a fold hides
const MOST_TESTS = 10; // that the card lists
const FILTERS = ['level', 'q', 're', 'not']; // lines that these leave out are no part of a fold

const log = document.getElementById('log');
const counted = new Intl.NumberFormat('en');
const numberOf = (line) => Number(line.id.slice(1));
const lineOf = (number) => document.getElementById(`L${number}`);
const hasFailed = ({ outcome }) => outcome === 'failed';
const contains = (chapter, number) => chapter.first <= number && number <= chapter.last;

function create(tag, properties) {
  return Object.assign(document.createElement(tag), properties);
}

// What went wrong

let card = null;

function failureOf({ line, last = line, headline }, className = '') {
  const address = new URL(location);
  if (!lineOf(line)) address.searchParams.set('show', last > line ? `L${line}-L${last}` : `L${line}`);
  address.hash = `L${line}`;
  return create('a', { className, href: address, textContent: headline });
}

// As on the page of a job.
function drawCard(summary) {
  const cause = log.page.causeOf(summary);
  card?.remove();
  card = null;
  if (!cause || !summary.failed) return;
  card = create('section', { className: 'card', ariaLabel: 'What went wrong' });
  if (cause.why === 'end') card.append(failureOf({ ...cause, headline: 'No line tells why: how it ended' }, 'headline'));
  else card.append(failureOf(cause, 'headline'));
  const { step, other_failures: others = [] } = summary;
  if (step) {
    const part = create('span', { className: 'step', textContent: 'in ' });
    const name = step.name.length > 80 ? `${step.name.slice(0, 80)}\u2026` : step.name;
    part.append(create('b', { textContent: name }), step.took ? `, which took ${step.took}` : '');
    card.append(part);
  }
  if (cause.exit_code !== undefined) card.append(create('span', { className: 'step', textContent: `exit code ${cause.exit_code}` }));
  if (cause.why === 'test' && others.length) {
    const list = create('ul', { className: 'tests' });
    for (const link of others.slice(0, MOST_TESTS).map((one) => failureOf(one))) {
      list.append(create('li', {}));
      list.lastChild.append(link);
    }
    if (summary.more_failures) {
      const address = new URL(location);
      address.searchParams.set('level', 'ERROR');
      list.append(create('li', {}));
      list.lastChild.append(create('a', { href: address, textContent: 'There may be more: all errors' }));
    }
    card.append(create('div', { textContent: 'Other tests that failed:' }), list);
  }
  document.querySelector('main').prepend(card);
}

let chapters = [];

// Folds: a folded chapter is its first line. Blocks are cut where chapters begin and end, so that a fold
// hides whole blocks. The browser's search finds their lines all the same, and opens the fold.

let folds = new Map(); // by the number of the first line

function drawFold(fold) {
  const { name, first, end, took, isFolded, button } = fold;
  const size = `${counted.format(end - first)} lines${took ? `, ${took}` : ''}`;
  Object.assign(button, { ariaLabel: `${name}: ${size}`, ariaExpanded: !isFolded });
  button.dataset.lines = size;
}

// A folded chapter hides its blocks, unless its first line is hidden by another one: chapters may contain
// others, or overlap.
function hideBlocks() {
  const folded = [...folds.values()].filter(({ isFolded }) => isFolded);
  let next = 0;
  let until = 0;
  for (const block of log.children) {
    const first = block.querySelector(':scope > [id]');
    const number = first ? numberOf(first) : Infinity;
    for (; folded[next]?.first < number; next += 1) {
      if (folded[next].first > until) until = folded[next].end;
    }
    // New lines at the end may not be cut off yet.
    const hides = number <= until && numberOf(block.lastElementChild.id ? block.lastElementChild : first) <= until;
    if (block.matches('[hidden]') !== hides) block.hidden = hides && 'until-found';
  }
}

function setFolded(changed, isFolded) {
  for (const fold of changed) {
    fold.isFolded = isFolded;
    drawFold(fold);
  }
  hideBlocks();
}

function open(block) {
  const number = numberOf(block.querySelector('[id]'));
  setFolded([...folds.values()].filter((fold) => fold.isFolded && contains(fold, number)), false);
}

log.addEventListener('beforematch', ({ target }) => { if (target.matches('.b')) open(target); });
log.addEventListener('grown', ({ target }) => { if (target.hidden) open(target); });
log.addEventListener('click', ({ target }) => {
  const fold = target.matches('.part') && folds.get(numberOf(target.parentElement));
  if (fold) setFolded([fold], !fold.isFolded);
});
// What is copied of the log alone has all lines: see log.js. Of all the page, it has what is shown.
document.addEventListener('copy', () => {
  const selection = getSelection();
  if (log.contains(selection.anchorNode) && log.contains(selection.focusNode)) return;
  const isCopied = ({ isFolded, button }) => isFolded && selection.containsNode(button, true);
  setFolded([...folds.values()].filter(isCopied), false);
});

// A chapter whose lines are on the page. end: the last of them.
function foldOf(chapter, lastShown) {
  const heading = lineOf(chapter.first);
  const end = Math.min(chapter.last, lastShown);
  // An error has a fold of its own.
  if (end - chapter.first < LEAST || !heading || !lineOf(end) || heading.matches('.E, .C')) return null;
  const { isFolded = false } = folds.get(chapter.first) ?? {};
  const button = heading.querySelector('.part') ?? create('button', { className: 'part' });
  heading.append(button);
  return { ...chapter, end, isFolded, button };
}

function cutBlocks() {
  const ends = [...folds.values()].flatMap(({ first, end }) => [lineOf(first), lineOf(end)]);
  const cuts = new Set(ends.filter((line) => line.nextElementSibling));
  for (const block of new Set([...cuts].map((line) => line.parentElement))) {
    const pieces = [];
    let isNew = true;
    for (const item of [...block.children]) {
      if (isNew) pieces.push(create('ol', { className: 'b' }));
      pieces.at(-1).append(item);
      isNew = cuts.has(item);
    }
    // Until it is shown, a block is as high as its lines are many.
    for (const piece of pieces) piece.style.setProperty('--lines', piece.childElementCount);
    block.replaceWith(...pieces);
  }
}

// Chapters that passed begin folded where another one failed: but not those that hold the cause, a line
// that an address names, or what is looked at, and not the last one of a log that grows. Most builds stop
// at a failure, so a chapter without an outcome that ended before it passed.
function begin({ cause, failed, lines }, top) {
  const failure = Math.min(...chapters.filter(hasFailed).map(({ first }) => first));
  const hasPassed = ({ outcome, last }) => outcome === 'passed' || (!outcome && last < failure);
  const isLast = ({ last }) => document.querySelector('.newer') && last === lines;
  const open = [
    ...chapters.filter(hasFailed).map(({ first }) => first),
    ...failed && cause ? [cause.line] : [],
    ...[...log.querySelectorAll('.lit')].map(numberOf),
  ];
  // Of a folded chapter, the first line is seen.
  const isAtTop = (fold) => top && contains(fold, numberOf(top)) && numberOf(top) !== fold.first;
  const passed = [...folds.values()].filter((fold) => hasPassed(fold) && !isLast(fold));
  setFolded(passed.filter((fold) => !isAtTop(fold) && !open.some((number) => contains(fold, number))), true);
}

let hasBegun = false;

function drawFolds(summary, top) {
  const { searchParams } = new URL(location);
  // Cutting blocks would end a selection.
  if (FILTERS.some((name) => searchParams.get(name)) || !getSelection().isCollapsed) return;
  const [lastShown] = [...log.querySelectorAll(':scope > .b:last-child > [id]')].slice(-1).map(numberOf);
  const found = chapters.map((chapter) => foldOf(chapter, lastShown)).filter(Boolean);
  for (const { first, button } of folds.values()) if (!found.some((fold) => fold.first === first)) button.remove();
  folds = new Map(found.map((fold) => [fold.first, fold]));
  cutBlocks();
  folds.forEach(drawFold);
  // Other browsers do not search what is folded.
  if (!hasBegun && chapters.some(hasFailed) && 'onbeforematch' in log) begin(summary, top); else hideBlocks();
  hasBegun = true;
}

// The outline

function entryOf(chapter, depth) {
  const { name, first, took } = chapter;
  const entry = create('li', { className: chapter.outcome ?? '' });
  entry.style.setProperty('--depth', Math.min(depth, 6));
  const link = create('a', { href: `#L${first}`, textContent: name, title: name });
  link.onclick = () => { if (folds.has(first)) setFolded([folds.get(first)], false); };
  entry.append(link);
  if (hasFailed(chapter)) entry.append(' ', create('b', { textContent: 'failed' }));
  if (took) entry.append(' ', create('span', { textContent: took }));
  return entry;
}

let outline = null;
let entries = [];

function drawOutline(more) {
  const { activeElement: active } = document;
  const hasFocus = outline?.contains(active);
  const around = [];
  entries = chapters.map((chapter) => {
    while (around.length && around.at(-1).last < chapter.last) around.pop();
    around.push(chapter);
    return entryOf(chapter, around.length - 1);
  });
  const list = create('ol', {});
  list.append(...entries);
  if (more) list.append(create('li', { textContent: `and ${counted.format(more)} more` }));
  const failed = chapters.filter(hasFailed).length;
  const count = chapters.length + more;
  const textContent = `${counted.format(count)} chapter${count === 1 ? '' : 's'}${failed ? `, ${counted.format(failed)} failed` : ''}`;
  const isOpen = outline ? outline.firstElementChild.open : matchMedia('(min-width: 75rem)').matches;
  const details = create('details', { open: isOpen });
  details.append(create('summary', { textContent }), list);
  details.ontoggle = () => show(shown);
  const before = outline;
  outline = create('nav', { id: 'chapters', className: 'chapters', ariaLabel: 'Chapters' });
  outline.append(details);
  if (before) {
    const { scrollTop } = before;
    before.replaceWith(outline);
    outline.scrollTop = scrollTop;
    const links = entries.map(({ firstElementChild }) => firstElementChild);
    if (hasFocus) (links.find(({ hash }) => hash === active.hash) ?? details.firstElementChild).focus({ preventScroll: true });
  } else {
    log.before(outline);
    document.documentElement.classList.add('outlined');
    show(list.querySelector('.failed'));
  }
}

let shown = null; // the entry that was last brought into view

// Brings an entry into view, but never moves the page. On a narrow screen it is the list that scrolls.
function show(entry) {
  if (!entry) return;
  shown = entry;
  for (const scroller of [outline, entry.parentElement]) {
    const [inner, outer] = [entry, scroller].map((one) => one.getBoundingClientRect());
    if (inner.top < outer.top || inner.bottom > outer.bottom) {
      scroller.scrollTop += inner.top - outer.top - outer.height / 2;
    }
  }
}

// The chapter that is looked at, the innermost one.
let current = null;

function mark(line) {
  const entry = entries[chapters.findLastIndex((chapter) => contains(chapter, numberOf(line)))];
  if (entry === current) return;
  const isFirst = !current;
  current?.firstElementChild.removeAttribute('aria-current');
  current = entry;
  current?.firstElementChild.setAttribute('aria-current', 'true');
  // At the page's beginning, the failed one stays in view.
  if (!isFirst || scrollY) show(current);
}

// Where the page jumps to, lines may take some frames to be there, and to be where they stay.
const MOST_FRAMES = 10;
let frames = 0;

function follow() {
  const line = log.page.lineLookedAt();
  if (line) mark(line);
  frames -= 1;
  if (frames) requestAnimationFrame(follow);
}

function beginToFollow() {
  if (!outline) return;
  if (!frames) requestAnimationFrame(follow);
  frames = MOST_FRAMES;
}
addEventListener('scroll', beginToFollow, { passive: true });
log.addEventListener('lit', beginToFollow);

function draw() {
  const { summary, lineHeld, pin } = log.page;
  const top = scrollY ? lineHeld() : null;
  const y = top?.getBoundingClientRect().top;
  drawCard(summary);
  if (summary.chapters.length || outline) {
    chapters = summary.chapters;
    drawOutline(summary.more_chapters);
    drawFolds(summary, top);
  }
  if (top) pin(top, y);
  beginToFollow();
}

log.addEventListener('summed', draw);
if (log.page?.summary) draw();
