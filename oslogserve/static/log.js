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
  for (let at = y; at < y + 90; at += 6) {
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

function letGo() {
  pinned = null;
  say('');
  if (document.readyState === 'complete' || !location.hash) return;
  leftAt = location.href;
  history.replaceState(null, '', location.pathname + location.search);
}
for (const moves of ['wheel', 'touchstart', 'pointerdown', 'keydown']) {
  addEventListener(moves, letGo, { capture: true, passive: true });
}
// A line that shows so many characters scrolls by itself, and shows its first match. What a terminal
// overwrites counts only where it is shown, for its match.
const LONG_LINE = 4096;
const OVERWRITTEN = 's:not(:has(mark))';
const lengthOf = ({ textContent: { length } }) => length;
const comes = new IntersectionObserver((lines) => {
  for (const { target: line } of lines.filter((one) => one.isIntersecting)) {
    comes.unobserve(line);
    line.scrollTop = line.querySelector('mark').offsetTop - line.clientHeight / 2;
  }
});
function markIfLong(line) {
  if (lengthOf(line) < LONG_LINE) return;
  const hidden = [...line.querySelectorAll(OVERWRITTEN)].reduce((all, one) => all + lengthOf(one), 0);
  if (lengthOf(line) - hidden < LONG_LINE) return;
  line.classList.add('long');
  if (line.querySelector('mark')) comes.observe(line);
}
addEventListener('load', () => log.querySelectorAll(LINES).forEach(markIfLong));

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

// Fragments: #L17, #L17-L20, and #_2013-09-27_18_22_11_248, the name of the first of the lines of a
// time that stand together; its dashes were underscores for a while

const fragment = () => location.hash.slice(1).replace(/^_(\d{4})_(\d\d)_(\d\d)_/, '_$1-$2-$3_');

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
    if (line.hidden) fold(headOf(line), false);
    if (line.parentElement.hidden) line.parentElement.dispatchEvent(new Event('beforematch', { bubbles: true }));
  }
}

function goTo(line) {
  history.replaceState(null, '', `#${line.id}`);
  light([line]);
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

function arrive() {
  const lines = linesOf(fragment());
  light(lines, fragment());
  if (lines.length) pin(lines[0]);
  if (isRead() && !isWholeRange(lines, fragment())) bringIn(fragment());
}
addEventListener('hashchange', arrive);

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

// The second that a line shows; its name may stand on a line before.
function secondOf(line) {
  let at = line;
  for (let left = 99; left && at && !nameOf(at); left -= 1) at = neighbour(at, -1);
  const name = nameOf(at);
  return name && shows(line, name) && name.slice(0, 20);
}

function errors() {
  let at;
  log.querySelectorAll(REPEATS).forEach(setBack);
  return [...log.querySelectorAll(ERRORS)].filter((line) => {
    const before = neighbour(line, -1);
    const second = secondOf(line);
    const goesOn = before?.matches('.E, .C, .e, .c') && before.id === `L${numberOf(line) - 1}`
      && (second ? second === secondOf(before) : at || !isMore(before));
    if (!goesOn) at = second;
    return !goesOn;
  });
}

function stepToError(way) {
  const found = errors();
  const start = lineLookedAt();
  // What is merely on top was not stepped to yet.
  const isBeyond = (line) => (line === start ? !start.matches('.lit') : (numberOf(line) - numberOf(start)) * way > 0);
  const index = found[way > 0 ? 'findIndex' : 'findLastIndex'](isBeyond);
  if (index < 0) {
    say(`No ${!found.length ? '' : way > 0 ? 'further ' : 'earlier '}error on this page.`);
    return;
  }
  goTo(found[index]);
  const where = isWhole() ? '' : ' on this page';
  // Lines that stand together are one place: the bar counts more lines than there are places.
  say(`Place ${counted.format(index + 1)} of ${counted.format(found.length)} with errors${where}, line ${counted.format(numberOf(found[index]))}`);
}

function offerFirst(number) {
  bar.querySelector('.first').href = `#L${number}`;
  for (const offer of bar.querySelectorAll('.ends, .steps > button')) offer.hidden = false;
}

function offerLast(number) {
  Object.assign(bar.querySelector('.last'), { href: `#L${number}`, hidden: false });
}

// Folding: many lines under the one that they belong to

const LONG = 10;
const MORE = ':is(.d, .i, .a, .t, .w, .e, .c)';
const isMore = (line) => line?.matches(MORE);

function headOf(line) {
  while (isMore(line)) line = neighbour(line, -1);
  return line;
}

const under = (head) => linesWhile(isMore, head && neighbour(head));

function fold(head, folds) {
  // The browser's search finds them all the same.
  for (const line of under(head)) line.hidden = folds && 'until-found';
  head?.querySelector('.fold')?.setAttribute('aria-expanded', !folds);
}

// oslo.log repeats the head before each line of a traceback.
const TRACEBACK = /Traceback \(most recent call last\):\s*$/;
const REPEATS = '.b > :is(.E, .T)';
const REPEATED = /^.{0,99} (?:ERROR|TRACE) \S+ (?:\[[^\]]*\] )? {2}/;

