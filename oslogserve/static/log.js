// SPDX-License-Identifier: Apache-2.0
// What a log's page has beyond links and a form; it works without. This runs while lines still
// come. A line is `.b > [id]`, its class its severity's first letter, small where it is inherited.

const frame = () => new Promise(requestAnimationFrame);
while (!document.getElementById('log')) await frame();

const log = document.getElementById('log');
const bar = document.querySelector('header');
const status = create('p', { id: 'said', role: 'status' });
const say = (text) => { status.textContent = text; };
const source = new URL(location).searchParams.get('source');
// A query about what the page is about.
const asking = (parameters) => new URLSearchParams({ ...source && { source }, ...parameters });
const isPlain = (event) => !(event.ctrlKey || event.metaKey || event.altKey);
document.documentElement.classList.add('js');
document.body.append(status);

function create(tag, properties) {
  return Object.assign(document.createElement(tag), properties);
}

const counted = new Intl.NumberFormat('en');

// Lines

const LINES = '#log > .b > [id]';
const ERRORS = '.b > :is(.E, .C)';
const NUMBER = '[href^="#"]';
const isWhole = () => isRead() && !document.querySelector('[rel="next"]');
const isRead = () => document.readyState !== 'loading';
const numberOf = (line) => Number(line.id.slice(1));
const lineOf = (node) => node?.closest(LINES);

const walker = document.createTreeWalker(log, NodeFilter.SHOW_ELEMENT, ({ id }) => (id[0] === 'L' ? 1 : 3));

// The next line, or with -1 the one before, whatever is between.
function neighbour(line, way = 1) {
  walker.currentNode = line;
  return way > 0 ? walker.nextNode() : walker.previousNode();
}

// From this line on, as long as lines are such.
function linesWhile(are, line) {
  const lines = [];
  for (let at = line; at && are(at); at = neighbour(at)) lines.push(at);
  return lines;
}

// The line of that number, or the next one that is shown.
function lineFrom(number) {
  const firsts = [...log.children].map((block) => block.querySelector('[id]')).filter(Boolean);
  const first = firsts.findLast((one) => numberOf(one) <= number);
  if (!first) return firsts[0];
  const last = linesWhile((line) => numberOf(line) <= number, first).at(-1);
  return numberOf(last) === number ? last : neighbour(last);
}

// Where the lines begin, next to the outline.
const side = () => Number.parseFloat(getComputedStyle(log.parentElement).paddingLeft);

function lineAt(y) {
  for (let at = y; at < innerHeight; at += 6) {
    const line = lineOf(document.elementFromPoint(side() + 20, at));
    if (line) return line;
  }
}
const lineAtTop = () => lineAt(bar.offsetHeight + 4);
const topOf = (line) => line.getBoundingClientRect().top;
const isSeen = (line) => topOf(line) >= bar.offsetHeight - 1 && topOf(line) < innerHeight - 20;

// Keeping a line in its place while the page grows

let pinned = null;
// A page that has loaded goes to its fragment, though the reader went elsewhere: till then it has none.
let leftAt = null;

let hasMoved = false;
// Where the page began, until the reader moves.
let beganAt = null;
const lineHeld = () => (!hasMoved && beganAt) || lineAtTop();

function letGo() {
  hasMoved = true;
  pinned = null;
  say('');
  if (document.readyState === 'complete' || !location.hash) return;
  leftAt = location.href;
  history.replaceState(null, '', location.pathname + location.search);
}
for (const moves of ['wheel', 'touchstart', 'pointerdown', 'keydown']) {
  addEventListener(moves, letGo, { capture: true, passive: true });
}
addEventListener('load', async () => {
  await frame();
  if (leftAt && !location.hash) history.replaceState(null, '', leftAt);
});

// top: where on the screen; where links land, if there is none.
async function pin(line, top) {
  const mine = pinned = { line };
  for (let resting = 0; resting < 8 && pinned === mine; await frame()) {
    const before = topOf(line);
    if (top === undefined) line.scrollIntoView({ inline: 'start' }); else scrollBy(0, before - top);
    resting = Math.abs(topOf(line) - before) < 1 && isRead() ? resting + 1 : 0;
  }
}

