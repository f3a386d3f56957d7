// What `tenon report`, `tenon sweep` and `tenon bench --html` write into the page (include/tenon/report.h).

export interface Statistics {
  n: number; // finite values
  median: number | null;
  p95: number | null;
  max: number | null;
  mean: number | null;
  sum: number | null;
  first: number | null;
  last: number | null;
  worst_step?: number;
  worst_time?: number;
}

export interface Series {
  name: string;
  unit: string;
  about: string;
  statistics: Statistics;
  values: (number | null)[]; // one for each time
}

export interface Recording {
  file: string;
  title: string;
  scene_path: string;
  tenon: string;
  solver: string;
  law: string;
  scheme: string;
  step: number;
  record_every: number;
  seed: string;
  model_hash: string;
  overrides: string[];
  machine: string | null;
  outcome: string | null; // null: not closed by `tenon run`, or a file of an earlier version
  interfered: string | null;
  planned_time: number | null;
  tolerance_momentum: number | null;
  tolerance_natural: number | null;
  threads: number; // 0: unknown
  dof: number; // -1: unknown
  bodies: { free: number; fixed: number; kinematic: number; soft: number };
  shapes: Record<string, number>;
  joints: number;
  nodes: number;
  tetrahedra: number;
  scene: string;
  pictures: { time: number; image: string }[]; // none: nothing has a shape
  frames: number;
  first_step: number;
  last_step: number;
  first_time: number;
  last_time: number;
  bucket: number; // frames that two points of a curve stand for; 1: each point is a frame
  time: number[];
  series: Series[];
}

export interface Report {
  format: 'tenon report';
  version: number;
  recordings: Recording[];
}

export interface BenchTable {
  title: string;
  heads: string[];
  rows: { cells: string[]; number: boolean[] }[];
  notes: string[];
}

export interface TableChart {
  title: string;
  about: string;
  x: string;
  y: string;
  log: boolean;
  line: boolean; // else points
  curves: { label: string; x: number[]; y: (number | null)[] }[];
}

export interface Tables {
  format: 'tenon tables';
  version: number;
  title: string;
  tenon: string;
  machine: string;
  tables: BenchTable[];
  charts?: TableChart[];
}

export function parseBlock(text: string): Report | Tables {
  const block = JSON.parse(text) as Report | Tables;
  if ((block.format !== 'tenon report' && block.format !== 'tenon tables') || block.version !== 1) {
    throw new Error('this is not a report that this page can show');
  }
  return block;
}

export function seriesOf(recording: Recording, name: string): Series | undefined {
  return recording.series.find((series) => series.name === name);
}
