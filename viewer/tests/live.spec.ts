// A running simulation as a person sees it: it moves, pauses, steps, is pulled by the mouse, starts again. Nothing here
// waits for a span of time: a slow or busy machine is waited for until what was asked for has come.
import { expect as patient, test, type Page } from '@playwright/test';
import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { News } from '../src/data/live';
import { scratchFolder } from './scratch';

const tenon = process.env['TENON'] ?? '../build/release/tenon';
const folder = scratchFolder('live');

const expect = patient.configure({ timeout: 30_000 });

// A motor turns the crank for ever, so that there is motion whenever the page looks; the box comes to rest beside it.
const STEP = 0.005;
const CRANK = 2; // after the world and the floor
const BOX = 3;
const SCENE = `
step: 5 ms
duration: 20000 s
bodies:
  floor: {fixed: true, shape: {plane: {}}}
  crank: {position: [-0.3, 0, 0.3], shape: {box: {size: [0.1, 0.02, 0.2]}, collides: false}}
  box: {position: [0, 0, 0.2], velocity: [0.3, 0.1, 0], shape: {box: {size: [0.2, 0.2, 0.2]}}}
joints:
  motor: {type: revolute, axis: [0, 1, 0], b: crank, anchor: [-0.3, 0, 0.3], turn: {motor: {velocity: 1}}}
`;

async function run(text: string): Promise<{ program: ChildProcess; address: string }> {
  const scene = join(folder, 'scene.yaml');
  writeFileSync(scene, text);
  const program = spawn(tenon, ['run', scene, '--live', '--no-browser', '--no-record', '--quiet']);
  const address = await new Promise<string>((resolve, reject) => {
    let heard = '';
    program.stderr.on('data', (piece: Buffer) => {
      heard += piece.toString();
      const found = /http:\/\/\S+/.exec(heard);
      if (found) {
        resolve(found[0]);
      }
    });
    program.on('exit', (code) => reject(new Error(`tenon run ended with ${code}: ${heard}`)));
  });
  return { program, address };
}

const height = (page: Page, body: number) => page.evaluate((b) => window.tenon!.world.rigid.matrix(b).elements[14]!, body);
const turned = (page: Page) => page.evaluate((b) => window.tenon!.world.rigid.matrix(b).elements[2]!, CRANK);
const news = (page: Page) => page.evaluate(() => (window.tenon as never as { source: { news: News } }).source.news);
const picture = (page: Page) => page.locator('.view canvas').screenshot();
const time = async (page: Page) => Number((await page.getByLabel('Time', { exact: true }).textContent())!.split(' ')[0]);

/** Two pictures, the second when the page says that the crank has moved on, differ. */
async function moves(page: Page): Promise<void> {
  const before = await turned(page);
  const first = await picture(page);
  await expect.poll(async () => Math.abs((await turned(page)) - before), { message: 'the crank turns' }).toBeGreaterThan(0.05);
  await expect.poll(async () => Buffer.compare(first, await picture(page)), { message: 'the picture moves' }).not.toBe(0);
}

/** The page shows the state where the run stands, and nothing more comes; its time. */
async function standstill(page: Page): Promise<number> {
  await expect(page.getByLabel('State of the simulation')).toHaveText('paused');
  await expect.poll(async () => Math.abs((await time(page)) - (await news(page)).time), { message: 'the last frame has come' }).toBeLessThan(0.1 * STEP);
  await expect
    .poll(
      async () => {
        const first = await picture(page);
        await page.waitForTimeout(300);
        return Buffer.compare(first, await picture(page));
      },
      { message: 'paused is still' },
    )
    .toBe(0);
  return time(page);
}

/** A place of the page where the box is seen. */
const placeOfBox = (page: Page) =>
  page.evaluate((wanted) => {
    const box = document.querySelector<HTMLCanvasElement>('.view canvas')!.getBoundingClientRect();
    for (let x = box.left + 4; x < box.right; x += 8) {
      for (let y = box.top + 4; y < box.bottom; y += 8) {
        if (window.tenon!.world.pick(x, y).body === wanted && window.tenon!.world.pick(x + 8, y + 8).body === wanted) {
          return { x: x + 4, y: y + 4 };
        }
      }
    }
    return undefined;
  }, BOX);

