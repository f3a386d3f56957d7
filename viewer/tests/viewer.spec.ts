// The viewer as a person uses it: each recording from `tenon view` and as a page opened from the disk.
// TENON is the program; TENON_RECORDINGS the recordings (tools/test-viewer makes them).
import { expect, test, type Page } from '@playwright/test';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { basename, join } from 'node:path';
import { scratchFolder } from './scratch';

const tenon = process.env['TENON'] ?? '../build/release/tenon';
const recordings = (process.env['TENON_RECORDINGS'] ?? '').split(':').filter((name) => name);
const folder = scratchFolder('viewer');

async function serve(recording: string): Promise<{ server: ChildProcess; address: string }> {
  const server = spawn(tenon, ['view', recording, '--no-browser']);
  const address = await new Promise<string>((resolve, reject) => {
    let text = '';
    server.stdout.on('data', (piece: Buffer) => {
      text += piece.toString();
      const found = /http:\/\/\S+/.exec(text);
      if (found) {
        resolve(found[0]);
      }
    });
    server.on('exit', (code) => reject(new Error(`tenon view ended with ${code}`)));
  });
  return { server, address };
}

const SHADES = 10; // colours that a picture with bodies has at least: three boxes show 12, ground and grid alone 3
const SHADES_OF_CUBE = 4; // the same of a single one: 6

interface Statistics {
  colours: number;
  most: number; // part of the picture that has the commonest colour
}

/** What the canvas shows: how many colours, and how much of it is one. */
function statistics(page: Page): Promise<Statistics> {
  return page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('.view canvas')!;
    window.tenon!.world.render();
    const copy = document.createElement('canvas');
    copy.width = canvas.width;
    copy.height = canvas.height;
    const context = copy.getContext('2d')!;
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    const count = new Map<number, number>();
    for (let k = 0; k < data.length; k += 4) {
      const colour = (data[k]! << 16) | (data[k + 1]! << 8) | data[k + 2]!;
      count.set(colour, (count.get(colour) ?? 0) + 1);
    }
    return { colours: count.size, most: Math.max(...count.values()) / (data.length / 4) };
  });
}

/** The picture, when all that was asked for until now is drawn: in the next frame but one at the latest. */
async function canvas(page: Page): Promise<Buffer> {
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  return page.locator('.view canvas').screenshot();
}

/** The picture when frames have come and scales have settled, however long that takes. */
async function settled(page: Page): Promise<Buffer> {
  let last = await canvas(page);
  await expect
    .poll(
      async () => {
        const before = last;
        await page.waitForTimeout(200);
        last = await canvas(page);
        return Buffer.compare(before, last);
      },
      { message: 'the picture settles', timeout: 30_000 },
    )
    .toBe(0);
  return last;
}

/** Forces on and off: of contacts, and of joints where there are any. */
async function toggleForces(page: Page): Promise<void> {
  const plain = await canvas(page);
  for (const name of ['contact forces', 'joint forces']) {
    if ((await page.getByLabel(name).count()) > 0) {
      await expect(page.getByLabel(name), 'off at first').not.toBeChecked();
      await page.getByLabel(name).check();
    }
  }
  expect(Buffer.compare(plain, await canvas(page)), 'forces are drawn when asked for').not.toBe(0);
  const lines = await page.evaluate(() => [window.tenon!.world.contacts.drawnLines, window.tenon!.world.jointForces.drawnLines]);
  expect(Math.max(...lines), 'there are forces').toBeGreaterThan(0);
  for (const [k, name] of ['contact forces', 'joint forces'].entries()) {
    if (lines[k]! > 0) {
      const box = page.getByLabel(name);
      const shown = await canvas(page);
      await box.uncheck();
      expect(Buffer.compare(shown, await canvas(page)), `${name} are drawn`).not.toBe(0);
      await box.check();
      expect(Buffer.compare(shown, await canvas(page)), `${name} are back`).toBe(0);
    }
  }
}

/** Trails of all bodies, by the key and by the box. */
async function showTrails(page: Page): Promise<void> {
  const box = page.getByLabel('trails of all bodies');
  await expect(box).not.toBeChecked();
  const plain = await canvas(page);
  await page.locator('.view canvas').focus();
  await page.keyboard.press('t');
  await expect(box).toBeChecked();
  const segments = await page.evaluate(() => window.tenon!.world.trails.segments);
  expect(segments, 'trails have lines').toBeGreaterThan(0);
  expect(segments, 'and not too many').toBeLessThan(40_000);
  expect(Buffer.compare(plain, await canvas(page)), 'trails are drawn').not.toBe(0);
  await box.uncheck();
  expect(Buffer.compare(plain, await canvas(page)), 'and gone').toBe(0);
}