function setBack(line) {
  const before = neighbour(line, -1);
  const goesOn = before?.id === `L${numberOf(line) - 1}` && (isMore(before) || TRACEBACK.test(before.textContent));
  if (!goesOn || !REPEATED.test(line.textContent)) return;
  const [severity] = line.classList;
  line.classList.replace(severity, severity.toLowerCase());
}

// Ids that the server left as text link to their lines as well; others of a request do by its id.
const ID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;

function linkIds(block) {
  const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT, ({ data, parentElement }) => (
    ID.test(data) && !parentElement.closest('a') ? 1 : 2));
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const id = text.splitText(ID.exec(text.data).index);
    id.splitText(36);
    const link = create('a', { href: `?${asking({ q: id.data })}` });
    id.replaceWith(link);
    link.append(id);
  }
}

function offerMore(block) {
  block.querySelectorAll('.gap').forEach(offerToOpen);
  block.querySelectorAll(REPEATS).forEach(setBack);
  linkIds(block);
  for (const line of block.querySelectorAll(`.b > ${MORE}:first-child, .b > :not(${MORE}) + ${MORE}`)) {
    const head = headOf(line);
    const { length } = head?.querySelector('.fold') ? [] : under(head);
    const ariaLabel = `Fold the ${counted.format(length)} lines under line ${head && counted.format(numberOf(head))}`;
    if (length <= LONG) continue;
    const button = create('button', { className: 'fold', ariaLabel, ariaExpanded: !line.hidden });
    button.dataset.lines = `${counted.format(length)} lines folded`;
    head.append(button);
  }
}

log.addEventListener('beforematch', ({ target }) => fold(headOf(lineOf(target)), false));
log.addEventListener('contentvisibilityautostatechange', ({ target, skipped }) => {
  if (!skipped) offerMore(target);
}, true);

// New lines at the end of a log that grows; those under a folded line are folded too.
log.addEventListener('grown', ({ target, detail: line }) => {
  const head = headOf(line);
  const button = head?.querySelector('.fold');
  button?.remove();
  offerMore(head?.parentElement ?? target);
  offerMore(target);
  if (button?.ariaExpanded === 'false') fold(head, true);
  linesWhile(({ parentElement }) => parentElement === target, line).forEach(markIfLong);
});

// A gap opens in place: all of it, or some lines behind the hit above or before the one below. The
// address says what was opened, and the hit stays where it is.

const SOME = 20;
const MOST_IN_PLACE = 5000;
const MOST_SHOWN = 64;

const sizeOf = (gap) => Number.parseInt(gap.textContent.replaceAll(',', ''), 10);

function offerToOpen(gap) {
  if (sizeOf(gap) <= SOME || gap.querySelector('button')) return;
  for (const [way, which] of [[1, 'first'], [-1, 'last']]) {
    if (neighbour(gap, -way)) gap.append(create('button', { value: way, textContent: `the ${which} ${SOME}` }));
  }
}

// Ranges that touch are one.
function sayOpened(first, last) {
  const address = new URL(location);
  const others = address.searchParams.getAll('show').filter((name) => {
    const [begin, end] = rangeOf(name) ?? [];
    if (end + 1 === first) first = begin; else if (begin - 1 === last) last = end; else return true;
  });
  address.searchParams.delete('show');
  for (const name of [...others, `L${first}-L${last}`]) address.searchParams.append('show', name);
  if (others.length < MOST_SHOWN) history.replaceState(null, '', address);
}