// A page that is loaded again, or gone back to, begins where it was left: by its line, since what the browser
// remembers is a height, which is another line's as long as chapters are not folded again.
history.scrollRestoration = 'manual';
const leftLine = () => history.state?.left ?? [];
let scrolled = null;
addEventListener('scroll', () => {
  clearTimeout(scrolled);
  scrolled = setTimeout(() => {
    const line = scrollY > 0 && lineAtTop();
    history.replaceState(line ? { left: [line.id, topOf(line)] } : null, '');
  }, 100);
}, { passive: true });

// Fragments: #L17, #L17-L20, and #_2013-09-27_18_22_11_248, the name of the first of the lines of a
// time that stand together; its dashes were underscores for a while

const fragment = () => {
  const name = location.hash.slice(1).replace(/^_(\d{4})_(\d\d)_(\d\d)_/, '_$1-$2-$3_');
  // The range that the address brings in, such as a cause, is marked as a whole.
  return new URL(location).searchParams.getAll('show').find((shown) => shown.startsWith(`${name}-`)) ?? name;
};

// A ~ before it: or the next line that is shown. First and last number; null for a time.
function rangeOf(name) {
  const found = /^~?L(\d{1,15})(?:-L?(\d{1,15}))?$/.exec(name);
  return found && [Number(found[1]), Number(found[2] ?? found[1])].sort((a, b) => a - b);
}

function linesOf(name) {
  const range = rangeOf(name);
  if (range && name[0] === '~') {
    return [lineFrom(range[0]) ?? (isWhole() ? [...log.querySelectorAll(LINES)].at(-1) : null)].filter(Boolean);
  }
  return range ? linesWhile((line) => numberOf(line) <= range[1], lineFrom(range[0]))
    : [...document.getElementsByName(name)].filter(lineOf).flatMap(run);
}

// False if the filter hides some of the lines.
function isWholeRange(lines, name) {
  const range = rangeOf(name);
  return range && name[0] !== '~' ? lines.length > range[1] - range[0] : lines.length > 0;
}

const nameOf = (line) => line?.firstElementChild.name;
const shows = (line, name) => line.textContent.replace(/[\s:.,]/g, '_').includes(name.slice(1));
const run = ({ name, parentElement: first }) => [
  first, ...linesWhile((line) => !nameOf(line), neighbour(first)).filter((line) => shows(line, name))];

function light(lines, name = '') {
  for (const line of log.querySelectorAll('.lit')) line.classList.remove('lit');
  for (const line of lines) {
    line.classList.toggle('lit', name[0] !== '~' || name === `~${line.id}`);
    for (const folded of [line, line.parentElement].filter(({ hidden }) => hidden)) {
      folded.dispatchEvent(new Event('beforematch', { bubbles: true }));
    }
  }
  log.dispatchEvent(new Event('lit'));
}

function goTo(line, last = line) {
  const name = last === line ? line.id : `${line.id}-${last.id}`;
  history.replaceState(null, '', `#${name}`);
  light(last === line ? [line] : linesOf(name));
  if (!isSeen(line) || scrollX) pin(line);
}

// A line that the filter hides is brought in by the server, once; of a time that no line has, the nearest.
function bringIn(name) {
  const range = rangeOf(name);
  if (name[0] === '~' ? isWhole() : !range && !/^_[\w+/-]{1,64}$/.test(name)) return;
  const wanted = range && name[0] !== '~' ? name.replace(/-(\d)/, '-L$1') : name.replace('~', '');
  const address = new URL(location);
  const isPart = !range || document.querySelector('.chip, [rel="next"], [rel="prev"]');
  if (!isPart || address.searchParams.has('show', wanted)) {
    const next = document.querySelector('[data-next]')?.dataset.next;
    if (range?.[0] >= next && !address.searchParams.has('lines')) {
      address.searchParams.set('lines', `${Math.max(1, range[0] - 200)}-`);
      location.replace(address);
      return;
    }
    const near = document.querySelector('.notice [href^="#"]')?.hash.slice(1);
    if (near && !range) {
      light(linesOf(near));
      pin(linesOf(near)[0]);
      say(document.querySelector('.notice').textContent);
    } else if (name[0] !== '~' && !log.querySelector('.lit')) {
      say(range ? `This log has no line ${counted.format(range[0])}.` : 'No line of this log has that time.');
    }
    return;
  }
  address.hash = name;
  address.searchParams.set('show', wanted);
  location.replace(address);
}

