// Vertices of lines and points that change with every frame: no objects, colours of four bytes, and only what is used
// goes to the graphics card.
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage } from 'three';

export type Bytes = readonly [red: number, green: number, blue: number]; // of the screen, 0 to 255

export function bytesOf(colour: number | Color): Bytes {
  const c = new Color(colour).convertLinearToSRGB();
  return [Math.round(255 * c.r), Math.round(255 * c.g), Math.round(255 * c.b)];
}

/** Positions and colours that grow. */
export class Strokes {
  readonly geometry = new BufferGeometry();
  at = new Float32Array(0);
  rgb = new Uint8Array(0);
  n = 0;

  /** Room for n vertices; what was there is gone. */
  reserve(n: number): void {
    if (n <= this.at.length / 3) {
      return;
    }
    const room = Math.max(n, (2 * this.at.length) / 3, 512);
    this.at = new Float32Array(3 * room);
    this.rgb = new Uint8Array(4 * room);
    this.geometry.dispose();
    this.geometry.setAttribute('position', new BufferAttribute(this.at, 3).setUsage(DynamicDrawUsage));
    this.geometry.setAttribute('color', new BufferAttribute(this.rgb, 4, true).setUsage(DynamicDrawUsage));
  }

  put(x: number, y: number, z: number, colour: Bytes): void {
    const k = this.n++;
    this.at[3 * k] = x;
    this.at[3 * k + 1] = y;
    this.at[3 * k + 2] = z;
    this.rgb[4 * k] = colour[0];
    this.rgb[4 * k + 1] = colour[1];
    this.rgb[4 * k + 2] = colour[2];
  }

  done(): void {
    this.geometry.setDrawRange(0, this.n);
    for (const [name, width] of [['position', 3], ['color', 4]] as const) {
      const attribute = this.geometry.getAttribute(name) as BufferAttribute | undefined;
      attribute?.clearUpdateRanges();
      attribute?.addUpdateRange(0, width * this.n);
      if (attribute) {
        attribute.needsUpdate = true;
      }
    }
  }
}
