// Where bodies have been: one line-segment geometry for all of them, of so many segments at most however many they are.
import { LineSegments, type Group } from 'three';
import type { Frame, Header } from '../data/header';
import { placeOf } from '../data/history';
import { bodyColours } from './colours';
import { plainStrokes } from './plain';
import { bytesOf, Strokes, type Bytes } from './strokes';

export const TRAIL_FRAMES = 200; // that a trail goes back
const SEGMENTS_MAX = 30_000;

/** Frames to join by lines, oldest first and the present one last: every so many-th of those that trails go back. */
export function trailFrames(present: number, bodies: number): number[] {
  const every = Math.max(1, Math.ceil((TRAIL_FRAMES * bodies) / SEGMENTS_MAX));
  const frames: number[] = [];
  for (let k = Math.ceil(Math.max(0, present - TRAIL_FRAMES) / every) * every; k < present; k += every) {
    frames.push(k);
  }
  return [...frames, present];
}

export class Trails {
  private readonly strokes = new Strokes();
  private readonly lines = new LineSegments(this.strokes.geometry, plainStrokes({}));
  private readonly bodies: { body: number; colour: Bytes }[];

  constructor(
    private readonly header: Header,
    group: Group,
  ) {
    const colours = bodyColours(header);
    this.bodies = header.bodies
      .map(({ kind }, body) => ({ body, kind, colour: bytesOf(colours[body]!) }))
      .filter(({ kind }) => kind !== 'fixed');
    this.lines.frustumCulled = false;
    this.lines.visible = false;
    group.add(this.lines);
  }

  set visible(on: boolean) {
    this.lines.visible = on;
  }

  get visible(): boolean {
    return this.lines.visible;
  }

  /** Lines drawn now. */
  get segments(): number {
    return this.strokes.n / 2;
  }

  /** peek: a frame if it is at hand. */
  show(present: number, peek: (index: number) => Frame | undefined): void {
    if (!this.visible) {
      return;
    }
    const { strokes, bodies, header } = this;
    const frames = trailFrames(present, bodies.length).map(peek).filter((frame) => frame !== undefined);
    strokes.reserve(2 * bodies.length * Math.max(0, frames.length - 1));
    strokes.n = 0;
    for (const { body, colour } of bodies) {
      let last: [number, number, number] | undefined;
      for (const frame of frames) {
        const place = placeOf(header, frame, body);
        if (place && last && Number.isFinite(place[0])) {
          strokes.put(...last, colour);
          strokes.put(...place, colour);
        }
        last = place;
      }
    }
    strokes.done();
  }
}
