// How soon a recording is seen and how fluently it plays, in Chromium that draws by the processor: the figures are
// printed; the limits are for a machine that does other things too (an idle one is asked for 2 s and 30 pictures a second).
import { expect, test } from '@playwright/test';
import { spawn } from 'node:child_process';
import { basename } from 'node:path';

const tenon = process.env['TENON'] ?? '../build/release/tenon';
const recordings = (process.env['TENON_RECORDINGS'] ?? '').split(':').filter((name) => name);
const SECONDS = 4;

for (const recording of recordings.slice(0, 2)) {
  test(`${basename(recording, '.h5')} plays`, async ({ page }) => {
    const server = spawn(tenon, ['view', recording, '--no-browser']);
    const address = await new Promise<string>((resolve) => server.stdout.on('data', (text: Buffer) => resolve(/http:\/\/\S+/.exec(text.toString())![0])));
    const begun = Date.now();
    await page.goto(address);
    await page.waitForFunction(() => (window.tenon?.drawnFrames ?? 0) > 0, undefined, { polling: 20 });
    const first = (Date.now() - begun) / 1000;
    const played = await page.evaluate(async (seconds) => {
      const { player } = window.tenon!;
      player.setLoop(true);
      player.play();
      await new Promise((resolve) => setTimeout(resolve, 1000)); // frames are fetched and compiled for the first time
      const [drawn, now] = [window.tenon!.drawnFrames, performance.now()];
      await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
      return (1000 * (window.tenon!.drawnFrames - drawn)) / (performance.now() - now);
    }, SECONDS);
    // Where the time goes: what a frame costs this page's thread, and of it the drawing.
    const costs = await page.evaluate(() => {
      const app = window.tenon!;
      app.player.pause();
      const gl = app.world.renderer.getContext();
      const pixel = new Uint8Array(4);
      const draw = () => {
        app.world.render();
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel); // waits for the picture
      };
      const half = Math.floor(app.player.last / 2);
      const fastest = (work: (k: number) => void) => {
        let least = Infinity;
        for (let k = 0; k < 15; k++) {
          const start = performance.now();
          work(half + (k % 2));
          least = Math.min(least, performance.now() - start);
        }
        return least;
      };
      const numbers = fastest((k) => app.player.seek(k));
      const drawing = fastest(draw);
      app.world.contacts.visible = false;
      const bodies = fastest(draw);
      app.world.contacts.visible = true;
      return { numbers, drawing, bodies };
    });
    console.log(
      `${basename(recording)}: first picture after ${first.toFixed(2)} s, ${played.toFixed(1)} pictures a second; ` +
        `a frame's numbers ${costs.numbers.toFixed(1)} ms, drawing ${costs.drawing.toFixed(1)} ms, without forces ${costs.bodies.toFixed(1)} ms`,
    );
    server.kill('SIGINT');
    expect(first, 'first picture [s]').toBeLessThan(15);
    expect(played, 'pictures a second').toBeGreaterThan(2);
  });
}
