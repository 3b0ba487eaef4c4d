/* What a page does without a stream: theme, keys, find, copy, running a check in
   place. Everything here only eases what links and forms do without scripts. */
(() => {
  "use strict";
  const root = document.documentElement, body = document.body, base = body.dataset.base;
  const $ = (q, at = document) => at.querySelector(q);
  const all = (q, at = document) => [...at.querySelectorAll(q)];

  function theme() {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    // A cookie, so that the server writes the choice into the next page and nothing flashes.
    document.cookie = `theme=${root.dataset.theme}; path=${base || "/"}; max-age=31536000; samesite=lax`;
    document.dispatchEvent(new Event("stallbook:theme"));
  }

  function copy(button) {
    const text = $("pre", button.parentElement).textContent;
    navigator.clipboard.writeText(text).then(() => {
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
  }

  /* find: every instance, cluster and runbook by name */
  const find = $("#find"), word = $("input", find), list = $("#find-list");
  let places = null;
  async function load() {
    if (places) return;
    const get = (path) => fetch(base + path).then((r) => (r.ok ? r.json() : {})).catch(() => ({}));
    const [c, r] = await Promise.all([get("/api/v1/clusters"), get("/api/v1/runbooks")]);
    places = [];
    for (const cl of c.clusters || []) {
      const at = "/clusters/" + encodeURIComponent(cl.name);
      places.push({ name: cl.name, what: "cluster", href: at });
      for (const i of cl.instances) places.push({ name: i.name, what: `${cl.name}, ${i.state}`, href: at + "/" + encodeURIComponent(i.name) });
    }
    for (const b of r.runbooks || []) places.push({ name: b.title, what: "runbook", href: "/runbooks/" + b.slug, also: b.slug });
  }
  function matches() {
    const words = word.value.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = (places || []).filter((p) => words.every((w) => `${p.name} ${p.what} ${p.also || ""}`.toLowerCase().includes(w))).slice(0, 12);
    list.replaceChildren(...hits.map((p, i) => {
      const li = document.createElement("li"), a = document.createElement("a"), what = document.createElement("span");
      a.href = base + p.href;
      a.textContent = p.name;
      what.textContent = p.what;
      what.className = "dim";
      a.append(what);
      a.setAttribute("aria-selected", String(i === 0));
      li.append(a);
      return li;
    }));
    $("#find-none").hidden = hits.length > 0 || !places;
  }
  async function openFind() {
    word.value = "";
    find.showModal();
    word.focus();
    await load();
    matches();
  }
  word.addEventListener("input", matches);
  find.addEventListener("keydown", (e) => {
    const links = all("a", list), at = links.findIndex((a) => a.getAttribute("aria-selected") === "true");
    if (e.key === "Enter" && links[at]) {
      e.preventDefault();
      location.href = links[at].href;
    } else if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      e.preventDefault();
      const to = Math.min(links.length - 1, Math.max(0, at + (e.key === "ArrowDown" ? 1 : -1)));
      links.forEach((a, i) => a.setAttribute("aria-selected", String(i === to)));
    }
  });

  const acts = { theme, copy, find: openFind, keys: () => $("#keys").showModal(), pause: () => document.dispatchEvent(new Event("stallbook:pause")) };
  document.addEventListener("click", (e) => {
    const b = e.target.closest("[data-do]");
    if (b && acts[b.dataset.do]) acts[b.dataset.do](b);
    if (e.target.tagName === "DIALOG") e.target.close(); // the backdrop
  });

  /* keys */
  const go = { c: "/", i: "/incidents", r: "/runbooks" };
  let afterG = 0;
  const typing = (t) => t.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(t.tagName) && t.type !== "checkbox";
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || typing(e.target) || $("dialog[open]")) return;
    if (afterG && e.timeStamp - afterG < 1500 && go[e.key]) {
      location.href = base + go[e.key];
      return;
    }
    afterG = e.key === "g" ? e.timeStamp : 0;
    const act = { "/": "find", "?": "keys", t: "theme", p: "pause" }[e.key];
    if (act) {
      e.preventDefault();
      acts[act]();
    } else if (e.key === "j" || e.key === "k") {
      step(e.key === "j" ? 1 : -1);
    } else if (e.key === "x") {
      const at = document.activeElement.closest("[data-step]");
      const run = at && $("[data-run]", at);
      if (run) run.click();
    } else {
      const link = all("[data-key]").find((a) => a.dataset.key === e.key);
      if (link) link.click();
    }
  });
  function step(by) {
    const steps = all("[data-step]"), at = steps.indexOf(document.activeElement.closest("[data-step]"));
    const to = steps[at < 0 ? (by > 0 ? 0 : steps.length - 1) : Math.min(steps.length - 1, Math.max(0, at + by))];
    if (to) to.focus();
  }

  /* a form with data-swap runs in place: its answer holds the element of that id */
  document.addEventListener("submit", async (e) => {
    const form = e.target, id = form.dataset.swap;
    if (!id) return;
    e.preventDefault();
    const button = e.submitter, label = button && button.textContent;
    if (button) {
      button.disabled = true;
      button.textContent = "Running";
    }
    try {
      const res = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form, button)), headers: { Accept: "text/html" } });
      const fresh = new DOMParser().parseFromString(await res.text(), "text/html");
      const part = fresh.getElementById(id);
      if (part) {
        document.getElementById(id).replaceWith(document.adoptNode(part));
        part.focus();
        return;
      }
      said(form, ($("h1", fresh) || {}).textContent + ". " + ($(".sub", fresh) || {}).textContent);
    } catch {
      said(form, "stallbook did not answer. Nothing is known of this run; try again.");
    }
    if (button) {
      button.disabled = false;
      button.textContent = label;
    }
  });
  function said(form, text) {
    const p = $(".who[role=alert]", form) || form.appendChild(document.createElement("p"));
    p.className = "who";
    p.setAttribute("role", "alert");
    p.textContent = text;
  }
})();
