// How fast a page shows: TENON_PAGES are exported pages (tools/measure-viewer makes them). Time to the first picture,
// pictures a second while it plays, and where a picture's time goes. Processor time a picture, of all of the browser's
// threads, is the figure that other programs on the machine change least; pictures are not made coarser for it.
import { test } from '@playwright/test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';

const pages = (process.env['TENON_PAGES'] ?? '').split(':').filter((name) => name);
const SECONDS = 6;

/** Processor time so far of what this process has started [ms]: of the process that draws, and of all. */
function processorTime(): { drawing: number; all: number } {
  const parents = new Map<string, string>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      parents.set(pid, /.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))![1]!);
    } catch {
      // it has ended
    }
  }
  const started = (pid: string | undefined): boolean => pid !== undefined && (pid === String(process.pid) || started(parents.get(pid)));
  const sum = { drawing: 0, all: 0 };
  for (const pid of [...parents.keys()].filter((p) => p !== String(process.pid) && started(parents.get(p)))) {
    try {
      const drawing = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=gpu-process');
      for (const task of readdirSync(`/proc/${pid}/task`)) {
        const ms = Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
        sum.all += ms;
        sum.drawing += drawing ? ms : 0;
      }
    } catch {
      // it has ended
    }
  }
  return sum;
}

for (const file of pages) {
  test(basename(file), async ({ page }) => {
    const start = Date.now();
    await page.goto(`file://${resolve(file)}#still`);
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
    const cost = await (async () => {
      await page.evaluate(() => {
        window.tenon!.drawing.sharpness = 'full';
        window.tenon!.player.play();
      });
      await page.waitForTimeout(500);
      const [drawnBefore, before] = [await page.evaluate(() => window.tenon!.drawnFrames), processorTime()];
      await page.waitForTimeout(1000 * SECONDS);
      const [drawnAfter, after] = [await page.evaluate(() => window.tenon!.drawnFrames), processorTime()];
      await page.evaluate(() => window.tenon!.player.pause());
      const n = drawnAfter - drawnBefore;
      return { all: (after.all - before.all) / n, drawing: (after.drawing - before.drawing) / n };
    })();
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
        `moving vertices, ${draw.toFixed(1)} ms drawing; processor time ${cost.all.toFixed(1)} ms a picture, ${cost.drawing.toFixed(1)} of it drawing`,
    );
  });
}
