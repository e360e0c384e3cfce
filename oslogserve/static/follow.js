// SPDX-License-Identifier: Apache-2.0
// Shows new lines of a log that grows. The page of the lines behind the last ones is asked for like
// any other, on condition that the log has changed. Other scripts learn of new lines by events, and of what the
// log says of its failure by a new summary.

const SECOND = 1000;
const [SHORTEST, QUIET, LONGEST] = [5 * SECOND, 8 * SECOND, 60 * SECOND]; // pauses: at most QUIET while the server answers
const SLOWER = 1.5;
const SHARE = 10; // a pause is at least so many times as long as the answer took
const PATIENCE = 3600 * SECOND; // a log that is silent for longer is not asked for
const MOST_FAILURES = 5; // in a row
const SILENT = 'This log has not changed for an hour.';
const BLOCK = 256; // lines of a block, as the server makes them
const REPEATED = 500; // lines that an answer may repeat: with the address, the ETag stays
const COMPARED = 20; // lines that it repeats at least, which tell that it is of the same log

const log = document.getElementById('log');
const place = document.querySelector('.newer');
const counted = new Intl.NumberFormat('en');
const link = place.firstElementChild;
const toggle = create('input', { type: 'checkbox', role: 'switch' });
const label = create('label', { textContent: 'follow' });
const below = create('span', { className: 'below' });
const said = create('span', { role: 'status' });
label.prepend(toggle);
place.prepend(label);
link.before(below);
place.append(said);

function create(tag, properties) {
  return Object.assign(document.createElement(tag), properties);
}

const numberOf = (line) => Number(line.id.slice(1));
const completeOf = (items) => items.filter((item) => item.matches('[id]:not(.shown)') && numberOf(item) <= last);
const itemsOf = (root) => [...root.querySelectorAll('#log > .b > li')];
const isAtEnd = () => scrollY + innerHeight >= document.documentElement.scrollHeight - 30;

// What makes two lines, or two gaps, the same: not what the page's script adds to them.
const keyOf = (item) => (item.id ? `${item.id} ${item.textContent}`
  : new URL(item.firstElementChild.href).searchParams.get('lines'));

let last = Number(place.dataset.last); // the last line that was complete
let anchor = lineToRepeat(); // answers begin with this line; without one, as the page does
let tag; // the ETag of the last answer, of this address
let tagged;

// Lines that only the reader has opened may be missing from an answer.
function lineToRepeat() {
  const found = [];
  for (let block = log.lastElementChild; block && found.length < COMPARED; block = block.previousElementSibling) {
    found.unshift(...completeOf([...block.children]));
  }
  return found.at(-COMPARED) ?? found[0];
}

function addressOf() {
  const address = new URL(location);
  const { searchParams } = address;
  address.hash = '';
  searchParams.delete('tail');
  searchParams.set('format', 'html');
  const after = anchor ? numberOf(anchor) - 1 : 0;
  if (after) searchParams.set('after', after); else if (anchor) searchParams.delete('after');
  return address.href;
}

// Without the format that only the script names.
function offer({ href }) {
  const address = new URL(href);
  if (!new URL(location).searchParams.has('format')) address.searchParams.delete('format');
  link.href = address;
}

// Lines

// The page's items from the anchor on.
function itemsBehind() {
  const items = [];
  for (let block = anchor?.parentElement ?? log.firstElementChild; block; block = block.nextElementSibling) {
    items.push(...block.children);
  }
  return anchor ? items.slice(items.indexOf(anchor)) : items;
}

function lastName() {
  for (let block = log.lastElementChild; block; block = block.previousElementSibling) {
    const found = [...block.querySelectorAll(':scope > [id] > [name]')].at(-1);
    if (found) return found.name;
  }
}

