// Looks at the reports in a folder as their readers would, in one browser, and prints what was seen as JSON:
//     node look.mjs FOLDER REFERENCES
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";
import { unpacked } from "./unpacked.mjs";

const [folder, references] = process.argv.slice(2);
const browser = await puppeteer.launch({
  ...(await unpacked()),
  headless: "shell",
  pipe: true, // so that it ends with this program, however that ends
  args: [
    "--no-sandbox", "--no-zygote", "--disable-gpu", "--disable-dev-shm-usage",
    "--font-render-hinting=none", "--force-color-profile=srgb", "--hide-scrollbars",
  ],
});

/** A report in a tab of its own, and all that it asked for or complained of. */
async function opened(name, { width = 760, script = true } = {}) {
  const page = await browser.newPage();
  const url = pathToFileURL(join(folder, `${name}.html`)).href;
  const trouble = [];
  page.on("request", (request) => request.url().split("#")[0] === url || trouble.push(`asked for ${request.url()}`));
  page.on("console", (message) => trouble.push(message.text()));
  page.on("pageerror", (error) => trouble.push(String(error)));
  await page.setViewport({ width, height: 900 });
  await page.setJavaScriptEnabled(script);
  await page.goto(url);
  const media = await page.createCDPSession();
  const as = (scheme, kind = "screen") => {
    const features = [{ name: "prefers-color-scheme", value: scheme }];
    return media.send("Emulation.setEmulatedMedia", { media: kind, features });
  };
  await as("light");
  return { page, trouble, as };
}

// What is done inside the page.

const shown = () =>
  [...document.querySelectorAll("details.finding")]
    .filter((one) => one.checkVisibility())
    .map((one) => [one.closest("section").dataset.item, one.querySelector("code").textContent]);

const evidence = () => {
  const inside = [...document.querySelectorAll("details.finding pre, details.finding dl")];
  return { all: inside.length, visible: inside.filter((one) => one.checkVisibility()).length };
};

const overflow = () => {
  const edge = document.documentElement.clientWidth;
  const beyond = (one) => one.checkVisibility() && one.getBoundingClientRect().right > edge + 1;
  const clipped = [...document.querySelectorAll("main *, header *, footer *")].filter(beyond);
  const width = document.documentElement.scrollWidth;
  return { edge, width, clipped: clipped.map((one) => one.outerHTML.slice(0, 80)) };
};

