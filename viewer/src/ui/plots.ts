// Figures over time, with a mark at the frame shown; a click goes there.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { HISTORY, type Header, type Statics } from '../data/header';
import { column } from '../data/history';
import { axesOf, COLOURS } from './axes';
import { element, withUnit } from './dom';
import { drawLanes, hasPlans, laneAxis, lanesOf, type Lane } from './lanes';
import type { Player } from './player';

interface Curve {
  name: string;
  values: ArrayLike<number>;
}

interface Chart {
  title: string;
  unit: string;
  log: boolean;
  curves: Curve[];
  time?: Float64Array; // of its own; else the frames'
  lanes?: Lane[]; // in place of curves
}

function seriesOf(header: Header, statics: Statics, name: string): Curve | undefined {
  const s = header.series.findIndex((series) => series.name === name);
  if (s < 0) {
    return undefined;
  }
  const width = header.series.length;
  const values = new Float64Array(header.frames);
  for (let k = 0; k < header.frames; k++) {
    values[k] = statics.series[k * width + s]!;
  }
  return { name: name.replace(/^.*\//, ''), values };
}

const CHARTS: { title: string; unit: string; log?: boolean; names: string[] }[] = [
  { title: 'Energy', unit: 'J', names: ['energy/kinetic', 'energy/gravity', 'energy/elastic', 'energy/dissipated', 'energy/injected'] },
  { title: 'Penetration', unit: 'm', names: ['certificate/penetration'] },
  { title: 'Certificate', unit: '1', log: true, names: ['certificate/momentum', 'certificate/natural', 'certificate/fclib'] },
  { title: 'Iterations', unit: '1', names: ['iterations'] },
  { title: 'Time per step', unit: 's', names: ['timings/collide', 'timings/discretize', 'timings/solve', 'timings/certify', 'timings/total'] },
];

const PLANS = 'Plan and contact modes';

export function chartChoices(header: Header): string[] {
  const taken = new Set(CHARTS.flatMap((chart) => chart.names));
  const plans = hasPlans(header) ? [PLANS] : [];
  return [...CHARTS.map((c) => c.title), ...plans, ...header.series.map((s) => s.name).filter((name) => !taken.has(name))];
}

export function chartOf(header: Header, statics: Statics, choice: string): Chart {
  if (choice === PLANS) {
    const lanes = lanesOf(header, statics);
    return { title: choice, unit: '1', log: false, curves: lanes.filter((lane) => lane.say), lanes };
  }
  const known = CHARTS.find((chart) => chart.title === choice);
  const names = known?.names ?? [choice];
  const unit = known?.unit ?? header.series.find((s) => s.name === choice)?.unit ?? '1';
  const curves = names.map((name) => seriesOf(header, statics, name)).filter((c) => c !== undefined);
  return { title: choice, unit, log: known?.log ?? false, curves };
}

/** What presses on a body, over time. */
export function forceChart(history: Float64Array): Chart {
  const curve = (name: string, place: number) => ({ name, values: column(history, place) });
  return {
    title: 'Contact forces of the selected body',
    unit: 'N',
    log: false,
    curves: [curve('sum', HISTORY.force), curve('normal', HISTORY.pressed), curve('friction', HISTORY.friction)],
    time: column(history, HISTORY.time),
  };
}

const LEGEND = 150; // between two looks of the legend while it plays [ms]: nobody reads faster

export class Plot {
  readonly node = element('div', { class: 'plot' });
  private readonly markNode = element('div', { class: 'mark' });
  private plot: uPlot | undefined;
  private chart: Chart | undefined;
  private told = 0; // when the legend was last told a time [ms]

  constructor(
    private time: Float64Array,
    private readonly player: Player,
  ) {
    player.onFrame(() => this.mark());
    new ResizeObserver(() => this.plot?.setSize(this.size())).observe(this.node);
  }

  private size(): { width: number; height: number } {
    const lanes = this.chart?.lanes?.length ?? 0;
    return { width: Math.max(120, this.node.clientWidth), height: Math.max(150, 40 + 16 * lanes) };
  }

  /** The same figure with more frames. */
  update(time: Float64Array, chart: Chart): void {
    this.time = time;
    this.chart = chart;
    this.plot?.setData(this.data(chart));
  }

  private data(chart: Chart): uPlot.AlignedData {
    const clean = (values: ArrayLike<number>) =>
      Array.from(values, (v) => (Number.isFinite(v) && (!chart.log || v > 0) ? v : null));
    return [Array.from(chart.time ?? this.time), ...chart.curves.map((curve) => clean(curve.values))] as uPlot.AlignedData;
  }

  get shown(): boolean {
    return this.plot !== undefined;
  }

  clear(): void {
    this.plot?.destroy();
    this.plot = undefined;
  }

  show(chart: Chart): void {
    this.clear();
    this.chart = chart;
    const [along, up] = axesOf(chart.unit, chart.log);
    const lanes = chart.lanes;
    this.plot = new uPlot(
      {
        ...this.size(),
        scales: { x: { time: false }, y: lanes ? { range: [0, lanes.length], dir: -1 } : { distr: chart.log ? 3 : 1 } },
        axes: [along!, lanes ? laneAxis(lanes, up!) : up!],
        series: [
          { label: 'time', value: (_, t) => (t === null ? '-' : withUnit(t, 's')) },
          ...chart.curves.map((curve, k) => ({
            label: curve.name,
            stroke: COLOURS[k % COLOURS.length]!,
            width: 1.5,
            points: { show: !lanes && this.time.length < 3 },
            ...(lanes ? { paths: () => null, stroke: 'transparent' } : {}),
            value: (_: uPlot, v: number | null) => (v === null ? '-' : (lanes?.[k]?.say?.(v) ?? withUnit(v, chart.unit))),
          })),
        ],
        cursor: { drag: { x: false, y: false } },
        hooks: { draw: [(u) => this.chart?.lanes && drawLanes(u, this.chart.lanes, this.time), () => this.mark()] },
      },
      this.data(chart),
      this.node,
    );
    this.plot.over.append(this.markNode);
    this.plot.over.addEventListener('click', (event) => this.player.seekTime(this.plot!.posToVal(event.offsetX, 'x')));
  }

  /** A line of its own: with every frame the chart need not be drawn again. */
  private mark(): void {
    if (this.plot) {
      const now = this.time[Math.min(this.player.frame, this.time.length - 1)]!;
      if (this.plot.data[0].length > 0 && this.plot.cursor.left! < 0 && (!this.player.playing || performance.now() > this.told + LEGEND)) {
        this.told = performance.now();
        this.plot.setLegend({ idx: this.plot.valToIdx(now) }); // until the mouse asks for another time
      }
      const x = this.plot.valToPos(now, 'x');
      this.markNode.style.transform = `translateX(${x.toFixed(1)}px)`;
    }
  }
}
