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

function drawMap(parts, errors) {
  const { bringIn, causeOf, goTo, lineAt, lineAtTop, lineFrom, lineLookedAt, say } = log.page;
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
  const cause = causeOf(log.page.summary);
  const rowsOf = (first, end) => ({ y: first.row, height: end.row - first.row + 1 });
  const partWith = (number) => parts.findLast((part) => part.first <= number) ?? parts[0];
  if (cause) bars.push(drawn('rect', { class: 'cause', width: 100, ...rowsOf(partWith(cause.line), partWith(cause.last)) }));
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
    const part = partAt(Math.floor((clientY - map.getBoundingClientRect().top) / map.offsetHeight * (last.row + 1)));
    tip.textContent = told(part);
    put(tip, part.row);
  };
  const partOf = (line) => partWith(numberOf(line));
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

function draw() {
  const { summary } = log.page;
  if (!summary.lines) return;
  const counts = Object.entries(summary.severities).map(([name, { count }]) => [name, count]);
  const parts = hasTimes(summary) ? partsOfTime(summary.histogram) : partsOfLines(summary.lines);
  drawMap(parts, badOf(Object.fromEntries(counts)));
}

log.addEventListener('summed', draw);
if (log.page?.summary) draw();