// left, top: where a reader who goes back was.
function arrive([left, top] = []) {
  const lines = linesOf(fragment());
  light(lines, fragment());
  const place = document.getElementById(left) ?? lines[0];
  if (place) pin(place, top);
  if (isRead() && !isWholeRange(lines, fragment())) bringIn(fragment());
}
addEventListener('hashchange', () => arrive(leftLine()));

// A number links its line; with shift, all from the last one.
let from;
function link(line, isRange) {
  const [first, last] = [isRange && from ? from : line, line].sort((a, b) => numberOf(a) - numberOf(b));
  const name = first === last ? line.id : `${first.id}-${last.id}`;
  if (!isRange) from = line;
  history.pushState(null, '', `#${name}`);
  light(linesOf(name));
}

// Errors: lines of one second that stand together are one, with the lines without a time below

// Lines that belong to one above.
const MORE = ':is(.d, .i, .a, .t, .w, .e, .c)';
const isMore = (line) => line?.matches(MORE);

// oslo.log repeats the head before each line of a traceback.
const TRACEBACK = /Traceback \(most recent call last\):\s*$/;
const REPEATS = '.b > :is(.E, .T)';
const REPEATED = /^.{0,99} (?:ERROR|TRACE) \S+ (?:\[[^\]]*\] )? {2}/;

function setBackOne(line) {
  const before = neighbour(line, -1);
  const goesOn = before?.id === `L${numberOf(line) - 1}` && (isMore(before) || TRACEBACK.test(before.textContent));
  if (!goesOn || !REPEATED.test(line.textContent)) return;
  const [severity] = line.classList;
  line.classList.replace(severity, severity.toLowerCase());
}

function setBack(root) {
  root.querySelectorAll(REPEATS).forEach(setBackOne);
}

// The second that a line shows; its name may stand on a line before.
function secondOf(line) {
  let at = line;
  for (let left = 99; left && at && !nameOf(at); left -= 1) at = neighbour(at, -1);
  const name = nameOf(at);
  return name && shows(line, name) && name.slice(0, 20);
}

function errors() {
  let at;
  setBack(log);
  return [...log.querySelectorAll(ERRORS)].filter((line) => {
    const before = neighbour(line, -1);
    const second = secondOf(line);
    const goesOn = before?.matches('.E, .C, .e, .c') && before.id === `L${numberOf(line) - 1}`
      && (second ? second === secondOf(before) : at || !isMore(before));
    if (!goesOn) at = second;
    return !goesOn;
  });
}

// The lines that tell why the log failed, where the summary is of all of it.
const WHOLE = ['source', 'level', 'show', 'wrap', 'against', 'new'];
const asksForPart = () => [...new URL(location).searchParams].some(([name, value]) => value && !WHOLE.includes(name));

function causeOf({ cause, failed }) {
  return !asksForPart() && cause && (failed || cause.why !== 'end') ? cause : null;
}

// The first and the last of its lines on this page.
function causeHere() {
  const cause = causeOf(log.page.summary ?? {});
  const [first, last] = cause ? [cause.line, cause.last].map((number) => document.getElementById(`L${number}`)) : [];
  return first && [first, last ?? linesWhile((line) => numberOf(line) <= cause.last, first).at(-1)];
}

function stepToCause() {
  const control = bar.querySelector('.cause');
  const cause = causeHere();
  if (cause) goTo(...cause);
  else if (control.checkVisibility()) location.assign(control.href);
  else say('This log shows no cause.');
}

// Errors, and the first line of the cause.
function places() {
  const [first] = causeHere() ?? [];
  const found = errors();
  if (!first || found.includes(first)) return found;
  return [...found, first].sort((a, b) => numberOf(a) - numberOf(b));
}

// Parameters of which lines a page has, see WINDOW in pages/log.py.
const WINDOW = ['lines', 'chapter', 'after', 'limit', 'tail', 'show'];