/** Stress, contact pressure, no colours: each looks different, and the legend says which. */
async function colourSoft(page: Page): Promise<void> {
  const legend = page.getByLabel('Legend of soft bodies');
  const pictures = [await canvas(page)];
  await expect(legend).toContainText('von Mises stress');
  await page.locator('.view canvas').focus();
  await page.keyboard.press('c');
  await expect(legend).toContainText('contact pressure');
  await expect(legend).toContainText(/[1-9].* Pa|kPa|MPa/);
  pictures.push(await canvas(page));
  await page.getByLabel('Colour of soft bodies').selectOption('plain');
  await expect(legend).toBeHidden();
  pictures.push(await canvas(page));
  for (const [k, l] of [[0, 1], [1, 2], [0, 2]] as const) {
    expect(Buffer.compare(pictures[k]!, pictures[l]!), 'another colour').not.toBe(0);
  }
  await page.getByLabel('Colour of soft bodies').selectOption('von Mises stress');
}

/** Pressure on a foundation: quads and a legend with both ends, off and on by the key and by the box. */
async function showPressure(page: Page): Promise<void> {
  const legend = page.getByLabel('Legend of foundations');
  const box = page.getByLabel('pressure on foundations', { exact: true });
  await expect(legend).toContainText('pressure on foundations');
  const ends = await legend.locator('.ends span').allTextContents();
  expect(ends.length).toBe(2);
  ends.forEach((end) => expect(end).toMatch(/^[0-9.]+ [kMG]?Pa$/));
  expect(Number.parseFloat(ends[1]!), 'the largest').toBeGreaterThan(Number.parseFloat(ends[0]!));
  const elements = () => page.evaluate(() => window.tenon!.world.foundation.elements);
  expect(await elements(), 'a quad for each element').toBe(100);
  await page.getByLabel('contact forces').uncheck(); // arrows are nearly all there is to see of the face
  const shown = await canvas(page);
  const coloured = await statistics(page);
  await page.locator('.view canvas').focus();
  await page.keyboard.press('p');
  await expect(box).not.toBeChecked();
  await expect(legend).toBeHidden();
  expect(await elements()).toBe(0);
  expect((await statistics(page)).colours, 'colours of the quads').toBeLessThan(coloured.colours - 20);
  expect(Buffer.compare(shown, await canvas(page)), 'quads are drawn').not.toBe(0);
  await box.check();
  await expect(legend).toBeVisible();
  expect(Buffer.compare(shown, await canvas(page)), 'and back').toBe(0);
  await page.getByLabel('contact forces').check();
}

async function tryOut(page: Page, address: string, foundation: boolean): Promise<void> {
  const complaints: string[] = [];
  const shades = foundation ? SHADES_OF_CUBE : SHADES;
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(address);
  await page.waitForFunction(() => (window.tenon?.drawnFrames ?? 0) > 0);

  const first = await statistics(page);
  expect(first.colours, 'a picture has shades').toBeGreaterThan(shades);
  expect(first.most, 'a picture is not empty').toBeLessThan(0.95);

  // Scrub to the middle: another picture, another time.
  const before = await settled(page);
  const last = await page.evaluate(() => window.tenon!.player.last);
  await page.getByLabel('Frame', { exact: true }).fill(String(Math.floor(last / 2)));
  await page.waitForFunction((k) => window.tenon!.player.frame === k, Math.floor(last / 2));
  expect(Buffer.compare(before, await settled(page)), 'it moved').not.toBe(0);
  await expect(page.getByLabel('Time', { exact: true })).not.toHaveText('0.000 s');

  await toggleForces(page);
  await showTrails(page);
  if (await page.evaluate(() => window.tenon!.world.soft.meshes.length > 0)) {
    await colourSoft(page);
  }
  if (foundation) {
    await showPressure(page);
  } else {
    await expect(page.getByLabel('pressure on foundations', { exact: true })).toHaveCount(0);
  }

  // Pick the body in the middle of the picture, or near it.
  const picked = await page.evaluate(() => {
    const box = document.querySelector<HTMLCanvasElement>('.view canvas')!.getBoundingClientRect();
    for (let r = 0; r < 200; r += 10) {
      for (let a = 0; a < 12; a++) {
        const x = box.left + box.width / 2 + r * Math.cos(a);
        const y = box.top + box.height / 2 + r * Math.sin(a);
        if (window.tenon!.world.pick(x, y).body > 0) {
          return { x, y };
        }
      }
    }
    return undefined;
  });
  expect(picked, 'a body is in the middle').toBeDefined();
  await page.mouse.click(picked!.x, picked!.y);
  await expect(page.getByText('contact force', { exact: true })).toBeVisible();
  const forceCurves = page.getByLabel('Forces on the selected body over time').locator('canvas');
  await expect(forceCurves, 'its forces over time').toBeVisible();
  const coloured = () => forceCurves.evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
    return data.reduce((n, _, k) => n + (k % 4 === 0 && Math.abs(data[k]! - data[k + 2]!) > 50 && data[k + 3]! > 100 ? 1 : 0), 0);
  });
  if (await page.evaluate(() => window.tenon!.world.contacts.drawnLines > 0)) {
    await expect.poll(coloured, { message: 'contacts have forces' }).toBeGreaterThan(50);
  }

  // Play goes on; keys work; the other theme; a plot of another figure.
  await page.locator('.view canvas').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press(' ');
  await page.waitForFunction(() => window.tenon!.player.frame > 2);
  await page.keyboard.press(' ');
  await page.getByLabel('Switch between light and dark').click();
  await page.getByLabel('Figure', { exact: true }).selectOption('Certificate');
  const dark = await statistics(page);
  expect(dark.colours).toBeGreaterThan(shades);
  expect(complaints, 'nothing complained').toEqual([]);
}

