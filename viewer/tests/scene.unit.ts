// What the scene works out before anything is drawn: pressure, trails, flat faces, lengths of arrows, light.
import { BoxGeometry, BufferAttribute, BufferGeometry, Color, Group, Matrix4, Mesh, Quaternion, Vector3, type InstancedMesh } from 'three';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { CONTACT, type Frame } from '../src/data/header';
import { flatFaces } from '../src/scene/faces';
import { Foundation, pressureOf, pressureRange } from '../src/scene/foundation';
import { coarseness, coarseRound } from '../src/scene/round';
import { drawnLength, largestForce } from '../src/scene/forces';
import { SurfacePressure } from '../src/scene/pressure';
import { LIGHTS } from '../src/scene/plain';
import type { Batch as BatchType } from '../src/scene/batch';

const BODY = 3;

function frameOf(nodes: number[], contacts: number[][] = [], jointForces: number[] = []): Frame {
  const empty = new Float32Array(0);
  return {
    index: 0, time: 0, poses: empty, stress: empty,
    patches: empty, ahead: empty, nodes: Float32Array.from(nodes), contacts: Float32Array.from(contacts.flat()), jointForces: Float32Array.from(jointForces),
  };
}

/** A force that presses along z and rubs along x, on the body as b or as a. */
function contact(x: number, y: number, z: number, pressed: number, asA = false): number[] {
  return [asA ? BODY : 0, asA ? 0 : BODY, x, y, z, 0, 0, 1, 0.5 * pressed, 0, pressed, 0];
}

describe('contact pressure', () => {
  // A square of 2 m in n times n cells, node 0 is of another body.
  const n = 4;
  const nodes = [9, 9, 9];
  const corners: number[] = [];
  for (let j = 0; j <= n; j++) {
    for (let i = 0; i <= n; i++) {
      nodes.push((2 * i) / n, (2 * j) / n, 0);
    }
  }
  for (let j = 0; j < n; j++) {
    for (let i = 0; i < n; i++) {
      const [a, b, c, d] = [j * (n + 1) + i, j * (n + 1) + i + 1, (j + 1) * (n + 1) + i, (j + 1) * (n + 1) + i + 1];
      corners.push(a, b, d, a, d, c);
    }
  }
  const vertices = Uint32Array.from({ length: (n + 1) ** 2 }, (_, k) => k + 1);
  const pressure = () => new SurfacePressure(BODY, vertices, Uint32Array.from(corners));

  it('is force over area at a node', () => {
    // A node inside has six triangles of 1/8 m^2: 0.25 m^2.
    const p = pressure().at(frameOf(nodes, [contact(1, 1, 0, 10)]));
    expect(p[2 * (n + 1) + 2]).toBeCloseTo(40, 4);
    expect(p.filter((x) => x > 0).length).toBe(1);
  });
  it('keeps the force where a contact lies in a triangle, whichever body it is', () => {
    for (const asA of [false, true]) {
      const surface = pressure();
      const p = surface.at(frameOf(nodes, [contact(0.8, 0.6, 0.01, 7, asA), contact(1.9, 0.1, -0.01, 5, asA)]));
      const area = vertices.map((_, v) => corners.filter((c) => c === v).length);
      const force = p.reduce((sum, x, v) => sum + (x * area[v]!) / 24, 0); // a third of 1/8 m^2 each
      expect(force).toBeCloseTo(12, 4);
    }
  });
  it('spreads an even load evenly', () => {
    const loads: number[][] = [];
    for (let v = 0; v < vertices.length; v++) {
      loads.push(contact(nodes[3 * v + 3]!, nodes[3 * v + 4]!, 0, corners.filter((c) => c === v).length / 24));
    }
    pressure().at(frameOf(nodes, loads)).forEach((p) => expect(p).toBeCloseTo(1, 4));
  });
  it('leaves out other bodies and contacts that pull', () => {
    const other = contact(1, 1, 0, 10);
    other[CONTACT.bodyB] = 2;
    expect(Math.max(...pressure().at(frameOf(nodes, [other, contact(1, 1, 0, -3)])))).toBe(0);
  });
});

