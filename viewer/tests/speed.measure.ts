// How fast a page shows: TENON_PAGES are exported pages (tools/measure-viewer makes them). Time to the first picture,
// pictures a second while it plays, and where a picture's time goes.
import { test } from '@playwright/test';
import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';

const pages = (process.env['TENON_PAGES'] ?? '').split(':').filter((name) => name);
const SECONDS = 6;

for (const file of pages) {
  test(basename(file), async ({ page }) => {
    const start = Date.now();
    await page.goto(`file://${resolve(file)}`);
    await page.waitForFunction(() => (window.tenon?.drawnFrames ?? 0) > 0, undefined, { polling: 20 });
    const first = (Date.now() - start) / 1000;
    const [drawn, last] = await page.evaluate(async (seconds) => {
      const { player } = window.tenon!;
      player.setLoop(true);
      player.play();
      const before = window.tenon!.drawnFrames;
      await new Promise((done) => setTimeout(done, 1000 * seconds));
      player.pause();
      return [window.tenon!.drawnFrames - before, player.last];
    }, SECONDS);
    const [move, draw] = await page.evaluate(() => {
      const { player, world } = window.tenon!;
      const gl = world.renderer.getContext();
      const pixel = new Uint8Array(4);
      const median = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
      const moves: number[] = [];
      const draws: number[] = [];
      for (let k = 0; k < 40; k++) {
        const a = performance.now();
        player.seek((7 * k) % (player.last + 1));
        const b = performance.now();
        world.render();
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel); // waits until it is drawn
        moves.push(b - a);
        draws.push(performance.now() - b);
      }
      return [median(moves), median(draws)];
    });
    console.log(
      `${basename(file)}: ${(statSync(file).size / 1e6).toFixed(2)} MB, ${last + 1} frames; first picture after ` +
        `${first.toFixed(2)} s; ${(drawn / SECONDS).toFixed(1)} pictures a second; of a picture ${move.toFixed(1)} ms ` +
        `moving vertices, ${draw.toFixed(1)} ms drawing`,
    );
  });
}
