// Joints: a point where each is, and its axis; what only holds a place has no axis.
import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments, Points, PointsMaterial, Quaternion, Vector3, type Group, type Matrix4 } from 'three';
import type { Joint } from '../data/header';

const COLOUR = 0xb5179e;
const WITH_AXIS = new Set(['revolute', 'prismatic', 'cylindrical', 'universal', 'planar', 'point_on_line', 'point_on_plane']);

export class Joints {
  private readonly ends: { body: number; place: Vector3; half: Vector3 }[];
  private readonly points: Points;
  private readonly lines: LineSegments;

  constructor(joints: Joint[], length: number, group: Group) {
    this.ends = joints.map((joint) => {
      const [w, x, y, z] = joint.quaternion;
      const half = new Vector3(WITH_AXIS.has(joint.type) ? 0.5 * length : 0, 0, 0).applyQuaternion(new Quaternion(x, y, z, w));
      return { body: joint.body, place: new Vector3(...joint.position), half };
    });
    const buffer = (n: number) => new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(3 * n), 3));
    const look = { color: COLOUR, depthTest: false };
    this.points = new Points(buffer(joints.length), new PointsMaterial({ ...look, size: 7, sizeAttenuation: false }));
    this.lines = new LineSegments(buffer(2 * joints.length), new LineBasicMaterial(look));
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
    this.ends.forEach(({ body, place, half }, k) => {
      const to = matrix(body);
      const point = (where: Vector3) => where.clone().applyMatrix4(to);
      at.setXYZ(k, ...point(place).toArray());
      line.setXYZ(2 * k, ...point(place.clone().sub(half)).toArray());
      line.setXYZ(2 * k + 1, ...point(place.clone().add(half)).toArray());
    });
    at.needsUpdate = line.needsUpdate = true;
  }
}
