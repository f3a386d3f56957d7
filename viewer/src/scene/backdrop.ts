// Ground and sky: a ground without an edge that fades into the horizon, lines on it that keep their width, a sky that is
// darker above. Where the scene has no ground there are lines alone, under what moves.
import { BackSide, BufferAttribute, BufferGeometry, Color, DoubleSide, Group, LineBasicMaterial, LineSegments, Mesh, Quaternion, ShaderMaterial, SphereGeometry, Vector3, type Matrix4, type WebGLProgramParametersWithUniforms } from 'three';
import type { Header, Shape } from '../data/header';
import { THEMES } from './colours';
import { linearLight, LIGHTS, viewProjection } from './plain';
import { dress, lit, software, type Lit } from './quality';

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

const SCREEN = 'vec3 toScreen(vec3 c) { return mix(12.92 * c, 1.055 * pow(c, vec3(0.41666)) - 0.055, step(0.0031308, c)); }';
const FADE = 'float gone(vec3 there) { return smoothstep(0.12, 1.0, length(there - middle) / reach); }';
const SHADED = 'varying vec3 shade; void main() { gl_FragColor = vec4(shade, 1.0); }';

/** For a processor that draws: the ground's one shade, worked out at its vertices. */
function plainGround(shared: Shared): ShaderMaterial {
  const { sun, sky, everywhere } = LIGHTS;
  const light = (sun.place.clone().normalize().z * sun.brightness + sky.brightness + everywhere) / Math.PI;
  return new ShaderMaterial({
    vertexShader: `varying vec3 shade; uniform mat4 viewProjection; uniform vec3 ground, horizon, middle; uniform float light, reach; ${FADE} ${SCREEN}
void main() {
  vec4 p = modelMatrix * vec4(position, 1.0);
  shade = toScreen(mix(min(vec3(1.0), light * ground), horizon, gone(p.xyz)));
  gl_Position = viewProjection * p;
}`,
    fragmentShader: SHADED,
    uniforms: { ...shared, light: { value: light }, viewProjection },
    side: DoubleSide,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  });
}

/** Lines where there is no ground. */
function bareLines(shared: Shared): ShaderMaterial {
  return new ShaderMaterial({
    vertexShader: `varying vec2 onGround; varying vec3 there; uniform mat4 viewProjection;
void main() { onGround = position.xy; vec4 p = modelMatrix * vec4(position, 1.0); there = p.xyz; gl_Position = projectionMatrix * viewMatrix * p; }`,
    fragmentShader: `uniform float linear;${LINES}
void main() { vec4 c = vec4(line, drawnLines() * (1.0 - gone())); gl_FragColor = linear > 0.5 ? c : sRGBTransferOETF(c); }`,
    uniforms: { ...shared, viewProjection, linear: linearLight },
    side: DoubleSide,
    transparent: true,
    depthWrite: false,
  });
}

function skyShader(shared: Shared): ShaderMaterial {
  return new ShaderMaterial({
    vertexShader: `varying vec3 shade; uniform vec3 horizon, zenith; uniform float linear; ${SCREEN}
void main() {
  vec3 c = mix(horizon, zenith, smoothstep(0.0, 0.7, position.z));
  shade = linear > 0.5 ? c : toScreen(c);
  gl_Position = projectionMatrix * vec4(mat3(viewMatrix) * position, 1.0);
  gl_Position.z = 0.99999 * gl_Position.w;
}`,
    fragmentShader: SHADED,
    uniforms: { horizon: shared.horizon, zenith: shared.zenith, linear: linearLight },
    side: BackSide,
    depthWrite: false,
  });
}

const RINGS = [0, 0.05, 0.12, 0.25, 0.4, 0.55, 0.7, 0.85, 1, 10, 400]; // of the ground's disk, in reaches

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