describe('pressure on foundations', () => {
  /** Elements of 0.5 m by 0.2 m on the plane z = 0, and last a contact that is none. */
  const on = (...pressed: number[]): Frame => ({
    ...frameOf([], [...pressed.map((f, k) => contact(k, 0, 0, f)), contact(9, 9, 9, 50)]),
    ahead: new Float32Array(0), patches: Float32Array.from([...pressed.flatMap(() => [0, -0.5, 0, 0.2, 0, 0]), 0, 0, 0, 0, 0, 0]),
  });
  it('is the normal force over the area', () => {
    expect(pressureOf(on(3, 7), 1)).toBeCloseTo(70, 4);
    expect(pressureOf(on(-1), 0)).toBe(0);
    expect(pressureOf(on(3), 1)).toBeUndefined();
    expect(pressureOf(frameOf([], [contact(0, 0, 0, 3)]), 0)).toBeUndefined();
  });
  it('has a range over frames, from 0 where it is even', () => {
    const range = pressureRange([on(3, 7), on(5, 1)])!;
    expect([range[0], range[1]].map(Math.round)).toEqual([10, 70]);
    expect(pressureRange([on(3, 3)])![0]).toBe(0);
    expect(pressureRange([on(), frameOf([])])).toBeUndefined();
  });
  it('is drawn as a quad about each point, none for other contacts', () => {
    const group = new Group();
    const foundation = new Foundation(group);
    foundation.range = [0, 40];
    foundation.show(on(4, 2));
    expect(foundation.elements).toBe(2);
    const { geometry } = group.children[0] as Mesh;
    const [at, rgb] = [geometry.getAttribute('position'), geometry.getAttribute('color')];
    const reach = [0, 1, 2].flatMap((i) => {
      const x = Array.from({ length: 6 }, (_, k) => at.getComponent(6 + k, i));
      return [Math.min(...x), Math.max(...x)];
    });
    [0.9, 1.1, -0.25, 0.25, 0, 0].forEach((x, k) => expect(reach[k]).toBeCloseTo(x, 6));
    const scale = [[252, 230, 77], [64, 168, 128]]; // the end and the middle of colours.ts
    scale.forEach((colour, k) => colour.forEach((x, i) => expect(Math.abs((rgb.array[24 * k + i] as number) - x)).toBeLessThan(1.5)));
    foundation.visible = false;
    expect(foundation.elements).toBe(0);
  });
});

describe('flatFaces', () => {
  it('has 24 corners of a box, each with the normal of its face', () => {
    const at = Float32Array.from({ length: 24 }, (_, k) => (((k / 3) >> (k % 3)) & 1) - 0.5);
    const quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    const buffer = flatFaces(at, Uint32Array.from(quads.flatMap(([a, b, c, d]) => [a!, b!, c!, a!, c!, d!])));
    const position = buffer.getAttribute('position');
    const normal = buffer.getAttribute('normal');
    expect([position.count, buffer.index!.count]).toEqual([24, 36]);
    for (let k = 0; k < 24; k++) {
      const p = new Vector3().fromBufferAttribute(position, k);
      const m = new Vector3().fromBufferAttribute(normal, k);
      expect([m.length(), p.dot(m)]).toEqual([1, 0.5]);
    }
  });
});

describe('coarse balls', () => {
  const shape = (kind: string, size: [number, number, number]) => ({ kind, size, vertices: [0, 0] as [number, number], triangles: [0, 0] as [number, number] });
  it('only where there are many triangles', () => {
    expect([coarseness(100_000, 300), coarseness(336_000, 1000), coarseness(3_360_000, 10_000)]).toEqual([undefined, 1, 0]);
  });
  it('lie on the surface, closed, with its normals outwards', () => {
    for (const [kind, size] of [['sphere', [2, 0, 0]], ['ellipsoid', [1, 2, 3]], ['capsule', [0.5, 1, 0]]] as const) {
      const buffer = coarseRound(shape(kind, [...size]), 1);
      const [at, normal, index] = [buffer.getAttribute('position'), buffer.getAttribute('normal'), buffer.index!];
      expect([at.count, index.count / 3]).toEqual([42, 80]);
      for (let k = 0; k < at.count; k++) {
        const p = new Vector3().fromBufferAttribute(at, k);
        const n = new Vector3().fromBufferAttribute(normal, k);
        const axis = new Vector3(0, 0, kind === 'capsule' ? Math.max(-size[1], Math.min(size[1], p.z)) : 0);
        const reach = kind === 'ellipsoid' ? Math.hypot(p.x / size[0], p.y / size[1], p.z / size[2]) : p.distanceTo(axis) / size[0];
        expect(reach).toBeCloseTo(1, 5);
        expect(n.length()).toBeCloseTo(1, 5);
        expect(n.dot(p.sub(axis))).toBeGreaterThan(0);
      }
      const [a, b, c] = [0, 1, 2].map(() => new Vector3());
      let volume = 0;
      for (let t = 0; t < index.count; t += 3) {
        [a, b, c].forEach((v, i) => v!.fromBufferAttribute(at, index.getX(t + i)));
        volume += a!.dot(b!.clone().cross(c!)) / 6;
      }
      const whole = kind === 'sphere' ? 32 / 3 : kind === 'ellipsoid' ? 8 : 4 / 24 + 0.5;
      expect(volume / (Math.PI * whole)).toBeGreaterThan(0.83); // inside out it would be negative
      expect(volume / (Math.PI * whole)).toBeLessThan(1);
    }
  });
});

