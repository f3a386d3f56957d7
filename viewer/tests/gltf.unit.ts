// The glTF files that `tenon export --gltf` made, before the format's own validator.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import validator from 'gltf-validator';

const files = (process.env.TENON_GLTF ?? '').split(':').filter((file) => file !== '');

test.skipIf(files.length === 0)('exported glTF files are valid and move', async () => {
  for (const file of files) {
    const report = await validator.validateBytes(new Uint8Array(readFileSync(file)));
    expect(report.issues.messages.filter((message) => message.severity <= 1)).toEqual([]);
    expect(report.info.version).toBe('2.0');
    expect(report.info.animationCount).toBe(1);
    expect(report.info.totalTriangleCount).toBeGreaterThan(10);
  }
});
