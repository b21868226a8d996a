import { defineConfig } from '@playwright/test'
import { chromiumOptions } from './testing/chromium.ts'

const slow = '**/*.slow.spec.ts'

export default defineConfig({
  testDir: '.',
  projects: [
    { name: 'journeys', testIgnore: slow },
    { name: 'slow', testMatch: slow },
  ],
  // CI repeats a failed test once, because the machine may be busy; the report marks it as flaky.
  retries: process.env.CI ? 1 : 0,
  // Vitest runs at the same time.
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
    // Traces take a third of the time. Use `--trace on` to debug a test.
    trace: 'off',
    screenshot: 'only-on-failure',
  },
})
