// The page's side of a live run (src/view/live.h), with a socket and a clock of the test's own; and bodies over time.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { HISTORY, type Frame, type Header } from '../src/data/header';
import { column, historyOf, placeOf } from '../src/data/history';
import { LiveSource, readFrame } from '../src/data/live';

const RIGID = 2;
const NODES = 1;

function header(patches = 0): Header {
  const table = (name: string, width: number) => ({ name, type: 'float32', width, rows: 0, by_frame: true });
  return {
    frames: 1,
    rigid: RIGID,
    bodies: [{ name: 'world', kind: 'fixed' }, { name: 'box', kind: 'free' }, { name: 'mat', kind: 'soft' }],
    softs: [{ body: 2, nodes: [0, NODES], faces: [0, 0], young: 1 }],
    series: [{ name: 'iterations', unit: '1', about: '' }],
    tables: [
      table('vertices', 3), table('triangles', 3), table('faces', 3),
      table('poses', 7 * RIGID), table('nodes', 3 * NODES), table('stress', NODES), table('joint_forces', 3), table('series', 1), table('patches', patches), table('ahead', 0),
    ],
    live: { solvers: ['auto'], laws: ['coulomb'] },
  } as unknown as Header;
}

/** A message as src/view/live_frame.c writes it. */
function message(time: number, contacts = 0, patches = 0): ArrayBuffer {
  const floats = 7 * RIGID + 3 * NODES + NODES + 3 + 1 + (12 + patches) * contacts;
  const buffer = new ArrayBuffer(24 + 4 * floats);
  const view = new DataView(buffer);
  view.setFloat64(0, time, true);
  view.setUint32(16, contacts, true);
  new Float32Array(buffer, 24).forEach((_, k, all) => (all[k] = time * 1000 + k));
  return buffer;
}

class FakeSocket {
  static OPEN = 1;
  static last: FakeSocket;
  readyState = 1;
  binaryType = '';
  sent: string[] = [];
  onmessage: (event: { data: ArrayBuffer | string }) => void = () => undefined;
  onopen: () => void = () => undefined;
  onclose: () => void = () => undefined;
  constructor(
    readonly url: string,
    readonly protocol: string,
  ) {
    FakeSocket.last = this;
  }
  send(text: string): void {
    this.sent.push(text);
  }
}

describe('readFrame', () => {
  it('takes a message apart', () => {
    const { frame, series } = readFrame(header(), message(0.5, 2));
    expect(frame.time).toBe(0.5);
    expect([frame.poses.length, frame.nodes.length, frame.stress.length, frame.contacts.length]).toEqual([14, 3, 1, 24]);
    expect([frame.poses[0], frame.nodes[0], frame.stress[0], series[0], frame.contacts[0]]).toEqual([500, 514, 517, 521, 522]);
  });
  it('takes the patches of a foundation behind the contacts', () => {
    const { frame } = readFrame(header(6), message(0.5, 2, 6));
    expect([frame.contacts.length, frame.contacts[0], frame.patches.length, frame.patches[0]]).toEqual([24, 522, 12, 546]);
    expect(readFrame(header(), message(0.5, 2)).frame.patches.length).toBe(0);
  });
  it('refuses one that is cut', () => {
    expect(() => readFrame(header(), message(0.5, 1).slice(0, 60))).toThrow();
  });
});

