// Pictures of pages for the documentation (tools/make-pictures): node pictures.mjs PAGE.html PICTURE.png [AT|SELECTOR]
//
// Of a page of `tenon export --html` the moment AT (a part of its time, 0 to 1; default 0.5); of a report the window's
// first screen, or what SELECTOR finds.
import { chromium } from '@playwright/test';
import { resolve } from 'node:path';
import { launchOptions } from './browser.mjs';

const [page_, picture, what = '0.5'] = process.argv.slice(2);
const browser = await chromium.launch(launchOptions);
const page = await browser.newPage({ viewport: { width: 1100, height: 620 }, colorScheme: 'light' });
let complaint;
page.on('pageerror', (error) => (complaint = error));
await page.goto(`file://${resolve(page_)}#fine-still`); // shadows and smoothing although the processor draws
await page.waitForFunction(() => (window.tenon ? window.tenon.drawnFrames > 0 : document.querySelector('figure canvas')));
if (await page.evaluate(() => window.tenon !== undefined)) {
  const drawn = await page.evaluate((at) => {
    window.tenon.player.seek(Math.floor(at * window.tenon.player.last));
    return window.tenon.drawnFrames;
  }, Number(what));
  await page.waitForFunction((n) => window.tenon.drawnFrames > n, drawn);
}
await page.waitForTimeout(300); // charts follow their size
await (Number.isNaN(Number(what)) ? page.locator(what).first() : page).screenshot({ path: picture });
await browser.close();
if (complaint) {
  throw complaint;
}
