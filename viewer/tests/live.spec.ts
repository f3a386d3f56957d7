// A running simulation as a person sees it: it moves, pauses, steps, is pulled by the mouse, starts again.
import { expect, test, type Page } from '@playwright/test';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const tenon = process.env['TENON'] ?? '../build/release/tenon';
const folder = mkdtempSync(join(tmpdir(), 'tenon-live-'));

// Everything comes to rest nearby: by the time the page frames the scene, minutes of it may have passed.
const SCENE = `
step: 5 ms
duration: 20000 s
materials: {default: {rolling: 1 mm}}
bodies:
  floor: {fixed: true, shape: {plane: {}}}
  box: {position: [0, 0, 0.2], velocity: [0.3, 0.1, 0], shape: {box: {size: [0.2, 0.2, 0.2]}}}
  ball: {position: [0.4, 0, 0.3], velocity: [0, 0.2, 0], shape: {sphere: {radius: 0.05}}}
`;

async function run(): Promise<{ program: ChildProcess; address: string }> {
  const scene = join(folder, 'scene.yaml');
  writeFileSync(scene, SCENE);
  const program = spawn(tenon, ['run', scene, '--live', '--no-browser', '--no-record', '--quiet']);
  const address = await new Promise<string>((resolve, reject) => {
    let text = '';
    program.stderr.on('data', (piece: Buffer) => {
      text += piece.toString();
      const found = /http:\/\/\S+/.exec(text);
      if (found) {
        resolve(found[0]);
      }
    });
    program.on('exit', (code) => reject(new Error(`tenon run ended with ${code}: ${text}`)));
  });
  return { program, address };
}

const height = (page: Page, body: number) => page.evaluate((b) => window.tenon!.world.rigid.matrix(b).elements[14]!, body);
const picture = (page: Page) => page.locator('.view canvas').screenshot();
const time = async (page: Page) => Number((await page.getByLabel('Time', { exact: true }).textContent())!.split(' ')[0]);

test('a running simulation', async ({ page }) => {
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  const { program, address } = await run();
  await page.goto(address);
  await page.waitForFunction(() => (window.tenon?.drawnFrames ?? 0) > 0);
  await page.getByLabel('real time').check();

  // It starts anew and moves.
  await page.getByLabel('From the start again').click();
  await page.waitForTimeout(300);
  const first = await picture(page);
  await page.waitForTimeout(700);
  expect(Buffer.compare(first, await picture(page)), 'it moves').not.toBe(0);
  expect(await time(page), 'in real time').toBeLessThan(20);

  // Paused, nothing moves; a step goes one step on.
  await page.getByLabel(/^Pause the simulation/).click();
  await expect(page.getByLabel('State of the simulation')).toHaveText('paused');
  await page.waitForTimeout(300);
  const still = await picture(page);
  const stopped = await time(page);
  await page.waitForTimeout(500);
  expect(Buffer.compare(still, await picture(page)), 'paused is still').toBe(0);
  await page.getByLabel('One step of the simulation').click();
  await expect.poll(() => time(page)).toBeCloseTo(stopped + 0.005, 6);

  // Another solver and law.
  await page.getByLabel(/^Pause the simulation/).click();
  await page.getByLabel('Solver', { exact: true }).selectOption('pgs');
  await page.getByLabel('Friction law', { exact: true }).selectOption('convex');
  await expect.poll(() => page.evaluate(() => (window.tenon as never as { source: { news: { law: string } } }).source.news.law)).toBe('convex');

  // The mouse lifts the box.
  await page.waitForTimeout(500);
  const before = await height(page, 2);
  const at = await page.evaluate(() => {
    const box = document.querySelector<HTMLCanvasElement>('.view canvas')!.getBoundingClientRect();
    for (let x = box.left + 4; x < box.right; x += 8) {
      for (let y = box.top + 4; y < box.bottom; y += 8) {
        if (window.tenon!.world.pick(x, y).body === 2) {
          return { x: x + 4, y: y + 4 };
        }
      }
    }
    return undefined;
  });
  expect(at, 'the box is in the picture').toBeDefined();
  await page.keyboard.down('Shift');
  await page.mouse.move(at!.x, at!.y);
  await page.mouse.down();
  await page.mouse.move(at!.x, at!.y - 100, { steps: 10 });
  await expect.poll(() => height(page, 2), { message: 'the box is lifted' }).toBeGreaterThan(before + 0.02);
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await expect.poll(() => height(page, 2), { message: 'it falls back' }).toBeLessThan(before + 0.01);

  program.kill('SIGINT');
  await expect(page.getByLabel('State of the simulation')).toHaveText('the program has ended');
  expect(complaints, 'nothing complained').toEqual([]);
});
