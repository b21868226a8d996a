import { defineConfig } from '@playwright/test'
import { chromiumOptions } from './testing/chromium.ts'

const slow = '**/*.slow.spec.ts'

export default defineConfig({
  testDir: '.',
  projects: [
    { name: 'journeys', testIgnore: slow },
    { name: 'slow', testMatch: slow },
  ],
  // A busy machine can be late once: CI runs a failed journey a second time, and the report calls it flaky.
  retries: process.env.CI ? 1 : 0,
  // Vitest runs beside the journeys.
  workers: 1,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  outputDir: '../test-results',
  use: {
    actionTimeout: 15_000,
    launchOptions: chromiumOptions,
    locale: 'en-US',
    viewport: { width: 1440, height: 900 },
    contextOptions: { reducedMotion: 'reduce' },
    // A third of the time goes into traces: to see why a story fails, run it with `--trace on`.
    trace: 'off',
    screenshot: 'only-on-failure',
  },
})
