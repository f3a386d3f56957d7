// A report as a person opens it: from the disk, offline, in light and dark, of one and of two recordings; and tables.
import { expect, test, type Page } from '@playwright/test';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from './scratch';

const tenon = process.env['TENON'] ?? '../build/release/tenon';
const recordings = (process.env['TENON_RECORDINGS'] ?? '').split(':').filter((name) => name);
const folder = scratchFolder('report');

function report(name: string, files: string[]): string {
  const html = join(folder, `${name}.html`);
  execFileSync(tenon, ['report', ...files, '-o', html]);
  return html;
}

interface Recorded {
  recordings: { frames: number; series: { name: string; statistics: { max: number; worst_step: number } }[] }[];
}

function blockOf(html: string): Recorded {
  return JSON.parse(/<script id="tenon-report" type="application\/json">(.*?)<\/script>/s.exec(readFileSync(html, 'utf8'))![1]!) as Recorded;
}

function listen(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => !/^(file|data):/.test(request.url()) && complaints.push(`asked for ${request.url()}`));
  return complaints;
}

/** Of each chart: how many of its pixels have a colour of their own, not only grey axes. */
function coloured(page: Page): Promise<number[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLCanvasElement>('figure canvas')].map((canvas) => {
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      let n = 0;
      for (let k = 0; k < data.length; k += 4) {
        const low = Math.min(data[k]!, data[k + 1]!, data[k + 2]!);
        const high = Math.max(data[k]!, data[k + 1]!, data[k + 2]!);
        n += data[k + 3]! > 100 && high - low > 50 ? 1 : 0;
      }
      return n;
    }),
  );
}

const haveCurves = (page: Page, pixels: number) =>
  expect.poll(async () => Math.min(...(await coloured(page))), { message: 'every chart has curves' }).toBeGreaterThan(pixels);

/** The times that the charts show. */
const shown = (page: Page): Promise<[number, number][]> => page.evaluate(() => window.charts!.map((chart) => chart.shown));

const rowOf = (page: Page, table: RegExp, head: string) =>
  page.getByRole('region', { name: table }).getByRole('row').filter({ has: page.getByRole('rowheader', { name: head, exact: true }) });

test.beforeAll(() => {
  expect(recordings.length, 'TENON_RECORDINGS names recordings').toBeGreaterThan(0);
});

for (const scheme of ['light', 'dark'] as const) {
  test(`a report of one recording, ${scheme}`, async ({ page, context }) => {
    const html = report('one', [recordings[0]!]);
    const recorded = blockOf(html).recordings[0]!;
    await context.setOffline(true);
    await page.emulateMedia({ colorScheme: scheme });
    const complaints = listen(page);
    await page.goto(`file://${html}`);
    await expect(page.getByRole('heading', { level: 1 })).not.toBeEmpty();
    await expect.poll(() => page.locator('figure canvas').count()).toBeGreaterThanOrEqual(5);
    await haveCurves(page, 100);
    const drawn = await page.locator('figure canvas').count();
    const pictures = page.getByRole('img', { name: / at [0-9.]+ s$/ });
    await expect(pictures).toHaveCount(3);
    expect(await pictures.evaluateAll((all) => all.map((picture) => (picture as HTMLImageElement).naturalWidth))).toEqual([640, 640, 640]);

    // The tables say what the block says.
    const iterations = recorded.series.find((s) => s.name === 'certificate/penetration')!.statistics;
    await expect(rowOf(page, /^Certificate/, 'penetration')).toContainText(String(iterations.worst_step));
    await expect(rowOf(page, /^Runs/, 'steps recorded')).toContainText(String(recorded.frames - 1));
    await expect(rowOf(page, /^Time of a step/, 'total')).toContainText('100.0 %');

    // The rest on demand; all of it has curves too.
    await page.getByText('Further quantities over time').click();
    await expect.poll(() => page.locator('figure canvas').count()).toBeGreaterThan(drawn);
    await haveCurves(page, 50);

    // The cursor stands at the same time in all charts, and a zoom holds for all.
    const plots = page.locator('figure .u-over');
    await plots.nth(0).hover();
    const times = page.locator('figure .u-legend tr:first-child td');
    await expect(times.nth(0)).not.toHaveText('–');
    expect(await times.nth(3).textContent()).toBe(await times.nth(0).textContent());
    const before = await shown(page);
    const box = (await plots.nth(0).boundingBox())!;
    await page.mouse.move(box.x + 0.2 * box.width, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.6 * box.width, box.y + 50, { steps: 5 });
    await page.mouse.up();
    const [from, to] = before[0]!;
    const near = (t: number, part: number) => Math.abs(t - (from + part * (to - from))) < 0.02 * (to - from);
    const zoomed = await shown(page);
    expect(zoomed.length).toBeGreaterThan(5);
    expect(zoomed.every(([min, max]) => near(min, 0.2) && near(max, 0.6)), JSON.stringify(zoomed)).toBe(true);
    await page.getByLabel('Show the whole time in all charts').click();
    await expect.poll(() => shown(page)).toEqual(before);

    await page.getByLabel('Switch between light and dark').click();
    await haveCurves(page, 50);
    expect(complaints, 'nothing complained, nothing was asked for').toEqual([]);
  });
}