async function openGap(gap, size, way) {
  const link = gap.firstElementChild;
  const address = new URL(link.href);
  const [first, last] = address.searchParams.get('lines').split('-').map(Number);
  const begin = way > 0 ? first : Math.max(first, last - size + 1);
  const end = way > 0 ? Math.min(last, first + size - 1) : last;
  address.searchParams.set('lines', `${begin}-${end}`);
  address.searchParams.set('format', 'html');
  const text = await (await fetch(address)).text();
  const page = new DOMParser().parseFromString(text, 'text/html');
  const lines = [...page.querySelectorAll(LINES)];
  if (!lines.length) throw new Error('no lines');
  for (const line of lines) line.classList.add('shown');
  const below = way < 0 && neighbour(gap);
  const top = below && topOf(below);
  if (way > 0) gap.before(...lines); else gap.after(...lines);
  const left = last - first - (end - begin);
  link.href = link.href.replace(/lines=[\d-]+/, `lines=${way > 0 ? end + 1 : first}-${way > 0 ? last : begin - 1}`);
  link.textContent = `${counted.format(left)} line${left > 1 ? 's' : ''}`;
  if (left <= SOME) for (const button of gap.querySelectorAll('button')) button.remove();
  if (!left) gap.remove();
  sayOpened(begin, end);
  offerMore(lines[0].parentElement);
  lines.at(way > 0 ? 0 : -1).firstElementChild.focus({ preventScroll: true });
  if (!below) return;
  log.style.paddingBottom = '90vh'; // near the page's end, the hit would else go down
  pin(below, top);
}

// A click on its size opens all of it: at the end, the hit is above.
function openFrom(target, gap) {
  const way = Number(target.value) || (neighbour(gap) ? -1 : 1);
  openGap(gap, target.value ? SOME : sizeOf(gap), way).catch(() => location.assign(gap.firstElementChild.href));
}

log.addEventListener('click', (event) => {
  const target = event.target.closest(`${NUMBER}, .fold, .gap a, .gap button`);
  const gap = target?.closest('.gap');
  if (!target || !isPlain(event) || (gap && !target.value && sizeOf(gap) > MOST_IN_PLACE)) return;
  event.preventDefault();
  if (target.matches(NUMBER)) link(lineOf(target), event.shiftKey);
  else if (target.matches('.fold')) fold(lineOf(target), target.ariaExpanded === 'true');
  else openFrom(target, gap);
});
log.addEventListener('mousedown', (event) => {
  if (event.shiftKey && event.target.closest(NUMBER)) event.preventDefault(); // it selects no text
});