// Puts lines at the end, as blocks of a new page would be. Only the first line of a time has its name.
function append(items) {
  const grown = new Map();
  let name = lastName();
  let block = log.lastElementChild;
  let size = block?.querySelectorAll(':scope > [id]').length;
  for (const item of items) {
    const time = item.firstElementChild.name;
    if (time && time === name) item.firstElementChild.removeAttribute('name');
    name = time || name;
    if (!block || (size >= BLOCK && item.id)) {
      block = create('ol', { className: 'b' });
      log.append(block);
      size = 0;
    }
    block.append(item);
    size += item.id ? 1 : 0;
    if (item.id && !grown.has(block)) grown.set(block, item);
  }
  for (const [target, line] of grown) target.dispatchEvent(new CustomEvent('grown', { bubbles: true, detail: line }));
}

function remove(items, fresh) {
  for (const item of items) {
    const block = item.parentElement;
    if (item.matches('.lit')) fresh.find(({ id }) => id === item.id)?.classList.add('lit');
    item.remove();
    if (!block.children.length) block.remove();
  }
}

function goToEnd() {
  // Blocks get their heights when they are shown.
  let frames = 6;
  const step = () => {
    scrollTo({ left: scrollX, top: document.documentElement.scrollHeight, behavior: 'instant' });
    frames -= 1;
    if (frames) requestAnimationFrame(step);
  };
  step();
}

let unseen = 0;

function sayUnseen(count) {
  unseen = count;
  below.textContent = count ? `${counted.format(count)} new line${count > 1 ? 's' : ''} below` : '';
}
addEventListener('scroll', () => { if (unseen && isAtEnd()) sayUnseen(0); }, { passive: true });

// Takes over what is new on a page of the same log.
function take(page) {
  const fresh = itemsOf(page);
  const old = itemsBehind();
  const found = fresh.findIndex((item, at) => !old[at] || keyOf(item) !== keyOf(old[at]));
  const same = found < 0 ? fresh.length : found;
  const staysAtEnd = isAtEnd();
  const isNew = new Set(fresh.slice(same).map(({ id }) => id).filter(Boolean));
  for (const { id } of old) isNew.delete(id);
  remove(old.slice(same), fresh);
  append(fresh.slice(same));
  page.querySelector('.none') ?? document.querySelector('.none')?.remove();
  factsOf(document).replaceWith(factsOf(page));
  if (staysAtEnd && (isNew.size || old.length > same)) goToEnd();
  sayUnseen(staysAtEnd ? 0 : unseen + isNew.size);
  if (fresh.length > REPEATED) anchor = lineToRepeat();
}

function isFull() {
  const { elements, size } = place.dataset;
  return log.getElementsByTagName('*').length >= elements || log.textContent.length >= size;
}

const factsOf = (root) => root.querySelector('.facts');

// True if the page of the lines behind the anchor is of another log: one that begins with other text, or lacks lines
// that were complete.
function isOther(page) {
  const [mine, others] = [document, page].map((root) => factsOf(root).dataset.begins.match(/\w+/g) ?? []);
  const lines = Number(page.getElementById('counts')?.dataset.lines ?? last);
  const fresh = new Set(itemsOf(page).map(keyOf));
  return lines < last || mine.some((one, at) => one !== (others[at] ?? one))
    || !completeOf(itemsBehind()).every((line) => fresh.has(keyOf(line)));
}

// Asking

// No more lines are asked for, unless the reader turns it on again.
class Ended {
  constructor(sentence) { this.sentence = sentence; }
}

let verdict = ''; // what the log says of its end

// The bytes of the log that says so; null if that is not known. The summary of a page of some lines knows nothing of
// the log.
async function learnVerdict() {
  const { asking, asksForPart, summary } = log.page;
  const answer = asksForPart() && await fetch(`?${asking({ format: 'summary' })}`);
  if (answer && !answer.ok) return null;
  const { bytes, failed, passed, verdict: hasFailed } = answer ? await answer.json() : summary;
  if (failed && !document.title.startsWith('Failed: ')) document.title = `Failed: ${document.title}`;
  verdict = passed ? 'This log says that it passed.' : hasFailed ? 'This log says that it failed.' : '';
  return bytes;
}

