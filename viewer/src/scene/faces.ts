// A surface of flat faces: each corner as often as faces of different directions meet there, not once a triangle.
import { BufferAttribute, BufferGeometry } from 'three';

const SAME = 1 - 1e-6; // cosine between normals of one face

/** at: (vertices, 3); corners: (triangles, 3), counterclockwise from outside. */
export function flatFaces(at: Float32Array, corners: Uint32Array): BufferGeometry {
  const copies: number[][] = []; // of each vertex
  const position: number[] = [];
  const normal: number[] = [];
  const index: number[] = [];
  for (let t = 0; t < corners.length; t += 3) {
    const [a, b, c] = [3 * corners[t]!, 3 * corners[t + 1]!, 3 * corners[t + 2]!];
    const [ux, uy, uz] = [at[b]! - at[a]!, at[b + 1]! - at[a + 1]!, at[b + 2]! - at[a + 2]!];
    const [vx, vy, vz] = [at[c]! - at[a]!, at[c + 1]! - at[a + 1]!, at[c + 2]! - at[a + 2]!];
    const n = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx] as const;
    const size = Math.sqrt(n[0] ** 2 + n[1] ** 2 + n[2] ** 2) || 1;
    const [nx, ny, nz] = [n[0] / size, n[1] / size, n[2] / size];
    for (let i = 0; i < 3; i++) {
      const v = corners[t + i]!;
      const known = (copies[v] ??= []);
      let k = known.find((m) => nx * normal[3 * m]! + ny * normal[3 * m + 1]! + nz * normal[3 * m + 2]! > SAME);
      if (k === undefined) {
        k = position.length / 3;
        known.push(k);
        position.push(at[3 * v]!, at[3 * v + 1]!, at[3 * v + 2]!);
        normal.push(nx, ny, nz);
      }
      index.push(k);
    }
  }
  const buffer = new BufferGeometry();
  buffer.setAttribute('position', new BufferAttribute(Float32Array.from(position), 3));
  buffer.setAttribute('normal', new BufferAttribute(Float32Array.from(normal), 3));
  buffer.setIndex(new BufferAttribute(Uint32Array.from(index), 1));
  return buffer;
}
