import { describe, expect, it } from 'vitest';
import { chartGroups, worthDrawing } from '../src/report/charts';
import { parseBlock, type Recording, type Series } from '../src/report/data';
import { digits, inUnit, labels, ratio } from '../src/report/format';
import { aligned } from '../src/report/plot';
import { joined } from '../src/report/scatter';
import { certificate, comparison, endsEarly, shares, summary, timings, warnings } from '../src/report/summary';
import { verdict } from '../src/report/verdict';
import { decades } from '../src/ui/axes';

function series(name: string, unit: string, values: (number | null)[], median = 1): Series {
  const finite = values.filter((v): v is number => v !== null);
  const sum = finite.reduce((a, b) => a + b, 0);
  const max = finite.length > 0 ? Math.max(...finite) : null;
  return {
    name,
    unit,
    about: `about ${name}`,
    values,
    statistics: { n: finite.length, median, p95: max, max, mean: sum / finite.length, sum, first: finite[0] ?? null, last: finite.at(-1) ?? null, worst_step: 2, worst_time: 0.02 },
  };
}

function recording(more: Partial<Recording> = {}): Recording {
  return {
    file: 'out/a.h5', title: 'Heap', scene_path: 'heap.yaml', tenon: '0.1.0', solver: 'auto', law: 'coulomb', scheme: 'euler', step: 0.01, record_every: 1,
    seed: '1', model_hash: '2', overrides: [], machine: 'a machine', outcome: 'done', interfered: null, planned_time: 0.02, tolerance_momentum: 0,
    tolerance_natural: 1e-8, threads: 2, dof: 6, bodies: { free: 1, fixed: 1, kinematic: 0, soft: 0 }, shapes: { box: 2 }, joints: 0, nodes: 0, tetrahedra: 0, pictures: [],
    scene: 'title: Heap', frames: 3, first_step: 0, last_step: 2, first_time: 0, last_time: 0.02, bucket: 1, time: [0, 0.01, 0.02],
    series: [
      series('energy/total', 'J', [3, 2, 1]),
      series('energy/kinetic', 'J', [0, 0, 0]),
      series('contacts', '1', [null, 4, 4], 4),
      series('iterations', '1', [null, 10, 20], 15),
      series('tolerances_held', '1', [null, 1, 1]),
      series('certificate/natural', '1', [null, 1e-9, 3e-9], 2e-9),
      series('certificate/strict_natural', '1', [null, 1e-9, 3e-9], 2e-9),
      series('certificate/penetration', 'm', [null, 0, 1e-6]),
      series('timings/collide', 's', [null, 0.001, 0.001], 0.001),
      series('timings/solve', 's', [null, 0.002, 0.004], 0.003),
      series('timings/total', 's', [null, 0.004, 0.006], 0.005),
      series('joints/error', 'm', [0.1, 0.2, 0.3]),
    ],
    ...more,
  };
}

describe('numbers', () => {
  it('have four digits', () => {
    expect([0, 12, 0.123456, 5.4321e-9, 123456789.5, null, undefined, NaN].map(digits)).toEqual(['0', '12', '0.1235', '5.43e-9', '1.23e8', '–', '–', '–']);
  });
  it('are told relative to the first', () => {
    expect([ratio(1, 2), ratio(3, 2), ratio(1, 0), ratio(null, 1), ratio(1, 1e9)]).toEqual(['×0.5', '×1.5', '–', '–', '×1.0e-9']);
    expect([inUnit(0.002, 's'), inUnit(2, 'm'), inUnit(null, 's')]).toEqual([2, 2, null]);
  });
  it('have decades along a logarithmic axis', () => {
    expect(decades(1e-3, 1)).toEqual([1e-3, 1e-2, 0.1, 1]);
    expect(decades(2e-16, 3).length).toBeLessThanOrEqual(8);
    expect(decades(2e-9, 5e-9).length).toBeGreaterThan(0);
  });
});

describe('labels', () => {
  it('are short where that is clear', () => {
    expect(labels([{ file: 'out/a.h5' }, { file: 'b.h5' }])).toEqual(['a', 'b']);
    expect(labels([{ file: 'x/a.h5' }, { file: 'y/a.h5' }, { file: 'x/a.h5' }])).toEqual(['x/a.h5', 'y/a.h5', 'x/a.h5 (2)']);
  });
});

describe('warnings', () => {
  it('are silent about a whole run', () => {
    expect(warnings([recording()])).toEqual([]);
  });
  it('tell of a run that ended early, and why', () => {
    const stopped = recording({ planned_time: 5, outcome: 'interrupted' });
    const killed = recording({ planned_time: 5, outcome: null });
    expect([endsEarly(stopped), endsEarly(recording()), endsEarly(recording({ planned_time: null }))]).toEqual([true, false, false]);
    expect(warnings([stopped])[0]).toMatch(/0\.02 s of the 5 s asked for \(the run ended: interrupted\)/);
    expect(warnings([killed])[0]).toMatch(/killed, or still goes on/);
  });
  it('tell of steps that missed, other scenes, steering', () => {
    const r = recording({ title: 'Other', interfered: 'pull at step 3', record_every: 2 });
    r.series[4] = series('tolerances_held', '1', [null, 1, 0]);
    const said = warnings([recording(), r]).join('\n');
    expect(said).toMatch(/1 of 2 recorded steps did not reach/);
    expect(said).toMatch(/different scenes/);
    expect(said).toMatch(/steered/);
    expect(said).toMatch(/every 2\. step/);
  });
});

