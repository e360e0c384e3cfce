// SPDX-License-Identifier: Apache-2.0
// What went wrong in a job. In the folder of a job it comes by itself; and while the page is open, the
// logs that the first answer has not looked at are looked at, some at a time.

const AGAIN_AFTER = 10000;
const MOST_ATTEMPTS = 5;

const parsed = (text) => new DOMParser().parseFromString(text, 'text/html');

// The section of an overview; null if the server has no answer. `show` gets the section of the first logs,
// if the answer begins with one, before the other logs are read.
async function section(address, show) {
  let text = '';
  try {
    const answer = await fetch(address);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      text += piece.value;
      if (show && text.includes('</section>')) {
        const early = parsed(text).querySelector('.early');
        if (early) show(early);
        show = null;
      }
    }
  } catch {
    return null;
  }
  return parsed(text).querySelector('section#overview');
}

// A shell pattern, of which only the star means something.
function fits(name, pattern) {
  const parts = pattern.split('*');
  const [first, last] = [parts.shift(), parts.pop()];
  return last === undefined ? name === first : name.startsWith(first)
    && name.endsWith(last) && parts.every((part) => name.includes(part));
}

async function begin(link) {
  const marks = link.dataset.marks.split(/\s+/).filter(Boolean);
  const names = [...document.querySelectorAll('#entries tbody a')].map((one) => one.textContent);
  if (!names.some((name) => marks.some((mark) => fits(name, mark)))) return;
  const said = link.textContent;
  link.textContent = 'Looking for what went wrong in these logs \u2026';
  let early;
  const found = await section(`${link.href}&unasked=yes`, (one) => {
    link.parentElement.after(one);
    early = one;
  });
  early?.remove();
  if (!found) {
    link.textContent = said;
    return;
  }
  link.parentElement.replaceWith(found);
  document.querySelector('form.against').hidden = false;
}

function untilSeen() {
  return new Promise((resolve) => {
    if (!document.hidden) resolve();
    else document.addEventListener('visibilitychange', resolve, { once: true });
  });
}

const number = (element) => Number(element?.textContent.replaceAll(',', '') ?? 0);

function addCount(page, part, name) {
  const sum = number(page.querySelector(`[data-count=${name}]`))
    + number(part.querySelector(`[data-count=${name}]`));
  for (const one of page.querySelectorAll(`[data-count=${name}]`)) {
    one.textContent = sum.toLocaleString('en');
  }
}

// Orders children by a key, ascending.
function sort(parent, key) {
  const keyed = [...parent.children].map((child) => [key(child), child]);
  keyed.sort(([one], [other]) => (one < other ? -1 : Number(one > other)));
  parent.append(...keyed.map(([, child]) => child));
}

const kindsOf = (section) => JSON.parse(section.dataset.kinds);

// An error is worth less the more of its kind all parts have.
function addKinds(page, part) {
  const kinds = kindsOf(page);
  for (const [kind, count] of Object.entries(kindsOf(part))) kinds[kind] = (kinds[kind] ?? 0) + count;
  page.dataset.kinds = JSON.stringify(kinds);
  for (const { dataset } of page.querySelectorAll('.wrong > [data-kind]')) {
    dataset.score = Number(dataset.base) + (dataset.kind ? dataset.weight / kinds[dataset.kind] : 0);
  }
}

// The logs that tell most, of all parts, in the order of their scores.
function mergeWrong(page, part) {
  const list = page.querySelector('.wrong');
  const more = part.querySelectorAll('.wrong > [data-score]');
  if (more.length) list.querySelector('.none')?.remove();
  list.append(...more);
  addKinds(page, part);
  sort(list, (item) => -item.dataset.score);
  for (const item of [...list.children].slice(page.dataset.most)) item.remove();
}

// All parts show errors if one does; else a failure, if a log shows one.
function mergeWhat(page, part) {
  const [before, now] = [page, part].map((one) => one.querySelector('.what'));
  const [wrong, more] = [page, part].map((one) => number(one.querySelector('[data-count=wrong]')));
  if (more && (!wrong || now.textContent === 'errors')) before.textContent = now.textContent;
}

function merge(page, part) {
  mergeWhat(page, part);
  addCount(page, part, 'wrong');
  addCount(page, part, 'logs');
  mergeWrong(page, part);
  const tests = page.querySelector('.tests');
  if (tests) tests.append(...part.querySelectorAll('.tests > li'));
  else page.querySelector('.wrong').before(...part.querySelectorAll('p:has(+ .tests), .tests'));
  const said = new Set([...page.querySelectorAll('.notice')].map((one) => one.textContent));
  page.querySelector('details').before(
    ...[...part.querySelectorAll('.notice')].filter((one) => !said.has(one.textContent)),
  );
  const rows = page.querySelector('tbody');
  rows.append(...part.querySelectorAll('tbody > tr'));
  sort(rows, (row) => row.firstElementChild.textContent);
  page.querySelector('.rest').replaceWith(part.querySelector('.rest'));
  // The parts before it are on this page, too.
  const rest = page.querySelector('.rest').firstChild;
  rest.data = rest.data.replace(/^[\d,]+ to /, '');
}

async function goOn(page) {
  let attempts = 0;
  for (let next; (next = page.querySelector('.rest a')) && attempts < MOST_ATTEMPTS;) {
    await untilSeen();
    const part = await section(next.href);
    if (part?.querySelector('.rest')) {
      attempts = 0;
      merge(page, part);
    } else if (part) {
      return;
    } else {
      attempts += 1;
      await new Promise((resolve) => { setTimeout(resolve, AGAIN_AFTER); });
    }
  }
}

// The text of an excerpt, with links that lead to their lines from anywhere. Lines of logs begin with one of
// " >+", so that none of them is taken for a link.
function withLinks(text, address) {
  let log = '';
  const lines = text.split('\n').map((line) => {
    log = line.match(/^([^\s>+[]+): (?:failed|does not say|shows no failure)/)?.[1] ?? log;
    return line.replace(
      /^((?:\.\.\. \S+ lines? left out: )?)([^\s>+?]*)(\?\S*goto=[\d-]+)(?=$|: )/,
      (_, gap, name, numbers) => gap + new URL((name || log) + numbers, address).href,
    );
  });
  return window.location.origin + lines.join('\n');
}

async function excerpt(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(answer.statusText);
  return new Blob([withLinks(await answer.text(), address)], { type: 'text/plain' });
}

// Copies the excerpt instead of showing it. Where the browser does not allow that, the link shows it.
async function copy(click) {
  const link = click.target.closest('.copied > a');
  const isPlain = !(click.ctrlKey || click.metaKey || click.shiftKey || click.altKey);
  if (!link || !navigator.clipboard?.write || !isPlain) return;
  click.preventDefault();
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': excerpt(link.href) })]);
    link.textContent = 'Copied';
  } catch {
    window.location.assign(link.href);
  }
}

document.addEventListener('click', copy);
document.querySelector('.early')?.remove();
const link = document.querySelector('#overview > [data-marks]');
if (link) await begin(link);
const page = document.querySelector('section#overview');
if (page) await goOn(page);
