// Photographs every page of a running stallbook at three sizes, dark and light,
// and fails on what a person would trip over: a script error, a page that scrolls
// sideways, or a breach of WCAG A or AA that axe can find (contrast among them).
//
//   make demo &                                  # or any other installation
//   npm run look -- http://127.0.0.1:8080 shots  # address, folder for the pictures
//   npm run look -- http://127.0.0.1:8080 shots fleet,instance
//
// CHROMIUM names the browser (default /usr/bin/chromium); SCRIPTS=off looks at
// the pages as they are without scripts.
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const [site = "http://127.0.0.1:8080", folder = "shots", only = ""] = process.argv.slice(2);
const scripts = process.env.SCRIPTS !== "off";
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const sizes = [[1920, 1080], [1280, 800], [390, 844]];

const get = async (path) => (await fetch(site + path)).json();

// The pages to look at: those of the instance in the worst trouble, if any.
async function pages() {
  const { clusters } = await get("/api/v1/clusters");
  const { incidents } = await get("/api/v1/incidents");
  const { runbooks } = await get("/api/v1/runbooks");
  const hit = incidents[0] || { cluster: clusters[0].name, instance: clusters[0].instances[0].name, runbook: runbooks[0].slug };
  const at = `cluster=${encodeURIComponent(hit.cluster)}&instance=${encodeURIComponent(hit.instance)}`;
  const place = `/clusters/${encodeURIComponent(hit.cluster)}`, instance = `${place}/${encodeURIComponent(hit.instance)}`;
  const all = {
    fleet: "/", cluster: place, instance, hour: instance + "?range=1h", incidents: "/incidents",
    runbooks: "/runbooks", runbook: `/runbooks/${hit.runbook}?${at}`, diagnosis: "/diagnosis?" + at, choose: "/diagnosis", missing: "/nothing-here",
  };
  if (hit.id) all.incident = "/incidents/" + hit.id;
  return Object.entries(all).filter(([name]) => !only || only.split(",").includes(name));
}

async function look(context, name, path, label) {
  const found = [], page = await context.newPage();
  page.on("pageerror", (e) => found.push("script error: " + e.message));
  page.on("console", (m) => {
    const expected = name === "missing" && m.text().includes("404"); // the page itself
    if (["error", "warning"].includes(m.type()) && !expected) found.push(`console: ${m.text()}`);
  });
  await page.goto(site + path, { waitUntil: "load" });
  await page.waitForTimeout(scripts ? 2500 : 200);
  await page.screenshot({ path: `${folder}/${name}-${label}.png`, fullPage: true });
  if (scripts) {
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wide > 0) found.push(`scrolls sideways by ${wide} px`);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] }));
    for (const v of violations) found.push(`${v.id}: ${v.help}, ${v.nodes.length} times, first at ${v.nodes[0].target.join(" ")}`);
  }
  await page.close();
  return found.map((f) => `${name} ${label}: ${f}`);
}

mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
const problems = [], list = await pages();
for (const [width, height] of sizes) for (const colorScheme of ["dark", "light"]) {
  // axe is put into the page from here, which the pages' own policy rightly forbids.
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, hasTouch: width < 500, javaScriptEnabled: scripts, bypassCSP: true });
  for (const [name, path] of list) problems.push(...(await look(context, name, path, `${width}-${colorScheme}${scripts ? "" : "-noscript"}`)));
  await context.close();
}
await browser.close();
for (const p of problems) console.error(p);
console.log(`${list.length} pages, ${sizes.length} sizes, dark and light: ${problems.length ? problems.length + " problems" : "nothing to object"}`);
process.exit(problems.length ? 1 : 0);
