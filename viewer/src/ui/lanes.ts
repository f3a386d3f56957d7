// What a controller planned, as lanes over time: how each solve ended, how much of the plan presses, and which contacts and limits press, or slide, in
// the plan's first step.
import type uPlot from 'uplot';
import type { Header, Statics } from '../data/header';
import { COLOURS } from './axes';

export interface Lane {
  name: string;
  values: Float64Array; // NaN: nothing is known
  colour(value: number): string | undefined; // undefined: nothing is drawn
  say?(value: number): string; // in the legend
}

const ENDS = [
  { text: 'no plan', colour: '#b5506b' },
  { text: 'infeasible', colour: '#b5506b' },
  { text: 'feasible', colour: '#a9c6a0' },
  { text: 'optimal', colour: '#4f9d69' },
];
const PRESSES = ['apart', 'presses', 'slides'];
const BITS = 24; // whole numbers that a float32 holds

function bitOf(value: number, bit: number): number {
  return Number.isFinite(value) ? Math.floor(value / 2 ** bit) % 2 : NaN;
}

function valuesOf(header: Header, statics: Statics, name: string): Float64Array {
  const s = header.series.findIndex((series) => series.name === `plan/${name}`);
  return Float64Array.from({ length: header.frames }, (_, k) => statics.series[k * header.series.length + s]!);
}

export function hasPlans(header: Header): boolean {
  return header.series.some((series) => series.name === 'plan/mode');
}

/** What never presses is left out. */
export function lanesOf(header: Header, statics: Statics): Lane[] {
  const status = valuesOf(header, statics, 'status');
  const touching = valuesOf(header, statics, 'touching');
  const most = touching.reduce((a, b) => (b > a ? b : a), 1);
  const lanes: Lane[] = [
    { name: 'solve', values: status, colour: (v) => ENDS[v]?.colour, say: (v) => ENDS[v]?.text ?? '-' },
    {
      name: 'touches',
      values: touching,
      colour: (v) => (v > 0 ? `rgb(217 130 43 / ${(0.25 + (0.75 * v) / most).toFixed(2)})` : undefined),
      say: (v) => (Number.isFinite(v) ? `${v} ${v === 1 ? 'step' : 'steps'}` : '-'),
    },
  ];
  const mode = valuesOf(header, statics, 'mode');
  const slides = valuesOf(header, statics, 'slides');
  for (let row = 0; row < BITS; row++) {
    const pressed = mode.map((v, k) => bitOf(v, row) + (bitOf(slides[k]!, row) || 0)); // 2: slides too
    if (pressed.some((v) => v > 0)) {
      const colours = [undefined, COLOURS[0], COLOURS[1]];
      lanes.push({ name: header.lanes?.[row] ?? `row ${row}`, values: pressed, colour: (v) => colours[v], say: (v) => PRESSES[v] ?? '-' });
    }
  }
  return lanes;
}

/** Stretches of equal values: where each begins. The last entry is the length. */
export function stretches(values: ArrayLike<number>): number[] {
  const begins = [0];
  for (let k = 1; k < values.length; k++) {
    if (!Object.is(values[k], values[k - 1])) {
      begins.push(k);
    }
  }
  begins.push(values.length);
  return begins;
}

/** The first lane on top; lane k is between places k and k + 1 of an axis that goes down. */
export function drawLanes(u: uPlot, lanes: Lane[], time: ArrayLike<number>): void {
  const gap = lanes.length > 10 ? 1 : 2;
  lanes.forEach((lane, k) => {
    const top = u.valToPos(k, 'y', true) + gap;
    const height = u.valToPos(k + 1, 'y', true) - gap - top;
    const begins = stretches(lane.values);
    for (let i = 0; i + 1 < begins.length; i++) {
      const fill = lane.colour(lane.values[begins[i]!]!);
      if (fill) {
        const from = u.valToPos(time[begins[i]!]!, 'x', true);
        const to = u.valToPos(time[Math.min(begins[i + 1]!, time.length - 1)]!, 'x', true);
        u.ctx.fillStyle = fill;
        u.ctx.fillRect(from, top, Math.max(1, to - from), height);
      }
    }
  });
}

/** An axis with the lanes' names in their middles. */
export function laneAxis(lanes: Lane[], axis: uPlot.Axis): uPlot.Axis {
  return {
    ...axis,
    grid: { show: false },
    ticks: { show: false },
    splits: () => lanes.map((_, k) => k + 0.5),
    filter: (_, splits) => splits,
    values: () => lanes.map((lane) => lane.name),
  };
}
