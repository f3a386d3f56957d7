import { defineConfig } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

// One file, dist/index.html, that the C program carries inside; no source maps, no names with hashes: the same
// sources give the same bytes.
export default defineConfig({
  plugins: [viteSingleFile()],
  build: { target: 'es2022', modulePreload: false, chunkSizeWarningLimit: 2000 },
  test: { include: ['tests/**/*.unit.ts'] },
} as Parameters<typeof defineConfig>[0]);
