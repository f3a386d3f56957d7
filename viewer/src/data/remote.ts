// A recording that `tenon view` serves: the header, tables that do not change, and frames by the block on demand.
import { checkHeader, CONTACT, hasFoundation, PATCH, tableInfo, type Frame, type Header, type Source, type Statics, type TableName } from './header';

const BLOCK_BYTES = 4 << 20; // of one request, about
const BLOCKS_KEPT = 24;

interface Block {
  first: number;
  n: number;
  ready?: Record<'poses' | 'nodes' | 'stress' | 'joint_forces' | 'contacts' | 'patches' | 'ahead', Float32Array>;
  loading: Promise<void>;
}

async function request(url: string): Promise<ArrayBuffer> {
  const answer = await fetch(url);
  if (!answer.ok) {
    throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  }
  return answer.arrayBuffer();
}

export function rows(base: string, name: TableName, first: number, n: number): Promise<ArrayBuffer> {
  return n > 0 ? request(`${base}api/rows/${name}?first=${first}&n=${n}`) : Promise.resolve(new ArrayBuffer(0));
}

export async function fetchHeader(base: string): Promise<Header> {
  const text = new TextDecoder().decode(await request(`${base}api/header`));
  return checkHeader(JSON.parse(text) as Header);
}

export class RemoteSource implements Source {
  private readonly blocks = new Map<number, Block>(); // in the order of their last use
  private readonly framesPerBlock: number;

  private constructor(
    private readonly base: string,
    readonly header: Header,
    readonly statics: Statics,
    private readonly contactOffset: Uint32Array,
  ) {
    const frameBytes = 4 * (['poses', 'nodes', 'stress', 'joint_forces', 'ahead'] as const).reduce((sum, t) => sum + tableInfo(header, t).width, 0);
    const width = CONTACT.width + tableInfo(header, 'patches').width;
    const contacts = (4 * width * contactOffset[header.frames]!) / Math.max(1, header.frames);
    this.framesPerBlock = Math.max(1, Math.min(256, Math.floor(BLOCK_BYTES / (frameBytes + contacts + 1))));
  }

  static async open(base: string, header: Header): Promise<RemoteSource> {
    const whole = (name: TableName) => rows(base, name, 0, tableInfo(header, name).rows);
    const [vertices, triangles, faces, time, series, offset] = await Promise.all(
      (['vertices', 'triangles', 'faces', 'time', 'series', 'contact_offset'] as const).map(whole),
    );
    return new RemoteSource(
      base,
      header,
      {
        vertices: new Float32Array(vertices!),
        triangles: new Uint32Array(triangles!),
        faces: new Uint32Array(faces!),
        time: new Float64Array(time!),
        series: new Float32Array(series!),
      },
      new Uint32Array(offset!),
    );
  }

  private async fill(block: Block): Promise<void> {
    const from = this.contactOffset[block.first]!;
    const to = this.contactOffset[block.first + block.n]!;
    const byFrame = (name: TableName) =>
      tableInfo(this.header, name).width > 0 ? rows(this.base, name, block.first, block.n) : new ArrayBuffer(0);
    const [poses, nodes, stress, jointForces, contacts, patches, ahead] = await Promise.all([
      byFrame('poses'),
      byFrame('nodes'),
      byFrame('stress'),
      byFrame('joint_forces'),
      rows(this.base, 'contacts', from, to - from),
      hasFoundation(this.header) ? rows(this.base, 'patches', from, to - from) : new ArrayBuffer(0),
      byFrame('ahead'),
    ]);
    block.ready = {
      poses: new Float32Array(poses),
      nodes: new Float32Array(nodes),
      stress: new Float32Array(stress),
      joint_forces: new Float32Array(jointForces),
      contacts: new Float32Array(contacts),
      patches: new Float32Array(patches),
      ahead: new Float32Array(ahead),
    };
  }

  private block(number: number): Block {
    let block = this.blocks.get(number);
    if (!block) {
      const first = number * this.framesPerBlock;
      block = { first, n: Math.min(this.framesPerBlock, this.header.frames - first), loading: Promise.resolve() };
      block.loading = this.fill(block).catch((error: unknown) => {
        this.blocks.delete(number); // the next look asks again
        throw error;
      });
      block.loading.catch(() => undefined);
    }
    this.blocks.delete(number);
    this.blocks.set(number, block);
    for (const old of this.blocks.keys()) {
      if (this.blocks.size <= BLOCKS_KEPT) {
        break;
      }
      this.blocks.delete(old);
    }
    return block;
  }

  frame(index: number): Frame | undefined {
    const number = Math.floor(index / this.framesPerBlock);
    const block = this.block(number);
    if ((number + 1) * this.framesPerBlock < this.header.frames) {
      this.block(number + 1); // the one that plays next
      this.block(number);
    }
    return this.cut(block, index);
  }

  peek(index: number): Frame | undefined {
    const block = this.blocks.get(Math.floor(index / this.framesPerBlock));
    return block && index < this.header.frames ? this.cut(block, index) : undefined;
  }

  private cut(block: Block, index: number): Frame | undefined {
    if (!block.ready) {
      return undefined;
    }
    const k = index - block.first;
    const slice = (name: 'poses' | 'nodes' | 'stress' | 'joint_forces' | 'ahead') => {
      const width = tableInfo(this.header, name).width;
      return block.ready![name].subarray(width * k, width * (k + 1));
    };
    const [first, from, to] = [block.first, index, index + 1].map((frame) => this.contactOffset[frame]!) as [number, number, number];
    return {
      index,
      time: this.statics.time[index]!,
      poses: slice('poses'),
      nodes: slice('nodes'),
      stress: slice('stress'),
      jointForces: slice('joint_forces'),
      contacts: block.ready.contacts.subarray(CONTACT.width * (from - first), CONTACT.width * (to - first)),
      patches: block.ready.patches.subarray(PATCH.width * (from - first), PATCH.width * (to - first)),
      ahead: slice('ahead'),
    };
  }

  async history(body: number): Promise<Float64Array> {
    return new Float64Array(await request(`${this.base}api/body?body=${body}`));
  }

  async load(index: number): Promise<Frame> {
    await this.block(Math.floor(index / this.framesPerBlock)).loading;
    const frame = this.frame(index);
    if (!frame) {
      throw new Error(`frame ${index} did not arrive`);
    }
    return frame;
  }
}