test.beforeAll(() => {
  expect(recordings.length, 'TENON_RECORDINGS names recordings').toBeGreaterThan(0);
});

for (const recording of recordings) {
  const name = basename(recording, '.h5');
  test(`${name} from tenon view`, async ({ page }) => {
    const { server, address } = await serve(recording);
    try {
      await tryOut(page, `${address}#still-plain`, name === 'foundation');
    } finally {
      server.kill('SIGINT');
    }
  });
  test(`${name} as one page from the disk`, async ({ page, context }) => {
    const html = join(folder, `${name}.html`);
    execFileSync(tenon, ['export', recording, '--html', html]);
    await context.setOffline(true);
    await tryOut(page, `file://${html}#still-plain`, name === 'foundation');
  });
}

test('the address that is printed leads to a moving picture', async ({ page }) => {
  const { server, address } = await serve(recordings[0]!);
  await page.goto(address);
  await page.waitForFunction(() => (window.tenon?.player.frame ?? 0) > 3 && window.tenon!.drawnFrames > 3);
  await expect(page.getByLabel('Play or pause (space)')).toHaveText('Pause');
  server.kill('SIGINT');
});

test('who wants no motion gets a still picture', async ({ page }) => {
  const { server, address } = await serve(recordings[0]!);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto(address);
  await page.waitForFunction(() => (window.tenon?.drawnFrames ?? 0) > 0);
  await page.waitForTimeout(500);
  expect(await page.evaluate(() => window.tenon!.player.frame)).toBe(0);
  server.kill('SIGINT');
});

test('at rest the picture gets finer, and views, help and panel have keys', async ({ page }) => {
  const { server, address } = await serve(recordings[0]!);
  try {
    await page.goto(`${address}#still`);
    await page.waitForFunction(() => (window.tenon?.drawnFrames ?? 0) > 0);
    const plain = (await statistics(page)).colours;
    // Lines on the ground reach up to the camera: colours in the lowest twentieth of a plain picture, where nothing else is.
    const near = await page.evaluate(() => {
      const { world } = window.tenon!;
      const gl = world.renderer.getContext();
      const [width, height] = [gl.drawingBufferWidth, Math.floor(gl.drawingBufferHeight / 20)];
      const pixels = new Uint8Array(4 * width * height);
      world.render();
      gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
      return new Set(new Uint32Array(pixels.buffer)).size;
    });
    expect(near, 'the ground and its lines').toBeGreaterThan(1);
    await page.evaluate(() => window.tenon!.drawing.request());
    await page.waitForFunction(() => window.tenon!.world.passed >= 4, undefined, { timeout: 60_000 });
    const fine = await page.evaluate(() => {
      const { world } = window.tenon!;
      const gl = world.renderer.getContext();
      const pixels = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
      world.renderFine(4);
      gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
      return new Set(new Uint32Array(pixels.buffer)).size;
    });
    expect(fine, 'shadows and smooth edges have more colours').toBeGreaterThan(plain);
    await page.locator('.view canvas').focus();
    await page.keyboard.press('v');
    await expect(page.getByLabel('View (v: the next one; h: the first)')).toHaveValue('front');
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog')).toContainText('follow the selected body');
    await page.keyboard.press('Escape');
    await page.keyboard.press('i');
    await expect(page.getByLabel('Settings and figures', { exact: true })).toBeHidden();
  } finally {
    server.kill('SIGINT');
  }
});

test('a page without a recording says so', async ({ page }) => {
  await page.goto(`file://${process.cwd()}/dist/index.html`);
  await expect(page.getByRole('alert')).toContainText('cannot be shown');
});
