// Lanes of a controller's plans: which there are, what they say, and where stretches of equal values begin.
import { describe, expect, it, vi } from 'vitest';
import type { Header, Statics } from '../src/data/header';
import { hasPlans, lanesOf, stretches } from '../src/ui/lanes';

vi.mock('uplot', () => ({ default: class {} }));

const names = ['energy/kinetic', 'plan/status', 'plan/mode', 'plan/touching', 'plan/slides'];
const header = { frames: 4, lanes: ['tip - wall', 'floor - tip'], series: names.map((name) => ({ name, unit: '1', about: '' })) } as unknown as Header;
const rows = [
  [1, NaN, NaN, NaN, NaN],
  [2, 3, 5, 2, 4],
  [3, 2, 4, 10, 0],
  [4, 1, 0, 0, 0],
];
const statics = { series: Float32Array.from(rows.flat()) } as unknown as Statics;

describe('lanes of plans', () => {
  it('are there where the recording has plans', () => {
    expect(hasPlans(header)).toBe(true);
    expect(hasPlans({ ...header, series: header.series.slice(0, 2) })).toBe(false);
  });
  it('leave out rows that never press', () => {
    const lanes = lanesOf(header, statics);
    expect(lanes.map((lane) => lane.name)).toEqual(['solve', 'touches', 'tip - wall', 'row 2']);
    expect([...lanes[2]!.values]).toEqual([NaN, 1, 0, 0]);
    expect([...lanes[3]!.values]).toEqual([NaN, 2, 1, 0]);
  });
  it('say how solves ended and how much of a plan touches', () => {
    const [solve, touches, row] = lanesOf(header, statics);
    expect([0, 1, 2, 3, NaN].map((v) => solve!.say!(v))).toEqual(['no plan', 'infeasible', 'feasible', 'optimal', '-']);
    expect([0, 1, 10].map((v) => touches!.say!(v))).toEqual(['0 steps', '1 step', '10 steps']);
    expect(touches!.colour(0)).toBeUndefined();
    expect(touches!.colour(10)).not.toBe(touches!.colour(2));
    expect([0, 1, 2, NaN].map((v) => row!.colour(v) !== undefined)).toEqual([false, true, true, false]);
    expect([0, 1, 2, NaN].map((v) => row!.say!(v))).toEqual(['apart', 'presses', 'slides', '-']);
  });
  it('begin a stretch where a value changes', () => {
    expect(stretches([NaN, NaN, 1, 1, 0])).toEqual([0, 2, 4, 5]);
    expect(stretches([7])).toEqual([0, 1]);
  });
});
