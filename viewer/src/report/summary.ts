// The tables of a report as rows of texts; drawn by table.ts.
import { seriesOf, type Recording, type Statistics } from './data';
import { counts, digits, inUnit, labels, ratio, unitName } from './format';
import type { Row, Table } from './table';

export const STAGES = ['collide', 'discretize', 'solve', 'certify'] as const;

const statistics = (r: Recording, name: string): Statistics | undefined => seriesOf(r, name)?.statistics;

/** The recording ends before the time that it was to reach. */
export function endsEarly(r: Recording): boolean {
  return r.planned_time !== null && r.last_time < r.planned_time - 0.5 * r.step;
}

/** What a reader must know before the figures. */
export function warnings(recordings: Recording[]): string[] {
  const names = labels(recordings);
  const said: string[] = [];
  recordings.forEach((r, k) => {
    if (endsEarly(r)) {
      const why = r.outcome === null ? 'the run was killed, or still goes on' : `the run ended: ${r.outcome}`;
      said.push(`${names[k]} is not complete: it holds ${digits(r.last_time)} s of the ${digits(r.planned_time)} s asked for (${why}). The figures are of what is there.`);
    } else if (r.outcome === 'diverged' || r.outcome === 'failed') {
      said.push(`${names[k]}: the run ${r.outcome}.`);
    }
    const missed = stepsMissed(r);
    if (missed > 0) {
      said.push(`${names[k]}: ${missed} of ${steps(r)} recorded steps did not reach a demanded tolerance.`);
    }
    if (r.interfered) {
      said.push(`${names[k]} was steered while it ran (${r.interfered}); the scene alone does not repeat it.`);
    }
    if (r.record_every > 1) {
      said.push(`${names[k]} holds every ${r.record_every}. step; the statistics are of these.`);
    }
  });
  if (new Set(recordings.map(content)).size > 1) {
    said.push('The recordings are of different scenes.');
  }
  return said;
}

/** What a scene consists of; its text holds the options too. */
function content(r: Recording): string {
  return JSON.stringify([r.title, r.bodies, r.shapes, r.nodes, r.tetrahedra]);
}

function steps(r: Recording): number {
  return r.frames - 1;
}

function stepsMissed(r: Recording): number {
  const held = statistics(r, 'tolerances_held');
  return held ? held.n - (held.sum ?? 0) : 0;
}

function demanded(r: Recording): string {
  const parts = [
    r.tolerance_momentum ? `momentum ${digits(r.tolerance_momentum)}` : '',
    r.tolerance_natural ? `natural ${digits(r.tolerance_natural)}` : '',
  ];
  return parts.filter((p) => p).join(', ') || '–';
}

function pace(r: Recording): string {
  const total = statistics(r, 'timings/total');
  if (!total?.sum || !total.n) {
    return '–';
  }
  const simulated = total.n * r.step;
  return `${digits(total.sum)} s for ${digits(simulated)} s, ${digits(simulated / total.sum)} times real time`;
}

function contacts(r: Recording): string {
  const n = statistics(r, 'contacts');
  return n ? `${digits(n.median)} median, ${digits(n.max)} max` : 'not recorded';
}

export function summary(recordings: Recording[]): Table {
  const row = (head: string, text: (r: Recording) => string): Row => ({ head, cells: recordings.map((r) => ({ text: text(r) })) });
  const rows = [
    row('scene', (r) => r.title || '–'),
    row('scene file', (r) => r.scene_path || '–'),
    row('solver', (r) => r.solver),
    row('law', (r) => r.law),
    row('scheme', (r) => r.scheme),
    row('step h', (r) => `${digits(1e3 * r.step)} ms`),
    row('steps recorded', (r) => `${steps(r)}${r.record_every > 1 ? `, every ${r.record_every}.` : ''}`),
    row('simulated time', (r) => `${digits(r.first_time)} to ${digits(r.last_time)} s${r.planned_time === null ? '' : ` of ${digits(r.planned_time)} s`}`),
    row('outcome', (r) => r.outcome ?? (endsEarly(r) ? 'not closed: killed or still going' : 'unknown')),
    row('bodies', (r) => counts(r.bodies)),
    row('shapes', (r) => counts(r.shapes)),
    ...(recordings.some((r) => r.nodes > 0) ? [row('soft bodies’ meshes', (r) => `${r.nodes} nodes, ${r.tetrahedra} tetrahedra`)] : []),
    ...(recordings.some((r) => r.joints > 0) ? [row('joints', (r) => String(r.joints))] : []),
    row('degrees of freedom', (r) => (r.dof < 0 ? '–' : String(r.dof))),
    row('contacts', contacts),
    row('tolerances demanded', demanded),
    row('computing time', pace),
    row('machine', (r) => r.machine ?? 'unknown'),
    row('threads', (r) => (r.threads > 0 ? String(r.threads) : '–')),
    row('Tenon', (r) => r.tenon),
    ...(recordings.some((r) => r.overrides.length > 0) ? [row('options', (r) => r.overrides.join(', ') || 'none')] : []),
  ];
  return { caption: 'Runs', heads: ['', ...labels(recordings)], rows };
}

