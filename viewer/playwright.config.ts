import { defineConfig } from '@playwright/test';
import { launchOptions } from './browser.mjs';

export default defineConfig({
  testDir: 'tests',
  testMatch: '*.spec.ts',
  timeout: 240_000,
  expect: { timeout: 30_000 },
  workers: 1,
  reporter: 'list',
  use: { viewport: { width: 1280, height: 720 }, launchOptions },
});