describe('LiveSource', () => {
  const open = () => LiveSource.open('http://127.0.0.1:1/', header());
  const hear = (data: ArrayBuffer | string) => FakeSocket.last.onmessage({ data });

  beforeEach(() => {
    vi.stubGlobal('WebSocket', FakeSocket);
  });

  it('asks its own server, with the protocol that this serves', async () => {
    await open();
    expect([FakeSocket.last.url, FakeSocket.last.protocol, FakeSocket.last.binaryType]).toEqual(['ws://127.0.0.1:1/api/live', 'tenon-live', 'arraybuffer']);
  });

  it('asks for a frame at first, and again when it gets one that it has', async () => {
    const source = await open();
    let shown = 0;
    source.onFrame = () => shown++;
    FakeSocket.last.onopen();
    expect(FakeSocket.last.sent).toEqual(['{"command":"next"}']);
    hear(message(0.2));
    expect([source.header.frames, shown, source.frame(0)!.time, FakeSocket.last.sent.length]).toEqual([1, 1, 0.2, 1]);
    hear(message(0.2)); // of a paused run, for a page that came later
    expect([source.header.frames, shown, FakeSocket.last.sent.length]).toEqual([1, 1, 2]);
  });

  it('begins anew after a reset, and forgets the oldest when it holds too many', async () => {
    const source = await open();
    let dropped = 0;
    source.onFrame = (n) => (dropped += n);
    for (let k = 1; k <= 1000; k++) {
      hear(message(k));
    }
    expect([source.header.frames, dropped, source.statics.time[0]]).toEqual([900, 100, 101]);
    source.gatherSeries();
    expect(source.statics.series.length).toBe(900);
    expect(column(await source.history(1), HISTORY.time)[0]).toBe(101);
    hear(message(0));
    expect([source.header.frames, source.statics.time[0]]).toEqual([1, 0]);
  });

  it('keeps what it heard, and what went wrong', async () => {
    const source = await open();
    hear('{"state": "paused", "solver": "pgs", "law": "convex", "pace": 1, "message": ""}');
    expect([source.news.state, source.news.solver]).toEqual(['paused', 'pgs']);
    hear('{"error": "no such solver"}');
    expect([source.news.state, source.news.message]).toEqual(['paused', 'no such solver']);
    FakeSocket.last.onclose();
    expect(source.news.state).toBe('gone');
  });

  it('sends commands while it can', async () => {
    const source = await open();
    source.ask({ command: 'solver', name: 'pgs' });
    FakeSocket.last.readyState = 3;
    source.ask({ command: 'pause' });
    expect(FakeSocket.last.sent).toEqual(['{"command":"solver","name":"pgs"}']);
  });

  it('waits for a first frame', async () => {
    const source = await open();
    const first = source.load(0);
    hear(message(0.3));
    expect((await first).time).toBe(0.3);
  });
});

describe('a body over time', () => {
  const frame = (contacts: number[][]): Frame => ({
    index: 0,
    time: 2,
    poses: Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 1, 0, 0, 0]),
    nodes: Float32Array.from([4, 5, 6]),
    patches: new Float32Array(0),
    ahead: new Float32Array(0),
    stress: new Float32Array(1),
    jointForces: new Float32Array(0),
    contacts: Float32Array.from(contacts.flat()),
  });
  // bodies a b, point, normal, force on b, slip
  const push = (a: number, b: number, force: number[]) => [a, b, 0, 0, 0, 0, 0, 1, ...force, 0];

  it('sums what touches it, by its side', () => {
    const f = frame([push(0, 1, [3, 0, 4]), push(1, 2, [0, 0, 1]), push(0, 2, [0, 0, 9]), push(1, 1, [0, 0, 2])]);
    const row = Array.from(historyOf(header(), 1, () => f, 1));
    expect(row.slice(0, 4)).toEqual([2, 1, 2, 3]);
    expect(row[HISTORY.force]).toBeCloseTo(Math.hypot(3, 3), 12); // 4 from below, 1 from above, itself nothing
    expect(row.slice(5)).toEqual([7, 3, 3]);
  });
  it('is a pose or the mean of nodes', () => {
    expect(placeOf(header(), frame([]), 1)).toEqual([1, 2, 3]);
    expect(placeOf(header(), frame([]), 2)).toEqual([4, 5, 6]);
  });
  it('is thinned where it is long', () => {
    const times: number[] = [];
    const history = historyOf(header(), 5001, (k) => (times.push(k), { ...frame([]), time: k }), 1);
    expect(history.length / HISTORY.width).toBeLessThanOrEqual(HISTORY.rowsMax);
    expect(times.slice(0, 3)).toEqual([0, 3, 6]);
  });
});
