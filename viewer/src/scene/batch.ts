// All rigid shapes as one mesh, moved and lit by this page's own thread: a processor that draws takes each instance of a
// mesh as a picture of its own, twenty microseconds each, and has no thread to spare for its light.
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Matrix4, Mesh } from 'three';
import { LIGHTS, plainStrokes } from './plain';

interface Part {
  geometry: BufferGeometry;
  marked?: boolean; // every other eighth is darker
  instances: { body: number; local: Matrix4; colour: Color }[];
}

export const MARK = 0.62; // of the light, where a round shape is marked

const STEPS = 4096; // of brightness in the table of bytes

/** The byte of the screen for a brightness of k / STEPS. */
const BYTES = Uint8Array.from({ length: STEPS + 1 }, (_, k) => {
  const x = k / STEPS;
  return Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));
});

function byteOf(brightness: number): number {
  return BYTES[Math.min(STEPS, Math.round(STEPS * brightness))]!;
}

/** Light of sun and sky on mat surfaces: linear red, green, blue for a normal. */
class Light {
  private readonly sun = LIGHTS.sun.place.clone().normalize();
  private readonly sunlight = new Color(LIGHTS.sun.colour).multiplyScalar(LIGHTS.sun.brightness / Math.PI);
  private readonly up = LIGHTS.sky.up;
  private readonly middle: Color; // of the sky
  private readonly swing: Color; // half of above less below

  constructor() {
    const scale = (0.5 * LIGHTS.sky.brightness) / Math.PI;
    const [above, below] = [new Color(LIGHTS.sky.above), new Color(LIGHTS.sky.below)];
    const mix = (sign: number, more: number) =>
      new Color(above.r + sign * below.r, above.g + sign * below.g, above.b + sign * below.b).multiplyScalar(scale).addScalar(more);
    this.middle = mix(1, LIGHTS.everywhere / Math.PI);
    this.swing = mix(-1, 0);
  }

  shade(x: number, y: number, z: number, colour: Color, out: Uint8Array, at: number): void {
    const { sun, sunlight, up, middle, swing } = this;
    const direct = Math.max(0, sun.x * x + sun.y * y + sun.z * z);
    const high = up.x * x + up.y * y + up.z * z;
    out[at] = byteOf(colour.r * (middle.r + high * swing.r + direct * sunlight.r));
    out[at + 1] = byteOf(colour.g * (middle.g + high * swing.g + direct * sunlight.g));
    out[at + 2] = byteOf(colour.b * (middle.b + high * swing.b + direct * sunlight.b));
  }
}

export class Batch {
  readonly mesh: Mesh;
  private readonly at: BufferAttribute;
  private readonly rgb: BufferAttribute;
  private readonly light = new Light();
  private readonly world = new Matrix4();
  private readonly dark = new Color();

  constructor(private readonly parts: Part[]) {
    let vertices = 0;
    let corners = 0;
    for (const { geometry, instances } of parts) {
      vertices += instances.length * geometry.getAttribute('position').count;
      corners += instances.length * geometry.index!.count;
    }
    const index = new Uint32Array(corners);
    let vertex = 0;
    let corner = 0;
    for (const { geometry, instances } of parts) {
      const own = geometry.index!.array;
      for (let k = 0; k < instances.length; k++) {
        for (let i = 0; i < own.length; i++) {
          index[corner++] = vertex + own[i]!;
        }
        vertex += geometry.getAttribute('position').count;
      }
    }
    this.at = new BufferAttribute(new Float32Array(3 * vertices), 3).setUsage(DynamicDrawUsage);
    this.rgb = new BufferAttribute(new Uint8Array(4 * vertices), 4, true).setUsage(DynamicDrawUsage);
    const buffer = new BufferGeometry();
    buffer.setAttribute('position', this.at);
    buffer.setAttribute('color', this.rgb);
    buffer.setIndex(new BufferAttribute(index, 1));
    // Set back a little, so that points and lines on a surface are seen.
    this.mesh = new Mesh(buffer, plainStrokes({ polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }));
    this.mesh.frustumCulled = false;
  }

  /** matrix: of a body. bright: the colour of the selected one. */
  show(matrix: (body: number) => Matrix4, selected: number, bright: Color): void {
    let vertex = 0;
    for (const { geometry, marked, instances } of this.parts) {
      const own = geometry.getAttribute('position').array as Float32Array;
      const normal = geometry.getAttribute('normal').array as Float32Array;
      for (const { body, local, colour } of instances) {
        this.world.multiplyMatrices(matrix(body), local);
        const shown = body === selected ? bright : colour;
        this.move(own, normal, shown, vertex, marked ? this.dark.copy(shown).multiplyScalar(MARK) : shown);
        vertex += own.length / 3;
      }
    }
    this.at.needsUpdate = this.rgb.needsUpdate = true;
  }

  private move(own: Float32Array, normal: Float32Array, colour: Color, first: number, dark: Color): void {
    const m = this.world.elements as unknown as Float32Array;
    const [a, b, c, d, e, f, g, h, i] = [m[0]!, m[1]!, m[2]!, m[4]!, m[5]!, m[6]!, m[8]!, m[9]!, m[10]!];
    const [p, q, r] = [m[12]!, m[13]!, m[14]!];
    const at = this.at.array as Float32Array;
    const rgb = this.rgb.array as Uint8Array;
    for (let k = 0, to = 3 * first; k < own.length; k += 3, to += 3) {
      const [x, y, z] = [own[k]!, own[k + 1]!, own[k + 2]!];
      at[to] = a * x + d * y + g * z + p;
      at[to + 1] = b * x + e * y + h * z + q;
      at[to + 2] = c * x + f * y + i * z + r;
      const [u, v, w] = [normal[k]!, normal[k + 1]!, normal[k + 2]!];
      this.light.shade(a * u + d * v + g * w, b * u + e * v + h * w, c * u + f * v + i * w, x * y * z > 1e-12 ? dark : colour, rgb, (4 * to) / 3);
    }
  }
}