type Pick = 'median' | 'p95' | 'max' | 'last';
const COMPARED: [name: string, pick: Pick, text: string][] = [
  ['timings/total', 'median', 'time a step, median'],
  ['timings/total', 'p95', 'time a step, 95 %'],
  ['timings/total', 'max', 'time a step, max'],
  ['timings/solve', 'median', 'solver, median'],
  ['iterations', 'median', 'iterations, median'],
  ['iterations', 'max', 'iterations, max'],
  ['contacts', 'median', 'contacts, median'],
  ['certificate/natural', 'median', 'natural map, median'],
  ['certificate/natural', 'max', 'natural map, max'],
  ['certificate/strict_natural', 'max', 'natural map of the strict law, max'],
  ['certificate/momentum', 'max', 'momentum, max'],
  ['certificate/fclib', 'max', 'FCLIB’s error, max'],
  ['certificate/joint', 'max', 'joints, max'],
  ['certificate/drift', 'max', 'drift of joints, max'],
  ['certificate/penetration', 'max', 'penetration, max'],
  ['energy/total', 'last', 'energy at the end'],
  ['energy/dissipated', 'last', 'dissipated until the end'],
];

/** Several recordings side by side; ratios to the first one. */
export function comparison(recordings: Recording[]): Table {
  const names = labels(recordings);
  const rows = COMPARED.map(([name, pick, text]): Row | undefined => {
    const values = recordings.map((r) => statistics(r, name)?.[pick]);
    if (!values.some((v) => typeof v === 'number')) {
      return undefined;
    }
    const unit = recordings.map((r) => seriesOf(r, name)?.unit).find((u) => u !== undefined)!;
    const cells = values.flatMap((value, k) => {
      const cell = { text: digits(inUnit(value, unit)), number: true };
      return k === 0 ? [cell] : [cell, { text: ratio(value, values[0]), number: true, soft: true }];
    });
    return { head: text, cells: [{ text: unitName(unit), soft: true }, ...cells] };
  });
  return {
    caption: `Side by side (× relative to ${names[0]})`,
    heads: ['', 'unit', ...names.flatMap((name, k) => (k === 0 ? [name] : [name, '×']))],
    rows: rows.filter((r) => r !== undefined),
  };
}

/** The place of a maximum, where there is one. */
function worst(s: Statistics, place: number | undefined): string {
  return s.max ? digits(place) : '–';
}

/** The certificate's figures of one recording. */
export function certificate(r: Recording, name: string): Table {
  const figures = r.series.filter((s) => s.name.startsWith('certificate/') && s.statistics.n > 0);
  const number = (text: string) => ({ text, number: true });
  return {
    caption: `Certificate of every step: ${name}`,
    heads: ['figure', 'unit', 'median', '95 %', 'max', 'worst step', 'at time [s]', 'what it is'],
    rows: figures.map((s) => ({
      head: s.name.replace('certificate/', ''),
      cells: [
        { text: unitName(s.unit), soft: true },
        number(digits(s.statistics.median)),
        number(digits(s.statistics.p95)),
        number(digits(s.statistics.max)),
        number(worst(s.statistics, s.statistics.worst_step)),
        number(worst(s.statistics, s.statistics.worst_time)),
        { text: s.about, soft: true },
      ],
    })),
  };
}

export interface Share {
  stage: string;
  mean: number; // [s] a step
}

/** Mean time of each stage, and what the stages leave of the total. */
export function shares(r: Recording): Share[] {
  const mean = (stage: string) => statistics(r, `timings/${stage}`)?.mean ?? 0;
  const parts = STAGES.map((stage) => ({ stage: stage as string, mean: mean(stage) }));
  const rest = mean('total') - parts.reduce((sum, p) => sum + p.mean, 0);
  return [...parts, { stage: 'other', mean: Math.max(0, rest) }];
}

export function timings(r: Recording, name: string): Table {
  const total = statistics(r, 'timings/total')?.sum ?? 0;
  const number = (text: string) => ({ text, number: true });
  const row = (stage: string): Row => {
    const s = statistics(r, `timings/${stage}`);
    const ms = (v: number | null | undefined) => number(digits(inUnit(v, 's')));
    const share = total > 0 && s?.sum ? `${((100 * s.sum) / total).toFixed(1)} %` : '–';
    return {
      head: stage,
      cells: [ms(s?.median), ms(s?.p95), ms(s?.max), number(digits(s?.worst_step)), ms(s?.mean), number(digits(s?.sum)), number(share)],
    };
  };
  return {
    caption: `Time of a step [ms]: ${name}`,
    heads: ['stage', 'median', '95 %', 'max', 'worst step', 'mean', 'all steps [s]', 'share'],
    rows: [...STAGES.map(row), row('total')],
  };
}