let pause = SHORTEST;
let failures = 0;
let isUncounted = false; // true if the summary is of an older log
let wasKnown = ''; // the verdict behind which the reader wants more lines
const opened = performance.now();
let asked = opened; // when a question began or ended
let since = 0; // when the reader has turned it on
let timer;

// Whether the log has changed, and why no more lines are asked for.
async function newLines() {
  const address = addressOf();
  const headers = tag && tagged === address ? { 'If-None-Match': tag } : {};
  const answer = await fetch(address, { headers, cache: 'no-store', signal: AbortSignal.timeout(LONGEST) });
  if (answer.status === 304) return [false];
  if (answer.status === 404) throw new Ended('This log is gone.');
  if (!answer.ok) throw new Error(answer.status, { cause: Number(answer.headers.get('Retry-After')) });
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  if (page.getElementById('damage')) throw new Error('not all of the log came');
  if (isOther(page)) {
    link.href = location.pathname + location.search;
    link.textContent = 'load it again';
    throw new Ended('This log was shortened or replaced.');
  }
  const next = page.querySelector('[rel="next"]');
  const newer = page.querySelector('.newer');
  last = Number((newer ?? place).dataset.last);
  [tag, tagged] = [answer.headers.get('ETag'), address];
  offer(next ?? newer?.firstElementChild ?? link);
  const hasChanged = !factsOf(page).isEqualNode(factsOf(document));
  take(page);
  return [hasChanged, next || isFull() ? 'This page holds as many lines as it may.' : newer ? '' : SILENT];
}

function slower(most, least = 0) {
  pause = Math.min(Math.max(pause * SLOWER, least), most);
}

async function ask() {
  place.ariaBusy = 'true';
  asked = performance.now();
  try {
    const [hasChanged, why] = await newLines();
    failures = 0;
    if (hasChanged) pause = SHORTEST; else slower(QUIET);
    isUncounted ||= hasChanged;
    if (isUncounted) isUncounted = !(await log.page.summarise() && await learnVerdict() !== null);
    pause = Math.max(pause, SHARE * (performance.now() - asked));
    said.textContent = verdict;
    if (why) throw new Ended(why);
    if (Date.now() - Math.max(since, writtenAt()) > PATIENCE) throw new Ended(SILENT);
    // More may come behind a verdict, such as what a job does after it.
    if (!hasChanged && verdict && verdict !== wasKnown) throw new Ended(verdict);
  } catch (error) {
    if (error instanceof Ended) end(error); else fail(error);
  }
  place.ariaBusy = 'false';
  asked = performance.now();
  plan();
}

function end({ sentence }) {
  clearTimeout(timer);
  toggle.checked = false;
  said.textContent = sentence;
}

function fail({ cause }) {
  failures += 1;
  slower(LONGEST, (cause || 0) * SECOND);
  if (failures < MOST_FAILURES) said.textContent = 'No newer lines could be loaded: trying again.';
  else end(new Ended('No newer lines could be loaded.'));
}

const writtenAt = () => Date.parse(document.querySelector('.facts time')?.dateTime);

function plan() {
  clearTimeout(timer);
  if (!toggle.checked || document.hidden || place.ariaBusy === 'true') return;
  timer = setTimeout(ask, Math.max(0, asked + pause - performance.now()));
}

toggle.onchange = () => {
  [pause, failures, since, wasKnown] = [SHORTEST, 0, Date.now(), verdict];
  said.textContent = '';
  asked -= toggle.checked ? pause : 0; // at once
  plan();
};
document.addEventListener('visibilitychange', plan);
toggle.checked = Date.now() - writtenAt() < PATIENCE;
// Of a log that is finished when its page is opened, nothing more is expected.
async function begin() {
  plan();
  const bytes = await learnVerdict();
  // A summary is of later than the page, which may lack the log's last lines.
  const hasAll = bytes === Number(place.dataset.bytes);
  if (!since && asked === opened && verdict && hasAll) end(new Ended(verdict));
}
log.addEventListener('summed', begin, { once: true });
if (log.page?.summary) begin(); else plan();
