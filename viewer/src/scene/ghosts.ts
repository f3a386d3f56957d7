// Where a controller's plan has the bodies: translucent copies at four times of its horizon, the later the fainter.
import { InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, Vector3, type BufferGeometry, type Color, type Group } from 'three';
import { tableInfo, type Frame, type Header } from '../data/header';

const OPACITY = [0.3, 0.23, 0.17, 0.12];
const NEAR = 1e-6; // a body that the plan leaves where it is has no copies: of the scene's extent [m], of 1

interface Part {
  geometry: BufferGeometry;
  instances: { body: number; local: Matrix4; colour: Color }[];
}

export function hasPlans(header: Header): boolean {
  return tableInfo(header, 'ahead').width > 0;
}

export class Ghosts {
  private readonly copies: { mesh: InstancedMesh; time: number; instances: Part['instances'] }[] = [];
  private readonly place = new Matrix4();
  visible = true;

  /** parts: of the bodies themselves. */
  constructor(
    private readonly header: Header,
    parts: Part[],
    group: Group,
  ) {
    if (!hasPlans(header)) {
      return;
    }
    for (const { geometry, instances: all } of parts) {
      const instances = all.filter(({ body }) => header.bodies[body]!.kind === 'free');
      OPACITY.forEach((opacity, time) => {
        const mesh = new InstancedMesh(geometry, new MeshBasicMaterial({ transparent: true, opacity, depthWrite: false }), instances.length);
        mesh.frustumCulled = false;
        mesh.renderOrder = 0.9; // over ground and sky
        instances.forEach(({ colour }, k) => mesh.setColorAt(k, colour));
        group.add(mesh);
        this.copies.push({ mesh, time, instances });
      });
    }
  }

  /** How many copies are drawn. */
  get drawn(): number {
    return this.copies.reduce((sum, { mesh }) => sum + (mesh.visible ? mesh.count : 0), 0);
  }

  show({ ahead, poses }: Frame): void {
    const one = new Vector3(1, 1, 1);
    for (const { mesh, time, instances } of this.copies) {
      let n = 0;
      for (const { body, local, colour } of instances) {
        const p = ahead.subarray(7 * (time * this.header.rigid + body), 7 * (time * this.header.rigid + body + 1));
        const moves = p.some((x, i) => Math.abs(x - poses[7 * body + i]!) > NEAR * (i < 3 ? this.header.extent : 1));
        if (this.visible && moves) {
          this.place.compose(new Vector3(p[0], p[1], p[2]), new Quaternion(p[4], p[5], p[6], p[3]).normalize(), one);
          mesh.setMatrixAt(n, this.place.multiply(local));
          mesh.setColorAt(n++, colour);
        }
      }
      mesh.count = n;
      mesh.visible = n > 0;
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) {
        mesh.instanceColor.needsUpdate = true;
      }
    }
  }
}
