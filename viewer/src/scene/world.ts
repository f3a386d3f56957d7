// The three.js scene of a recording: bodies, ground, lights, contacts; renders a frame when told to.
import {
  AxesHelper,
  BasicShadowMap,
  BufferGeometry,
  Color,
  EdgesGeometry,
  Group,
  InstancedMesh,
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
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Frame, Header, Source } from '../data/header';
import { Backdrop, groundOf } from './backdrop';
import { Eye, type NamedView } from './camera';
import { isRodPiece, SELECT_COLOUR, THEMES } from './colours';
import { Contacts } from './contacts';
import { Foundation } from './foundation';
import { largestForce, type ForceScale } from './forces';
import { JointForces, Joints } from './joints';
import { Lights } from './lights';
import { Passes } from './passes';
import { viewProjection } from './plain';
import { redress, software } from './quality';
import { Ghosts } from './ghosts';
import { RigidBodies } from './rigid';
import { SoftBodies } from './soft';
import { Trails } from './trails';

function bodiesWithoutShape(header: Header): Set<number> {
  const shaped = new Set(header.shapes.map((shape) => shape.body));
  const moves = (body: number) => body < header.rigid && header.bodies[body]!.kind !== 'fixed';
  return new Set(header.bodies.map((_, body) => body).filter((body) => moves(body) && !shaped.has(body)));
}

/** The outline of a plane besides the ground. */
function wallSquare(size: number): LineSegments {
  return new LineSegments(new EdgesGeometry(new PlaneGeometry(size, size)), new LineBasicMaterial({ color: 0x8899aa }));
}

const FEW = 8; // passes that are too few for lamps of the sky