// The page of the next error, or with -1 of the one before, if this page has only some of the lines.
async function goToPageWithError(way) {
  const lines = [...log.querySelectorAll(LINES)];
  const from = numberOf(way > 0 ? lines.at(-1) : lines[0]) + way;
  say('Looking for an error in the rest of this log \u2026');
  const wanted = new URL(location);
  for (const other of WINDOW) wanted.searchParams.delete(other);
  if (!['ERROR', 'CRITICAL'].includes(wanted.searchParams.get('level')?.toUpperCase())) wanted.searchParams.set('level', 'ERROR');
  wanted.searchParams.set('lines', way > 0 ? `${from}-` : `1-${from}`);
  wanted.searchParams.set(way > 0 ? 'limit' : 'tail', 1);
  wanted.searchParams.set('format', 'jsonl');
  const answer = await fetch(wanted).then((sent) => (sent.ok ? sent.text() : ''), () => '');
  const { line } = answer && JSON.parse(answer.split('\n')[0]);
  if (!line) {
    say(answer ? `No ${way > 0 ? 'further' : 'earlier'} error in this log.` : 'The server has no answer: try again.');
    return;
  }
  const page = new URL(location);
  for (const other of WINDOW) page.searchParams.delete(other);
  page.searchParams.set('lines', `${Math.max(1, line - 200)}-`);
  page.hash = `L${line}`;
  location.assign(page);
}

function stepToError(way) {
  const found = places();
  const start = lineLookedAt();
  // What is merely on top was not stepped to yet.
  const isBeyond = (line) => (line === start ? !start.matches('.lit') : (numberOf(line) - numberOf(start)) * way > 0);
  const index = found[way > 0 ? 'findIndex' : 'findLastIndex'](isBeyond);
  if (index < 0 && start && document.querySelector(way > 0 ? '[rel="next"]' : '[rel="prev"]')) {
    goToPageWithError(way);
    return;
  }
  if (index < 0) {
    say(`No ${!found.length ? '' : way > 0 ? 'further ' : 'earlier '}error on this page.`);
    return;
  }
  const [cause, last] = causeHere() ?? [];
  const isCause = found[index] === cause;
  if (isCause) goTo(cause, last); else goTo(found[index]);
  const where = isWhole() ? '' : ' on this page';
  // Lines that stand together are one place: the bar counts more lines than there are places.
  say(`Place ${counted.format(index + 1)} of ${counted.format(found.length)} with errors${where}, line ${counted.format(numberOf(found[index]))}${isCause ? ': the cause' : ''}`);
}

function offerFirst(number) {
  bar.querySelector('.first').href = `#L${number}`;
  for (const offer of bar.querySelectorAll('.ends, .steps > button')) offer.hidden = false;
}

function offerLast(number) {
  Object.assign(bar.querySelector('.last'), { href: `#L${number}`, hidden: false });
}


log.addEventListener('click', (event) => {
  const target = event.target.closest(NUMBER);
  if (!target || !isPlain(event)) return;
  event.preventDefault();
  link(lineOf(target), event.shiftKey);
});
log.addEventListener('mousedown', (event) => {
  if (event.shiftKey && event.target.closest(NUMBER)) event.preventDefault(); // it selects no text
});

// What is copied is the log's text.
document.addEventListener('copy', (event) => {
  const selection = getSelection();
  if (selection.isCollapsed || !log.contains(selection.anchorNode) || !log.contains(selection.focusNode)) return;
  const copy = selection.getRangeAt(0).cloneContents();
  // The text of an <i> stands in an <s>, too.
  for (const other of copy.querySelectorAll(`${NUMBER}, .fold, .gap, i`)) other.remove();
  event.clipboardData.setData('text/plain', copy.textContent);
  event.preventDefault();
});

// The bar

// The line looked at: another filter begins there, or at the next one that it keeps.
function lineLookedAt() {
  const lit = log.querySelector('.lit');
  return lit && isSeen(lit) ? lit : lineAtTop();
}

function placed(address) {
  const line = (scrollY || location.hash) && lineLookedAt();
  return Object.assign(wrapped(address), { hash: line ? `~${line.id}` : '' });
}

// With how long lines are shown now.
function wrapped(address) {
  const stated = new URL(address);
  stated.searchParams.delete('wrap');
  if (log.matches('.nowrap')) stated.searchParams.set('wrap', 'no');
  return stated;
}

