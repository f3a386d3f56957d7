// A simulation that runs: frames are asked for and come over a WebSocket as src/view/live.h says, the last ones are kept to
// look back at.
import { CONTACT, tableInfo, type Frame, type Header, type Source, type Statics } from './header';
import { historyOf } from './history';
import { rows } from './remote';

const KEPT_FRAMES = 900; // at most; half a minute
const KEPT_BYTES = 64 << 20;
const FRAME_HEADER = 24; // bytes

export interface News {
  state: 'running' | 'paused' | 'ended' | 'gone';
  solver: string;
  law: string;
  pace: number;
  time: number; // of the state when this was said [s]
  message: string;
}

export type Vector = [x: number, y: number, z: number];

export type Command =
  | { command: 'pause' | 'resume' | 'step' | 'reset' | 'release' | 'next' }
  | { command: 'solver' | 'law'; name: string }
  | { command: 'pace'; value: number }
  | { command: 'pull'; body: number; point: Vector; target: Vector };

/** A message as a frame and its row of `series`. */
export function readFrame(header: Header, message: ArrayBuffer): { frame: Frame; series: Float32Array } {
  const view = new DataView(message);
  const time = view.getFloat64(0, true);
  const contacts = view.getUint32(16, true);
  let at = FRAME_HEADER;
  const take = (n: number) => {
    const part = new Float32Array(message, at, n);
    at += 4 * n;
    return part;
  };
  const width = (name: 'poses' | 'nodes' | 'stress' | 'joint_forces' | 'series' | 'patches' | 'ahead') => tableInfo(header, name).width;
  const poses = take(width('poses'));
  const nodes = take(width('nodes'));
  const stress = take(width('stress'));
  const jointForces = take(width('joint_forces'));
  const series = take(width('series'));
  const rows = take(CONTACT.width * contacts);
  const patches = take(width('patches') * contacts);
  const ahead = take(width('ahead'));
  return { frame: { index: 0, time, poses, nodes, stress, jointForces, contacts: rows, patches, ahead }, series };
}

export class LiveSource implements Source {
  private frames: Frame[] = [];
  private series: Float32Array[] = [];
  private bytes = 0;
  private waiting: ((frame: Frame) => void)[] = [];
  news: News = { state: 'running', solver: '', law: '', pace: 0, time: 0, message: '' };
  /** Something came: a frame (dropped: how many old ones went), or news. */
  onFrame: (dropped: number) => void = () => undefined;
  onNews: () => void = () => undefined;

  private constructor(
    readonly header: Header,
    readonly statics: Statics,
    private readonly socket: WebSocket,
  ) {
    header.frames = 0;
    socket.binaryType = 'arraybuffer';
    socket.onmessage = (event: MessageEvent<ArrayBuffer | string>) =>
      typeof event.data === 'string' ? this.hear(event.data) : this.take(event.data);
    socket.onopen = () => this.askNext();
    socket.onclose = () => {
      this.news = { ...this.news, state: 'gone' };
      this.onNews();
    };
  }

  static async open(base: string, header: Header): Promise<LiveSource> {
    const whole = (name: 'vertices' | 'triangles' | 'faces') => rows(base, name, 0, tableInfo(header, name).rows);
    const [vertices, triangles, faces] = await Promise.all([whole('vertices'), whole('triangles'), whole('faces')]);
    const statics: Statics = {
      vertices: new Float32Array(vertices),
      triangles: new Uint32Array(triangles),
      faces: new Uint32Array(faces),
      time: new Float64Array(0),
      series: new Float32Array(0),
    };
    const socket = new WebSocket(`${base.replace(/^http/, 'ws')}api/live`, 'tenon-live');
    return new LiveSource(header, statics, socket);
  }

  ask(command: Command): void {
    if (this.socket.readyState === WebSocket.OPEN) {
      this.socket.send(JSON.stringify(command));
    }
  }

  /** Another frame than the last one, as soon as there is one. */
  askNext(): void {
    this.ask({ command: 'next' });
  }

  private hear(text: string): void {
    const said = JSON.parse(text) as Partial<News> & { error?: string };
    this.news = said.error ? { ...this.news, message: said.error } : { ...this.news, ...said };
    this.onNews();
  }

  private take(message: ArrayBuffer): void {
    const { frame, series } = readFrame(this.header, message);
    const last = this.frames.at(-1);
    if (last && frame.time < last.time) {
      this.frames = []; // it was reset
      this.series = [];
      this.bytes = 0;
    } else if (last && frame.time === last.time) {
      this.askNext(); // it was sent for somebody else
      return;
    }
    this.frames.push(frame);
    this.series.push(series);
    this.bytes += message.byteLength;
    let dropped = 0;
    while (this.frames.length > 1 && (this.frames.length > KEPT_FRAMES || this.bytes > KEPT_BYTES)) {
      this.bytes -= this.frames.shift()!.poses.buffer.byteLength;
      this.series.shift();
      dropped++;
    }
    this.header.frames = this.frames.length;
    this.statics.time = Float64Array.from(this.frames, (f) => f.time);
    this.waiting.splice(0).forEach((resolve) => resolve(frame));
    this.onFrame(dropped);
  }

  /** Bring statics.series up to the frames: only plots need it. */
  gatherSeries(): void {
    const width = this.header.series.length;
    this.statics.series = new Float32Array(width * this.series.length);
    this.series.forEach((row, k) => this.statics.series.set(row, width * k));
  }

  frame(index: number): Frame | undefined {
    return this.frames[index];
  }

  peek(index: number): Frame | undefined {
    return this.frames[index];
  }

  history(body: number): Promise<Float64Array> {
    return Promise.resolve(historyOf(this.header, this.frames.length, (k) => this.frames[k]!, body));
  }

  load(index: number): Promise<Frame> {
    const frame = this.frames[index];
    return frame ? Promise.resolve(frame) : new Promise((resolve) => this.waiting.push(resolve));
  }
}
