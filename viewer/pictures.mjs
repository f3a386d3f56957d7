// Pictures of pages (tools/make-pictures): node pictures.mjs PAGE.html PICTURE.png [WHAT [SIZE [THEME [MOMENT]]]]
//
// What the selector WHAT finds, or `window`, its first screen; of a page of `tenon export --html` at MOMENT, a part of its
// time, 0 to 1.
import { chromium } from '@playwright/test';
import { resolve } from 'node:path';
import { launchOptions } from './browser.mjs';

const PASSES = 32; // of a picture at rest, until it is taken

const [page_, picture, what = 'window', size = '1100x620', theme = 'light', moment = '0.5'] = process.argv.slice(2);
const [width, height] = size.split('x').map(Number);
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
  }, Number(moment));
  await page.waitForFunction((n) => window.tenon.drawnFrames > n, drawn);
  await page.waitForFunction((n) => window.tenon.world.passed >= n, PASSES, { timeout: 300_000 });
}
await page.waitForTimeout(300); // charts follow their size
await (what === 'window' ? page : page.locator(what).first()).screenshot({ path: picture, timeout: 120_000 });
await browser.close();
if (complaint) {
  throw complaint;
}
