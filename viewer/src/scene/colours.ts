// Colours: one table for light and dark, a scale for stress (dark blue to yellow, readable without colour vision).
import { Color } from 'three';

export interface Theme {
  background: number;
  ground: number;
  grid: number;
  text: string;
}

export const THEMES: Record<'light' | 'dark', Theme> = {
  light: { background: 0xf4f6f8, ground: 0xe6eaee, grid: 0xb9c2cb, text: '#1d2731' },
  dark: { background: 0x14181d, ground: 0x1d232a, grid: 0x3a444f, text: '#e6ebf0' },
};

const BODY_COLOURS = [0x3f7fbf, 0xd9822b, 0x4f9d69, 0xb5506b, 0x7a68b3, 0x9a8a3c, 0x3d9ca8, 0x8c6d5a];
const FIXED_COLOUR = 0x8b949e;
const KINEMATIC_COLOUR = 0x6f7f5f;

export function bodyColour(index: number, kind: string): Color {
  if (kind === 'fixed') {
    return new Color(FIXED_COLOUR);
  }
  return new Color(kind === 'kinematic' ? KINEMATIC_COLOUR : BODY_COLOURS[index % BODY_COLOURS.length]!);
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

/** Colour of a value in [0, 1] into out[at..at + 2]. */
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
