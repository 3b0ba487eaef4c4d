/* The charts of an instance as one instrument: one time axis, one cursor, seconds
   appended as they come. The server has drawn them all; this takes over on the
   screen. Nothing is averaged, smoothed or bridged. */
(() => {
  "use strict";
  const stack = document.querySelector("[data-charts]");
  if (!stack || !window.uPlot) return;
  const root = document.documentElement, dpr = () => devicePixelRatio || 1;
  const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const rem = () => parseFloat(getComputedStyle(root).fontSize);
  const length = (name) => parseFloat(css(name)) * (css(name).endsWith("rem") ? rem() : 1);
  const hms = (s, sec = true) => new Date(s * 1000).toISOString().slice(11, sec ? 19 : 16);
  const day = (s) => new Date(s * 1000).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
  let all = [], data = null, style = null, paused = false, pinned = null;

  /* numbers as the server writes them: three significant figures, commas */
  function num(v) {
    if (v == null) return "–";
    const a = Math.abs(v);
    if (Math.round(a * 10) >= 1000 || Number.isInteger(v)) return Math.round(v).toLocaleString("en-US");
    if (a > 0 && a < 0.1) return String(Number(v.toPrecision(2)));
    return v.toFixed(Math.round(a * 100) >= 1000 ? 1 : 2);
  }
  const tick = (v) => (v >= 10000 && v % 1000 === 0 ? num(v / 1000) + "k" : Number.isInteger(v) ? num(v) : String(Number(v.toFixed(4))));

  function readStyle() {
    const fs = length("--fs-1");
    style = { fs, left: length("--ch-left"), lw: parseFloat(css("--ch-line")), font: `${fs}px ${css("--font")}` };
    for (const n of ["ink", "ink-2", "ink-3", "surface", "ch-limit", "ch-grid", "ch-base", "ch-stall", "ch-gap"]) style[n] = css("--" + n);
  }
  const grid = () => Array.from({ length: Math.round((data.to - data.from) / 1000 / data.step) + 1 }, (_, i) => data.from / 1000 + i * data.step);

  function columns(chart, t) {
    const fit = (a) => (a.length === t.length ? a : t.map((_, i) => a[i] ?? null));
    return chart.lines.flatMap((l) => (l.lo ? [fit(l.hi), fit(l.lo)] : [fit(l.hi)]));
  }
  /* the same zero-based scale as the server's: its top, and its grid */
  function top(chart) {
    let m = Math.max(chart.limit || 0, chart.band ? chart.band[1] : 0);
    for (const l of chart.lines) for (const v of l.hi) if (v > m) m = v;
    return m > 0 ? m * 1.12 : 1.12;
  }
  function splits(max) {
    const raw = max / 3.5, mag = 10 ** Math.floor(Math.log10(raw)), out = [];
    const step = max === 1.12 ? 1 : mag * [1, 2, 2.5, 5, 10].find((m) => m * mag >= raw);
    for (let v = 0; v <= max * 0.97; v += step) out.push(v);
    return out;
  }
  /* stretches without a value in any line, longer than a late poll */
  function gaps(chart, t) {
    const out = [], join = chart.lines[0].join;
    let last = 0;
    for (let i = 0; i < t.length; i++) {
      if (!chart.lines.some((l) => l.hi[i] != null)) continue;
      if ((i - last) * data.step > join) out.push([t[last], t[i]]);
      last = i;
    }
    if ((t.length - 1 - last) * data.step > join + 3) out.push([t[last], t[t.length - 1]]);
    return out;
  }

  /* what lies under and over the lines */
  function across(u, a, b) {
    const l = u.bbox.left, r = l + u.bbox.width, x0 = Math.max(l, Math.min(r, u.valToPos(a, "x", true)));
    return [x0, Math.max(Math.min(r, u.valToPos(b, "x", true)) - x0, 2 * dpr())];
  }
  const inView = (u, a, b) => b >= u.scales.x.min && a <= u.scales.x.max;
  function under(p) {
    return (u) => {
      const g = u.ctx, q = dpr(), { top: y, height: h } = u.bbox;
      g.save();
      for (const [a, b] of data.stalls) {
        if (!inView(u, a / 1000, b / 1000)) continue;
        const [x, w] = across(u, a / 1000, b / 1000);
        g.fillStyle = style["ch-stall"];
        g.fillRect(x, y, w, h);
        g.fillStyle = style["ch-limit"];
        g.fillRect(x, y, w, 2 * q);
      }
      if (p.chart.band) {
        const y0 = u.valToPos(p.chart.band[1], "y", true), y1 = u.valToPos(p.chart.band[0], "y", true);
        g.fillStyle = style["ch-base"];
        g.fillRect(u.bbox.left, y0, u.bbox.width, Math.max(y1 - y0, 2 * q));
      }
      for (const [a, b] of p.gaps) {
        if (!inView(u, a, b)) continue;
        const [x, w] = across(u, a, b);
        g.save();
        g.beginPath();
        g.rect(x, y, w, h);
        g.clip();
        g.fillStyle = style.surface;
        g.fillRect(x, y, w, h);
        g.strokeStyle = style["ch-gap"];
        g.lineWidth = q;
        g.beginPath();
        for (let i = -h; i < w; i += 6 * q) {
          g.moveTo(x + i, y + h);
          g.lineTo(x + i + h, y);
        }
        g.stroke();
        g.restore();
      }
      g.restore();
    };
  }
  function text(g, s, x, y, color, align = "left") {
    g.font = `${style.fs * dpr()}px ${css("--font")}`;
    g.textAlign = align;
    g.textBaseline = "middle";
    g.lineJoin = "round";
    g.lineWidth = 4 * dpr();
    g.strokeStyle = style.surface;
    g.strokeText(s, x, y);
    g.fillStyle = color;
    g.fillText(s, x, y);
  }
  function vertical(u, x, color, dash) {
    const g = u.ctx;
    g.strokeStyle = color;
    g.lineWidth = dpr();
    g.setLineDash(dash.map((d) => d * dpr()));
    g.beginPath();
    g.moveTo(x, u.bbox.top);
    g.lineTo(x, u.bbox.top + u.bbox.height);
    g.stroke();
    g.setLineDash([]);
  }
  function over(p) {
    return (u) => {
      const g = u.ctx, q = dpr(), l = u.bbox.left, w = u.bbox.width;
      g.save();
      if (p.chart.limit) {
        const y = u.valToPos(p.chart.limit, "y", true);
        g.strokeStyle = style["ch-limit"];
        g.lineWidth = 1.35 * q;
        g.setLineDash([6 * q, 4 * q]);
        g.beginPath();
        g.moveTo(l, y);
        g.lineTo(l + w, y);
        g.stroke();
        g.setLineDash([]);
        text(g, `limit ${num(p.chart.limit)} ${p.unit}`.trim(), l + 6 * q, y - style.fs * 0.8 * q, style["ch-limit"]);
      }
      data.events.forEach((e, i) => {
        if (!inView(u, e.at / 1000, e.at / 1000)) return;
        const x = u.valToPos(e.at / 1000, "x", true), flip = x > l + w * 0.6;
        vertical(u, x, style["ink-3"], [2, 3]);
        if (p.first) text(g, e.text, x + (flip ? -5 : 5) * q, u.bbox.top + style.fs * (0.9 + 1.3 * (i % 3)) * q, style["ink-2"], flip ? "right" : "left");
      });
      if (p.first && data.stalls.length) callout(u, p);
      g.restore();
    };
  }
  /* the worst point in view: a stall of one second is named, however far away */
  function callout(u, p) {
    const t = u.data[0], y = u.data[1];
    let k = -1;
    for (let i = 0; i < t.length; i++) if (y[i] != null && t[i] >= u.scales.x.min && t[i] <= u.scales.x.max && (k < 0 || y[i] > y[k])) k = i;
    if (k < 0) return;
    const x = u.valToPos(t[k], "x", true), flip = x > u.bbox.left + u.bbox.width * 0.6, g = u.ctx, q = dpr();
    g.strokeStyle = style.ink;
    g.lineWidth = 1.25 * q;
    g.beginPath();
    g.arc(x, u.valToPos(y[k], "y", true), 4 * q, 0, 7);
    g.stroke();
    text(g, `${num(y[k])} ${p.unit} at ${hms(t[k])}`, x + (flip ? -9 : 9) * q, u.valToPos(y[k], "y", true), style.ink, flip ? "right" : "left");
  }

  function series(p) {
    const list = [{}], bands = [];
    p.chart.lines.forEach((l, i) => {
      const color = p.colors[i], at = list.length;
      const cut = (u, si, i0, i1, found) => found.filter(([a, b]) => u.posToVal(b, "x", true) - u.posToVal(a, "x", true) > l.join + data.step * 0.01);
      const alone = (u, si) => {
        const y = u.data[si];
        return y.reduce((out, v, k) => (v != null && y[k - 1] == null && y[k + 1] == null ? [...out, k] : out), []);
      };
      list.push({ stroke: color, width: style.lw, gaps: cut, points: { show: true, filter: alone, size: 3, fill: color, stroke: color } });
      if (l.lo) {
        list.push({ stroke: "transparent", width: 0, gaps: cut, points: { show: false } });
        bands.push({ series: [at, at + 1], fill: color + (color.startsWith("#") ? "47" : "") });
      }
    });
    return { list, bands };
  }
  const hex = (rgb) => "#" + rgb.match(/\d+/g).slice(0, 3).map((n) => Number(n).toString(16).padStart(2, "0")).join("");

  function build(fig, t) {
    const chart = data.charts[fig.dataset.chart], plot = fig.querySelector(".plot");
    if (!chart) return;
    const p = {
      fig, chart, plot, first: all.length === 0, unit: (fig.querySelector(".vals .u") || {}).textContent || "",
      colors: [...fig.querySelectorAll(".vals i")].map((i) => hex(getComputedStyle(i).color)),
      outs: [...fig.querySelectorAll("[data-out]")], at: fig.querySelector(".ch-at"), gaps: gaps(chart, t),
    };
    plot.classList.add("plot-live");
    const canvas = document.createElement("div");
    canvas.className = "canvas";
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", plot.querySelector("[role=img]").getAttribute("aria-label") + " Arrow keys move the cursor, Enter opens the diagnosis there.");
    plot.append(canvas);
    const axis = fig.classList.contains("axis"), { list, bands } = series(p), span = () => p.u.scales.x.max - p.u.scales.x.min;
    p.u = new uPlot({
      width: canvas.clientWidth, height: canvas.clientHeight, legend: { show: false },
      padding: [6, 0, axis ? 0 : 4, 0],
      tzDate: (s) => uPlot.tzDate(new Date(s * 1000), "Etc/UTC"),
      cursor: { sync: { key: "instance" }, y: false, points: { size: 6 }, drag: { x: true, y: false } },
      scales: { y: { range: () => [0, top(p.chart)] } },
      axes: [
        { show: axis, stroke: style["ink-3"], font: style.font, size: 1.4 * rem(), gap: 4, space: style.fs * 4.8, incrs: (u, _, a, b) => (b - a < 240 ? [2, 5, 10, 20, 30, 60] : [60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 345600]), grid: { stroke: style["ch-grid"], width: 1 }, ticks: { show: false }, values: (u, v, _, __, inc) => v.map((x) => (x > u.scales.x.max - span() * 0.03 ? "" : span() > 172800 ? day(x) : hms(x, inc < 60))) },
        { stroke: style["ink-3"], font: style.font, size: style.left, gap: 6, splits: (u) => splits(u.scales.y.max), grid: { stroke: style["ch-grid"], width: 1 }, ticks: { show: false }, values: (_, v) => v.map(tick) },
      ],
      series: list, bands,
      hooks: { drawAxes: [under(p)], draw: [over(p)], setCursor: [() => readout(p)] },
    }, [t, ...columns(chart, t)], canvas);
    keys(p, canvas);
    all.push(p);
  }
  function readout(p) {
    const k = p.u.cursor.idx, t = p.u.data[0];
    p.outs.forEach((o, i) => {
      const y = p.chart.lines[i] && p.chart.lines[i].hi;
      if (!y) return;
      let j = k == null ? y.length - 1 : k;
      while (k == null && j > 0 && y[j] == null) j--;
      o.textContent = num(y[j]);
    });
    p.at.textContent = k == null ? "" : hms(t[k]);
    if (k != null) pin(t[k]);
  }
  function pin(sec) {
    pinned = Math.round(sec * 1000);
    const link = document.getElementById("diagnose");
    if (link) link.href = `${stack.dataset.diag}&at=${pinned}`;
  }
  function keys(p, canvas) {
    const to = (k) => {
      const t = p.u.data[0], i = Math.min(t.length - 1, Math.max(0, k));
      p.u.setCursor({ left: p.u.valToPos(t[i], "x"), top: 10 }, true, true);
    };
    canvas.addEventListener("keydown", (e) => {
      const at = p.u.cursor.idx ?? p.u.data[0].length - 1, by = e.shiftKey ? 10 : 1;
      if (e.key === "ArrowLeft") to(at - by);
      else if (e.key === "ArrowRight") to(at + by);
      else if (e.key === "Escape") p.u.setCursor({ left: -10, top: -10 }, true, true);
      else if (e.key === "Enter" && pinned) location.href = `${stack.dataset.diag}&at=${pinned}`;
      else return;
      e.preventDefault();
    });
    // uPlot knows the mouse only; a finger moves the cursor and still scrolls the page.
    canvas.addEventListener("touchmove", (e) => p.u.setCursor({ left: e.touches[0].clientX - p.u.over.getBoundingClientRect().left, top: 10 }, true, true), { passive: true });
  }

  function draw() {
    all.forEach((p) => {
      p.u.destroy();
      p.plot.querySelector(".canvas").remove();
    });
    all = [];
    readStyle();
    const t = grid();
    stack.querySelectorAll("[data-chart]").forEach((fig) => build(fig, t));
    all.forEach(readout);
  }

  /* seconds are appended, and those that came late are filled in */
  let busy = false;
  async function tail() {
    if (busy || paused || !data || document.hidden) return;
    busy = true;
    try {
      const res = await fetch(`${stack.dataset.charts}&after=${data.to}`);
      if (res.ok) append(await res.json());
    } catch {
      /* the stream's line says that the server is gone; the charts stop here */
    } finally {
      busy = false;
    }
  }
  function append(more) {
    const step = data.step * 1000, shift = Math.round((more.to - data.to) / step), at = Math.round((more.from - data.from) / step) - shift;
    if (shift < 0 || more.step !== data.step) return;
    for (const [id, c] of Object.entries(data.charts)) {
      const m = more.charts[id];
      c.lines.forEach((l, i) => {
        l.hi.splice(0, shift);
        for (let k = 0; k < shift; k++) l.hi.push(null);
        const fresh = m && m.lines[i] ? m.lines[i].hi : [];
        fresh.forEach((v, k) => {
          if (v != null && at + k >= 0) l.hi[at + k] = v;
        });
      });
      if (m) Object.assign(c, { limit: m.limit, band: m.band });
    }
    Object.assign(data, { from: data.from + shift * step, to: more.to, stalls: more.stalls, events: more.events });
    const t = grid();
    for (const p of all) {
      p.gaps = gaps(p.chart, t);
      const x = p.u.scales.x, old = p.u.data[0], zoomed = x.min > old[0] + data.step || x.max < old[old.length - 1] - data.step;
      p.u.setData([t, ...columns(p.chart, t)], !zoomed);
      if (zoomed) p.u.redraw();
      if (p.u.cursor.idx == null) readout(p);
    }
  }

  fetch(stack.dataset.charts).then((r) => (r.ok ? r.json() : Promise.reject())).then((d) => {
    data = d;
    draw();
    let width = stack.clientWidth;
    new ResizeObserver(() => {
      if (stack.clientWidth === width) return;
      width = stack.clientWidth;
      for (const p of all) p.u.setSize({ width: p.u.root.parentElement.clientWidth, height: p.u.root.parentElement.clientHeight });
    }).observe(stack);
    document.addEventListener("stallbook:theme", draw);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    document.addEventListener("stallbook:paused", (e) => (paused = e.detail));
    if ("tail" in stack.dataset) document.addEventListener("stallbook:tick", tail);
  }).catch(() => {
    /* the server's own drawing stays */
  });
})();
