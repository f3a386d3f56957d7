// Contact pressure on the surface of a soft body: the normal parts of its contacts' forces, shared out to the corners of
// the triangle that each lies on, over a third of the area of each node's triangles.
import { CONTACT, type Frame } from '../data/header';

export class SurfacePressure {
  private readonly pressure: Float32Array; // of each vertex [Pa]
  private readonly place: Float32Array; // (vertices, 3) [m]
  private readonly area: Float64Array; // [m^2]
  private readonly firstFace: Uint32Array; // (vertices + 1) into faces
  private readonly faces: Uint32Array; // of each vertex
  private readonly order: Uint32Array; // vertices along x
  private readonly weight = new Float64Array(3);

  /** nodes: of each vertex; corners: (triangles, 3) vertices. */
  constructor(
    private readonly body: number,
    private readonly nodes: Uint32Array,
    private readonly corners: Uint32Array,
  ) {
    const vertices = nodes.length;
    this.pressure = new Float32Array(vertices);
    this.place = new Float32Array(3 * vertices);
    this.area = new Float64Array(vertices);
    this.order = Uint32Array.from({ length: vertices }, (_, k) => k);
    this.firstFace = new Uint32Array(vertices + 1);
    corners.forEach((v) => this.firstFace[v + 1]!++);
    for (let v = 0; v < vertices; v++) {
      this.firstFace[v + 1]! += this.firstFace[v]!;
    }
    const next = this.firstFace.slice();
    this.faces = new Uint32Array(corners.length);
    corners.forEach((v, k) => (this.faces[next[v]!++] = Math.floor(k / 3)));
  }

  /** Of each vertex [Pa], until the next call. A body that touches itself: the vertex counts, not the triangle that it
   * touches. */
  at(frame: Frame): Float32Array {
    const c = frame.contacts;
    const at = this.place;
    this.nodes.forEach((node, k) => at.set(frame.nodes.subarray(3 * node, 3 * node + 3), 3 * k));
    this.pressure.fill(0);
    this.measureAreas(at);
    this.order.sort((a, b) => at[3 * a]! - at[3 * b]!);
    for (let k = 0; k < c.length; k += CONTACT.width) {
      if (c[k + CONTACT.bodyA] !== this.body && c[k + CONTACT.bodyB] !== this.body) {
        continue;
      }
      let pressed = 0;
      for (let i = 0; i < 3; i++) {
        pressed += c[k + CONTACT.force + i]! * c[k + CONTACT.normal + i]!;
      }
      if (pressed > 0) {
        this.shareOut(pressed, c[k + 2]!, c[k + 3]!, c[k + 4]!, at);
      }
    }
    for (let v = 0; v < this.pressure.length; v++) {
      this.pressure[v] = this.area[v]! > 0 ? this.pressure[v]! / this.area[v]! : 0;
    }
    return this.pressure;
  }

  private measureAreas(at: Float32Array): void {
    this.area.fill(0);
    for (let f = 0; f < this.corners.length; f += 3) {
      const [a, b, c] = [3 * this.corners[f]!, 3 * this.corners[f + 1]!, 3 * this.corners[f + 2]!];
      const [ux, uy, uz] = [at[b]! - at[a]!, at[b + 1]! - at[a + 1]!, at[b + 2]! - at[a + 2]!];
      const [vx, vy, vz] = [at[c]! - at[a]!, at[c + 1]! - at[a + 1]!, at[c + 2]! - at[a + 2]!];
      const third = Math.sqrt((uy * vz - uz * vy) ** 2 + (uz * vx - ux * vz) ** 2 + (ux * vy - uy * vx) ** 2) / 6;
      for (let i = 0; i < 3; i++) {
        this.area[this.corners[f + i]!]! += third;
      }
    }
  }

  /** Among the vertices along x, from the place outwards until none can be nearer. */
  private nearestVertex(x: number, y: number, z: number, at: Float32Array): number {
    const { order } = this;
    let low = 0;
    for (let high = order.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (at[3 * order[middle]!]! < x) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    let best = -1;
    let least = Infinity;
    const look = (k: number): boolean => {
      const v = 3 * order[k]!;
      const along = (at[v]! - x) ** 2;
      const square = along + (at[v + 1]! - y) ** 2 + (at[v + 2]! - z) ** 2;
      if (square < least) {
        least = square;
        best = order[k]!;
      }
      return along < least;
    };
    for (let k = low; k < order.length && look(k); k++);
    for (let k = low - 1; k >= 0 && look(k); k--);
    return best;
  }

  private shareOut(force: number, x: number, y: number, z: number, at: Float32Array): void {
    const vertex = this.nearestVertex(x, y, z, at);
    if (vertex < 0) {
      return;
    }
    let best = -1;
    let least = Infinity;
    const found = [0, 0, 0];
    for (let k = this.firstFace[vertex]!; k < this.firstFace[vertex + 1]!; k++) {
      const away = this.weigh(this.faces[k]!, x, y, z, at);
      if (away < least) {
        least = away;
        best = this.faces[k]!;
        found.splice(0, 3, ...this.weight);
      }
    }
    for (let i = 0; i < 3 && best >= 0; i++) {
      this.pressure[this.corners[3 * best + i]!]! += force * found[i]!;
    }
  }

  /** Barycentric weights of the place next to the point, none negative, and its squared distance. */
  private weigh(face: number, x: number, y: number, z: number, at: Float32Array): number {
    const [a, b, c] = [0, 1, 2].map((i) => 3 * this.corners[3 * face + i]!) as [number, number, number];
    const dot = (p: number, q: number): number => {
      let sum = 0;
      for (let i = 0; i < 3; i++) {
        sum += (at[p + i]! - at[a + i]!) * (at[q + i]! - at[a + i]!);
      }
      return sum;
    };
    const to = (p: number): number =>
      (at[p]! - at[a]!) * (x - at[a]!) + (at[p + 1]! - at[a + 1]!) * (y - at[a + 1]!) + (at[p + 2]! - at[a + 2]!) * (z - at[a + 2]!);
    const [bb, bc, cc, bx, cx] = [dot(b, b), dot(b, c), dot(c, c), to(b), to(c)];
    const scale = bb * cc - bc * bc || 1;
    const v = Math.max(0, (cc * bx - bc * cx) / scale);
    const w = Math.max(0, (bb * cx - bc * bx) / scale);
    const u = Math.max(0, 1 - (cc * bx - bc * cx + bb * cx - bc * bx) / scale);
    const sum = u + v + w;
    this.weight.set([u / sum, v / sum, w / sum]);
    let square = 0;
    for (let i = 0; i < 3; i++) {
      const place = (u * at[a + i]! + v * at[b + i]! + w * at[c + i]!) / sum;
      square += (place - [x, y, z][i]!) ** 2;
    }
    return square;
  }
}
