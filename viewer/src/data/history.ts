// A body over time, from frames that are at hand; src/view/body.c does the same for a recording that is served.
import { CONTACT, HISTORY, type Frame, type Header } from './header';

/** Where a body is: its pose, or the mean of a soft body's nodes. */
export function placeOf(header: Header, frame: Frame, body: number): [number, number, number] | undefined {
  const soft = header.softs.find((s) => s.body === body);
  if (!soft) {
    const p = frame.poses;
    return 7 * body + 2 < p.length ? [p[7 * body]!, p[7 * body + 1]!, p[7 * body + 2]!] : undefined;
  }
  const [first, n] = soft.nodes;
  const sum: [number, number, number] = [0, 0, 0];
  for (let i = 3 * first; i < 3 * (first + n); i++) {
    sum[(i - 3 * first) % 3]! += frame.nodes[i]! / n;
  }
  return sum;
}

function rowOf(header: Header, frame: Frame, body: number, row: Float64Array): void {
  row[HISTORY.time] = frame.time;
  row.set(placeOf(header, frame, body) ?? [NaN, NaN, NaN], HISTORY.position);
  const total: [number, number, number] = [0, 0, 0];
  const c = frame.contacts;
  for (let k = 0; k < c.length; k += CONTACT.width) {
    const isA = c[k + CONTACT.bodyA] === body;
    const isB = c[k + CONTACT.bodyB] === body;
    if (!isA && !isB) {
      continue;
    }
    let pressed = 0;
    for (let i = 0; i < 3; i++) {
      pressed += c[k + CONTACT.force + i]! * c[k + CONTACT.normal + i]!;
    }
    let across = 0;
    for (let i = 0; i < 3; i++) {
      const force = c[k + CONTACT.force + i]!;
      across += (force - pressed * c[k + CONTACT.normal + i]!) ** 2;
      total[i]! += (Number(isB) - Number(isA)) * force;
    }
    row[HISTORY.pressed]! += pressed;
    row[HISTORY.friction]! += Math.sqrt(across);
    row[HISTORY.contacts]! += 1;
  }
  row[HISTORY.force] = Math.hypot(...total);
}

/** At most HISTORY.rowsMax rows: every so many-th of the frames. */
export function historyOf(header: Header, frames: number, frame: (index: number) => Frame, body: number): Float64Array {
  const every = Math.max(1, Math.ceil(frames / HISTORY.rowsMax));
  const rows = Math.ceil(frames / every);
  const out = new Float64Array(HISTORY.width * rows);
  for (let k = 0; k < rows; k++) {
    rowOf(header, frame(k * every), body, out.subarray(HISTORY.width * k, HISTORY.width * (k + 1)));
  }
  return out;
}

export function column(history: Float64Array, place: number): Float64Array {
  return Float64Array.from({ length: history.length / HISTORY.width }, (_, k) => history[HISTORY.width * k + place]!);
}
