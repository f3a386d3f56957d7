import { describe, expect, it } from 'vitest';
import { unpackRows } from '../src/data/packed';
import { Player } from '../src/ui/player';
import { withUnit } from '../src/ui/dom';
import { scaleColour } from '../src/scene/colours';

/** The packer's side of src/view/pack.h, written again. */
function pack(rows: number[][], delta: boolean): Uint8Array {
  const width = rows[0]!.length;
  const bytes = new Uint8Array(2 * width * rows.length);
  rows.forEach((row, r) =>
    row.forEach((q, k) => {
      const change = ((q - (delta && r > 0 ? rows[r - 1]![k]! : 0)) << 16) >> 16;
      const zigzag = ((change << 1) ^ (change >> 31)) & 0xffff;
      bytes[2 * width * r + k] = zigzag >> 8;
      bytes[2 * width * r + width + k] = zigzag & 0xff;
    }),
  );
  return bytes;
}

describe('unpackRows', () => {
  const rows = [
    [0, 32767, -32767, 5],
    [-1, -32767, 32767, 5],
    [300, 0, -32768, 6],
  ];
  for (const delta of [false, true]) {
    it(`gives back what was packed, ${delta ? 'changes' : 'values'}`, () => {
      const out = unpackRows(pack(rows, delta), 4, 3, { name: 'poses', at: 0, period: 2, delta, offset: [0, 10], scale: [1, 0.5] });
      expect(Array.from(out)).toEqual([0, 10 + 0.5 * 32767, -32767, 12.5, -1, 10 - 0.5 * 32767, 32767, 12.5, 300, 10, NaN, 13]);
    });
  }
});

describe('Player', () => {
  const player = () => new Player(Float64Array.from([0, 0.1, 0.2, 0.3, 0.4]));
  it('finds the last frame not after a time', () => {
    const p = player();
    expect([-1, 0, 0.05, 0.1, 0.39, 0.4, 9].map((t) => p.indexAt(t))).toEqual([0, 0, 0, 1, 3, 4, 4]);
  });
  it('goes with the clock, at its speed, and starts again', () => {
    const p = player();
    const seen: number[] = [];
    p.onFrame((k) => seen.push(k));
    p.play();
    p.advance(0.11);
    p.setSpeed(2);
    p.advance(0.11);
    p.advance(0.11);
    expect(seen).toEqual([1, 3, 0]);
  });
  it('stops at the end without loop', () => {
    const p = player();
    p.setLoop(false);
    p.play();
    for (let k = 0; k < 10; k++) {
      p.advance(0.1);
    }
    expect([p.frame, p.playing]).toEqual([4, false]);
  });
  it('steps and stays within the recording', () => {
    const p = player();
    p.step(-3);
    expect(p.frame).toBe(0);
    p.step(100);
    expect(p.frame).toBe(4);
  });
});

describe('withUnit', () => {
  it('takes a prefix where the unit has one', () => {
    expect([withUnit(0.0123, 'N'), withUnit(18400, 'Pa'), withUnit(0, 'm'), withUnit(NaN, 'm'), withUnit(1e-6, '1')]).toEqual([
      '12.3 mN',
      '18.4 kPa',
      '0 m',
      '-',
      '0.000001',
    ]);
  });
});

describe('scaleColour', () => {
  it('stays within its ends', () => {
    const rgb = new Float32Array(9);
    scaleColour(-1, rgb, 0);
    scaleColour(0, rgb, 3);
    scaleColour(NaN, rgb, 6);
    expect(rgb.slice(0, 3)).toEqual(rgb.slice(3, 6));
    expect(rgb.slice(6, 9)).toEqual(rgb.slice(3, 6));
  });
});
