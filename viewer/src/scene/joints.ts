// Joints: a point where each is, and its axis; what only holds a place has no axis. What they hold with is drawn as arrows.
import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments, Points, PointsMaterial, Quaternion, Vector3, type Group, type Matrix4 } from 'three';
import type { Frame, Joint } from '../data/header';
import { Arrows } from './arrows';
import { REACTION_COLOUR } from './colours';
import { drawnLength, type ForceScale } from './forces';
import { bytesOf } from './strokes';

const COLOUR = 0xb5179e;
const REACTION = bytesOf(REACTION_COLOUR);
const WITH_AXIS = new Set(['revolute', 'prismatic', 'cylindrical', 'universal', 'screw', 'planar', 'point_on_line', 'point_on_plane']);

export class Joints {
  private readonly ends: { body: number; place: Vector3; half: Vector3; bare: number[] }[];
  private readonly points: Points;
  private readonly lines: LineSegments;

  /** bare: bodies without a shape, each drawn as lines from its centre to its joints. */
  constructor(joints: Joint[], bare: Set<number>, length: number, group: Group) {
    this.ends = joints.map((joint) => {
      const [w, x, y, z] = joint.quaternion;
      const half = new Vector3(WITH_AXIS.has(joint.type) ? 0.5 * length : 0, 0, 0).applyQuaternion(new Quaternion(x, y, z, w));
      const arms = [joint.body, joint.other].filter((body) => bare.has(body));
      return { body: joint.body, place: new Vector3(...joint.position), half, bare: arms };
    });
    const buffer = (n: number) => new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(3 * n), 3));
    const lines = this.ends.reduce((n, { bare: arms }) => n + 1 + arms.length, 0);
    const look = { color: COLOUR, depthTest: false };
    this.points = new Points(buffer(joints.length), new PointsMaterial({ ...look, size: 7, sizeAttenuation: false }));
    this.lines = new LineSegments(buffer(2 * lines), new LineBasicMaterial(look));
    for (const object of [this.points, this.lines]) {
      object.frustumCulled = false;
      object.renderOrder = 1;
      group.add(object);
    }
  }

  set visible(on: boolean) {
    this.points.visible = this.lines.visible = on;
  }

  show(matrix: (body: number) => Matrix4): void {
    const at = this.points.geometry.getAttribute('position');
    const line = this.lines.geometry.getAttribute('position');
    let end = 0;
    const put = (place: Vector3) => line.setXYZ(end++, place.x, place.y, place.z);
    this.ends.forEach(({ body, place, half, bare }, k) => {
      const to = matrix(body);
      const point = (where: Vector3) => where.clone().applyMatrix4(to);
      const joint = point(place);
      at.setXYZ(k, joint.x, joint.y, joint.z);
      put(point(place.clone().sub(half)));
      put(point(place.clone().add(half)));
      for (const arm of bare) {
        put(new Vector3().setFromMatrixPosition(matrix(arm)));
        put(joint);
      }
    });
    at.needsUpdate = line.needsUpdate = true;
  }
}

/** Force of each joint on its second body, at the joint. */
export class JointForces {
  private readonly arrows: Arrows;
  private readonly place = new Vector3();

  constructor(
    private readonly joints: Joint[],
    group: Group,
    private readonly scale: ForceScale,
  ) {
    this.arrows = new Arrows(group);
  }

  set visible(on: boolean) {
    this.arrows.visible = on;
  }

  get visible(): boolean {
    return this.arrows.visible;
  }

  get drawnLines(): number {
    return this.arrows.drawnLines;
  }

  show(frame: Frame, matrix: (body: number) => Matrix4): void {
    if (!this.visible) {
      return;
    }
    const { arrows, joints, place } = this;
    arrows.begin(joints.length, 0);
    joints.forEach((joint, k) => {
      const [u, v, w] = frame.jointForces.subarray(3 * k, 3 * k + 3) as unknown as [number, number, number];
      const s = drawnLength(this.scale, Math.sqrt(u * u + v * v + w * w));
      if (s > 0) {
        place.set(...joint.position).applyMatrix4(matrix(joint.body));
        arrows.arrow(place.x, place.y, place.z, s * u, s * v, s * w, REACTION);
      }
    });
    arrows.end();
  }
}