export class World {
  readonly renderer: WebGLRenderer;
  readonly eye: Eye;
  readonly camera: PerspectiveCamera;
  readonly controls: OrbitControls;
  readonly rigid: RigidBodies;
  readonly soft: SoftBodies;
  readonly contacts: Contacts;
  readonly foundation: Foundation;
  readonly joints: Joints;
  readonly jointForces: JointForces;
  readonly ghosts: Ghosts;
  readonly trails: Trails;
  readonly forces: ForceScale = { lengthPerNewton: 0.01, longest: 1, stretch: 1 };
  private readonly scene = new Scene();
  private readonly backdrop: Backdrop;
  private readonly lights: Lights;
  private readonly passes: Passes;
  private readonly frames = new Group();
  private readonly trail: Line;
  private readonly spring: Line; // that pulls a body
  private readonly header: Header;
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
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = software ? BasicShadowMap : PCFSoftShadowMap; // passes soften them all the same
    this.passes = new Passes(this.renderer);
    this.eye = new Eye(this.header, source.statics);
    this.camera = this.eye.camera;
    this.controls = this.eye.controls = new OrbitControls(this.camera, canvas);
    const bodies = new Group();
    this.scene.add(bodies, this.frames);
    this.rigid = new RigidBodies(this.header, source.statics, bodies);
    this.ghosts = new Ghosts(this.header, this.rigid.parts, bodies);
    this.soft = new SoftBodies(this.header, source.statics, bodies);
    this.contacts = new Contacts(bodies, this.forces);
    this.foundation = new Foundation(bodies);
    this.jointForces = new JointForces(this.header.joints ?? [], bodies, this.forces);
    this.trails = new Trails(this.header, bodies);
    this.lights = new Lights(this.scene);
    const drawn = (this.header.joints ?? []).filter((joint) => !isRodPiece(this.header, joint));
    this.joints = new Joints(drawn, bodiesWithoutShape(this.header), 0.15 * this.header.extent, bodies);
    this.trail = new Line(new BufferGeometry(), new LineBasicMaterial({ color: SELECT_COLOUR }));
    this.trail.frustumCulled = false;
    this.scene.add(this.trail);
    this.spring = new Line(new BufferGeometry(), new LineBasicMaterial({ color: SELECT_COLOUR, depthTest: false }));
    this.spring.frustumCulled = false;
    this.scene.add(this.spring);
    this.rigid.show(first);
    const box = this.eye.box(first);
    const floor = Math.min(0, box.low.z, this.header.low?.[2] ?? Infinity);
    this.backdrop = new Backdrop(this.header, (body) => this.rigid.matrix(body), box.low.distanceTo(box.high), floor);
    this.scene.add(this.backdrop.group);
    this.addWalls();
    this.lookAtAll(first);
    this.scaleForces(first);
    this.setTheme('light');
  }

  /** Planes besides the ground. */
  private addWalls(): void {
    const ground = groundOf(this.header, (body) => this.rigid.matrix(body));
    const planes = this.header.shapes.filter((shape) => shape !== ground && this.header.geometries[shape.geometry]!.kind === 'plane');
    for (const shape of planes) {
      const [w, x, y, z] = shape.quaternion;
      const square = wallSquare(2 * this.header.extent);
      square.position.set(...shape.position);
      square.quaternion.copy(new Quaternion(x, y, z, w));
      square.applyMatrix4(this.rigid.matrix(shape.body));
      this.scene.add(square);
    }
  }

  /** By a view; without one as it was last looked at. */
  lookAtAll(frame: Frame, view?: NamedView): void {
    this.backdrop.scale((this.size = this.eye.look(frame, view)));
  }

  private size = 1; // of what is framed [m]

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
      const length = 0.08 * this.controls.target.distanceTo(this.camera.position);
      this.forces.lengthPerNewton = length / most;
      this.forces.longest = 2.5 * length;
    }
  }

  setTheme(name: 'light' | 'dark'): void {
    this.scene.background = new Color(THEMES[name].horizon);
    this.backdrop.theme = name;
    this.render();
  }

  resize(atOnce = true): void {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(1, height);
    this.camera.updateProjectionMatrix();
    this.passes.clear();
    if (atOnce) {
      this.render();
    }
  }

  /** Pixels drawn for one of the page; below 1 a picture is coarser and cheaper. at once: not left empty. */
  setSharpness(ratio: number, atOnce = true): void {
    if (ratio !== this.renderer.getPixelRatio()) {
      this.renderer.setPixelRatio(ratio);
      this.resize(atOnce);
    }
  }

  show(frame: Frame): void {
    this.last = frame;
    this.eye.go(frame);
    this.rigid.show(frame);
    this.ghosts.show(frame);
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

  /** A plain picture. */
  render(): void {
    this.passes.clear();
    this.aim();
    if (software) {
      this.renderer.shadowMap.enabled = false;
    }
    this.lights.plain();
    this.renderer.render(this.scene, this.camera);
  }

  /** So many passes more of a fine picture of the same; shown: it goes to the canvas. */
  refine(passes: number, shown = true, many = true): void {
    this.aim();
    this.dressFine(true);
    for (let k = 0; k < passes; k++) {
      this.lights.pass(this.passes.count, many);
      this.passes.take(this.scene, this.camera);
    }
    this.dressFine(false);
    if (software) {
      this.finish(); // or pictures would queue up
    }
    if (shown) {
      this.passes.show();
    }
  }

  /** A fine picture of so many passes, whatever there was. A single one goes straight to the canvas, in half the time. */
  renderFine(passes: number): void {
    this.passes.clear();
    if (passes > 1) {
      this.refine(passes, true, passes >= FEW);
      return;
    }
    this.aim();
    this.dressFine(true);
    this.lights.plain();
    this.renderer.render(this.scene, this.camera);
    this.dressFine(false);
  }

  /** Fine materials and shadows on, or off again, where a processor draws. */
  private dressFine(fine: boolean): void {
    if (software) {
      redress(this.scene, fine);
      this.renderer.shadowMap.enabled = fine || this.renderer.shadowMap.enabled;
    }
  }

  /** Passes in the picture that is shown; 0: a plain one. */
  get passed(): number {
    return this.passes.count;
  }

  private aim(): void {
    this.camera.updateMatrixWorld();
    viewProjection.value.multiplyMatrices(this.camera.projectionMatrix, this.camera.matrixWorldInverse);
    const { target } = this.controls;
    this.backdrop.centre(target);
    this.lights.aim(target, Math.max(0.8 * this.size, Math.min(1.2 * this.header.extent, 0.5 * this.camera.position.distanceTo(target))));
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
