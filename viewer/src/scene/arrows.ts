// Many arrows of lines, and dots where they begin, written anew for every frame.
import { LineSegments, Points, type Group } from 'three';
import { plainStrokes } from './plain';
import { software } from './quality';
import { Strokes, type Bytes } from './strokes';

const HEAD = 0.22; // of an arrow's length
const ENDS = 6; // of lines an arrow: shaft and two sides of the head
const FAINT = { depthTest: false, transparent: true, opacity: 0.35 };
const DOT = 5; // pixels

export class Arrows {
  private readonly lines = new Strokes();
  private readonly dots = new Strokes();
  private readonly seen: (LineSegments | Points)[];
  // What lies behind bodies or inside them is seen faintly: the same numbers once more, without regard to depth.
  private readonly hidden: (LineSegments | Points)[];
  private readonly strokes = plainStrokes({ depthTest: !software });
  private readonly marks = plainStrokes({ depthTest: !software }, DOT);
  private shown = true;
  private crowd = false;

  constructor(group: Group) {
    this.seen = [new LineSegments(this.lines.geometry, this.strokes), new Points(this.dots.geometry, this.marks)];
    this.hidden = [
      new LineSegments(this.lines.geometry, plainStrokes(FAINT)),
      new Points(this.dots.geometry, plainStrokes(FAINT, DOT - 1)),
    ];
    for (const object of [...this.hidden, ...this.seen]) {
      object.frustumCulled = false;
      object.renderOrder = 1;
      group.add(object);
    }
    this.look();
  }

  set visible(value: boolean) {
    this.shown = value;
    this.look();
  }

  get visible(): boolean {
    return this.shown;
  }

  /** In a crowd each arrow is a plain line with a small dot, and bodies hide what is behind them: heads and the faint
   * second pass would cover everything. */
  set crowded(value: boolean) {
    if (value !== this.crowd) {
      this.crowd = value;
      this.look();
    }
  }

  private look(): void {
    const { shown, crowd } = this;
    this.seen.forEach((object) => (object.visible = shown));
    this.hidden.forEach((object) => (object.visible = shown && !crowd && !software));
    this.strokes.depthTest = this.marks.depthTest = crowd || !software;
    this.marks.uniforms['size']!.value = crowd ? 3 : DOT;
  }

  /** Lines drawn now, of at most ENDS / 2 an arrow. */
  get drawnLines(): number {
    return this.lines.n / 2;
  }

  begin(arrows: number, dots: number): void {
    this.lines.reserve(ENDS * arrows);
    this.dots.reserve(dots);
    this.lines.n = this.dots.n = 0;
  }

  dot(x: number, y: number, z: number, colour: Bytes): void {
    this.dots.put(x, y, z, colour);
  }

  /** From (x, y, z) by (u, v, w). */
  arrow(x: number, y: number, z: number, u: number, v: number, w: number, colour: Bytes): void {
    const { lines } = this;
    const [tx, ty, tz] = [x + u, y + v, z + w];
    lines.put(x, y, z, colour);
    lines.put(tx, ty, tz, colour);
    if (this.crowd) {
      return;
    }
    // At right angles to the arrow, half a head wide: the arrow times z, or times x where it points up.
    const upright = w * w > 0.81 * (u * u + v * v + w * w);
    let [a, b, c] = upright ? [0, w, -v] : [v, -u, 0];
    const s = 0.5 * Math.sqrt((u * u + v * v + w * w) / (a * a + b * b + c * c || 1));
    [a, b, c] = [s * a, s * b, s * c];
    lines.put(tx, ty, tz, colour);
    lines.put(tx - HEAD * (u + a), ty - HEAD * (v + b), tz - HEAD * (w + c), colour);
    lines.put(tx, ty, tz, colour);
    lines.put(tx - HEAD * (u - a), ty - HEAD * (v - b), tz - HEAD * (w - c), colour);
  }

  end(): void {
    this.lines.done();
    this.dots.done();
  }
}
