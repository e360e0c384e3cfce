// SPDX-License-Identifier: Apache-2.0
// What went wrong in a job: in the job's folder it comes by itself, and a click copies an excerpt of it.

const parsed = (text) => new DOMParser().parseFromString(text, 'text/html');

// Shows the overview in place of a link to it, in the folder of a job. If the answer begins with what the
// first logs show, that is shown until the others were read.
async function begin(link) {
  const said = link.textContent;
  link.textContent = 'Looking for what went wrong in these logs \u2026';
  let text = '';
  let early;
  try {
    const answer = await fetch(`${link.href}&unasked=yes`);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      text += piece.value;
      if (early === undefined && text.includes('</section>')) {
        early = parsed(text).querySelector('.early');
        if (early) link.parentElement.after(early);
      }
    }
  } catch {
    text = '';
  }
  early?.remove();
  const found = parsed(text).querySelector('section#overview');
  if (!found) {
    link.textContent = said;
    return;
  }
  link.parentElement.replaceWith(found);
  document.querySelector('.skip').href = '#cause';
  document.querySelector('form.against').hidden = false;
}

// With links that lead to their lines from anywhere.
async function excerpt(address) {
  const answer = await fetch(`${address}&origin=${encodeURIComponent(window.location.origin)}`);
  if (!answer.ok) throw new Error(answer.statusText);
  return new Blob([await answer.text()], { type: 'text/plain' });
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

// Keys, for keys.js

// Goes to the next log that went wrong, or with -1 to the one before: to its first link, which is its cause's.
function step(way) {
  const found = [...document.querySelectorAll('.wrong > li')];
  const at = found.indexOf(document.activeElement.closest('.wrong > li'));
  goTo(found[at < 0 ? 0 : at + way]);
}

function goTo(log) {
  const link = log?.querySelector('a') ?? log;
  link?.focus({ preventScroll: true });
  // Of one that is higher than the screen, the link counts.
  for (const seen of [log, link]) seen?.scrollIntoView({ block: 'nearest' });
}

document.body.keys = {
  n: [() => step(1), 'next log that went wrong'],
  p: [() => step(-1), 'previous log'],
  c: [() => goTo(document.querySelector('.wrong > li')), 'cause: the first of them'],
  '/': [() => document.querySelector('.searches [name="q"]').select(), 'search these logs'],
};

document.addEventListener('click', copy);
document.querySelector('.early')?.remove();
const link = document.querySelector('#overview > .unasked');
if (link) await begin(link);