/** The text that is hardest to read, by the contrast of WCAG. */
const faintest = () => {
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const channels = (colour) => {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    return [...paint.getImageData(0, 0, 1, 1).data];
  };
  const light = (colour) => {
    const linear = (share) => (share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = channels(colour).map((value) => linear(value / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (one) => {
    for (; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (channels(colour)[3]) return colour;
    }
    return "white";
  };
  let least = { contrast: 99 };
  for (const one of document.querySelectorAll("body *")) {
    const hasText = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!hasText || !one.checkVisibility()) continue;
    const [a, b] = [light(getComputedStyle(one).color), light(ground(one))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < least.contrast) least = { contrast, text: one.textContent.slice(0, 40) };
  }
  return { ...least, ground: getComputedStyle(document.body).backgroundColor };
};

const openAll = () => document.querySelectorAll("details").forEach((one) => (one.open = true));

/** The share of the pixels that are not alike. */
const unlike = async (one, other) => {
  const pixels = async (png) => {
    const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
    const canvas = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
    canvas.drawImage(picture, 0, 0);
    return canvas.getImageData(0, 0, picture.width, picture.height);
  };
  const [a, b] = [await pixels(one), await pixels(other)];
  if (a.width !== b.width || a.height !== b.height) return 1;
  let count = 0;
  for (let at = 0; at < a.data.length; at += 4) {
    if ([0, 1, 2].some((channel) => Math.abs(a.data[at + channel] - b.data[at + channel]) > 24)) count++;
  }
  return count / (a.width * a.height);
};

// What is seen.

async function filtered() {
  const { page, trouble } = await opened("compared");
  const now = async () => ({
    shown: await page.evaluate(shown),
    said: await page.$eval("#shown", (one) => one.textContent),
    none: await page.$eval("#none", (one) => one.checkVisibility()),
  });
  const cleared = () => page.click("form.filters button");
  const places = await page.$$eval("#by-tool option", (all) => all.map((one) => [one.text, one.value]));
  const labels = await page.$$eval("form select, form input", (all) => all.map((one) => one.labels[0]?.innerText));
  const seen = { labels, start: await now() };
  await page.select("#by-tool", new Map(places).get("read_file"));
  seen.tool = await now();
  await page.select("#by-item", "alive");
  seen.neither = await now();
  await cleared();
  await page.select("#by-item", "alive");
  seen.item = await now();
  await page.click('a[href="#found-not_dropped"]');
  seen.linked = await now();
  await page.type("#by-text", "RANGE.above");
  seen.text = await now();
  await cleared();
  await page.type("#by-text", "adopt fingerpost");
  seen.ours = await now();
  await cleared();
  seen.cleared = await now();
  return { ...seen, trouble };
}

async function read() {
  const { page, trouble } = await opened("compared");
  const finding = await page.$('[data-item="wrong_type"] details.finding');
  const before = await finding.evaluate((one) => one.innerText);
  await (await finding.$("summary")).focus();
  await page.keyboard.press("Enter");
  const after = await finding.evaluate((one) => one.innerText);
  const code = await page.$("#page-INVALID_TYPE");
  const closed = await code.evaluate((one) => one.checkVisibility());
  await (await finding.$('a[href^="#page-"]')).click();
  return { before, after, closed, page: await code.evaluate((one) => one.checkVisibility() && one.innerText), trouble };
}

async function coloured() {
  const { page, trouble, as } = await opened("compared");
  await page.evaluate(openAll);
  const seen = { light: await page.evaluate(faintest) };
  await as("dark");
  seen.dark = await page.evaluate(faintest);
  await as("dark", "print");
  seen.print = await page.evaluate(faintest);
  return { ...seen, trouble };
}

async function printed() {
  const { page, trouble, as } = await opened("compared", { width: 700 });
  const filters = () => page.$eval("form.filters", (one) => one.checkVisibility());
  const seen = { onScreen: await page.evaluate(evidence), filtersOnScreen: await filters() };
  await as("light", "print");
  seen.onPaper = await page.evaluate(evidence);
  seen.filtersOnPaper = await filters();
  seen.overflow = await page.evaluate(overflow);
  await as("light");
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  seen.asked = await page.evaluate(evidence);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  seen.done = await page.evaluate(evidence);
  return { ...seen, trouble };
}

async function narrow(name) {
  const { page, trouble } = await opened(name, { width: 380 });
  await page.evaluate(openAll);
  return { ...(await page.evaluate(overflow)), trouble };
}

async function attacked() {
  const { page, trouble } = await opened("hostile");
  await page.evaluate(openAll);
  const count = (selector) => page.$$eval(selector, (all) => all.length);
  return {
    ran: await page.evaluate(() => window.ran ?? null),
    scripts: await count("script"),
    strangers: await count("img, svg:not(.bar), [onclick], [onload], [onerror], a:not([href^='#'])"),
    findings: await count("details.finding"),
    trouble,
  };
}

async function forbidden() {
  const { page, trouble } = await opened("tampered");
  return { ran: await page.evaluate(() => window.ran ?? null), trouble };
}

async function scriptless() {
  const { page, trouble } = await opened("compared", { script: false });
  const filters = await page.$eval("form.filters", (one) => one.checkVisibility());
  const seen = { filters, shown: await page.evaluate(shown) };
  await page.click("details.finding summary");
  seen.opened = await page.$eval("details.finding", (one) => one.innerText);
  await page.click('details.finding a[href^="#page-"]');
  const visible = (all) => all.filter((one) => one.checkVisibility()).map((one) => one.id);
  seen.pages = await page.$$eval(".page .text", visible);
  return { ...seen, trouble };
}

async function many() {
  const { page, trouble } = await opened("large");
  await page.type("#by-text", "call 599,");
  return { shown: await page.evaluate(shown), trouble };
}

const PICTURES = {
  "report-head": { scheme: "light", width: 760, from: "header", to: "header", detail: ".letter" },
  "report-findings": { scheme: "light", width: 900, from: ".adopt", to: ".group:last-child", detail: ".tag" },
  "report-narrow": { scheme: "dark", width: 380, from: "header", to: ".items > li:nth-child(3)", detail: ".bar" },
};

/** The pictures, how unlike the references they are, and how unlike they would be with one detail gone. */
async function pictured() {
  const seen = {};
  const blank = await browser.newPage();
  for (const [name, { scheme, width, from, to, detail }] of Object.entries(PICTURES)) {
    const { page, as } = await opened("compared", { width });
    await as(scheme);
    await page.$eval("details.finding", (one) => (one.open = true));
    const y = await page.$eval(from, (one) => Math.round(one.getBoundingClientRect().top));
    const end = await page.$eval(to, (one) => Math.round(one.getBoundingClientRect().bottom));
    const clip = { x: 0, y, width, height: end - y };
    const taken = async () => Buffer.from(await page.screenshot({ clip, captureBeyondViewport: true }));
    const picture = await taken();
    writeFileSync(join(folder, `${name}.png`), picture);
    await page.$eval(detail, (one) => (one.style.visibility = "hidden"));
    const changed = await taken();
    const known = join(references, `${name}.png`);
    const reference = existsSync(known) ? readFileSync(known) : changed;
    const against = (png) => blank.evaluate(unlike, png.toString("base64"), reference.toString("base64"));
    seen[name] = { same: await against(picture), changed: await against(changed) };
  }
  return seen;
}

const seen = {
  version: await browser.version(),
  filtered: await filtered(),
  read: await read(),
  coloured: await coloured(),
  printed: await printed(),
  narrow: { compared: await narrow("compared"), hostile: await narrow("hostile") },
  attacked: await attacked(),
  forbidden: await forbidden(),
  scriptless: await scriptless(),
  many: await many(),
  pictured: await pictured(),
};
await browser.close();
console.log(JSON.stringify(seen));
