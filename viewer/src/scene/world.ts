// The three.js scene of a recording: bodies, ground, lights, contacts; renders a frame when told to.
import {
  AmbientLight,
  AxesHelper,
  BufferGeometry,
  DirectionalLight,
  DoubleSide,
  EdgesGeometry,
  Group,
  HemisphereLight,
  Line,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  PCFSoftShadowMap,
  PerspectiveCamera,
  Plane,
  PlaneGeometry,
  Quaternion,
  Raycaster,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
  GridHelper,
  InstancedMesh,
  Color,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Frame, Header, Source } from '../data/header';
import { SELECT_COLOUR, THEMES } from './colours';
import { Contacts } from './contacts';
import { Foundation } from './foundation';
import { largestForce, type ForceScale } from './forces';
import { JointForces, Joints } from './joints';
import { LIGHTS, viewProjection } from './plain';
import { software, surface, type Surface } from './quality';
import { RigidBodies } from './rigid';
import { SoftBodies } from './soft';
import { Trails } from './trails';

function bodiesWithoutShape(header: Header): Set<number> {
  const shaped = new Set(header.shapes.map((shape) => shape.body));
  const moves = (body: number) => body < header.rigid && header.bodies[body]!.kind !== 'fixed';
  return new Set(header.bodies.map((_, body) => body).filter((body) => moves(body) && !shaped.has(body)));
}

function groundSquare(size: number): Mesh {
  const square = new Mesh(new PlaneGeometry(size, size), surface({ roughness: 1, side: DoubleSide }));
  square.receiveShadow = true;
  square.renderOrder = 0.5; // after the bodies: what they hide is not worked out
  return square;
}

/** A plane besides the ground: a faint square, or its outline where every covered pixel costs. */
function wallSquare(size: number): Mesh | LineSegments {
  const plane = new PlaneGeometry(size, size);
  if (software) {
    return new LineSegments(new EdgesGeometry(plane), new LineBasicMaterial({ color: 0x8899aa }));
  }
  return new Mesh(plane, surface({ roughness: 1, side: DoubleSide, transparent: true, opacity: 0.15, depthWrite: false }));
}

export class World {
  readonly renderer: WebGLRenderer;
  readonly camera: PerspectiveCamera;
  readonly controls: OrbitControls;
  readonly rigid: RigidBodies;
  readonly soft: SoftBodies;
  readonly contacts: Contacts;
  readonly foundation: Foundation;
  readonly joints: Joints;
  readonly jointForces: JointForces;
  readonly trails: Trails;
  readonly forces: ForceScale = { lengthPerNewton: 0.01, longest: 1, stretch: 1 };
  private readonly scene = new Scene();
  private readonly ground = new Group();
  private readonly frames = new Group();
  private readonly trail: Line;
  private readonly spring: Line; // that pulls a body
  private readonly header: Header;
  private grid?: GridHelper;
  private selected = -1;
  private readonly pixel = new Uint8Array(4);
  private last?: Frame;

  constructor(
    source: Source,
    private readonly canvas: HTMLCanvasElement,
    first: Frame,
  ) {
    this.header = source.header;
    // Opaque: what lies under the canvas need not be mixed in.
    const context = canvas.getContext('webgl2', { alpha: false, antialias: !software });
    if (!context) {
      throw new Error('this browser cannot draw: WebGL 2 is off or missing');
    }
    this.renderer = new WebGLRenderer({ canvas, context });
    this.renderer.setPixelRatio(software ? 1 : Math.min(2, window.devicePixelRatio));
    this.renderer.shadowMap.enabled = !software;
    this.renderer.shadowMap.type = PCFSoftShadowMap;
    this.camera = new PerspectiveCamera(45, 1, 0.01, 1000);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    const bodies = new Group();
    this.scene.add(bodies, this.ground, this.frames);
    this.rigid = new RigidBodies(this.header, source.statics, bodies);
    this.soft = new SoftBodies(this.header, source.statics, bodies);
    this.contacts = new Contacts(bodies, this.forces);
    this.foundation = new Foundation(bodies);
    this.jointForces = new JointForces(this.header.joints ?? [], bodies, this.forces);
    this.trails = new Trails(this.header, bodies);
    this.joints = new Joints(this.header.joints ?? [], bodiesWithoutShape(this.header), 0.15 * this.header.extent, bodies);
    this.trail = new Line(new BufferGeometry(), new LineBasicMaterial({ color: SELECT_COLOUR }));
    this.trail.frustumCulled = false;
    this.scene.add(this.trail);
    this.spring = new Line(new BufferGeometry(), new LineBasicMaterial({ color: SELECT_COLOUR, depthTest: false }));
    this.spring.frustumCulled = false;
    this.scene.add(this.spring);
    this.addLights();
    this.rigid.show(first);
    this.addGround(first);
    this.lookAtAll(first);
    this.scaleForces(first);
    this.setTheme('light');
  }

