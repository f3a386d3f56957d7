// Charts that share their time axis: the cursor stands at the same time in all, and what is zoomed in one is in all.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { axesOf, COLOURS } from '../ui/axes';
import { element, withUnit } from '../ui/dom';
import type { Chart } from './charts';
import type { Recording } from './data';

const SYNC = 'report';
const HEIGHT = 210;

/** Time and curves as uPlot wants them; recordings with times of their own are joined. */
export function aligned(chart: Chart, times: number[][]): uPlot.AlignedData {
  const clean = (values: (number | null)[]) => values.map((v) => (v !== null && chart.log && v <= 0 ? null : v));
  const used = [...new Set(chart.curves.map((c) => c.recording))];
  const tables = used.map((r): uPlot.AlignedData => [times[r]!, ...chart.curves.filter((c) => c.recording === r).map((c) => clean(c.values))]);
  // A gap of one recording is a gap; a time that only another one has is none.
  return tables.length === 1 ? tables[0]! : uPlot.join(tables, tables.map((t) => t.map(() => 1)) as uPlot.JoinNullMode[][]);
}

/** Runs of one or two values, whose line nobody would see, are drawn as points; times of other recordings aside. */
function scattered(values: ArrayLike<number | null | undefined>): number[] {
  const own = Array.from(values, (_, i) => i).filter((i) => values[i] !== undefined);
  const gap = (k: number): boolean => k < 0 || k >= own.length || values[own[k]!] === null;
  return own.filter((_, k) => !gap(k) && (gap(k - 1) ? gap(k + 1) || gap(k + 2) : gap(k - 2) && gap(k + 1)));
}

export class ChartView {
  readonly node: HTMLElement;
  private readonly place = element('div', { class: 'plot' });
  private plot: uPlot | undefined;
  private readonly data: uPlot.AlignedData;

  constructor(
    private readonly chart: Chart,
    recordings: Recording[],
  ) {
    this.data = aligned(chart, recordings.map((r) => r.time));
    const title = `${chart.title}${chart.unit === '1' ? '' : ` [${chart.unit}]`}`;
    this.node = element('figure', { ariaLabel: `${title} over time` }, element('figcaption', { textContent: title }), this.place);
    if (chart.about) {
      this.node.append(element('p', { class: 'note', textContent: chart.about }));
    }
    new ResizeObserver(() => this.plot?.setSize(this.size())).observe(this.place);
  }

  private size(): { width: number; height: number } {
    return { width: Math.max(160, this.place.clientWidth), height: HEIGHT };
  }

  draw(): void {
    this.plot?.destroy();
    const { chart } = this;
    this.plot = new uPlot(
      {
        ...this.size(),
        scales: { x: { time: false }, y: { distr: chart.log ? 3 : 1 } },
        axes: axesOf(chart.unit, chart.log),
        series: [
          { label: 'time', value: (_, t) => (t === null ? '–' : withUnit(t, 's')) },
          ...chart.curves.map((curve, k) => {
            const colour = chart.curves.length === 1 ? curve.recording : k;
            return {
              label: curve.label,
              stroke: COLOURS[colour % COLOURS.length]!,
              width: 1.3,
              dash: colour >= COLOURS.length ? [6, 3] : [],
              points: {
                show: this.data[0].length < 3,
                filter: (u: uPlot, k: number, show: boolean) => (show ? null : scattered(u.data[k]!)),
                size: 9,
                fill: COLOURS[colour % COLOURS.length]!,
              },
              value: (_: uPlot, v: number | null) => (v === null ? '–' : withUnit(v, chart.unit)),
            };
          }),
        ],
        cursor: { drag: { x: true, y: false }, sync: { key: SYNC, scales: ['x', null] } },
      },
      this.data,
      this.place,
    );
  }

  /** The time that it shows; tests read it. */
  get shown(): [number, number] {
    const { min, max } = this.plot!.scales['x']!;
    return [min!, max!];
  }

  resetZoom(): void {
    this.plot?.setData(this.data);
  }
}
