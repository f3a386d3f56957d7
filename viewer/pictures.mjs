// Pictures of pages for the documentation (tools/make-pictures): node pictures.mjs PAGE.html PICTURE.png [WHAT [SIZE [THEME]]]
//
// Of a page of `tenon export --html` the moment WHAT (a part of its time, 0 to 1; default 0.5); of a report what the
// selector WHAT finds; `window`: the window's first screen of either, half-way through.
import { chromium } from '@playwright/test';
import { resolve } from 'node:path';
import { launchOptions } from './browser.mjs';

const PASSES = 32; // of a picture at rest, until it is taken

const [page_, picture, what = '0.5', size = '1100x620', theme = 'light'] = process.argv.slice(2);
const [width, height] = size.split('x').map(Number);
const at = what === 'window' ? 0.5 : Number(what);
const browser = await chromium.launch(launchOptions);
const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme });
let complaint;
page.on('pageerror', (error) => (complaint = error));
await page.goto(`file://${resolve(page_)}#still`);
await page.waitForFunction(() => (window.tenon ? window.tenon.drawnFrames > 0 : document.querySelector('figure canvas')));
if (await page.evaluate(() => window.tenon !== undefined)) {
  const drawn = await page.evaluate((part) => {
    window.tenon.player.seek(Math.floor(part * window.tenon.player.last));
    return window.tenon.drawnFrames;
  }, at);
  await page.waitForFunction((n) => window.tenon.drawnFrames > n, drawn);
  await page.waitForFunction((n) => window.tenon.world.passed >= n, PASSES, { timeout: 300_000 });
}
await page.waitForTimeout(300); // charts follow their size
await (Number.isNaN(Number(what)) && what !== 'window' ? page.locator(what).first() : page).screenshot({ path: picture, timeout: 120_000 });
await browser.close();
if (complaint) {
  throw complaint;
}
