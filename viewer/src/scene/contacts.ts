// Contact points with their forces: the normal part and the friction part as arrows, green where the contact sticks,
// red where it slides.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, LineBasicMaterial, LineSegments, Points, PointsMaterial, Color, type Group } from 'three';
import { CONTACT, type Frame } from '../data/header';
import { software } from './quality';
import { SLIDE_COLOUR, STICK_COLOUR } from './colours';

const HEAD = 0.22; // of an arrow's length
const LINES = 6; // line ends an arrow: shaft and two sides of the head

export class Contacts {
  private capacity = 0;
  private readonly lines: LineSegments<BufferGeometry, LineBasicMaterial>;
  private readonly points: Points<BufferGeometry, PointsMaterial>;
  // What lies behind bodies or inside them is seen faintly: the same numbers once more, without regard to depth.
  private readonly hiddenLines: LineSegments<BufferGeometry, LineBasicMaterial>;
  private readonly hiddenPoints: Points<BufferGeometry, PointsMaterial>;
  lengthPerNewton = 0.01; // [m/N]
  longest = Infinity; // [m] of an arrow as the default scale draws it: an impact does not cross the picture
  slipThreshold = 1e-4; // [m/s] slower contacts count as sticking

  constructor(group: Group) {
    const faint = { vertexColors: true, depthTest: false, transparent: true, opacity: 0.35 };
    this.lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ vertexColors: true, depthTest: !software }));
    this.points = new Points(new BufferGeometry(), new PointsMaterial({ vertexColors: true, size: 5, sizeAttenuation: false, depthTest: !software }));
    this.hiddenLines = new LineSegments(this.lines.geometry, new LineBasicMaterial(faint));
    this.hiddenPoints = new Points(this.points.geometry, new PointsMaterial({ ...faint, size: 4, sizeAttenuation: false }));
    for (const object of software ? [this.lines, this.points] : [this.hiddenLines, this.hiddenPoints, this.lines, this.points]) {
      object.frustumCulled = false;
      object.renderOrder = 1;
      group.add(object);
    }
  }

  set visible(value: boolean) {
    for (const object of [this.lines, this.points, this.hiddenLines, this.hiddenPoints]) {
      object.visible = value;
    }
  }

  get visible(): boolean {
    return this.lines.visible;
  }

  private reserve(n: number): void {
    if (n <= this.capacity) {
      return;
    }
    this.capacity = Math.max(2 * this.capacity, n, 64);
    for (const [object, hidden, ends] of [
      [this.lines, this.hiddenLines, 2 * LINES],
      [this.points, this.hiddenPoints, 1],
    ] as const) {
      object.geometry.dispose();
      const buffer = new BufferGeometry();
      for (const name of ['position', 'color']) {
        const attribute = new BufferAttribute(new Float32Array(3 * ends * this.capacity), 3);
        attribute.setUsage(DynamicDrawUsage);
        buffer.setAttribute(name, attribute);
      }
      object.geometry = hidden.geometry = buffer;
    }
  }

  show(frame: Frame): void {
    const n = frame.contacts.length / CONTACT.width;
    if (!this.visible) {
      return;
    }
    this.reserve(n);
    const at = this.lines.geometry.getAttribute('position') as BufferAttribute | undefined;
    if (!at) {
      return;
    }
    const rgb = this.lines.geometry.getAttribute('color') as BufferAttribute;
    const dot = this.points.geometry.getAttribute('position') as BufferAttribute;
    const dotColour = this.points.geometry.getAttribute('color') as BufferAttribute;
    const stick = new Color(STICK_COLOUR);
    const slide = new Color(SLIDE_COLOUR);
    let end = 0;
    let used = 0;
    const put = (x: number, y: number, z: number, colour: Color) => {
      at.setXYZ(end, x, y, z);
      rgb.setXYZ(end, colour.r, colour.g, colour.b);
      end++;
    };
    for (let k = 0; k < n; k++) {
      const row = frame.contacts.subarray(CONTACT.width * k, CONTACT.width * (k + 1));
      const [px, py, pz] = [row[2]!, row[3]!, row[4]!];
      const normal: Vec = [row[5]!, row[6]!, row[7]!];
      const force: Vec = [row[8]!, row[9]!, row[10]!];
      const pressed = dotProduct(force, normal);
      if (!(Math.hypot(...force) > 0)) {
        continue;
      }
      const colour = row[CONTACT.slip]! > this.slipThreshold ? slide : stick;
      dot.setXYZ(used, px, py, pz);
      dotColour.setXYZ(used, colour.r, colour.g, colour.b);
      used++;
      const across: Vec = [force[0] - pressed * normal[0], force[1] - pressed * normal[1], force[2] - pressed * normal[2]];
      for (const part of [[normal[0] * pressed, normal[1] * pressed, normal[2] * pressed] as Vec, across]) {
        const s = Math.min(this.lengthPerNewton, this.longest / (Math.hypot(...part) || 1));
        const way: Vec = [s * part[0], s * part[1], s * part[2]];
        const side = perpendicular(way);
        const tip: Vec = [px + way[0], py + way[1], pz + way[2]];
        put(px, py, pz, colour);
        put(...tip, colour);
        for (const sign of [-1, 1]) {
          put(...tip, colour);
          put(
            tip[0] - HEAD * (way[0] + sign * 0.5 * side[0]),
            tip[1] - HEAD * (way[1] + sign * 0.5 * side[1]),
            tip[2] - HEAD * (way[2] + sign * 0.5 * side[2]),
            colour,
          );
        }
      }
    }
    this.lines.geometry.setDrawRange(0, end);
    this.points.geometry.setDrawRange(0, used);
    for (const attribute of [at, rgb, dot, dotColour]) {
      attribute.needsUpdate = true;
    }
  }
}

type Vec = [number, number, number];

function dotProduct(a: Vec, b: Vec): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** A vector at right angles to v, as long as v. */
function perpendicular(v: Vec): Vec {
  const axis: Vec = Math.abs(v[2]) < 0.9 * Math.hypot(...v) ? [0, 0, 1] : [1, 0, 0];
  const c: Vec = [v[1] * axis[2] - v[2] * axis[1], v[2] * axis[0] - v[0] * axis[2], v[0] * axis[1] - v[1] * axis[0]];
  const scale = Math.hypot(...v) / (Math.hypot(...c) || 1);
  return [scale * c[0], scale * c[1], scale * c[2]];
}
