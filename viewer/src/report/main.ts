// A report of recordings, or tables of benchmarks, from the block inside the page.
import './style.css';
import { element } from '../ui/dom';
import { drawBars } from './bars';
import { chartGroups, type Group } from './charts';
import { parseBlock, type Recording, type Report, type Tables } from './data';
import { digits, labels } from './format';
import { ChartView } from './plot';
import { ScatterView } from './scatter';
import { certificate, comparison, summary, timings, warnings } from './summary';
import { verdict } from './verdict';
import { drawTable } from './table';

declare global {
  interface Window {
    charts?: (ChartView | ScatterView)[]; // for tests and for the curious
  }
}

const charts: (ChartView | ScatterView)[] = []; // those that are drawn
window.charts = charts;

function makeHeader(title: string, about: string, withCharts: boolean): HTMLElement {
  const theme = element('button', { textContent: 'Light/dark', label: 'Switch between light and dark' });
  theme.onclick = () => {
    const root = document.documentElement;
    root.dataset['theme'] = root.dataset['theme'] === 'dark' ? 'light' : 'dark';
    charts.forEach((chart) => chart.draw());
  };
  const whole = element('button', { textContent: 'Whole time', label: 'Show the whole time in all charts' });
  whole.onclick = () => charts.forEach((chart) => chart.resetZoom());
  return element(
    'header',
    {},
    element('div', { class: 'grow' }, element('h1', { textContent: title }), element('p', { class: 'note', textContent: about })),
    ...(withCharts ? [whole] : []),
    theme,
  );
}

/** How it looked: first frame, middle, last. */
function drawPictures({ pictures }: Recording, name: string): HTMLElement {
  if (pictures.length === 0) {
    return element('p', { class: 'note', textContent: 'There is no picture: no body has a shape to be seen.' });
  }
  const figures = pictures.map(({ time, image }) => {
    const at = `${digits(time)} s`;
    return element('figure', {}, element('img', { src: image, alt: `${name} at ${at}` }), element('figcaption', { textContent: at }));
  });
  return element('div', { class: 'pictures' }, ...figures);
}

function drawGroup(group: Group, recordings: Recording[]): HTMLElement {
  const views = group.charts.map((chart) => new ChartView(chart, recordings));
  const grid = element('div', { class: 'charts' }, ...views.map((view) => view.node));
  const draw = () => {
    if (!charts.includes(views[0]!)) {
      charts.push(...views);
      views.forEach((view) => view.draw());
    }
  };
  if (group.open) {
    requestAnimationFrame(draw); // once it has a width
    return element('section', {}, element('h2', { textContent: group.title }), grid);
  }
  const details = element('details', {}, element('summary', {}, element('h2', { textContent: group.title })), grid);
  details.ontoggle = () => details.open && draw();
  return details;
}

function drawScenes(recordings: Recording[], names: string[]): HTMLElement {
  const same = recordings.every((r) => r.scene === recordings[0]!.scene);
  const shown = same ? recordings.slice(0, 1) : recordings;
  return element(
    'details',
    {},
    element('summary', {}, element('h2', { textContent: 'Scene' })),
    ...shown.flatMap((r, k) => [
      ...(same ? [] : [element('h3', { textContent: names[k]! })]),
      element('pre', { textContent: r.scene, tabIndex: 0 }),
    ]),
  );
}

function drawReport(root: HTMLElement, report: Report): void {
  const { recordings } = report;
  const names = labels(recordings);
  const titles = [...new Set(recordings.map((r) => r.title).filter((t) => t))];
  const title = titles.length === 1 ? titles[0]! : names.join(', ');
  const bucket = Math.max(...recordings.map((r) => r.bucket));
  const hint =
    'Drag in a chart to look closer, in all of them; a double click shows the whole time.' +
    (bucket > 1 ? ` Curves show the least and the greatest of up to ${bucket} steps; the tables count every step.` : '');
  document.title = `${title} – Tenon report`;
  const said = warnings(recordings);
  root.append(
    makeHeader(title, `Report of ${names.join(', ')}`, true),
    ...recordings.flatMap((r, k) => [
      element('p', { class: 'verdict', textContent: (recordings.length > 1 ? `${names[k]}: ` : '') + verdict(r) }),
      drawPictures(r, names[k]!),
    ]),
    ...(said.length > 0 ? [element('ul', { class: 'warnings', label: 'To be known first' }, ...said.map((text) => element('li', { textContent: text })))] : []),
    element('section', {}, element('h2', { textContent: 'Summary' }), drawTable(summary(recordings))),
    ...(recordings.length > 1 ? [element('section', {}, element('h2', { textContent: 'Comparison' }), drawTable(comparison(recordings)))] : []),
    element('p', { class: 'note', textContent: hint }),
    ...chartGroups(recordings).map((group) => drawGroup(group, recordings)),
    element('section', {}, element('h2', { textContent: 'Where the time goes' }), drawBars(recordings), ...recordings.map((r, k) => drawTable(timings(r, names[k]!)))),
    element('section', {}, element('h2', { textContent: 'How exactly it was solved' }), ...recordings.map((r, k) => drawTable(certificate(r, names[k]!)))),
    drawScenes(recordings, names),
  );
}

function drawTables(root: HTMLElement, block: Tables): void {
  document.title = block.title;
  const views = (block.charts ?? []).map((chart) => new ScatterView(chart));
  charts.push(...views);
  requestAnimationFrame(() => views.forEach((view) => view.draw())); // once they have a width
  root.append(
    makeHeader(block.title, `Tenon ${block.tenon}; ${block.machine}`, false),
    ...(views.length > 0 ? [element('section', {}, element('div', { class: 'charts' }, ...views.map((view) => view.node)))] : []),
    ...block.tables.map((table) =>
      element(
        'section',
        {},
        drawTable({
          caption: table.title,
          heads: table.heads,
          rows: table.rows.map((row) => ({
            head: row.cells[0] ?? '',
            cells: row.cells.slice(1).map((text, k) => ({ text, number: row.number[k + 1] ?? false })),
          })),
        }),
        ...table.notes.map((text) => element('p', { class: 'note', textContent: text })),
      ),
    ),
  );
}

function main(): void {
  const root = document.getElementById('report')!;
  document.documentElement.dataset['theme'] = window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  try {
    const inside = document.getElementById('tenon-report');
    if (!inside?.textContent) {
      throw new Error('the page holds no data; `tenon report` makes one that does');
    }
    const block = parseBlock(inside.textContent);
    if (block.format === 'tenon report') {
      drawReport(root, block);
    } else {
      drawTables(root, block);
    }
  } catch (error) {
    console.error(error);
    const text = error instanceof Error ? error.message : String(error);
    root.replaceChildren(element('p', { class: 'message', role: 'alert', textContent: `This report cannot be shown: ${text}` }));
  }
}

main();
