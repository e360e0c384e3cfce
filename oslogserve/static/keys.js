// SPDX-License-Identifier: Apache-2.0
// The keys of a page. Its script leaves them in `document.body.keys`: for each key what it does, and what the help says.

const TYPED = 'input:not([type="range"], [type="checkbox"]), select, textarea, dialog';
const isPlain = (event) => !(event.ctrlKey || event.metaKey || event.altKey);
const keys = () => ({ ...document.body.keys, '?': [help, 'these keys'] });

function help() {
  const rows = Object.entries(keys()).map(([key, [, does]]) => `<li><kbd>${key}</kbd> ${does}`);
  const dialog = Object.assign(document.createElement('dialog'), { ariaLabel: 'Keys' });
  dialog.innerHTML = `<ul>${rows.join('')}</ul>${document.body.keysNote ?? ''}<form method="dialog"><button>Close</button></form>`;
  dialog.onclose = () => dialog.remove();
  document.body.append(dialog);
  dialog.showModal();
}

function act(event, key) {
  if (!isPlain(event) || !Object.hasOwn(keys(), key)) return;
  event.preventDefault();
  keys()[key][0]();
}

document.addEventListener('keydown', (event) => { if (!event.target.closest(TYPED)) act(event, event.key); });
document.addEventListener('click', (event) => act(event, event.target.closest('header [data-key]')?.dataset.key));
