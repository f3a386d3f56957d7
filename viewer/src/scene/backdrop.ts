// Ground and sky: a ground without an edge that fades into the horizon, lines on it that keep their width, a sky that is
// darker above. Where the scene has no ground there are lines alone, under what moves.
import { BackSide, BufferAttribute, BufferGeometry, Color, DoubleSide, Group, Mesh, Quaternion, ShaderMaterial, SphereGeometry, Vector3, type Matrix4, type WebGLProgramParametersWithUniforms } from 'three';
import type { Header } from '../data/header';
import { THEMES } from './colours';
import { linearLight, LIGHTS, viewProjection } from './plain';
import { dress, lit, type Lit } from './quality';

interface Shared {
  ground: { value: Color };
  line: { value: Color };
  horizon: { value: Color };
  zenith: { value: Color };
  cell: { value: number }; // [m]
  middle: { value: Vector3 };
  reach: { value: number }; // [m] where the ground is gone
}

// Lines of one pixel or so, every fifth darker, none where they would crowd.
const LINES = `
uniform vec3 line, horizon, middle;
uniform float cell, reach;
varying vec2 onGround;
varying vec3 there;
float lines(vec2 at, float wide) {
  vec2 w = max(fwidth(at), 1e-6);
  vec2 near = abs(fract(at - 0.5) - 0.5) / w;
  return (1.0 - smoothstep(wide - 0.5, wide + 0.5, min(near.x, near.y))) * (1.0 - smoothstep(0.15, 0.5, max(w.x, w.y)));
}
float drawnLines() { return max(0.3 * lines(onGround / cell, 0.6), 0.6 * lines(onGround / (5.0 * cell), 0.8)); }
float gone() { return smoothstep(0.12, 1.0, length(there - middle) / reach); }
`;

function weaveGround(shader: WebGLProgramParametersWithUniforms, shared: Shared): void {
  Object.assign(shader.uniforms, { line: shared.line, horizon: shared.horizon, cell: shared.cell, middle: shared.middle, reach: shared.reach });
  shader.vertexShader = shader.vertexShader
    .replace('#include <common>', '#include <common>\nvarying vec2 onGround;\nvarying vec3 there;')
    .replace('#include <begin_vertex>', '#include <begin_vertex>\nonGround = position.xy;\nthere = (modelMatrix * vec4(position, 1.0)).xyz;');
  shader.fragmentShader = shader.fragmentShader
    .replace('#include <common>', `#include <common>\n${LINES}`)
    .replace('#include <color_fragment>', 'diffuseColor.rgb = mix(diffuseColor.rgb, line, drawnLines());')
    .replace('#include <opaque_fragment>', '#include <opaque_fragment>\ngl_FragColor.rgb = mix(gl_FragColor.rgb, horizon, gone());');
}

/** For a processor that draws: the ground's one shade and its lines; lines alone where there is no ground. */
function plainGround(shared: Shared, linesOnly: boolean): ShaderMaterial {
  const { sun, sky, everywhere } = LIGHTS;
  const light = (sun.place.clone().normalize().z * sun.brightness + sky.brightness + everywhere) / Math.PI;
  return new ShaderMaterial({
    vertexShader: `varying vec2 onGround; varying vec3 there; uniform mat4 viewProjection;
void main() { onGround = position.xy; vec4 p = modelMatrix * vec4(position, 1.0); there = p.xyz; gl_Position = viewProjection * p; }`,
    fragmentShader: `uniform vec3 ground; uniform float light, linear;${LINES}
void main() {
  ${linesOnly ? 'vec4 c = vec4(line, drawnLines() * (1.0 - gone()));' : 'vec4 c = vec4(mix(min(vec3(1.0), light * mix(ground, line, drawnLines())), horizon, gone()), 1.0);'}
  gl_FragColor = linear > 0.5 ? c : sRGBTransferOETF(c);
}`,
    uniforms: { ...shared, light: { value: light }, viewProjection, linear: linearLight },
    side: DoubleSide,
    transparent: linesOnly,
    depthWrite: !linesOnly,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  });
}

