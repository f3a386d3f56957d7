// Which charts a report has: of one recording the quantities of a kind together, of several one chart a quantity.
import type { Recording, Series } from './data';
import { labels } from './format';

export interface Curve {
  label: string;
  recording: number;
  values: (number | null)[];
}

export interface Chart {
  title: string;
  about: string;
  unit: string;
  log: boolean;
  curves: Curve[];
}

export interface Group {
  title: string;
  open: boolean;
  charts: Chart[];
}

interface Kind {
  title: string;
  log?: boolean;
  names: string[];
}

const KINDS: Kind[] = [
  { title: 'Energy', names: ['energy/total', 'energy/kinetic', 'energy/gravity', 'energy/elastic', 'energy/dissipated', 'energy/injected'] },
  { title: 'Penetration', names: ['certificate/penetration'] },
  { title: 'Certificate', log: true, names: ['momentum', 'natural', 'fclib', 'strict_natural', 'cone'].map((n) => `certificate/${n}`) },
  { title: 'Iterations', names: ['iterations'] },
  { title: 'Time of a step', names: ['collide', 'discretize', 'solve', 'certify', 'total'].map((n) => `timings/${n}`) },
  { title: 'Contacts', names: ['contacts'] },
  { title: 'Certificate, velocities', log: true, names: ['signorini_primal', 'complementarity', 'strict_complementarity'].map((n) => `certificate/${n}`) },
  { title: 'Certificate, forces', log: true, names: ['certificate/signorini_dual'] },
  { title: 'Certificate, power', log: true, names: ['certificate/dissipation'] },
  { title: 'Energy balance of a step', names: ['energy/balance'] },
];
const SHOWN_FIRST = 6; // of KINDS; of several recordings:
const COMPARED_FIRST = ['energy/total', 'certificate/penetration', 'certificate/natural', 'iterations', 'timings/total', 'contacts'];

/** Whether a curve shows anything: not empty, not flat zero; on a logarithmic axis something above zero. */
export function worthDrawing(values: (number | null)[], log: boolean): boolean {
  return values.some((v) => v !== null && (log ? v > 0 : v !== 0));
}

/** The strict law's figures are the law's own where that is the law: one curve shows both. */
function same(a: (number | null)[], b: (number | null)[]): boolean {
  return a.length === b.length && a.every((v, k) => v === b[k]);
}

/** All kinds, also of quantities that this page does not know: by the name's part before the slash. */
function kindsOf(recordings: Recording[]): Kind[] {
  const names = [...new Set(recordings.flatMap((r) => r.series.map((s) => s.name)))];
  const known = new Set(KINDS.flatMap((kind) => kind.names));
  const more = new Map<string, string[]>();
  for (const name of names.filter((n) => !known.has(n) && n !== 'tolerances_held')) {
    const title = name.replace(/\/.*$/, '').replaceAll('_', ' ');
    more.set(title, [...(more.get(title) ?? []), name]);
  }
  return [...KINDS, ...[...more].map(([title, of]) => ({ title: title[0]!.toUpperCase() + title.slice(1), names: of }))];
}

function ofOne(recording: Recording, kind: Kind): Chart[] {
  const log = kind.log ?? false;
  const found = kind.names
    .map((name) => recording.series.find((s) => s.name === name))
    .filter((s): s is Series => s !== undefined && worthDrawing(s.values, log))
    .filter((s, k, all) => !all.slice(0, k).some((earlier) => same(earlier.values, s.values)));
  if (found.length === 0) {
    return [];
  }
  const curves = found.map((s) => ({ label: s.name.replace(/^[^/]*\//, '').replaceAll('_', ' '), recording: 0, values: s.values }));
  return [{ title: kind.title, about: found.length === 1 ? found[0]!.about : '', unit: found[0]!.unit, log, curves }];
}

function ofSeveral(recordings: Recording[], names: string[], kind: Kind): Chart[] {
  const log = kind.log ?? false;
  return kind.names.flatMap((name) => {
    const all = recordings.map((r) => r.series.find((s) => s.name === name));
    const one = all.find((s) => s !== undefined);
    const curves = all.flatMap((s, k) => (s && worthDrawing(s.values, log) ? [{ label: names[k]!, recording: k, values: s.values }] : []));
    return one && curves.length > 0 ? [{ title: name.replaceAll('_', ' '), about: one.about, unit: one.unit, log, curves }] : [];
  });
}

export function chartGroups(recordings: Recording[]): Group[] {
  const kinds = kindsOf(recordings);
  const title = 'Over time';
  const others = 'Further quantities over time';
  if (recordings.length === 1) {
    const charts = (some: Kind[]) => some.flatMap((kind) => ofOne(recordings[0]!, kind));
    return [
      { title, open: true, charts: charts(kinds.slice(0, SHOWN_FIRST)) },
      { title: others, open: false, charts: charts(kinds.slice(SHOWN_FIRST)) },
    ].filter((group) => group.charts.length > 0);
  }
  const names = labels(recordings);
  const all = kinds.flatMap((kind) => kind.names.map((name) => ({ name, charts: ofSeveral(recordings, names, { ...kind, names: [name] }) })));
  const first = COMPARED_FIRST.flatMap((name) => all.find((c) => c.name === name)?.charts ?? []);
  const rest = all.filter((c) => !COMPARED_FIRST.includes(c.name)).flatMap((c) => c.charts);
  return [
    { title, open: true, charts: first },
    { title: others, open: false, charts: rest },
  ].filter((group) => group.charts.length > 0);
}