function toggleWrap() {
  const line = lineAtTop();
  const top = line && topOf(line);
  log.classList.toggle('nowrap');
  if (line) pin(line, top);
  history.replaceState(null, '', wrapped(location));
  bar.querySelector('.wraps').textContent = `wrap: ${log.matches('.nowrap') ? 'off' : 'on'}`;
}

// The server knows what the time of a line means, and at the page's end if there are dates.
const moment = bar.querySelector('.moment');
const isUndated = () => moment.hidden || Boolean(document.querySelector('#counts[data-undated]'));
const lacksDate = () => (isRead() ? isUndated() : !log.querySelector('[name]'));
log.addEventListener('grown', () => { moment.hidden &&= !log.querySelector('[name]'); });
for (const comes of ['pointerenter', 'pointerdown', 'focus', 'click']) {
  moment.addEventListener(comes, (event) => {
    // On a telephone, the link is in the open bar, which moves the lines.
    const line = (bar.querySelector('.tools').open && log.querySelector('.lit')) || lineLookedAt();
    if (line) moment.href = `?${asking({ moment: numberOf(line) })}`;
    if (comes !== 'click' || !lacksDate()) return;
    event.preventDefault();
    say(`No line ${isRead() ? 'of this log' : 'so far'} has a date.`);
  });
}

document.addEventListener('click', ({ target }) => {
  const link = target.closest('.levels a, .chips a');
  if (link) link.href = placed(link.href);
});
const form = bar.querySelector('form');
form.onsubmit = (event) => {
  if (place.value && goToPlace()) event.preventDefault(); else form.action = placed(location);
};
// Only what was filled in.
form.addEventListener('formdata', ({ formData }) => {
  const filled = [...formData].filter(([name, value]) => value && name !== 'wrap');
  for (const name of [...formData.keys()]) formData.delete(name);
  if (log.matches('.nowrap')) filled.push(['wrap', 'no']);
  for (const pair of filled) formData.append(...pair);
});

new ResizeObserver(() => {
  document.documentElement.style.setProperty('--top', `${bar.offsetHeight}px`);
}).observe(bar);

// Keys, for keys.js

document.body.keys = {
  n: [() => stepToError(1), 'next error'],
  p: [() => stepToError(-1), 'previous error'],
  c: [stepToCause, 'cause: the lines that tell why the log failed'],
  '/': [search, 'search'],
  g: [askPlace, 'go to a line or a time'],
  w: [toggleWrap, 'wrap long lines, or not'],
  t: [() => log.dispatchEvent(new Event('times')), 'times before lines: as written, of day, none'],
  m: [() => moment.click(), 'this moment in all logs'],
};
document.body.keysNote = '<p>A click on a number links its line; with shift, all from the last.';

function search() {
  bar.querySelector('.tools').open = true;
  bar.querySelector('[name="q"]').select();
}

// The browser's own search finds no more than the page holds.
function offerSearch() {
  if (isWhole() || bar.querySelector('.offer')) return;
  const offer = create('p', { className: 'offer', role: 'status' });
  offer.append('Ctrl-F finds only lines of this page. ', create('button', {
    type: 'button', textContent: 'Search the whole log', onclick: search,
  }));
  bar.append(offer);
}

const place = bar.querySelector('[name="goto"]');

function askPlace() {
  bar.querySelector('.tools').open = true;
  place.select();
}

// A line on the page needs no server; what else there is, it knows.
function goToPlace() {
  const [, number] = /^#?L?([\d,]+(?:-L?[\d,]+)?)$/.exec(place.value.trim()) ?? [];
  const name = number ? `L${number.replaceAll(',', '')}` : '';
  if (!isWholeRange(linesOf(name), name)) return false;
  place.value = '';
  place.blur();
  location.hash = name;
  arrive();
  return true;
}

document.addEventListener('keydown', (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === 'f') offerSearch();
  if (event.key === 'Escape') for (const open of bar.querySelectorAll('details[open]')) open.open = false;
});

// Counts

const short = new Intl.NumberFormat('en', { notation: 'compact' });

