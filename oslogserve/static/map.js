// SPDX-License-Identifier: Apache-2.0
// The map of a log: lines over time, or by their numbers where they have none. log.js leaves the summary
// in `log.page`, next to its functions that are used here.

const ERRORS = '.b > :is(.E, .C)';

const log = document.getElementById('log');
const counted = new Intl.NumberFormat('en');
const numberOf = (line) => Number(line.id.slice(1));

function create(tag, properties) {
  return Object.assign(document.createElement(tag), properties);
}

function drawn(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  element.append(...children);
  return element;
}

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
const isAll = ({ lines, matched }) => log.page.isWhole() && matched === lines;
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

const partWith = (parts, number) => parts.findLast((part) => part.first <= number) ?? parts[0];
const partOf = (parts, line) => partWith(parts, numberOf(line));
const rowsOf = (parts) => parts.at(-1).row + 1;
const put = (text, row, rows) => { text.style.top = `${98 * row / rows}%`; };
const told = ({ name, lines, errors: bad }) => `${name}: ${counted.format(lines)} lines, ${counted.format(bad)} errors`;

function barsOf(parts) {
  const [mostLines, mostErrors] = ['lines', 'errors'].map((kind) => Math.max(...parts.map((part) => part[kind])));
  const bar = (name, row, width) => drawn('rect', { class: name, x: 100 - width, y: row, width, height: 1 });
  const bars = parts.flatMap(({ row, lines, warnings, errors: bad }) => [
    bar('lines', row, 20 + 80 * Math.sqrt(lines / mostLines)),
    bar('warnings', row, warnings ? 12 : 0),
    bar('errors', row, bad && 20 + 50 * Math.sqrt(bad / mostErrors)),
  ]);
  const cause = log.page.causeOf(log.page.summary);
  if (!cause) return bars;
  const [first, end] = [cause.line, cause.last].map((number) => partWith(parts, number).row);
  return [...bars, drawn('rect', { class: 'cause', width: 100, y: first, height: end - first + 1 })];
}

function labelsOf(parts) {
  const rows = rowsOf(parts);
  return [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const { row, name } = parts.find((part) => part.row >= share * (rows - 1));
    const label = create('p', { textContent: name.slice(name[0] === 'l' ? 5 : 11, 19) });
    put(label, row, rows);
    return label;
  }).filter((label, at, all) => label.textContent !== all[at - 1]?.textContent);
}

// The row of the line that the reader looks at.
let now = 0;
const partAt = (parts, row) => (
  row < now ? parts.findLast((part) => part.row <= row) : parts.find((part) => part.row >= row));

function steer(slider, parts) {
  const { bringIn, goTo, lineFrom, say } = log.page;
  slider.oninput = () => {
    const part = partAt(parts, slider.valueAsNumber);
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
}

// Shows which part of the log is on the screen, also while the reader scrolls.
function followReader(slider, seen, parts) {
  const { lineAt, lineAtTop, lineLookedAt } = log.page;
  const follow = () => {
    if (!slider.isConnected) {
      removeEventListener('scroll', follow);
      return;
    }
    const first = lineAtTop();
    if (!first) return;
    const part = partOf(parts, first);
    seen.setAttribute('y', part.row);
    seen.setAttribute('height', partOf(parts, lineAt(innerHeight - 96) ?? first).row - part.row + 1);
    const looked = partOf(parts, lineLookedAt());
    slider.value = now = looked.row;
    slider.ariaValueText = told(looked);
  };
  addEventListener('scroll', follow, { passive: true });
  follow();
}

function drawMap(parts, errors) {
  const before = document.getElementById('map');
  const hadFocus = before?.contains(document.activeElement);
  if (before?.querySelector(':active')) return; // it is being moved
  before?.remove();
  now = 0;
  const rows = rowsOf(parts);
  const seen = drawn('rect', { class: 'seen', width: 100 });
  const map = create('div', { id: 'map' });
  const ariaLabel = `Lines over the log, ${counted.format(errors)} of them errors`;
  const slider = create('input', { type: 'range', max: rows - 1, value: 0, ariaLabel });
  const tip = create('p', { className: 'tip' });
  const svg = drawn('svg', { viewBox: `0 0 100 ${rows}`, preserveAspectRatio: 'none' }, ...barsOf(parts), seen);
  map.append(svg, ...labelsOf(parts), slider, tip);
  log.after(map);
  map.onpointermove = ({ clientY }) => {
    const part = partAt(parts, Math.floor((clientY - map.getBoundingClientRect().top) / map.offsetHeight * rows));
    tip.textContent = told(part);
    put(tip, part.row, rows);
  };
  steer(slider, parts);
  if (hadFocus) slider.focus({ preventScroll: true });
  followReader(slider, seen, parts);
}

function draw() {
  const { summary } = log.page;
  if (!summary.lines) return;
  const counts = Object.entries(summary.severities).map(([name, { count }]) => [name, count]);
  const parts = hasTimes(summary) ? partsOfTime(summary.histogram) : partsOfLines(summary.lines);
  drawMap(parts, badOf(Object.fromEntries(counts)));
}

log.addEventListener('summed', draw);
if (log.page?.summary) draw();
