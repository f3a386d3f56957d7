// The pressure on foundations: a quad for each element, coloured by the scale, drawn over the body that stands on it.
import { DoubleSide, Mesh, type Group } from 'three';
import { CONTACT, PATCH, type Frame } from '../data/header';
import { scaleColour } from './colours';
import { plainStrokes } from './plain';
import { Strokes, type Bytes } from './strokes';

const CORNERS = [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]] as const; // of two triangles, in half edges
const EVEN = 0.01; // pressures that differ by less, of the largest, are one colour

/** Normal force over area of contact k's element [Pa]; undefined: it stands for none. */
export function pressureOf(frame: Frame, k: number): number | undefined {
  const e = frame.patches.subarray(PATCH.width * k, PATCH.width * (k + 1));
  if (e.length === 0) {
    return undefined;
  }
  const [a, b, c, u, v, w] = e as unknown as [number, number, number, number, number, number];
  const area = Math.sqrt((b * w - c * v) ** 2 + (c * u - a * w) ** 2 + (a * v - b * u) ** 2);
  let pressed = 0;
  for (let i = 0; i < 3; i++) {
    pressed += frame.contacts[CONTACT.width * k + CONTACT.force + i]! * frame.contacts[CONTACT.width * k + CONTACT.normal + i]!;
  }
  return area > 0 ? Math.max(0, pressed / area) : undefined;
}

/** Least and largest pressure in the frames [Pa]; undefined: there is no element. From 0 where all are alike. */
export function pressureRange(frames: Frame[]): [low: number, high: number] | undefined {
  let [low, high] = [Infinity, -Infinity];
  for (const frame of frames) {
    for (let k = 0; k < frame.patches.length / PATCH.width; k++) {
      const p = pressureOf(frame, k) ?? NaN;
      low = p < low ? p : low;
      high = p > high ? p : high;
    }
  }
  return high < low ? undefined : [high - low > EVEN * high ? low : 0, high];
}

export class Foundation {
  private readonly quads = new Strokes();
  private readonly mesh: Mesh;
  range: [low: number, high: number] = [0, 0]; // of the colours [Pa]

  constructor(group: Group) {
    this.mesh = new Mesh(this.quads.geometry, plainStrokes({ depthTest: false, depthWrite: false, side: DoubleSide }));
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 0.8; // after bodies and ground, before arrows
    group.add(this.mesh);
  }

  set visible(value: boolean) {
    this.mesh.visible = value;
  }

  get visible(): boolean {
    return this.mesh.visible;
  }

  /** Drawn now. */
  get elements(): number {
    return this.visible ? this.quads.n / CORNERS.length : 0;
  }

  show(frame: Frame): void {
    if (!this.visible) {
      return;
    }
    const { quads } = this;
    const [low, high] = this.range;
    const { contacts: c, patches: e } = frame;
    const n = e.length / PATCH.width;
    const rgb = new Float32Array(3);
    quads.reserve(CORNERS.length * n);
    quads.n = 0;
    for (let k = 0; k < n; k++) {
      const pressure = pressureOf(frame, k);
      if (pressure === undefined) {
        continue;
      }
      scaleColour((pressure - low) / (high - low), rgb, 0);
      const colour = Array.from(rgb, (x) => Math.round(255 * x)) as unknown as Bytes;
      const at = CONTACT.width * k + CONTACT.point;
      const [a, b] = [PATCH.width * k, PATCH.width * k + 3];
      for (const [p, q] of CORNERS) {
        const place = (i: number) => c[at + i]! + 0.5 * (p * e[a + i]! + q * e[b + i]!);
        quads.put(place(0), place(1), place(2), colour);
      }
    }
    quads.done();
  }
}
