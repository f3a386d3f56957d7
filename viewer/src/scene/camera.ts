// Where the camera stands: it frames what moves as large as the window allows, follows a body, and knows views by name.
import { Box3, Matrix4, PerspectiveCamera, Quaternion, Vector3 } from 'three';
import type { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Frame, Header, Shape, Statics } from '../data/header';
import { placeOf } from '../data/history';

export interface Framed {
  low: Vector3;
  high: Vector3;
}

export interface NamedView {
  name: string;
  way?: [number, number, number]; // from what is looked at towards the camera
  from?: [number, number, number]; // or the camera's place, and what it looks at, from the followed body's origin [m]
  at?: [number, number, number];
  follow?: number; // a body
}

export const VIEWS: NamedView[] = [
  { name: 'overview', way: [0.6, -0.8, 0.36] },
  { name: 'front', way: [0, -1, 0.12] },
  { name: 'side', way: [1, 0, 0.12] },
  { name: 'top', way: [0, -0.001, 1] },
];

const AIR = 1.12; // around what is framed
const FAR = 3; // of their own size: things that go further are followed

/** Distance from the middle of a box from which a camera of these half angles (tangents) sees all of it. */
export function distanceOf({ low, high }: Framed, way: Vector3, tanX: number, tanY: number): number {
  const right = new Vector3(0, 0, 1).cross(way).normalize();
  const up = way.clone().cross(right);
  const half = high.clone().sub(low).multiplyScalar(0.5);
  let most = 1e-3;
  for (let k = 0; k < 8; k++) {
    const corner = new Vector3(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z);
    const near = corner.dot(way);
    most = Math.max(most, near + Math.abs(corner.dot(right)) / tanX, near + Math.abs(corner.dot(up)) / tanY);
  }
  return AIR * most;
}

/** From a shape's own axes to the world's. */
function placed(frame: Frame, shape: Shape): Matrix4 {
  const one = new Vector3(1, 1, 1);
  const [w, x, y, z] = shape.quaternion;
  const p = frame.poses.subarray(7 * shape.body, 7 * shape.body + 7);
  const body = new Matrix4().compose(new Vector3().fromArray(p), new Quaternion(p[4], p[5], p[6], p[3]), one);
  return body.multiply(new Matrix4().compose(new Vector3(...shape.position), new Quaternion(x, y, z, w), one));
}

export class Eye {
  readonly camera = new PerspectiveCamera(35, 1, 0.01, 1000);
  controls!: OrbitControls; // set before the first look
  followed = -1; // body that the camera goes along with
  private place?: [number, number, number]; // of it, when the camera last went along
  readonly views: NamedView[];
  view: NamedView;

  private readonly local: Box3[]; // of each geometry, in its own axes

  constructor(
    private readonly header: Header,
    statics: Statics,
  ) {
    this.local = header.geometries.map(({ vertices: [first, n] }) => new Box3().setFromArray(statics.vertices.subarray(3 * first, 3 * (first + n))));
    this.camera.up.set(0, 0, 1);
    const own = header.views ?? []; // the scene's own come first, also in place of one of the same name
    this.views = [...own, ...VIEWS.filter(({ name }) => !own.some((view) => view.name === name))];
    this.view = this.views[0]!;
  }

  /** The box around what moves in this frame; without anything that moves around everything. */
  box(frame: Frame): Framed {
    return this.boxOf(frame, (kind) => kind !== 'fixed') ?? this.boxOf(frame, () => true) ?? { low: new Vector3(-1, -1, -1), high: new Vector3(1, 1, 1) };
  }

  private boxOf(frame: Frame, counts: (kind: string) => boolean): Framed | undefined {
    const all = new Box3();
    for (const shape of this.header.shapes) {
      if (this.header.geometries[shape.geometry]!.kind !== 'plane' && counts(this.header.bodies[shape.body]!.kind)) {
        all.union(this.local[shape.geometry]!.clone().applyMatrix4(placed(frame, shape)));
      }
    }
    for (let i = 0; i < frame.nodes.length; i += 3) {
      all.expandByPoint(new Vector3().fromArray(frame.nodes, i));
    }
    return !all.isEmpty() && Number.isFinite(all.min.lengthSq() + all.max.lengthSq()) ? { low: all.min, high: all.max } : undefined;
  }

