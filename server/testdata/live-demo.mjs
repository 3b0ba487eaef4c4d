// Walks the live demo as a person would: makes the outage, sees the incident,
// opens its page, runs a check, heals, and waits until it is over. Prints one
// JSON object. Usage: node live-demo.mjs URL
import { chromium } from "playwright-core";

const url = process.argv[2];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
const errors = [];
page.on("console", (m) => m.type() === "error" && errors.push(m.text()));
page.on("pageerror", (e) => errors.push(String(e)));
const out = { errors };
try {
  await page.goto(url);
  await page.getByRole("button", { name: "Stop the synchronous standby" }).click({ noWaitAfter: true });
  const pressed = Date.now();
  await page.getByText("takes no writes").first().waitFor({ timeout: 15000 });
  out.opened_ms = Date.now() - pressed;

  await page.getByRole("link", { name: "Open runbook" }).first().click();
  await page.waitForURL(/\/runbooks\/sync-standby-lost/);
  const run = page.getByRole("button", { name: /^Run on / }).first();
  await run.click();
  await page.locator(".result, [data-result]").first().waitFor({ timeout: 10000 });
  out.checked = (await page.locator(".result, [data-result]").first().innerText()).trim();

  await page.goto(url);
  await page.getByRole("button", { name: "Heal" }).click();
  await page.goto(new URL("incidents", url).href);
  const healed = Date.now();
  for (;;) {
    const list = await (await fetch(new URL("api/v1/incidents?state=open", url))).json();
    if (list.incidents.length === 0) break;
    if (Date.now() - healed > 40000) throw new Error("the incident did not close");
    await page.waitForTimeout(200);
  }
  out.closed_ms = Date.now() - healed;
} catch (e) {
  out.failed = String(e);
}
console.log(JSON.stringify(out));
await browser.close();
