// Soft bodies: one surface mesh each, coloured by body, by von Mises stress, contact pressure or speed.
import { BufferAttribute, BufferGeometry, Color, DoubleSide, Mesh, type Group } from 'three';
import type { Frame, Header, Statics } from '../data/header';
import { SurfacePressure } from './pressure';
import { bodyColours, scaleLight, SELECT_COLOUR } from './colours';
import { dress, surfaces } from './quality';

interface SoftMesh {
  body: number;
  mesh: Mesh;
  nodes: Uint32Array; // node of each vertex
  colour: Color;
  touched: SurfacePressure;
}

export type SoftQuantity = 'stress' | 'pressure' | 'speed' | 'none';

export class SoftBodies {
  private readonly softs: SoftMesh[];
  private selected = -1;
  quantity: SoftQuantity = 'stress';
  top = 1; // of the legend [Pa, m/s]
  part = 0.99; // of the vertices with any value that stay below the legend's end
  before: (frame: Frame) => Frame | undefined = () => undefined; // the frame before, for speeds

  constructor(header: Header, statics: Statics, group: Group) {
    const colours = bodyColours(header);
    this.softs = header.softs.map((soft) => {
      const faces = statics.faces.subarray(3 * soft.faces[0], 3 * (soft.faces[0] + soft.faces[1]));
      const nodes = Uint32Array.from(new Set(faces)).sort();
      const vertex = new Map<number, number>();
      nodes.forEach((node, k) => vertex.set(node, k));
      const buffer = new BufferGeometry();
      buffer.setAttribute('position', new BufferAttribute(new Float32Array(3 * nodes.length), 3));
      buffer.setAttribute('normal', new BufferAttribute(new Float32Array(3 * nodes.length), 3));
      buffer.setAttribute('color', new BufferAttribute(new Float32Array(3 * nodes.length), 3));
      const corners = Uint32Array.from(faces, (node) => vertex.get(node)!);
      buffer.setIndex(new BufferAttribute(corners, 1));
      const mesh = new Mesh(buffer);
      dress(mesh, surfaces({ roughness: 0.6, vertexColors: true, side: DoubleSide }));
      mesh.frustumCulled = false;
      mesh.castShadow = true;
      mesh.receiveShadow = true;
      group.add(mesh);
      return { body: soft.body, mesh, nodes, colour: colours[soft.body]!, touched: new SurfacePressure(soft.body, nodes, corners) };
    });
  }

  get meshes(): Mesh[] {
    return this.softs.map((soft) => soft.mesh);
  }

  bodyAt(mesh: Mesh): number {
    return this.softs.find((soft) => soft.mesh === mesh)?.body ?? -1;
  }

  select(body: number): void {
    this.selected = body;
  }

  show(frame: Frame): void {
    for (const soft of this.softs) {
      const buffer = soft.mesh.geometry;
      const position = buffer.getAttribute('position') as BufferAttribute;
      const colour = buffer.getAttribute('color') as BufferAttribute;
      const at = position.array as Float32Array;
      const rgb = colour.array as Float32Array;
      const flat = soft.body === this.selected ? new Color(SELECT_COLOUR) : soft.colour;
      const values = soft.body === this.selected ? undefined : this.values(soft, frame);
      for (let k = 0; k < soft.nodes.length; k++) {
        const node = soft.nodes[k]!;
        at[3 * k] = frame.nodes[3 * node]!;
        at[3 * k + 1] = frame.nodes[3 * node + 1]!;
        at[3 * k + 2] = frame.nodes[3 * node + 2]!;
        if (values) {
          scaleLight(values[k]! / this.top, rgb, 3 * k);
        } else {
          flat.toArray(rgb, 3 * k);
        }
      }
      position.needsUpdate = true;
      colour.needsUpdate = true;
      buffer.computeVertexNormals();
      buffer.boundingSphere = null;
      buffer.boundingBox = null;
    }
  }

  private speeds(soft: SoftMesh, frame: Frame): Float32Array {
    const last = this.before(frame);
    const dt = last ? frame.time - last.time : 0;
    return Float32Array.from(soft.nodes, (node) => {
      const moved = (i: number) => frame.nodes[3 * node + i]! - last!.nodes[3 * node + i]!;
      return dt > 0 ? Math.hypot(moved(0), moved(1), moved(2)) / dt : 0;
    });
  }

  /** What colours a body, a number a vertex [Pa, m/s]. */
  private values(soft: SoftMesh, frame: Frame): Float32Array | undefined {
    if (this.quantity === 'pressure') {
      return soft.touched.at(frame);
    }
    if (this.quantity === 'speed') {
      return this.speeds(soft, frame);
    }
    return this.quantity === 'stress' ? Float32Array.from(soft.nodes, (node) => frame.stress[node]!) : undefined;
  }

  /** What the legend's part of the vertices with any stay below in these frames [Pa, m/s]; 0: there is none. */
  topOf(frames: Frame[]): number {
    const values = frames.flatMap((frame) => this.softs.flatMap((soft) => Array.from(this.values(soft, frame) ?? [])));
    const loaded = values.filter((v) => v > 0).sort((a, b) => a - b);
    return loaded[Math.floor(this.part * (loaded.length - 1))] ?? 0;
  }
}