// What is copied is the log's text.
document.addEventListener('copy', (event) => {
  const selection = getSelection();
  if (selection.isCollapsed || !log.contains(selection.anchorNode) || !log.contains(selection.focusNode)) return;
  const copy = selection.getRangeAt(0).cloneContents();
  for (const other of copy.querySelectorAll(`${NUMBER}, .fold, .gap`)) other.remove();
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

// The server knows what the time of a line means.
const moment = bar.querySelector('.moment');
for (const comes of ['pointerenter', 'pointerdown', 'focus', 'click']) {
  moment.addEventListener(comes, (event) => {
    // On a telephone, the link is in the open bar, which moves the lines.
    const line = (bar.querySelector('.tools').open && log.querySelector('.lit')) || lineLookedAt();
    if (line) moment.href = `?${asking({ moment: numberOf(line) })}`;
    if (comes !== 'click' || log.querySelector('[name]')) return;
    event.preventDefault();
    say('No line of this page has a time.');
  });
}

document.addEventListener('click', ({ target }) => {
  const link = target.closest('.levels a, .chips a');
  if (link) link.href = placed(link.href);
});
bar.addEventListener('click', (event) => {
  const key = event.target.closest('[data-key]')?.dataset.key;
  if (!key) return;
  event.preventDefault();
  KEYS[key][0]();
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

// Keys

const KEYS = {
  n: [() => stepToError(1), 'next error'],
  p: [() => stepToError(-1), 'previous error'],
  '/': [search, 'search'],
  g: [askPlace, 'go to a line or a time'],
  w: [toggleWrap, 'wrap long lines, or not'],
  m: [() => moment.click(), 'this moment in all logs'],
  '?': [help, 'these keys'],
};

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

function help() {
  const rows = Object.entries(KEYS).map(([key, [, does]]) => `<li><kbd>${key}</kbd> ${does}`);
  const dialog = create('dialog', { ariaLabel: 'Keys' });
  dialog.innerHTML = `<ul>${rows.join('')}</ul><p>A click on a number links its line; with shift, all
    from the last.<form method="dialog"><button>Close</button></form>`;
  dialog.onclose = () => dialog.remove();
  document.body.append(dialog);
  dialog.showModal();
}

document.addEventListener('keydown', (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === 'f') offerSearch();
  if (event.key === 'Escape') for (const open of bar.querySelectorAll('details[open]')) open.open = false;
  if (!isPlain(event) || event.target.closest('input, dialog') || !Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  KEYS[event.key][0]();
});

// Counts, and the map: lines over time, or by their numbers where they have none

function drawn(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  element.append(...children);
  return element;
}

const short = new Intl.NumberFormat('en', { notation: 'compact' });
const sum = (counts) => Object.values(counts).reduce((all, one) => all + one, 0);
const badOf = (counts) => (counts.ERROR ?? 0) + (counts.CRITICAL ?? 0);

function partsOfTime({ buckets, seconds }) {
  const rowOf = (time) => Math.round((Date.parse(`${time}Z`) - Date.parse(`${buckets[0].time}Z`)) / 1000 / seconds);
  return buckets.map(({ time, first_line: first, severities }) => ({
    row: rowOf(time), name: time.replace('T', ' '), first,
    lines: sum(severities), warnings: severities.WARNING, errors: badOf(severities),
  }));
}

// Of a console that shows few times, such as a package's date, the numbers of the lines tell more.
const FEWEST_TIMES = 5;
const isAll = ({ lines, matched }) => isWhole() && matched === lines;
const hasTimes = (summary) => summary.histogram.buckets.length >= (isAll(summary) ? FEWEST_TIMES : 2);

function partsOfLines(lines) {
  const size = Math.ceil(lines / 100);
  const parts = Array.from({ length: Math.ceil(lines / size) }, (_, row) => (
    { row, name: `line ${counted.format(row * size + 1)}`, first: row * size + 1, lines: size, errors: 0 }));
  for (const line of log.querySelectorAll(ERRORS)) {
    const part = parts[Math.floor((numberOf(line) - 1) / size)];
    if (part) part.errors += 1;
  }
  return parts;
}

function drawMap(parts, errors) {
  const before = document.getElementById('map');
  if (before?.contains(document.activeElement)) return;
  before?.remove();
  const last = parts.at(-1);
  const [mostLines, mostErrors] = ['lines', 'errors'].map((kind) => Math.max(...parts.map((part) => part[kind])));
  const bar = (name, row, width) => drawn('rect', { class: name, x: 100 - width, y: row, width, height: 1 });
  const bars = parts.flatMap(({ row, lines, warnings, errors: bad }) => [
    bar('lines', row, 20 + 80 * Math.sqrt(lines / mostLines)),
    bar('warnings', row, warnings ? 12 : 0),
    bar('errors', row, bad && 20 + 50 * Math.sqrt(bad / mostErrors)),
  ]);
  const seen = drawn('rect', { class: 'seen', width: 100 });
  const map = create('div', { id: 'map' });
  const ariaLabel = `Lines over the log, ${counted.format(errors)} of them errors`;
  const slider = create('input', { type: 'range', max: last.row, value: 0, ariaLabel });
  const tip = create('p', { className: 'tip' });
  const told = ({ name, lines, errors: bad }) => `${name}: ${counted.format(lines)} lines, ${counted.format(bad)} errors`;
  const put = (text, row) => { text.style.top = `${98 * row / (last.row + 1)}%`; };
  const labels = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const { row, name } = parts.find((part) => part.row >= share * last.row);
    const label = create('p', { textContent: name.slice(name[0] === 'l' ? 5 : 11, 19) });
    put(label, row);
    return label;
  }).filter((label, at, all) => label.textContent !== all[at - 1]?.textContent);
  map.append(drawn('svg', { viewBox: `0 0 100 ${last.row + 1}`, preserveAspectRatio: 'none' }, ...bars, seen), ...labels, slider, tip);
  log.after(map);
  let now = 0;
  const partAt = (row) => (row < now ? parts.findLast((part) => part.row <= row) : parts.find((part) => part.row >= row));
  slider.oninput = () => {
    const part = partAt(slider.valueAsNumber);
    const line = lineFrom(part.first);
    if (line) goTo(line); else bringIn(`L${part.first}`);
    slider.value = now = part.row;
    slider.ariaValueText = told(part);
    say(told(part));
  };
  // Else up is down.
  slider.onkeydown = (event) => {
    const way = { ArrowUp: -1, ArrowDown: 1, PageUp: -10, PageDown: 10 }[event.key];
    if (!way) return;
    event.preventDefault();
    slider.value = now + way;
    slider.oninput();
  };
  map.onpointermove = ({ clientY }) => {
    const part = partAt(Math.floor((clientY - topOf(map)) / map.offsetHeight * (last.row + 1)));
    tip.textContent = told(part);
    put(tip, part.row);
  };
  const partOf = (line) => parts.findLast((part) => part.first <= numberOf(line)) ?? parts[0];
  const follow = () => {
    if (!map.isConnected) removeEventListener('scroll', follow);
    const first = lineAtTop();
    if (!first) return;
    const part = partOf(first);
    seen.setAttribute('y', part.row);
    seen.setAttribute('height', partOf(lineAt(innerHeight - 96) ?? first).row - part.row + 1);
    const looked = partOf(lineLookedAt());
    slider.value = now = looked.row;
    slider.ariaValueText = told(looked);
  };
  addEventListener('scroll', follow, { passive: true });
  follow();
}

// The link to the new lines of a log that is compared stands behind the filters in use.
function offerNew(severities) {
  const link = document.querySelector('footer .new, .chips .new');
  if (!link) return;
  bar.querySelector('.chips')?.append(link);
  if (new URL(link.href).searchParams.has('level')) return; // the counts are of all severities
  const count = Object.values(severities).reduce((all, one) => all + one.count, 0);
  link.textContent = `${counted.format(count)} new line${count === 1 ? '' : 's'}`;
}

async function showSummary() {
  const address = new URL(location);
  for (const other of ['level', 'show', 'wrap']) address.searchParams.delete(other);
  for (const { name, value } of bar.querySelectorAll('[aria-invalid]')) address.searchParams.delete(name, value);
  address.searchParams.set('format', 'summary');
  const answer = await fetch(address);
  if (!answer.ok) return;
  const summary = await answer.json();
  const { lines, severities, histogram, first_error: firstError, last_error: lastError } = summary;
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
  bar.querySelector('.cause').hidden = !summary.cause;
  document.getElementById('counts')?.remove();
  if (firstError) offerFirst(firstError.line);
  const found = isWhole() ? errors() : [];
  if (found.length) offerLast(numberOf(found.at(-1))); else if (lastError) offerLast(lastError.line);
  if (lines) drawMap(hasTimes(summary) ? partsOfTime(histogram) : partsOfLines(lines), badOf(counts));
  log.page = { summary, lineAtTop, lineLookedAt, pin }; // for outline.js, which may come later
  log.dispatchEvent(new Event('summed'));
}

log.addEventListener('counted', showSummary);

// While the lines come

const name = fragment();
// Coming back, the browser knows the place.
let lands = performance.getEntriesByType('navigation')[0]?.type === 'navigate';
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
  const target = lands && linesOf(name)[0];
  if (!target) continue;
  lands = false;
  light([target], name);
  if (!leftAt) pin(target);
}
const lines = linesOf(name);
[from] = lines;
if (!leftAt && fragment() === name) {
  light(lines, name);
  if (from && name === `~${from.id}`) history.replaceState(null, '', `#${from.id}`);
  if (!isWholeRange(lines, name)) bringIn(name);
  if (from && lands) pin(from);
}
for (const block of log.children) if (block.getBoundingClientRect().top < innerHeight) offerMore(block); else break;
// These are always laid out, so no event says that they are shown.
log.querySelectorAll('.b:nth-child(-n + 3), .b:last-child').forEach(offerMore);
showSummary();
