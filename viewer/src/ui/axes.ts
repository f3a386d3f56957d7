// How every chart looks: the theme's colours, time along x, units along y.
import type uPlot from 'uplot';
import { withUnit } from './dom';

export const COLOURS = ['#3f7fbf', '#d9822b', '#4f9d69', '#b5506b', '#7a68b3', '#3d9ca8', '#8a7a2f', '#8c8c8c'];

/** Powers of ten from min to max, at most about six of them. */
export function decades(min: number, max: number): number[] {
  const low = Math.floor(Math.log10(min) + 1e-9);
  const high = Math.ceil(Math.log10(max) - 1e-9);
  const every = Math.max(1, Math.ceil((high - low) / 6));
  const found: number[] = [];
  for (let k = Math.ceil(low / every) * every; k <= high; k += every) {
    found.push(Number(`1e${k}`));
  }
  return found;
}

export function axesOf(unit: string, log: boolean): uPlot.Axis[] {
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue('--ink').trim();
  const line = style.getPropertyValue('--line').trim();
  const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: '11px system-ui' };
  return [
    { ...axis, values: (_, ticks) => ticks.map((t) => `${t} s`), size: 26 },
    log
      ? { ...axis, splits: (_u, _axis, min, max) => decades(min, max), filter: (_, ticks) => ticks, values: (_, ticks) => ticks.map((t) => t.toExponential().replace('e+', 'e')), size: 62 }
      : { ...axis, values: (_, ticks) => ticks.map((t) => (t === null ? '' : withUnit(t, unit))), size: 62 },
  ];
}
