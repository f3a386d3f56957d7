import base from './playwright.config';

// Figures rather than checks: `npx playwright test -c playwright.measure.ts`; see tools/measure-viewer.
export default { ...base, testMatch: '*.measure.ts', timeout: 300_000 };