describe('forces', () => {
  const scale = { lengthPerNewton: 0.1, longest: 2, stretch: 1 };
  it('are drawn to scale, no longer than the longest, and not at all when too short', () => {
    expect(drawnLength(scale, 5) * 5).toBeCloseTo(0.5, 12);
    expect(drawnLength(scale, 1000) * 1000).toBeCloseTo(2, 12);
    expect([drawnLength(scale, 0), drawnLength(scale, NaN), drawnLength(scale, 0.03), drawnLength(scale, 0.15, true)]).toEqual([0, 0, 0, 0]);
    expect(drawnLength({ ...scale, stretch: 10 }, 0.03)).toBeCloseTo(1, 12);
  });
  it('of contacts and joints count', () => {
    expect(largestForce(frameOf([], [contact(0, 0, 0, 2)], [0, 3, 4, NaN, NaN, NaN]))).toBe(5);
    expect(largestForce(frameOf([], [contact(0, 0, 0, 2)]))).toBeCloseTo(Math.sqrt(5), 6);
  });
});

describe('trails', () => {
  it('go back so far, with no more segments than are allowed', async () => {
    vi.stubGlobal('location', { hash: '#fine' });
    const { TRAIL_FRAMES, trailFrames } = await import('../src/scene/trails');
    expect(trailFrames(3, 1)).toEqual([0, 1, 2, 3]);
    expect(trailFrames(0, 5)).toEqual([0]);
    expect(trailFrames(1000, 1).length).toBe(TRAIL_FRAMES + 1);
    for (const bodies of [10, 151, 1000, 40_000]) {
      for (const present of [10, 999, 1000, 1001]) {
        const frames = trailFrames(present, bodies);
        expect(frames.at(-1)).toBe(present);
        expect(frames.every((k, i) => i === 0 || k > frames[i - 1]!)).toBe(true);
        expect(bodies * (frames.length - 1)).toBeLessThanOrEqual(Math.max(30_000, bodies) + bodies);
      }
    }
  });
});

describe('camera', () => {
  it('stands where a box fills the window in the direction that is tighter', async () => {
    const { distanceOf } = await import('../src/scene/camera');
    const box = { low: new Vector3(-3, -1, -2), high: new Vector3(3, 1, 2) };
    const front = new Vector3(0, -1, 0);
    expect(distanceOf(box, front, 0.5, 0.5)).toBeCloseTo(1.12 * (1 + 6), 9); // width
    expect(distanceOf(box, front, 2, 0.5)).toBeCloseTo(1.12 * (1 + 4), 9); // height
  });
  it('begins with the scene\'s view, from the body that it follows, wherever that is', async () => {
    const { Eye } = await import('../src/scene/camera');
    const header = {
      bodies: [{ name: 'world', kind: 'fixed' }, { name: 'a', kind: 'free' }], extent: 1, geometries: [], shapes: [], softs: [],
      views: [{ name: 'top', from: [0, -2, 1], follow: 1 }],
    } as unknown as ConstructorParameters<typeof Eye>[0];
    const eye = new Eye(header, { vertices: new Float32Array(0) } as ConstructorParameters<typeof Eye>[1]);
    eye.controls = { target: new Vector3(), update: () => undefined } as unknown as typeof eye.controls;
    expect(eye.views.map(({ name }) => name)).toEqual(['top', 'overview', 'front', 'side']); // in place of the viewer's own
    eye.look({ ...frameOf([]), poses: Float32Array.from([0, 0, 0, 1, 0, 0, 0, 5, 6, 7, 1, 0, 0, 0]) });
    expect([eye.camera.position.toArray(), eye.controls.target.toArray(), eye.followed]).toEqual([[5, 4, 8], [5, 6, 7], 1]);
  });
});

describe('the ground', () => {
  it('is the plane that faces upwards the most', async () => {
    const { groundOf } = await import('../src/scene/backdrop');
    const turned = (x: number, y: number, z: number) => {
      const q = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(x, y, z).normalize());
      return [q.w, q.x, q.y, q.z];
    };
    const shapes = [[1, 0, 0], [0, 0.6, 0.8], [0, 0, 1], [0, 0, 1]].map(([x, y, z]) => ({ body: 0, geometry: 0, quaternion: turned(x!, y!, z!) }));
    const header = { geometries: [{ kind: 'plane' }], shapes } as unknown as Parameters<typeof groundOf>[0];
    expect(groundOf(header, () => new Matrix4())).toBe(shapes[2]);
    expect(groundOf({ ...header, shapes: [] }, () => new Matrix4())).toBeUndefined();
  });
});

