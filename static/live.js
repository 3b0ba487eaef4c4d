/* The page's one event stream, and what it sets in motion.

   Written by hand instead of htmx with its SSE extension: the pages need a
   stream that says nothing but "there is something new", parts fetched whole (so a
   lost event can't leave a wrong page), ages that go on counting when the stream is
   gone, and table rows that stay put under the pointer. That is this file; the
   comparing of old and new markup is idiomorph's. Without it parts are replaced.

   <section id="x" data-live="URL" data-on="tick incident"> is fetched again on
   these events (data-live="" is this page; data-on defaults to tick): the answer
   holds an element of the same id. data-keep leaves an element alone. Charts listen
   to the "stallbook:tick" event of the document. */
(() => {
  "use strict";
  const body = document.body, button = document.getElementById("live"), line = document.getElementById("stream");
  if (!body.dataset.events || !window.EventSource) return;
  const all = (q, at = document) => [...at.querySelectorAll(q)];
  let skew = Number(body.dataset.now) - Date.now(); // the server's clock decides, also in a demo
  const now = () => Date.now() + skew;
  const hms = (ms) => new Date(ms).toISOString().slice(11, 19);

  let stream = null, paused = false, lostAt = 0, tries = 0, retryAt = 0, heard = 0, ready = false;

  function connect() {
    retryAt = 0;
    heard = Date.now();
    stream = new EventSource(body.dataset.events);
    for (const name of ["snapshot", "tick", "incident", "run"]) stream.addEventListener(name, (e) => take(name, e));
    stream.onerror = lose;
  }
  function take(name, e) {
    heard = Date.now();
    tries = 0;
    if (name === "tick" || name === "snapshot") {
      let at = NaN;
      try {
        const tick = JSON.parse(e.data);
        at = Date.parse(tick.at);
        count(tick.instances || []);
        history(tick.history || "");
      } catch {
        /* a tick that can't be read still says: there is something new */
      }
      if (at) skew = at - Date.now();
    }
    const back = lostAt || !ready;
    lostAt = 0;
    ready = true;
    show();
    if (paused) return;
    document.dispatchEvent(new CustomEvent("stallbook:tick", { detail: { name, now: now() } }));
    refresh(back && name === "snapshot" ? "" : name);
  }
  function count(instances) {
    const open = new Set(instances.map((i) => i.incident).filter(Boolean)).size, badge = document.getElementById("open-count");
    badge.dataset.n = open || "";
    badge.firstChild.textContent = open;
  }
  function history(why) {
    const line = document.getElementById("history"), says = line.querySelector("span span");
    line.hidden = !why;
    if (why && says.textContent !== why) says.textContent = why;
  }
  function lose() {
    if (stream) stream.close();
    stream = null;
    if (!lostAt) lostAt = now();
    // The browser's own retry ends for good after an error status, so this is ours.
    const wait = Math.min(30000, 1000 * 2 ** Math.min(tries++, 5)) * (0.75 + Math.random() / 2);
    retryAt = Date.now() + wait;
    show();
  }

  /* parts: those of one address are fetched once */
  const busy = new Set();
  function refresh(event) {
    if (document.hidden) return;
    const urls = new Set();
    for (const el of all("[data-live]")) {
      const on = (el.dataset.on || "tick").split(" ");
      if (!event || on.includes(event)) urls.add(el.dataset.live || location.href);
    }
    urls.forEach(fetchParts);
  }
  async function fetchParts(url) {
    if (busy.has(url)) return;
    busy.add(url);
    try {
      const res = await fetch(url, { headers: { Accept: "text/html" } });
      if (!res.ok) return;
      const fresh = new DOMParser().parseFromString(await res.text(), "text/html");
      for (const el of paused ? [] : all("[data-live]")) {
        const part = (el.dataset.live || location.href) === url && fresh.getElementById(el.id);
        if (part) swap(el, part);
      }
    } catch {
      /* the stream tells of a server that is gone; the ages tell of this part */
    } finally {
      busy.delete(url);
    }
  }
  function swap(old, part) {
    for (const rows of all("tbody[data-order]", part)) keepOrder(document.getElementById(rows.id), rows);
    if (!window.Idiomorph) old.replaceWith(document.adoptNode(part));
    else Idiomorph.morph(old, part, { morphStyle: "outerHTML", callbacks: { beforeNodeMorphed: keep, beforeAttributeUpdated: keepOpen } });
    ages();
  }
  const keep = (node) => !(node.nodeType === 1 && node.hasAttribute("data-keep"));
  const keepOpen = (name, node) => !(name === "open" && node.tagName === "DETAILS");

  /* Rows do not move under a pointer or a focus: the new order waits for a click. */
  function keepOrder(old, fresh) {
    if (!old) return;
    const byId = new Map([...fresh.children].map((r) => [r.id, r]));
    const was = [...old.children].map((r) => r.id).filter((id) => byId.has(id));
    const is = [...fresh.children].map((r) => r.id).filter((id) => was.includes(id));
    const moved = is.length - rising(is.map((id) => was.indexOf(id)));
    const note = fresh.ownerDocument.getElementById(old.dataset.order);
    const hold = moved > 0 && !old.dataset.apply && (old.matches(":hover") || old.contains(document.activeElement));
    delete old.dataset.apply;
    if (note) {
      note.hidden = !hold;
      note.textContent = moved === 1 ? "1 change" : moved + " changes";
    }
    if (!hold) return;
    const late = [...fresh.children].filter((r) => !was.includes(r.id));
    fresh.append(...was.map((id) => byId.get(id)), ...late);
  }
  /* length of the longest run that is in order already: the others have moved */
  function rising(list) {
    const tails = [];
    for (const v of list) {
      const at = tails.findIndex((t) => t >= v);
      tails[at < 0 ? tails.length : at] = v;
    }
    return tails.length;
  }
  document.addEventListener("click", (e) => {
    const note = e.target.closest("[data-reorder]");
    if (!note) return;
    document.getElementById(note.dataset.reorder).dataset.apply = "1";
    refresh("");
  });

  /* what is shown of the stream itself */
  function show() {
    const is = paused ? "paused" : lostAt ? "lost" : ready ? "live" : "";
    button.dataset.is = is;
    button.disabled = false;
    button.lastElementChild.textContent = { paused: "Paused", lost: "Not live", live: "Live", "": "Connecting" }[is];
    line.hidden = !lostAt || paused;
    if (lostAt) {
      const left = Math.max(0, Math.ceil((retryAt - Date.now()) / 1000));
      line.textContent = `Not live since ${hms(lostAt)}, ${retryAt && left > 0 ? `trying again in ${left} s` : "trying now"}. Ages keep counting.`;
    }
  }
  document.addEventListener("stallbook:pause", () => {
    paused = !paused;
    show();
    document.dispatchEvent(new CustomEvent("stallbook:paused", { detail: paused }));
    if (!paused) refresh("");
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && !paused) refresh("");
  });

  /* ages and the clock go on without the server */
  function worded(ms) {
    const s = Math.max(0, Math.floor(ms / 1000));
    if (s < 120) return s + " s";
    if (s < 7200) return Math.floor(s / 60) + " min";
    if (s < 172800) return Math.floor(s / 3600) + " h";
    return Math.floor(s / 86400) + " d";
  }
  function ages() {
    const t = now();
    for (const el of all("[data-age]")) {
      const age = t - Number(el.dataset.age), text = worded(age) + (el.hasAttribute("data-bare") ? "" : " ago");
      if (el.textContent !== text) el.textContent = text;
      el.toggleAttribute("data-stale", age >= 5000);
    }
  }
  setInterval(() => {
    ages();
    if (ready || lostAt) document.getElementById("clock").textContent = hms(now());
    // A tick comes every second. Without one for six the stream is as good as gone.
    if (stream && Date.now() - heard > 6000) lose();
    if (!stream && retryAt && Date.now() >= retryAt) connect();
    if (lostAt) show();
  }, 1000);
  addEventListener("pagehide", () => stream && stream.close());
  addEventListener("pageshow", (e) => e.persisted && connect());
  connect();
})();
