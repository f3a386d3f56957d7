// Contact points with their forces: the normal part and the friction part as arrows, green where the contact sticks,
// red where it slides.
import type { Group } from 'three';
import { CONTACT, type Frame } from '../data/header';
import { Arrows } from './arrows';
import { SLIDE_COLOUR, STICK_COLOUR } from './colours';
import { drawnLength, type ForceScale } from './forces';
import { bytesOf } from './strokes';

const CROWD = 2000; // contacts from which on they are drawn more simply
const STICK = bytesOf(STICK_COLOUR);
const SLIDE = bytesOf(SLIDE_COLOUR);

export class Contacts {
  private readonly arrows: Arrows;
  slipThreshold = 1e-4; // [m/s] slower contacts count as sticking

  constructor(
    group: Group,
    private readonly scale: ForceScale,
  ) {
    this.arrows = new Arrows(group);
  }

  set visible(value: boolean) {
    this.arrows.visible = value;
  }

  get visible(): boolean {
    return this.arrows.visible;
  }

  get drawnLines(): number {
    return this.arrows.drawnLines;
  }

  show(frame: Frame): void {
    if (!this.visible) {
      return;
    }
    const c = frame.contacts;
    const n = c.length / CONTACT.width;
    const { arrows, scale } = this;
    arrows.crowded = n > CROWD;
    arrows.begin(2 * n, n);
    for (let k = 0; k < c.length; k += CONTACT.width) {
      const [x, y, z] = [c[k + 2]!, c[k + 3]!, c[k + 4]!];
      const [nx, ny, nz] = [c[k + 5]!, c[k + 6]!, c[k + 7]!];
      const [fx, fy, fz] = [c[k + 8]!, c[k + 9]!, c[k + 10]!];
      const total = fx * fx + fy * fy + fz * fz;
      if (!(total > 0)) {
        continue;
      }
      const colour = c[k + CONTACT.slip]! > this.slipThreshold ? SLIDE : STICK;
      if (n > CROWD && drawnLength(scale, Math.sqrt(total), true) === 0) {
        continue; // less than a pixel
      }
      arrows.dot(x, y, z, colour);
      const pressed = fx * nx + fy * ny + fz * nz;
      const put = (u: number, v: number, w: number): void => {
        const s = drawnLength(scale, Math.sqrt(u * u + v * v + w * w), n > CROWD);
        if (s > 0) {
          arrows.arrow(x, y, z, s * u, s * v, s * w, colour);
        }
      };
      put(nx * pressed, ny * pressed, nz * pressed);
      put(fx - pressed * nx, fy - pressed * ny, fz - pressed * nz);
    }
    arrows.end();
  }
}