function skyShader(shared: Shared): ShaderMaterial {
  return new ShaderMaterial({
    vertexShader: `varying vec3 way; void main() { way = position; gl_Position = projectionMatrix * vec4(mat3(viewMatrix) * position, 1.0); gl_Position.z = 0.99999 * gl_Position.w; }`,
    fragmentShader: `varying vec3 way; uniform vec3 horizon, zenith; uniform float linear;
void main() { vec4 c = vec4(mix(horizon, zenith, smoothstep(0.0, 0.7, normalize(way).z)), 1.0); gl_FragColor = linear > 0.5 ? c : sRGBTransferOETF(c); }`,
    uniforms: { horizon: shared.horizon, zenith: shared.zenith, linear: linearLight },
    side: BackSide,
    depthWrite: false,
  });
}

const RINGS = [0, 0.05, 0.2, 1, 10, 400]; // of the ground's disk, in reaches

/** A disk of rings: near vertices for light that is worked out there, far ones for the horizon. */
function disk(reach: number): BufferGeometry {
  const at: number[] = [0, 0, 0];
  const index: number[] = [];
  const sides = 24;
  RINGS.slice(1).forEach((r, ring) => {
    for (let k = 0; k < sides; k++) {
      at.push(r * reach * Math.cos((2 * Math.PI * k) / sides), r * reach * Math.sin((2 * Math.PI * k) / sides), 0);
      const [a, b] = [1 + ring * sides + k, 1 + ring * sides + ((k + 1) % sides)];
      index.push(...(ring === 0 ? [0, a, b] : [a - sides, a, b, a - sides, b, b - sides]));
    }
  });
  const buffer = new BufferGeometry();
  buffer.setAttribute('position', new BufferAttribute(Float32Array.from(at), 3));
  buffer.setAttribute('normal', new BufferAttribute(Float32Array.from(at, (_, k) => (k % 3 === 2 ? 1 : 0)), 3));
  buffer.setIndex(index);
  return buffer;
}

export class Backdrop {
  readonly group = new Group();
  private readonly shared: Shared = {
    ground: { value: new Color() }, line: { value: new Color() }, horizon: { value: new Color() }, zenith: { value: new Color() },
    cell: { value: 1 }, middle: { value: new Vector3() }, reach: { value: 1 },
  };
  private readonly materials: Lit[] = [];
  private readonly square: Mesh;

  /** matrix: of a body. floor: where lines lie without a ground [m]. */
  constructor(header: Header, matrix: (body: number) => Matrix4, size: number, floor: number) {
    const plane = header.shapes.find((shape) => header.geometries[shape.geometry]!.kind === 'plane');
    const sky = new Mesh(new SphereGeometry(1, 24, 16), skyShader(this.shared));
    sky.frustumCulled = false;
    sky.renderOrder = 0.6; // where nothing else is
    const plain = plainGround(this.shared, plane === undefined);
    this.square = new Mesh(disk(40 * size), plain);
    if (plane) {
      dress(this.square, { plain, fine: this.fineGround() });
    }
    this.square.frustumCulled = false;
    this.square.receiveShadow = true;
    this.square.renderOrder = plane ? 0.5 : 0.7; // after the bodies: what they hide is not worked out
    if (plane) {
      const [w, x, y, z] = plane.quaternion;
      this.square.position.set(...plane.position);
      this.square.quaternion.copy(new Quaternion(x, y, z, w));
      this.square.applyMatrix4(matrix(plane.body));
    } else {
      this.square.position.z = floor;
    }
    this.group.add(sky, this.square);
    this.scale(size);
  }

  private fineGround(): Lit {
    const fine = lit({ side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }, 0.95);
    fine.onBeforeCompile = (shader) => weaveGround(shader, this.shared);
    this.materials.push(fine);
    return fine;
  }

  /** Lines for things of this size [m]. */
  scale(size: number): void {
    this.shared.cell.value = 10 ** Math.round(Math.log10(size / 4));
    this.shared.reach.value = 30 * size;
  }

  centre(at: Vector3): void {
    this.shared.middle.value.copy(at);
  }

  set theme(name: 'light' | 'dark') {
    const theme = THEMES[name];
    this.shared.ground.value.set(theme.ground);
    this.shared.line.value.set(theme.grid);
    this.shared.horizon.value.set(theme.horizon);
    this.shared.zenith.value.set(theme.zenith);
    this.materials.forEach((material) => material.color.set(theme.ground));
  }
}
