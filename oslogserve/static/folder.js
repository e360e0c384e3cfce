// SPDX-License-Identifier: Apache-2.0
// What a folder's page has beyond links: a field filters the entries by name.

const links = [...document.querySelectorAll('#entries tbody a')];

if (links.length > 8) {
  const field = Object.assign(document.createElement('input'), {
    type: 'search', placeholder: 'Filter by name', ariaLabel: 'Filter by name',
  });
  field.addEventListener('input', () => {
    const wanted = field.value.toLowerCase();
    for (const one of links) {
      one.closest('tr').hidden = !one.textContent.toLowerCase().includes(wanted);
    }
  });
  document.getElementById('entries').before(field);
}
