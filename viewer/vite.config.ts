import { defineConfig } from 'vitest/config';
import { viteSingleFile } from 'vite-plugin-singlefile';

// One file a page, dist/index.html (the viewer) and, with --mode report, dist/report.html, that the C program carries
// inside; no source maps, no names with hashes: the same sources give the same bytes.
export default defineConfig(({ mode }) => {
  const report = mode === 'report';
  return {
    plugins: [viteSingleFile()],
    build: {
      target: 'es2022',
      modulePreload: false,
      chunkSizeWarningLimit: 2000,
      emptyOutDir: !report,
      rollupOptions: { input: report ? 'report.html' : 'index.html' },
    },
    test: { include: ['tests/**/*.unit.ts'] },
  };
});
