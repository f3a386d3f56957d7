// Rigid shapes: each geometry is one instanced mesh, however many bodies carry it; drawn by a processor, all are one mesh.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  InstancedBufferAttribute,
  InstancedMesh,
  Matrix4,
  Quaternion,
  SRGBColorSpace,
  Vector3,
  type Group,
} from 'three';
import type { Frame, Header, Shape, Statics } from '../data/header';
import { bodyColours, SELECT_COLOUR } from './colours';
import { flatFaces } from './faces';
import { Batch } from './batch';
import { isPattern, patternOf, weavePatterns } from './pattern';
import { coarseness, coarseRound, isRound, rolls } from './round';
import { software, surfaces } from './quality';

const SMOOTH = new Set(['sphere', 'capsule', 'ellipsoid', 'points']);

interface Instance {
  body: number;
  local: Matrix4;
  colour: Color;
}

interface Kind {
  marked: boolean;
  mesh: InstancedMesh;
  instances: Instance[];
}

function detailOf(header: Header): number | undefined {
  const drawn = header.shapes.map((shape) => header.geometries[shape.geometry]!);
  const triangles = drawn.reduce((sum, geometry) => sum + geometry.triangles[1], 0);
  return coarseness(triangles, drawn.filter((geometry) => isRound(geometry.kind)).length);
}

/** What is seen of each body: its visual shapes where it has any, else those that touch. */
export function seenShapes(header: Header): Shape[] {
  const dressed = new Set(header.shapes.filter((shape) => shape.visual).map((shape) => shape.body));
  return header.shapes.filter((shape) => shape.visual || !dressed.has(shape.body));
}

function roundSurface(at: Float32Array, corners: Uint32Array): BufferGeometry {
  const buffer = new BufferGeometry();
  buffer.setAttribute('position', new BufferAttribute(at, 3));
  buffer.setIndex(new BufferAttribute(corners, 1));
  buffer.computeVertexNormals();
  return buffer;
}

export class RigidBodies {
  private readonly kinds: Kind[] = [];
  private readonly bodies: Matrix4[];
  private readonly bright = new Color(SELECT_COLOUR);
  private selected = -1;
  private readonly batch: Batch | undefined; // in place of the instanced meshes, which rays still need

  constructor(
    private readonly header: Header,
    statics: Statics,
    group: Group,
  ) {
    this.bodies = Array.from({ length: header.rigid }, () => new Matrix4());
    const detail = software ? detailOf(header) : undefined;
    const colours = bodyColours(header);
    const seen = seenShapes(header);
    header.geometries.forEach((geometry, g) => {
      const shapes = seen.filter((s) => s.geometry === g);
      if (geometry.kind === 'plane' || shapes.length === 0 || geometry.triangles[1] === 0) {
        return; // planes are drawn by the ground
      }
      const [v0, nv] = geometry.vertices;
      const [t0, nt] = geometry.triangles;
      const at = statics.vertices.slice(3 * v0, 3 * (v0 + nv));
      const corners = statics.triangles.slice(3 * t0, 3 * (t0 + nt));
      const exact = () => (SMOOTH.has(geometry.kind) ? roundSurface(at, corners) : flatFaces(at, corners));
      const buffer = detail !== undefined && isRound(geometry.kind) ? coarseRound(geometry, detail) : exact();
      const { fine } = surfaces({ roughness: 0.55 });
      const patterns = shapes.map((shape) => patternOf(geometry, header.bodies[shape.body]!));
      if (patterns.some(isPattern)) {
        fine.onBeforeCompile = weavePatterns; // every pixel of a processor's pays for it
        buffer.setAttribute('pattern', new InstancedBufferAttribute(Float32Array.from(patterns.flat()), 2));
      }
      const mesh = new InstancedMesh(buffer, fine, shapes.length);
      mesh.frustumCulled = false;
      mesh.castShadow = true;
      mesh.receiveShadow = true;
      const instances = shapes.map((shape) => {
        const [w, x, y, z] = shape.quaternion;
        const local = new Matrix4().compose(
          new Vector3(...shape.position),
          new Quaternion(x, y, z, w),
          new Vector3(1, 1, 1),
        );
        return { body: shape.body, local, colour: shape.color ? new Color().setRGB(...shape.color, SRGBColorSpace) : colours[shape.body]! };
      });
      instances.forEach((instance, k) => mesh.setColorAt(k, instance.colour));
      group.add(mesh);
      this.kinds.push({ mesh, instances, marked: rolls(geometry.kind) });
    });
    if (software) {
      this.batch = new Batch(this.kinds.map(({ mesh, instances, marked }) => ({ geometry: mesh.geometry, instances, marked })));
      this.batch.mesh.userData['plainOnly'] = true;
      group.add(this.batch.mesh);
      this.kinds.forEach(({ mesh }) => {
        mesh.userData['fineOnly'] = true;
        mesh.visible = false;
      });
    }
  }

  /** Instanced meshes to cast rays at; bodyAt tells whose an instance is. */
  get meshes(): InstancedMesh[] {
    return this.kinds.map((kind) => kind.mesh);
  }

  /** What is drawn of the bodies: surfaces, each with its copies. */
  get parts(): { geometry: BufferGeometry; instances: Instance[] }[] {
    return this.kinds.map(({ mesh: { geometry }, instances }) => ({ geometry, instances }));
  }

  bodyAt(mesh: InstancedMesh, instance: number): number {
    return this.kinds.find((kind) => kind.mesh === mesh)?.instances[instance]?.body ?? -1;
  }

  matrix(body: number): Matrix4 {
    return this.bodies[body]!;
  }

  select(body: number): void {
    if (body === this.selected) {
      return;
    }
    this.selected = body;
    const bright = this.bright;
    for (const { mesh, instances } of this.kinds) {
      instances.forEach((instance, k) => mesh.setColorAt(k, instance.body === body ? bright : instance.colour));
      mesh.instanceColor!.needsUpdate = true;
    }
  }

  show(frame: Frame): void {
    const position = new Vector3();
    const quaternion = new Quaternion();
    const one = new Vector3(1, 1, 1);
    for (let b = 0; b < this.header.rigid; b++) {
      const p = 7 * b;
      position.set(frame.poses[p]!, frame.poses[p + 1]!, frame.poses[p + 2]!);
      quaternion.set(frame.poses[p + 4]!, frame.poses[p + 5]!, frame.poses[p + 6]!, frame.poses[p + 3]!).normalize();
      this.bodies[b]!.compose(position, quaternion, one);
    }
    const world = new Matrix4();
    for (const { mesh, instances } of this.kinds) {
      instances.forEach((instance, k) => {
        world.multiplyMatrices(this.bodies[instance.body]!, instance.local);
        mesh.setMatrixAt(k, world);
      });
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // rays need it anew
    }
    this.batch?.show((body) => this.bodies[body]!, this.selected, this.bright);
  }
}