  private addLights(): void {
    const size = this.header.extent;
    const sun = new DirectionalLight(LIGHTS.sun.colour, LIGHTS.sun.brightness);
    sun.position.copy(LIGHTS.sun.place).multiplyScalar(size);
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    sun.shadow.normalBias = 0.004 * size; // some texels of the shadow's map, or surfaces would shade themselves in stripes
    sun.shadow.bias = -0.0005;
    const shadow = sun.shadow.camera;
    shadow.left = shadow.bottom = -1.5 * size;
    shadow.right = shadow.top = 1.5 * size;
    shadow.far = 8 * size;
    const sky = new HemisphereLight(LIGHTS.sky.above, LIGHTS.sky.below, LIGHTS.sky.brightness);
    sky.position.copy(LIGHTS.sky.up);
    this.scene.add(sun, sky, new AmbientLight(0xffffff, LIGHTS.everywhere));
  }

  /** Planes of the recording as squares; without any, a grid at the lowest place. */
  private addGround(first: Frame): void {
    const size = 4 * this.header.extent;
    let lowest = Infinity;
    let planes = 0;
    for (const shape of this.header.shapes) {
      if (this.header.geometries[shape.geometry]!.kind !== 'plane') {
        lowest = Math.min(lowest, first.poses[7 * shape.body + 2]! + shape.position[2]);
        continue;
      }
      const [w, x, y, z] = shape.quaternion;
      const square = planes === 0 ? groundSquare(size) : wallSquare(0.5 * size);
      square.position.set(...shape.position);
      square.quaternion.copy(new Quaternion(x, y, z, w));
      square.applyMatrix4(this.rigid.matrix(shape.body));
      this.ground.add(square);
      planes++;
    }
    const step = 10 ** Math.round(Math.log10(this.header.extent / 5));
    this.grid = new GridHelper(size, Math.max(2, 2 * Math.round(size / step / 2)));
    this.grid.rotation.x = Math.PI / 2;
    this.grid.position.z = planes > 0 ? 0.0005 * this.header.extent : Math.min(0, Number.isFinite(lowest) ? lowest : 0);
    this.grid.visible = true;
    this.scene.add(this.grid);
  }

  /** Everything that is no plane, seen from the front right. */
  lookAtAll(frame: Frame): void {
    const low = new Vector3(Infinity, Infinity, Infinity);
    const high = new Vector3(-Infinity, -Infinity, -Infinity);
    const take = (x: number, y: number, z: number, r: number) => {
      low.min(new Vector3(x - r, y - r, z - r));
      high.max(new Vector3(x + r, y + r, z + r));
    };
    for (const shape of this.header.shapes) {
      const geometry = this.header.geometries[shape.geometry]!;
      if (geometry.kind !== 'plane' && this.header.bodies[shape.body]!.kind !== 'fixed') {
        const p = 7 * shape.body;
        take(frame.poses[p]!, frame.poses[p + 1]!, frame.poses[p + 2]!, Math.max(...geometry.size));
      }
    }
    for (let i = 0; i < frame.nodes.length; i += 3) {
      take(frame.nodes[i]!, frame.nodes[i + 1]!, frame.nodes[i + 2]!, 0);
    }
    if (!(high.x >= low.x)) {
      take(0, 0, 0, this.header.extent);
    }
    this.reachOut(low, high);
    const centre = low.clone().add(high).multiplyScalar(0.5);
    const radius = Math.max(0.5 * low.distanceTo(high), 1e-3);
    const distance = (1.25 * radius) / Math.sin((0.5 * this.camera.fov * Math.PI) / 180);
    this.camera.position.copy(centre).add(new Vector3(0.55, -0.75, 0.42).normalize().multiplyScalar(distance));
    this.camera.near = 0.01 * distance;
    this.camera.far = 100 * distance + 10 * this.header.extent;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(centre);
    this.controls.update();
  }

  /** The box grows to where things go later, but not after one that flies away. */
  private reachOut(low: Vector3, high: Vector3): void {
    const { low: from, high: to } = this.header;
    if (!from || !to || from.includes(null) || to.includes(null)) {
      return;
    }
    const room = 1.5 * low.distanceTo(high);
    low.min(new Vector3(...(from as number[])).max(low.clone().subScalar(room)));
    high.max(new Vector3(...(to as number[])).min(high.clone().addScalar(room)));
  }

  private mostForce = 0;

