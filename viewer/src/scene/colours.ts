// Colours: one table for light and dark, bodies' own, a scale for stress (dark blue to yellow, readable without colour vision).
import { Color, SRGBColorSpace } from 'three';
import type { Header } from '../data/header';

export interface Theme {
  background: number;
  ground: number;
  grid: number;
  horizon: number;
  zenith: number;
  text: string;
}

export const THEMES: Record<'light' | 'dark', Theme> = {
  light: { background: 0xeaeff4, ground: 0xe9ecef, grid: 0xa3afbc, horizon: 0xeef2f6, zenith: 0x9dbde0, text: '#1d2731' },
  dark: { background: 0x14181d, ground: 0x252c34, grid: 0x4a5664, horizon: 0x1b2129, zenith: 0x0c1016, text: '#e6ebf0' },
};

/** The colour of each body (src/view/colors.c chooses). */
export function bodyColours(header: Header): Color[] {
  return header.bodies.map(({ color }) => new Color().setRGB(...color, SRGBColorSpace));
}

/** Between two pieces of one rod: bodies `name[0]`, `name[1]`, ... */
export function isRodPiece(header: Header, { type, body, other }: { type: string; body: number; other: number }): boolean {
  const stem = (b: number) => header.bodies[b]!.name.replace(/\[\d+\]$/, '');
  return type === 'bushing' && stem(body) === stem(other) && stem(body) !== header.bodies[body]!.name;
}

export const STICK_COLOUR = 0x2f9e44;
export const SLIDE_COLOUR = 0xe03131;
export const REACTION_COLOUR = 0x7048e8; // of joints
export const SELECT_COLOUR = 0xffd43b;

// Five points of a perceptually even scale, mixed linearly between them.
const SCALE: [number, number, number][] = [
  [0.19, 0.2, 0.5],
  [0.15, 0.44, 0.6],
  [0.25, 0.66, 0.5],
  [0.7, 0.82, 0.35],
  [0.99, 0.9, 0.3],
];

/** Colour of a value in [0, 1] into out[at..at + 2], as the screen shows it. */
export function scaleColour(value: number, out: Float32Array, at: number): void {
  const x = Math.min(1, Math.max(0, Number.isFinite(value) ? value : 0)) * (SCALE.length - 1);
  const k = Math.min(SCALE.length - 2, Math.floor(x));
  const part = x - k;
  for (let c = 0; c < 3; c++) {
    out[at + c] = (1 - part) * SCALE[k]![c]! + part * SCALE[k + 1]![c]!;
  }
}

export function scaleGradient(): string {
  const stops = SCALE.map((c) => `rgb(${c.map((x) => Math.round(255 * x)).join(' ')})`);
  return `linear-gradient(to right, ${stops.join(', ')})`;
}

// The same as light, for surfaces that are lit: a table, since powers are dear.
const LIGHT_STEPS = 256;
const LIGHT = new Float32Array(3 * (LIGHT_STEPS + 1));
for (let k = 0; k <= LIGHT_STEPS; k++) {
  scaleColour(k / LIGHT_STEPS, LIGHT, 3 * k);
  new Color().setRGB(LIGHT[3 * k]!, LIGHT[3 * k + 1]!, LIGHT[3 * k + 2]!, SRGBColorSpace).toArray(LIGHT, 3 * k);
}

export function scaleLight(value: number, out: Float32Array, at: number): void {
  const k = 3 * Math.round(LIGHT_STEPS * Math.min(1, Math.max(0, Number.isFinite(value) ? value : 0)));
  out[at] = LIGHT[k]!;
  out[at + 1] = LIGHT[k + 1]!;
  out[at + 2] = LIGHT[k + 2]!;
}