/** The plane that faces upwards the most; others are walls. */
export function groundOf(header: Header, matrix: (body: number) => Matrix4): Shape | undefined {
  const up = ({ quaternion: [w, x, y, z], body }: Shape) => new Vector3(0, 0, 1).applyQuaternion(new Quaternion(x, y, z, w)).transformDirection(matrix(body)).z;
  const planes = header.shapes.filter((shape) => header.geometries[shape.geometry]!.kind === 'plane');
  return planes.reduce<Shape | undefined>((best, shape) => (best && up(best) >= up(shape) - 1e-9 ? best : shape), undefined);
}

const LINES_OUT = 15; // of plain pictures, each way
const PIECE = 3; // cells

export class Backdrop {
  readonly group = new Group();
  private readonly shared: Shared = {
    ground: { value: new Color() }, line: { value: new Color() }, horizon: { value: new Color() }, zenith: { value: new Color() },
    cell: { value: 1 }, middle: { value: new Vector3() }, reach: { value: 1 },
  };
  private readonly materials: Lit[] = [];
  private readonly square: Mesh;
  private readonly grid = new LineSegments(new BufferGeometry(), new LineBasicMaterial()); // of plain pictures

  /** matrix: of a body. floor: where lines lie without a ground [m]. */
  constructor(header: Header, matrix: (body: number) => Matrix4, size: number, floor: number) {
    const plane = groundOf(header, matrix);
    const sky = new Mesh(new SphereGeometry(1, 24, 16), skyShader(this.shared));
    sky.frustumCulled = false;
    sky.renderOrder = 0.6; // where nothing else is
    this.square = new Mesh(disk(30 * size), plane ? undefined : bareLines(this.shared));
    if (plane) {
      dress(this.square, { plain: plainGround(this.shared), fine: this.fineGround() });
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
    if (software) {
      sky.userData['fineOnly'] = true; // a plain picture's is one colour: what covers every pixel costs a third of it
      sky.visible = false;
      this.grid.userData['plainOnly'] = true;
      this.square.userData['fineOnly'] = plane === undefined;
      this.square.visible = plane !== undefined;
      this.grid.position.copy(this.square.position);
      this.grid.quaternion.copy(this.square.quaternion);
      this.group.add(this.grid);
    }
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
    const cell = this.shared.cell.value;
    const end = LINES_OUT * cell;
    const piece = PIECE * cell; // a line that goes on behind the camera is not drawn by SwiftShader
    const at: Vector3[] = [];
    for (let k = -LINES_OUT; k <= LINES_OUT; k++) {
      for (let from = -end; from < end - 0.5 * piece; from += piece) {
        const to = from + piece;
        at.push(new Vector3(k * cell, from, 0), new Vector3(k * cell, to, 0), new Vector3(from, k * cell, 0), new Vector3(to, k * cell, 0));
      }
    }
    this.grid.geometry.dispose();
    this.grid.geometry = new BufferGeometry().setFromPoints(at);
    this.grid.frustumCulled = false;
  }

  /** Where the picture's middle is: the ground fades away from there, and lines go along from cell to cell. */
  centre(at: Vector3): void {
    this.shared.middle.value.copy(at);
    if (this.square.parent) {
      const there = at.clone().sub(this.square.position).applyQuaternion(this.square.quaternion.clone().invert());
      const cell = this.shared.cell.value;
      const whole = new Vector3(Math.round(there.x / cell) * cell, Math.round(there.y / cell) * cell, 0);
      this.grid.position.copy(whole.applyQuaternion(this.square.quaternion).add(this.square.position));
    }
  }

  set theme(name: 'light' | 'dark') {
    const theme = THEMES[name];
    this.shared.ground.value.set(theme.ground);
    this.shared.line.value.set(theme.grid);
    this.shared.horizon.value.set(theme.horizon);
    this.shared.zenith.value.set(theme.zenith);
    (this.grid.material as LineBasicMaterial).color.set(theme.grid).lerp(new Color(theme.ground), 0.5);
    this.materials.forEach((material) => material.color.set(theme.ground));
  }
}