// The link to the new lines of a log that is compared stands behind the filters in use. With `tail` it
// stays where it is: the summary is of the lines of the page alone.
function offerNew(severities) {
  const link = document.querySelector('footer .new, .chips .new');
  if (!link || new URL(location).searchParams.has('tail')) return;
  bar.querySelector('.chips')?.append(link);
  if (new URL(link.href).searchParams.has('level')) return; // the counts are of all severities
  const count = Object.values(severities).reduce((all, one) => all + one.count, 0);
  link.textContent = `${counted.format(count)} new line${count === 1 ? '' : 's'}`;
}

const { title } = document;

// True if the server gave one.
async function summarise() {
  const address = new URL(location);
  for (const other of ['level', 'show', 'wrap']) address.searchParams.delete(other);
  for (const { name, value } of bar.querySelectorAll('[aria-invalid]')) address.searchParams.delete(name, value);
  address.searchParams.set('format', 'summary');
  const answer = await fetch(address);
  if (!answer.ok) return false;
  const summary = await answer.json();
  const { severities, first_error: firstError, last_error: lastError } = summary;
  const counts = {};
  for (const name in severities) counts[name] = severities[name].count;
  let count = 0;
  for (const link of [...bar.querySelectorAll('.levels a')].reverse()) {
    count += counts[link.className] ?? 0;
    link.dataset.count = short.format(count);
    link.title = `${counted.format(count)} lines`;
    // A level that the log has not has the lines of the next one.
    link.hidden = !(link.className in counts) && !link.matches('.NONE, [aria-current]');
  }
  offerNew(summary.new ?? {});
  bar.querySelector('.cause').toggleAttribute('data-shown', asksForPart() || Boolean(causeOf(summary)));
  document.title = (!asksForPart() && summary.failed ? 'Failed: ' : '') + title;
  document.getElementById('counts')?.remove();
  if (firstError) offerFirst(firstError.line);
  const found = isWhole() ? errors() : [];
  if (found.length) offerLast(numberOf(found.at(-1))); else if (lastError) offerLast(lastError.line);
  log.page.summary = summary;
  log.dispatchEvent(new Event('summed'));
  return true;
}

// For folds.js, map.js and outline.js, which may come later: they learn of a new summary by an event.
log.page = {
  LINES, MORE, asking, asksForPart, bringIn, causeOf, goTo, isMore, isPlain, isRead, isWhole, lineAt, lineAtTop, lineFrom, lineLookedAt,
  lineHeld, lineOf, linesWhile, neighbour, pin, rangeOf, say, setBack, summarise, summary: null,
};

// While the lines come

const name = fragment();
const isNew = performance.getEntriesByType('navigation')[0]?.type === 'navigate';
const [left, leftTop] = leftLine();
let lands = true;
let block = null;
let hasError = false;
for (let isLast = false; !isLast; await frame()) {
  isLast = isRead();
  for (let next = block ?? log.firstElementChild; next && !hasError; next = next.nextElementSibling) {
    block = next;
    const error = block.querySelector(ERRORS);
    if (error) offerFirst(numberOf(error));
    hasError = Boolean(error);
  }
  const target = lands && (left ? document.getElementById(left) : linesOf(name)[0]);
  if (!target) continue;
  lands = false;
  beganAt = target;
  if (!left) light([target], name);
  if (!leftAt) pin(target, leftTop);
}
const lines = linesOf(name);
[from] = lines;
if (!leftAt && fragment() === name) {
  light(lines, name);
  if (from && name === `~${from.id}`) history.replaceState(null, '', `#${from.id}`);
  if (!isWholeRange(lines, name)) bringIn(name);
  if (from && lands && !left) pin(from);
}
moment.hidden = isUndated();

// Opened from a folder's page, a log that failed is shown from its cause on, unless its link or the reader chose a
// place or a filter.
const LISTED = ['source', 'against', 'wrap']; // what links of a folder keep
const { origin, pathname: folder = '' } = document.referrer ? new URL(document.referrer) : {};
const isListed = isNew && !location.hash && origin === location.origin && folder.endsWith('/')
  && location.pathname.startsWith(folder) && [...new URL(location).searchParams.keys()].every((one) => LISTED.includes(one));
if (await summarise() && isListed && !hasMoved && log.page.summary.failed && causeOf(log.page.summary)) {
  if (causeHere()) stepToCause(); else location.replace(bar.querySelector('.cause').href);
}
