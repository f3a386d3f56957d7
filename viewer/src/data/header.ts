// The header of a view (src/view/header.c) and what a frame holds. All numbers are SI, z is up.

export type BodyKind = 'free' | 'fixed' | 'kinematic' | 'soft';

export interface Geometry {
  kind: string;
  size: [number, number, number];
  vertices: [first: number, n: number];
  triangles: [first: number, n: number];
}

export interface Shape {
  body: number;
  geometry: number;
  position: [number, number, number];
  quaternion: [w: number, x: number, y: number, z: number];
  visual?: boolean; // it is only seen; shapes of the same body that touch are then not
  color?: [red: number, green: number, blue: number]; // of the screen, 0 to 1
}

export interface Joint {
  name: string;
  type: string;
  body: number; // in whose own frame it is
  other: number; // the one it joins that to
  position: [number, number, number];
  quaternion: [w: number, x: number, y: number, z: number];
}

export interface Soft {
  body: number;
  nodes: [first: number, n: number];
  faces: [first: number, n: number];
  young: number;
}

export interface Series {
  name: string;
  unit: string;
  about: string;
}

export interface TableInfo {
  name: TableName;
  type: 'float32' | 'float64' | 'uint32';
  width: number;
  rows: number;
  by_frame: boolean;
}

export type TableName =
  | 'vertices'
  | 'triangles'
  | 'faces'
  | 'time'
  | 'poses'
  | 'nodes'
  | 'stress'
  | 'joint_forces'
  | 'series'
  | 'contact_offset'
  | 'contacts'
  | 'patches'
  | 'ahead';

export interface PackedTable {
  name: TableName;
  at: number;
  period?: number;
  delta?: boolean;
  offset?: number[];
  scale?: number[];
}

export interface Header {
  format: string;
  version: number;
  title: string;
  scene_path: string;
  tenon: string;
  solver: string;
  law: string;
  scheme: string;
  step: number;
  frames: number;
  rigid: number;
  extent: number;
  low?: (number | null)[]; // where what moves is [m]; null: nothing does
  high?: (number | null)[];
  force?: number; // [N] a large contact force
  bodies: { name: string; kind: BodyKind; color: [red: number, green: number, blue: number]; texture?: 'checker' }[];
  views?: { name: string; from?: [number, number, number]; at?: [number, number, number]; follow?: number }[];
  geometries: Geometry[];
  shapes: Shape[];
  softs: Soft[];
  joints?: Joint[];
  tables: TableInfo[];
  series: Series[];
  lanes?: string[]; // what the bits of plan/mode and plan/slides stand for
  packed?: PackedTable[];
  live?: { solvers: string[]; laws: string[] }; // a simulation that runs
}

/** Numbers of a row of `contacts`. */
export const CONTACT = { bodyA: 0, bodyB: 1, point: 2, normal: 5, force: 8, slip: 11, width: 12 } as const;

/** Numbers of a row of `patches`: two edges of a foundation's element, zero for other contacts. No rows without foundations. */
export const PATCH = { width: 6 } as const;

export interface Frame {
  index: number;
  time: number;
  poses: Float32Array; // (rigid, 7) position, quaternion w x y z
  nodes: Float32Array; // (nodes, 3)
  stress: Float32Array; // (nodes) von Mises [Pa]
  jointForces: Float32Array; // (joints, 3) on body b [N]; NaN: not known
  contacts: Float32Array; // (n, 12)
  patches: Float32Array; // (n, 6) of the contacts; empty: no foundations
  ahead: Float32Array; // (4, rigid, 7) of a controller's plan; NaN: none; empty: no controller
}

export interface Statics {
  vertices: Float32Array;
  triangles: Uint32Array;
  faces: Uint32Array;
  time: Float64Array;
  series: Float32Array; // (frames, series)
}

/** Numbers of a row of a body's history (src/view/view.h, tn_view_body). */
export const HISTORY = { time: 0, position: 1, force: 4, pressed: 5, friction: 6, contacts: 7, width: 8, rowsMax: 2000 } as const;

/** Where a recording comes from: inside the page, or rows from the program that serves it. */
export interface Source {
  readonly header: Header;
  readonly statics: Statics;
  /** The frame if it is at hand; otherwise undefined, and it will be soon. */
  frame(index: number): Frame | undefined;
  /** The same, but nothing is fetched for it. */
  peek(index: number): Frame | undefined;
  /** Resolves when the frame is at hand. */
  load(index: number): Promise<Frame>;
  /** A body over time, rows of HISTORY.width numbers. */
  history(body: number): Promise<Float64Array>;
}

export function tableInfo(header: Header, name: TableName): TableInfo {
  const info = header.tables.find((t) => t.name === name);
  if (!info) {
    throw new Error(`the recording has no table '${name}'`);
  }
  return info;
}

export function hasFoundation(header: Header): boolean {
  return tableInfo(header, 'patches').width > 0;
}

export function checkHeader(header: Header): Header {
  if (header.format !== 'tenon view' || header.version !== 1) {
    throw new Error('this is not a recording that this viewer can show');
  }
  return header;
}