test('a report of several recordings compares them', async ({ page }) => {
  const complaints = listen(page);
  const files = [recordings[0]!, recordings.at(-1)!, recordings[0]!];
  await page.goto(`file://${report('several', files)}`);
  await expect.poll(() => page.locator('figure canvas').count()).toBeGreaterThanOrEqual(5);
  await haveCurves(page, 100);
  await expect(rowOf(page, /^Side by side/, 'time a step, median')).toContainText('×1');
  await expect(page.locator('.bar')).toHaveCount(3);
  await expect(page.locator('.pictures')).toHaveCount(3);
  await expect(page.getByRole('region', { name: /^Certificate of every step/ })).toHaveCount(3);
  expect(complaints).toEqual([]);
});

test('an interrupted recording says so', async ({ page }) => {
  const scene = join(folder, 'endless.yaml');
  const file = join(folder, 'endless.h5');
  writeFileSync(scene, 'step: 5 ms\nduration: 100000 s\nbodies:\n  floor: {fixed: true, shape: {plane: {}}}\n  ball: {position: [0, 0, 1], shape: {sphere: 0.1}}\n');
  const program = spawn(tenon, ['run', scene, '--quiet', '--out', file], { stdio: 'ignore' });
  await expect.poll(() => existsSync(file), { timeout: 30_000 }).toBe(true);
  await page.waitForTimeout(500);
  program.kill('SIGTERM');
  await new Promise((ended) => program.on('exit', ended));
  await page.goto(`file://${report('endless', [file])}`);
  await expect(page.getByLabel('To be known first')).toContainText('is not complete');
  await expect(page.getByLabel('To be known first')).toContainText('interrupted');
});

test('tables of benchmarks', async ({ page }) => {
  const complaints = listen(page);
  const html = join(folder, 'tables.html');
  const block = {
    format: 'tenon tables', version: 1, title: 'tenon bench </h1>', tenon: '0.1.0', machine: 'a machine',
    tables: [{ title: 'first', heads: ['engine', 'ms'], rows: [{ cells: ['A & B', '1.25'], number: [false, true] }], notes: ['a note'] }],
    charts: [
      { title: 'way', about: '', x: 'friction', y: 'way', log: false, line: true, curves: [{ label: 'slow', x: [0.1, 0.2, 0.4], y: [3, 2, null] }, { label: 'fast', x: [0.1, 0.3], y: [9, 5] }] },
      { title: 'error', about: 'of all', x: 'n', y: 'error', log: true, line: false, curves: [{ label: 'error', x: [1, 1, 2], y: [1e-9, 1e-3, 1e-6] }] },
    ],
  };
  const data = JSON.stringify(block).replaceAll('<', '\\u003c');
  const marker = '<!-- tenon: report -->';
  const page_ = readFileSync('dist/report.html', 'utf8');
  expect(page_.split(marker).length, 'one place for the data').toBe(2);
  writeFileSync(html, page_.replace(marker, () => `<script id="tenon-report" type="application/json">${data}</script>`));
  await page.goto(`file://${html}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('tenon bench </h1>');
  const row = rowOf(page, /^first/, 'A & B');
  await expect(row).toContainText('1.25');
  await expect(row.locator('td').first()).toHaveCSS('text-align', 'right');
  await expect(page.getByText('a note')).toBeVisible();
  await expect.poll(() => page.locator('figure canvas').count()).toBe(2);
  await haveCurves(page, 50);
  expect((await shown(page)).map(([min, max]) => min <= max)).toEqual([true, true]);
  expect(complaints).toEqual([]);
});

test('a page without data says so', async ({ page }) => {
  await page.goto(`file://${process.cwd()}/dist/report.html`);
  await expect(page.getByRole('alert')).toContainText('cannot be shown');
});
