// SPDX-License-Identifier: Apache-2.0
// What a log's page shows only in part until a reader opens it: folded lines, gaps, long lines, and times before lines.
// log.js leaves the functions that are used here in `log.page`.

const frame = () => new Promise(requestAnimationFrame);
while (!document.getElementById('log')?.page) await frame();

const log = document.getElementById('log');
const { LINES, MORE, asking, isMore, isPlain, isRead, lineAtTop, lineOf, linesWhile, neighbour, pin, rangeOf, setBack } = log.page;
const counted = new Intl.NumberFormat('en');
const numberOf = (line) => Number(line.id.slice(1));

function create(tag, properties) {
  return Object.assign(document.createElement(tag), properties);
}

// Long lines

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

// Folding: many lines under the one that they belong to

const LONG = 10;

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

// The run of stars or the like that ends a line; see the style sheet.
const BANNERS = '*=#_~-';
const LEAST_OF_BANNER = 20;

function endBanner(line) {
  const last = [...line.childNodes].findLast(({ nodeType }) => nodeType === Node.TEXT_NODE);
  const text = last?.data.trimEnd() ?? '';
  let from = text.length;
  while (from && text[from - 1] === text.at(-1)) from -= 1;
  if (text.length - from < LEAST_OF_BANNER || !BANNERS.includes(text.at(-1))) return;
  const run = last.splitText(from);
  run.splitText(text.length - from);
  const banner = create('span', { className: 'banner' });
  run.replaceWith(banner);
  banner.append(run);
}

// Times before lines. Each keeps its text, so copies and links of lines do not change.
const TIME = new RegExp([
  /^\ufeff?\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ]|(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d )?/, // date
  /(\d\d:\d\d:\d\d)(?:[.,]\d{1,9})?(?:Z| ?UTC|[+-]\d\d(?::?\d\d)?| [+-]\d\d:?\d\d)?/,
  /(?:(?: \d{4})?\])?(?: \| ?|\s|$)/, // year, and what follows
].map(({ source }) => source).join(''));
const TIMES = { written: 'as written', day: 'of day', none: 'none' };
const KEPT = 'oslogserve.times';

function markTime(line) {
  const text = line.firstElementChild.nextSibling;
  const [time, day] = (text?.nodeType === Node.TEXT_NODE && TIME.exec(text.data)) || [];
  if (!time) return;
  text.splitText(time.length);
  const element = create('time', {});
  element.dataset.day = `${day} `;
  text.replaceWith(element);
  element.append(text);
}

function showTimes(how) {
  log.dataset.times = how;
  document.querySelector('.times > span').textContent = `: ${TIMES[how]}`;
}

// A browser may keep nothing for a site.
function keptTimes() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

log.addEventListener('times', () => {
  const names = Object.keys(TIMES);
  const line = lineAtTop();
  const top = line?.getBoundingClientRect().top;
  showTimes(names[(names.indexOf(log.dataset.times) + 1) % names.length]);
  if (line) pin(line, top);
  try {
    localStorage.setItem(KEPT, log.dataset.times);
  } catch { /* it is for this page alone */ }
});
const kept = keptTimes();
showTimes(Object.hasOwn(TIMES, kept) ? kept : matchMedia('(max-width: 46rem)').matches ? 'day' : 'written');

function offerMore(block) {
  for (const line of block.querySelectorAll(':scope > [id]')) markTime(line);
  block.querySelectorAll(':scope > [id]').forEach(endBanner);
  block.querySelectorAll('.gap').forEach(offerToOpen);
  setBack(block);
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
  const top = below && below.getBoundingClientRect().top;
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
  const target = event.target.closest('.fold, .gap a, .gap button');
  const gap = target?.closest('.gap');
  if (!target || !isPlain(event) || (gap && !target.value && sizeOf(gap) > MOST_IN_PLACE)) return;
  event.preventDefault();
  if (gap) openFrom(target, gap); else fold(lineOf(target), target.ariaExpanded === 'true');
});

// While lines come, those that are laid out get it before they are painted; the last one may lack its end.
const COMING = '.b:nth-child(-n + 3) > [id]:not(:last-child, :has(> time))';
const markTimes = () => log.querySelectorAll(COMING).forEach(markTime);
const coming = new MutationObserver(markTimes);
coming.observe(log, { childList: true, subtree: true });
markTimes();
while (!isRead()) await frame();
coming.disconnect();
for (const block of log.children) if (block.getBoundingClientRect().top < innerHeight) offerMore(block); else break;
// These are always laid out, so no event says that they are shown.
log.querySelectorAll('.b:nth-child(-n + 3), .b:last-child').forEach(offerMore);
if (document.readyState !== 'complete') await new Promise((resolve) => { addEventListener('load', resolve); });
log.querySelectorAll(LINES).forEach(markIfLong);
