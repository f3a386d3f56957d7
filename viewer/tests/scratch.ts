// A folder for what a test writes, gone when its process ends, however that is: workers are ended after a failure, and
// Playwright loads each file of tests once more only to list them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function scratchFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `tenon-${name}-`));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