describe('tables', () => {
  const text = (rows: { head: string; cells: { text: string }[] }[], head: string) => rows.find((r) => r.head === head)!.cells.map((c) => c.text);
  it('sum up', () => {
    const table = summary([recording()]);
    expect(text(table.rows, 'contacts')).toEqual(['4 median, 4 max']);
    expect(text(table.rows, 'tolerances demanded')).toEqual(['natural 1.00e-8']);
    expect(text(table.rows, 'computing time')).toEqual(['0.01 s for 0.02 s, 2 times real time']);
    expect(table.rows.some((r) => r.head === 'options')).toBe(false);
  });
  it('compare with the first', () => {
    const other = recording({ file: 'b.h5', series: [series('timings/total', 's', [null, 0.01, 0.01], 0.01)] });
    const table = comparison([recording(), other]);
    expect(table.heads).toEqual(['', 'unit', 'a', 'b', '×']);
    expect(text(table.rows, 'time a step, median')).toEqual(['ms', '5', '10', '×2']);
    expect(text(table.rows, 'contacts, median')).toEqual(['', '4', '–', '–']);
    expect(table.rows.some((r) => r.head === 'momentum, max')).toBe(false);
  });
  it('tell each figure and stage', () => {
    expect(text(certificate(recording(), 'a').rows, 'natural').slice(0, 6)).toEqual(['', '2.00e-9', '3.00e-9', '3.00e-9', '2', '0.02']);
    expect(text(timings(recording(), 'a').rows, 'solve')).toEqual(['3', '4', '4', '2', '3', '0.006', '60.0 %']);
    const parts = shares(recording());
    expect(parts.map((p) => p.stage)).toEqual(['collide', 'discretize', 'solve', 'certify', 'other']);
    expect(parts.reduce((sum, p) => sum + p.mean, 0)).toBeCloseTo(0.005, 12);
  });
});

describe('charts', () => {
  it('of one recording hold a kind each, without empty and doubled curves', () => {
    const [shown, others] = chartGroups([recording()]);
    const curves = Object.fromEntries(shown!.charts.map((c) => [c.title, c.curves.map((k) => k.label)]));
    expect(curves['Energy']).toEqual(['total']);
    expect(curves['Certificate']).toEqual(['natural']);
    expect(curves['Time of a step']).toEqual(['collide', 'solve', 'total']);
    expect(others!.charts.map((c) => c.title)).toEqual(['Joints']);
  });
  it('of several hold a quantity each', () => {
    const [shown] = chartGroups([recording(), recording({ file: 'b.h5' })]);
    expect(shown!.charts.find((c) => c.title === 'timings/total')!.curves.map((k) => k.label)).toEqual(['a', 'b']);
  });
  it('know what is worth drawing', () => {
    expect([worthDrawing([null, 0], false), worthDrawing([-1], false), worthDrawing([-1], true), worthDrawing([2], true)]).toEqual([false, true, false, true]);
  });
  it('join times of their own', () => {
    const chart = { title: 't', about: '', unit: '1', log: true, curves: [{ label: 'a', recording: 0, values: [1, 0] }, { label: 'b', recording: 1, values: [3, 4] }] };
    const data = aligned(chart, [[0, 2], [1, 2]]);
    expect(Array.from(data[0])).toEqual([0, 1, 2]);
    expect(data[1]![0]).toBe(1);
    expect(data[1]![2]).toBeNull();
    expect(Array.from(data[2]!).slice(1)).toEqual([3, 4]);
  });
});

describe('parseBlock', () => {
  it('takes its own and nothing else', () => {
    expect(parseBlock('{"format":"tenon report","version":1,"recordings":[]}').format).toBe('tenon report');
    expect(() => parseBlock('{"format":"tenon report","version":2}')).toThrow();
    expect(() => parseBlock('{}')).toThrow();
  });
});

describe('charts over a number', () => {
  const curves = [{ label: 'a', x: [1, 2, 4], y: [3, null, 0] }, { label: 'b', x: [1, 3], y: [9, 5] }];
  it('puts all places in order; of those of other curves a curve knows nothing', () => {
    expect(joined({ log: false, curves })).toEqual([[1, 1, 2, 3, 4], [3, undefined, null, undefined, 0], [undefined, 9, undefined, 5, undefined]]);
  });
  it('has nothing at zero where the axis is logarithmic', () => {
    expect(joined({ log: true, curves })[1]).toEqual([3, undefined, null, undefined, null]);
  });
});

describe('the verdict', () => {
  it('says whether it ran, how exactly, and whether it stands', () => {
    const ran = 'Ran to its end: 2 steps of 10 ms, 2 times as fast as real time. The laws of motion and contact hold to 2.00e-9 in half of the steps, to 3.00e-9 in the worst, step 2; the deepest overlap is 0.001 mm.';
    expect(verdict(recording())).toBe(`${ran} Nothing moves.`);
    const kinetic = (values: number[]) => recording({ series: recording().series.map((s) => (s.name === 'energy/kinetic' ? series(s.name, s.unit, values) : s)) });
    expect(verdict(kinetic([0, 9, 8e-4]))).toBe(`${ran} All is at rest at the end.`);
    expect(verdict(kinetic([0, 9, 1e-3]))).toBe(`${ran} Things still move at the end, with 0.001 J.`);
    expect(verdict(recording({ outcome: 'diverged' }))).toContain('Ended early (diverged): 2 steps');
    expect(verdict(recording({ planned_time: 5 }))).toContain('Not known to have ended: 2 steps');
    expect(verdict(recording({ series: [] }))).toBe('Ran to its end: 2 steps of 10 ms.');
  });
});
