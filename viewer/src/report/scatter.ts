// A chart of numbers over a number, not over time: lines or points, each curve with places of its own.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { axesOf, COLOURS } from '../ui/axes';
import { element } from '../ui/dom';
import type { TableChart } from './data';
import { digits } from './format';

const HEIGHT = 230;

/** All curves' points in one ascending row of places, as uPlot wants them; of other curves' places a curve knows nothing. */
export function joined(chart: Pick<TableChart, 'log' | 'curves'>): uPlot.AlignedData {
  const points = chart.curves.flatMap((curve, k) => curve.x.map((x, i) => ({ x, y: curve.y[i] ?? null, k })));
  points.sort((a, b) => a.x - b.x);
  const values = chart.curves.map((_, k) => points.map((p) => (p.k !== k ? undefined : chart.log && p.y !== null && p.y <= 0 ? null : p.y)));
  return [points.map((p) => p.x), ...values];
}

/** Room at both ends: of several points at the last place uPlot would draw one only. */
function widened(_: uPlot, min: number, max: number): uPlot.Range.MinMax {
  const room = 0.02 * (max - min || 1);
  return [min - room, max + room];
}

export class ScatterView {
  readonly node: HTMLElement;
  private readonly place = element('div', { class: 'plot' });
  private plot: uPlot | undefined;
  private readonly data: uPlot.AlignedData;

  constructor(private readonly chart: TableChart) {
    this.data = joined(chart);
    this.node = element('figure', { ariaLabel: chart.title }, element('figcaption', { textContent: chart.title }), this.place);
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
    const [along, up] = axesOf('1', chart.log) as [uPlot.Axis, uPlot.Axis];
    const { values: _seconds, ...plain } = along;
    this.plot = new uPlot(
      {
        ...this.size(),
        scales: { x: { time: false, range: widened }, y: { distr: chart.log ? 3 : 1 } },
        axes: [{ ...plain, label: chart.x, labelSize: 20, labelFont: '11px system-ui' }, up],
        series: [
          { label: chart.x, value: (_, x) => digits(x) },
          ...chart.curves.map((curve, k) => {
            const colour = COLOURS[k % COLOURS.length]!;
            return {
              label: curve.label,
              stroke: colour,
              width: 1.3,
              ...(chart.line ? {} : { paths: () => null }),
              points: { show: true, size: 6, fill: colour },
              value: (_: uPlot, y: number | null) => digits(y),
            };
          }),
        ],
        cursor: { drag: { x: true, y: false } },
      },
      this.data,
      this.place,
    );
  }

  /** What it shows of its axis; tests read it. */
  get shown(): [number, number] {
    const { min, max } = this.plot!.scales['x']!;
    return [min!, max!];
  }

  resetZoom(): void {
    this.plot?.setData(this.data);
  }
}
