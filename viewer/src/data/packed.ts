// A recording inside the page: one gzip stream in base64, laid out as src/view/pack.h says.
import { historyOf } from './history';
import { checkHeader, CONTACT, PATCH, tableInfo, type Frame, type Header, type PackedTable, type Source, type Statics, type TableName } from './header';

async function gunzip(base64: string): Promise<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) {
    bytes[k] = text.charCodeAt(k);
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

/** Rows of 16 bits (high bytes, low bytes, zigzag, changes or not) as numbers. */
export function unpackRows(bytes: Uint8Array, width: number, rows: number, table: PackedTable): Float32Array {
  const { period = 1, offset = [0], scale = [1], delta = false } = table;
  const out = new Float32Array(width * rows);
  const last = new Int16Array(width);
  for (let row = 0; row < rows; row++) {
    const high = 2 * width * row;
    const low = high + width;
    for (let k = 0; k < width; k++) {
      const zigzag = (bytes[high + k]! << 8) | bytes[low + k]!;
      const change = (zigzag >>> 1) ^ -(zigzag & 1);
      const q = delta ? (last[k]! + change) << 16 >> 16 : change << 16 >> 16;
      last[k] = q;
      const p = k % period;
      out[row * width + k] = q === -32768 ? NaN : offset[p]! + scale[p]! * q;
    }
  }
  return out;
}

export class PackedSource implements Source {
  readonly header: Header;
  readonly statics: Statics;
  private readonly start: number;
  private readonly byFrame: Record<'poses' | 'nodes' | 'stress' | 'joint_forces' | 'contacts' | 'patches' | 'ahead', Float32Array>;
  private readonly contactOffset: Uint32Array;

  constructor(private readonly buffer: ArrayBuffer) {
    const length = new DataView(buffer).getUint32(0, true);
    this.start = 4 + length;
    this.header = checkHeader(JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as Header);
    this.statics = {
      vertices: this.floats('vertices'),
      triangles: this.integers('triangles'),
      faces: this.integers('faces'),
      time: new Float64Array(buffer, this.at('time'), this.header.frames),
      series: this.floats('series'),
    };
    this.contactOffset = this.integers('contact_offset');
    this.byFrame = {
      poses: this.unpacked('poses'),
      nodes: this.unpacked('nodes'),
      stress: this.unpacked('stress'),
      joint_forces: this.unpacked('joint_forces'),
      contacts: this.unpacked('contacts'),
      patches: this.unpacked('patches'),
      ahead: this.unpacked('ahead'),
    };
  }

  static async open(base64: string): Promise<PackedSource> {
    return new PackedSource(await gunzip(base64));
  }

  private packed(name: TableName): PackedTable {
    const table = this.header.packed?.find((t) => t.name === name);
    if (!table) {
      throw new Error(`the recording has no table '${name}'`);
    }
    return table;
  }

  private at(name: TableName): number {
    return this.start + this.packed(name).at;
  }

  private floats(name: TableName): Float32Array {
    const info = tableInfo(this.header, name);
    return new Float32Array(this.buffer, this.at(name), info.width * info.rows);
  }

  private integers(name: TableName): Uint32Array {
    const info = tableInfo(this.header, name);
    return new Uint32Array(this.buffer, this.at(name), info.width * info.rows);
  }

  private unpacked(name: TableName): Float32Array {
    const info = tableInfo(this.header, name);
    const bytes = new Uint8Array(this.buffer, this.at(name), 2 * info.width * info.rows);
    return unpackRows(bytes, info.width, info.rows, this.packed(name));
  }

  private row(name: 'poses' | 'nodes' | 'stress' | 'joint_forces' | 'ahead', index: number): Float32Array {
    const width = tableInfo(this.header, name).width;
    return this.byFrame[name].subarray(width * index, width * (index + 1));
  }

  frame(index: number): Frame {
    const [from, to] = [this.contactOffset[index]!, this.contactOffset[index + 1]!];
    return {
      index,
      time: this.statics.time[index]!,
      poses: this.row('poses', index),
      nodes: this.row('nodes', index),
      stress: this.row('stress', index),
      jointForces: this.row('joint_forces', index),
      contacts: this.byFrame.contacts.subarray(CONTACT.width * from, CONTACT.width * to),
      patches: this.byFrame.patches.subarray(PATCH.width * from, PATCH.width * to),
      ahead: this.row('ahead', index),
    };
  }

  peek(index: number): Frame | undefined {
    return index >= 0 && index < this.header.frames ? this.frame(index) : undefined;
  }

  history(body: number): Promise<Float64Array> {
    return Promise.resolve(historyOf(this.header, this.header.frames, (k) => this.frame(k), body));
  }

  load(index: number): Promise<Frame> {
    return Promise.resolve(this.frame(index));
  }
}