async function lookAtRun(page: Page, program: ChildProcess, address: string): Promise<void> {
  await page.goto(`${address}#plain`); // still is still: the picture does not get finer
  await page.waitForFunction(() => (window.tenon?.drawnFrames ?? 0) > 0);

  // From the start again in real time: never ahead of the clock.
  await page.getByLabel('real time').click();
  await expect.poll(async () => (await news(page)).pace).toBe(1);
  await expect(page.getByLabel('real time')).toBeChecked();
  const clicked = Date.now();
  await page.getByLabel('From the start again').click();
  const ahead = async () => (await time(page)) - (Date.now() - clicked) / 1000;
  await expect.poll(ahead, { message: 'it starts anew' }).toBeLessThan(2 * STEP);
  await moves(page);
  expect(await ahead(), 'in real time').toBeLessThan(2 * STEP);

  // Paused, nothing moves; a step goes one step on.
  await page.getByLabel(/^Pause the simulation/).click();
  const stopped = await standstill(page);
  await page.getByLabel('One step of the simulation').click();
  await expect.poll(() => time(page)).toBeCloseTo(stopped + STEP, 6);
  expect(await standstill(page), 'one step only').toBeCloseTo(stopped + STEP, 6);

  // Another solver and law, at once and while it runs.
  await page.getByLabel(/^Pause the simulation/).click();
  await expect.poll(async () => (await news(page)).state).toBe('running');
  await page.getByLabel('Solver', { exact: true }).selectOption('pgs');
  await page.getByLabel('Friction law', { exact: true }).selectOption('convex');
  await expect.poll(() => news(page)).toMatchObject({ solver: 'pgs', law: 'convex', message: '' });
  const chosen = (await news(page)).time;
  await expect.poll(() => time(page), { message: 'it goes on' }).toBeGreaterThan(chosen + 5 * STEP);
  expect(await news(page), 'and keeps them').toMatchObject({ solver: 'pgs', law: 'convex', message: '' });
  await expect(page.getByLabel('Solver', { exact: true })).toHaveValue('pgs');
  await expect(page.getByLabel('Friction law', { exact: true })).toHaveValue('convex');

  // The mouse lifts the box.
  const rest = 0.1; // half its edge
  await expect.poll(async () => Math.abs((await height(page, BOX)) - rest), { message: 'the box lies' }).toBeLessThan(0.005);
  const at = await placeOfBox(page);
  expect(at, 'the box is in the picture').toBeDefined();
  await page.keyboard.down('Shift');
  await page.mouse.move(at!.x, at!.y);
  await page.mouse.down();
  await page.mouse.move(at!.x, at!.y - 100, { steps: 10 });
  await expect.poll(() => height(page, BOX), { message: 'the box is lifted' }).toBeGreaterThan(rest + 0.02);
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await expect.poll(() => height(page, BOX), { message: 'it falls back' }).toBeLessThan(rest + 0.01);

  program.kill('SIGINT');
  await expect(page.getByLabel('State of the simulation')).toHaveText('the program has ended');
}

test('a running simulation', async ({ page }) => {
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  const { program, address } = await run(SCENE);
  try {
    await lookAtRun(page, program, address);
  } finally {
    program.kill('SIGKILL'); // or a test that failed would leave it running beside the next ones
  }
  expect(complaints, 'nothing complained').toEqual([]);
});

const PLATE = `
step: 10 ms
duration: 20000 s
law: frictionless
pairs: [{materials: [default, default], damping: 10, foundation: {modulus: 1 MPa, depth: 1, elements: 4}}]
bodies:
  floor: {fixed: true, shape: {plane: {}}}
  plate: {position: [0, 0, 0.05], shape: {box: [1, 1, 0.1]}, torque: ["100*sin(t)", "50*cos(t)", 0]}
`;

test('a running simulation on a foundation shows its pressure', async ({ page }) => {
  const { program, address } = await run(PLATE);
  try {
    await page.goto(address);
    const legend = page.getByLabel('Legend of foundations');
    await expect(legend).toContainText(/[1-9].* k?Pa.*[1-9].* k?Pa/);
    await expect.poll(() => page.evaluate(() => window.tenon!.world.foundation.elements)).toBe(16);
    await page.getByLabel('pressure on foundations', { exact: true }).uncheck();
    await expect(legend).toBeHidden();
  } finally {
    program.kill('SIGKILL');
  }
});