  /** The box grows to where things go later, but not after one that flies away. */
  private reachOut({ low, high }: Framed): void {
    const { low: from, high: to } = this.header;
    if (!from || !to || from.includes(null) || to.includes(null)) {
      return;
    }
    const room = 0.6 * low.distanceTo(high);
    low.min(new Vector3(...(from as number[])).max(low.clone().subScalar(room)));
    high.max(new Vector3(...(to as number[])).min(high.clone().addScalar(room)));
  }

  /** Fixed things beside what moves, no larger than it, are seen too: a crate, a frame. */
  private addSurroundings(frame: Frame, box: Framed): void {
    const size = box.low.distanceTo(box.high);
    const middle = box.low.clone().add(box.high).multiplyScalar(0.5);
    const fixed = this.boxOf(frame, (kind) => kind === 'fixed');
    if (fixed && fixed.low.distanceTo(middle) < 1.3 * size && fixed.high.distanceTo(middle) < 1.3 * size) {
      box.low.min(fixed.low);
      box.high.max(fixed.high);
    }
  }

  /** A body to follow from the start, because what moves goes far: the largest; -1: none needs it. */
  private farGoer(frame: Frame): number {
    const { low, high } = this.header;
    const box = this.box(frame);
    if (!low || !high || low.includes(null) || high.includes(null)) {
      return -1;
    }
    const way = new Vector3(...(high as number[])).distanceTo(new Vector3(...(low as number[])));
    if (!(way > FAR * box.low.distanceTo(box.high))) {
      return -1;
    }
    const size = (body: number) => Math.max(0, ...this.header.shapes.filter((s) => s.body === body).map((s) => {
      const [a, b, c] = this.header.geometries[s.geometry]!.size;
      return Math.max(a, b, c);
    }));
    const movers = this.header.bodies.map((_, b) => b).filter((b) => b > 0 && this.header.bodies[b]!.kind === 'free');
    return movers.reduce((best, b) => (best < 0 || size(b) > size(best) ? b : best), -1);
  }

  /** By a view's name; how large what is framed is. */
  look(frame: Frame, view = this.view): number {
    this.view = view;
    this.followed = view.follow ?? this.farGoer(frame);
    this.place = this.followed >= 0 ? placeOf(this.header, frame, this.followed) : undefined;
    const box = this.box(frame);
    if (this.followed < 0) {
      this.reachOut(box);
      this.addSurroundings(frame, box);
    }
    const size = box.low.distanceTo(box.high);
    const middle = box.low.clone().add(box.high).multiplyScalar(0.5);
    const place = view.follow === undefined ? undefined : placeOf(this.header, frame, view.follow);
    const origin = new Vector3(...(place ?? [0, 0, 0]));
    this.controls.target.copy(view.at ? origin.clone().add(new Vector3(...view.at)) : place ? origin : middle);
    if (view.from) {
      this.camera.position.copy(origin).add(new Vector3(...view.from));
    } else {
      const way = new Vector3(...(view.way ?? VIEWS[0]!.way!)).normalize();
      const tan = Math.tan((0.5 * this.camera.fov * Math.PI) / 180);
      this.camera.position.copy(this.controls.target).addScaledVector(way, distanceOf(box, way, tan * this.camera.aspect, tan));
    }
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = 0.02 * distance;
    this.camera.far = 400 * distance + 10 * this.header.extent;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    return size;
  }

  follow(body: number): void {
    this.followed = body;
    this.place = undefined;
  }

  /** The camera goes as the followed body went. */
  go(frame: Frame): void {
    const at = this.followed >= 0 ? placeOf(this.header, frame, this.followed) : undefined;
    if (at && this.place && Number.isFinite(at[0])) {
      const step = new Vector3(...at).sub(new Vector3(...this.place));
      this.camera.position.add(step);
      this.controls.target.add(step);
    }
    this.place = at;
  }
}