describe('Ghosts', () => {
  it('are copies where the plan has a moving body elsewhere; none without a plan', async () => {
    const { Ghosts } = await import('../src/scene/ghosts');
    const bodies = ['fixed', 'free', 'free'].map((kind) => ({ kind }));
    const header = { bodies, rigid: 3, extent: 1, tables: [{ name: 'ahead', width: 84 }] } as unknown as ConstructorParameters<typeof Ghosts>[0];
    const instances = [0, 1, 2].map((body) => ({ body, local: new Matrix4().makeTranslation(0, 0, 1), colour: new Color(body) }));
    const group = new Group();
    const ghosts = new Ghosts(header, [{ geometry: new BoxGeometry(), instances }], group);
    const still = [0, 0, 0, 1, 0, 0, 0];
    const poses = Float32Array.from([...still, ...still, ...still]);
    const ahead = Float32Array.from([1, 2, 3, 4].flatMap((x) => [...still, ...still, x, 0, 0, 1, 0, 0, 0]));
    ghosts.show({ ...frameOf([]), poses, ahead });
    expect(ghosts.drawn, 'one body at four times').toBe(4);
    const places = group.children.map((mesh) => {
      const matrix = new Matrix4();
      (mesh as InstancedMesh).getMatrixAt(0, matrix);
      return new Vector3().setFromMatrixPosition(matrix).toArray();
    });
    expect(places).toEqual([1, 2, 3, 4].map((x) => [x, 0, 1]));
    ghosts.show({ ...frameOf([]), poses, ahead: new Float32Array(84).fill(NaN) });
    expect(ghosts.drawn, 'no plan').toBe(0);
    ghosts.visible = false;
    ghosts.show({ ...frameOf([]), poses, ahead });
    expect(ghosts.drawn).toBe(0);
  });
});

describe('passes', () => {
  it('spread evenly', async () => {
    const { spread } = await import('../src/scene/passes');
    expect([1, 2, 3, 4].map((k) => spread(k, 2))).toEqual([0.5, 0.25, 0.75, 0.125]);
  });
});

describe('Batch', () => {
  let batch: BatchType;
  const local = new Matrix4().makeTranslation(1, 0, 0);
  const turn = new Matrix4().makeRotationZ(Math.PI / 2).setPosition(0, 0, 5);
  const colour = new Color(0x3f7fbf);
  beforeAll(async () => {
    vi.stubGlobal('location', { hash: '#fine' });
    const { Batch } = await import('../src/scene/batch');
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0]), 3));
    geometry.setAttribute('normal', new BufferAttribute(Float32Array.from([0, 0, 1, 1, 0, 0, 0, 0, -1]), 3));
    geometry.setIndex([0, 1, 2]);
    batch = new Batch([{ geometry, instances: [{ body: 0, local: new Matrix4(), colour }, { body: 1, local, colour }] }]);
    batch.show((body) => (body === 0 ? new Matrix4() : turn), -1, new Color());
  });
  it('moves each copy with its body', () => {
    const at = Array.from(batch.mesh.geometry.getAttribute('position').array);
    expect(at.map((x) => Math.round(1e6 * x) / 1e6 + 0)).toEqual([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 5, 0, 2, 5, -1, 1, 5]);
    expect(Array.from(batch.mesh.geometry.index!.array)).toEqual([0, 1, 2, 3, 4, 5]);
  });
  it('lights as three does: sun, sky and ambient light on a mat surface', () => {
    const lit = (n: Vector3) => {
      const { sun, sky, everywhere } = LIGHTS;
      const light = new Color(sky.below).lerp(new Color(sky.above), 0.5 + 0.5 * n.dot(sky.up)).multiplyScalar(sky.brightness);
      light.addScalar(everywhere).add(new Color(sun.colour).multiplyScalar(sun.brightness * Math.max(0, n.dot(sun.place.clone().normalize()))));
      const seen = colour.clone().multiply(light).multiplyScalar(1 / Math.PI).convertLinearToSRGB();
      return [seen.r, seen.g, seen.b].map((x) => 255 * Math.min(1, x));
    };
    const rgb = batch.mesh.geometry.getAttribute('color').array;
    const normals = [[0, 0, 1], [1, 0, 0], [0, 0, -1], [0, 0, 1], [0, 1, 0], [0, 0, -1]];
    normals.forEach((n, k) => {
      const wanted = lit(new Vector3(...(n as [number, number, number])));
      const worst = Math.max(...wanted.map((x, i) => Math.abs(x - rgb[4 * k + i]!)));
      expect(worst, `normal ${n.join(' ')}`).toBeLessThan(1.5); // of 255: rounding, and the table's steps
    });
  });
});