  /** Live: larger forces than ever shrink the arrows. */
  adaptForces(frame: Frame): void {
    const most = largestForce(frame);
    if (most > 2 * this.mostForce) {
      this.mostForce = most;
      this.scaleForces(frame);
    }
  }

  /** A large force of the recording, or the largest of this frame, as long as a fifth of the scene. */
  scaleForces(frame: Frame): void {
    const most = (!this.header.live && this.header.force) || largestForce(frame);
    if (most > 0) {
      const length = 0.1 * this.controls.target.distanceTo(this.camera.position);
      this.forces.lengthPerNewton = length / most;
      this.forces.longest = 2.5 * length;
    }
  }

  setTheme(name: 'light' | 'dark'): void {
    const theme = THEMES[name];
    this.scene.background = new Color(theme.background);
    this.ground.traverse((object) => {
      if (object instanceof Mesh) {
        (object.material as Surface).color.set(theme.ground);
      }
    });
    if (this.grid) {
      const colours = this.grid.geometry.getAttribute('color');
      const colour = new Color(theme.grid);
      for (let k = 0; k < colours.count; k++) {
        colours.setXYZ(k, colour.r, colour.g, colour.b);
      }
      colours.needsUpdate = true;
    }
    this.render();
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(1, height);
    this.camera.updateProjectionMatrix();
    this.render();
  }

  /** Pixels drawn for one of the page; below 1 a picture is coarser and cheaper. */
  setSharpness(ratio: number): void {
    if (ratio !== this.renderer.getPixelRatio()) {
      this.renderer.setPixelRatio(ratio);
      this.resize();
    }
  }

  show(frame: Frame): void {
    this.last = frame;
    this.rigid.show(frame);
    this.soft.show(frame);
    this.contacts.show(frame);
    this.foundation.show(frame);
    const matrix = (body: number) => this.rigid.matrix(body);
    this.joints.show(matrix);
    this.jointForces.show(frame, matrix);
    for (const axes of this.frames.children) {
      const body = axes.userData['body'] as number;
      axes.matrix.copy(this.rigid.matrix(body));
    }
  }

  refresh(): void {
    if (this.last) {
      this.show(this.last);
      this.render();
    }
  }

  render(): void {
    this.camera.updateMatrixWorld();
    viewProjection.value.multiplyMatrices(this.camera.projectionMatrix, this.camera.matrixWorldInverse);
    this.renderer.render(this.scene, this.camera);
  }

  /** Wait until the picture is drawn. */
  finish(): void {
    const gl = this.renderer.getContext();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, this.pixel);
  }

  select(body: number): void {
    this.selected = body;
    this.rigid.select(body);
    this.soft.select(body);
    this.refresh();
  }

  get selection(): number {
    return this.selected;
  }

  showFrames(visible: boolean): void {
    this.frames.clear();
    if (visible) {
      for (let b = 1; b < this.header.rigid; b++) {
        if (this.header.bodies[b]!.kind !== 'fixed') {
          const axes = new AxesHelper(0.06 * this.header.extent);
          axes.matrixAutoUpdate = false;
          axes.userData['body'] = b;
          this.frames.add(axes);
        }
      }
    }
    this.refresh();
  }

  setTrail(points: Vector3[]): void {
    this.trail.geometry.dispose();
    this.trail.geometry = new BufferGeometry().setFromPoints(points);
  }

  setPull(ends: Vector3[]): void {
    this.spring.geometry.dispose();
    this.spring.geometry = new BufferGeometry().setFromPoints(ends);
  }

  private ray(x: number, y: number): Raycaster {
    const rect = this.canvas.getBoundingClientRect();
    const ray = new Raycaster();
    ray.setFromCamera(
      new Vector2((2 * (x - rect.left)) / rect.width - 1, 1 - (2 * (y - rect.top)) / rect.height),
      this.camera,
    );
    return ray;
  }

  /** Where a place of the canvas lies on a plane of the world. */
  onPlane(x: number, y: number, plane: Plane): Vector3 | null {
    return this.ray(x, y).ray.intersectPlane(plane, new Vector3());
  }

  /** Body under a place of the canvas in pixels, -1: none; point: where. */
  pick(x: number, y: number): { body: number; point?: Vector3 } {
    const hit = this.ray(x, y).intersectObjects([...this.rigid.meshes, ...this.soft.meshes], false)[0];
    if (!hit) {
      return { body: -1 };
    }
    const body =
      hit.object instanceof InstancedMesh
        ? this.rigid.bodyAt(hit.object, hit.instanceId ?? -1)
        : this.soft.bodyAt(hit.object as Mesh);
    return { body, point: hit.point };
  }
}
