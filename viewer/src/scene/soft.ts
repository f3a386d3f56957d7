// Soft bodies: one surface mesh each, coloured by body, by von Mises stress or by contact pressure.
import { BufferAttribute, BufferGeometry, Color, DoubleSide, Mesh, type Group } from 'three';
import type { Frame, Header, Statics } from '../data/header';
import { SurfacePressure } from './pressure';
import { bodyColour, scaleColour, SELECT_COLOUR } from './colours';
import { surface, type Surface } from './quality';

interface SoftMesh {
  body: number;
  mesh: Mesh<BufferGeometry, Surface>;
  nodes: Uint32Array; // node of each vertex
  colour: Color;
  touched: SurfacePressure;
}

export type SoftQuantity = 'stress' | 'pressure' | 'none';

export class SoftBodies {
  private readonly softs: SoftMesh[];
  private selected = -1;
  quantity: SoftQuantity = 'stress';
  top = 1; // [Pa] of the legend

  constructor(header: Header, statics: Statics, group: Group) {
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
      const material = surface({ roughness: 0.75, vertexColors: true, side: DoubleSide });
      const mesh = new Mesh(buffer, material);
      mesh.frustumCulled = false;
      mesh.castShadow = true;
      mesh.receiveShadow = true;
      group.add(mesh);
      return { body: soft.body, mesh, nodes, colour: bodyColour(soft.body, 'soft'), touched: new SurfacePressure(soft.body, nodes, corners) };
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
          scaleColour(values[k]! / this.top, rgb, 3 * k);
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

  /** What colours a body, a number a vertex [Pa]. */
  private values(soft: SoftMesh, frame: Frame): Float32Array | undefined {
    if (this.quantity === 'pressure') {
      return soft.touched.at(frame);
    }
    return this.quantity === 'stress' ? Float32Array.from(soft.nodes, (node) => frame.stress[node]!) : undefined;
  }

  /** What all but one in a hundred of the vertices with any stay below in these frames [Pa]; 0: there is none. */
  topOf(frames: Frame[]): number {
    const values = frames.flatMap((frame) => this.softs.flatMap((soft) => Array.from(this.values(soft, frame) ?? [])));
    const loaded = values.filter((v) => v > 0).sort((a, b) => a - b);
    return loaded[Math.floor(0.99 * (loaded.length - 1))] ?? 0;
  }
}
