// SPDX-License-Identifier: Apache-2.0
// A choice of the manual's version, on a site that has several: tools/add-to-site writes their list.
(async () => {
  const manual = new URL(document.documentElement.dataset.content_root, location);
  const site = new URL("..", manual);
  const list = await fetch(new URL("versions.json", site)).catch(() => null);
  if (!list?.ok) return;
  const shown = manual.pathname.split("/").at(-2);
  const choice = document.createElement("select");
  choice.ariaLabel = "Version of the manual";
  for (const name of await list.json()) {
    choice.add(new Option(name, name, name === shown, name === shown));
  }
  choice.addEventListener("change", async () => {
    const other = new URL(`${choice.value}/`, site);
    const page = new URL(location.pathname.slice(manual.pathname.length), other);
    const found = await fetch(page, { method: "HEAD" }).catch(() => null);
    location.assign(found?.ok ? page : other);
  });
  document.getElementById("versions").replaceChildren("Version ", choice);
})();
