// Balls of few triangles, for a processor that draws a thousand of them: each triangle costs it a third of a microsecond.
import { BufferAttribute, BufferGeometry, IcosahedronGeometry } from 'three';
import type { Geometry } from '../data/header';

const BUDGET = 100_000; // triangles of a picture that need no saving
const ROUND = new Set(['sphere', 'ellipsoid', 'capsule']);
const ROLLS = new Set(['sphere', 'ellipsoid', 'capsule', 'cylinder', 'cone', 'disk', 'ellipse', 'points']);

/** How finely to draw balls when all shapes together have so many triangles, of which `round` shapes are balls: the number
 * of times that an icosahedron's faces are split, or undefined for as they come. */
export function coarseness(triangles: number, round: number): number | undefined {
  return triangles <= BUDGET ? undefined : 80 * round <= 4 * BUDGET ? 1 : 0;
}

export function isRound(kind: string): boolean {
  return ROUND.has(kind);
}

/** Whether a shape can turn without being seen to: it gets a mark. */
export function rolls(kind: string): boolean {
  return ROLLS.has(kind);
}

/** A sphere, ellipsoid or capsule (along z) with the corners of a split icosahedron on its surface. */
export function coarseRound({ kind, size }: Geometry, detail: number): BufferGeometry {
  const ball = new IcosahedronGeometry(1, detail).getAttribute('position');
  const known = new Map<string, number>();
  const at: number[] = [];
  const normal: number[] = [];
  const index: number[] = [];
  for (let k = 0; k < ball.count; k++) {
    const d = [ball.getX(k), ball.getY(k), ball.getZ(k)] as const;
    const key = d.map((x) => Math.round(1e4 * x)).join();
    if (!known.has(key)) {
      known.set(key, at.length / 3);
      const axes = kind === 'ellipsoid' ? size : [size[0], size[0], size[0]];
      const shift = kind === 'capsule' ? (d[2] < 0 ? -size[1] : size[1]) : 0;
      const n = d.map((x, i) => x / axes[i]!);
      const length = Math.hypot(...n);
      at.push(d[0] * axes[0]!, d[1] * axes[1]!, d[2] * axes[2]! + shift);
      normal.push(...n.map((x) => x / length));
    }
    index.push(known.get(key)!);
  }
  const buffer = new BufferGeometry();
  buffer.setAttribute('position', new BufferAttribute(Float32Array.from(at), 3));
  buffer.setAttribute('normal', new BufferAttribute(Float32Array.from(normal), 3));
  buffer.setIndex(new BufferAttribute(Uint32Array.from(index), 1));
  return buffer;
}
