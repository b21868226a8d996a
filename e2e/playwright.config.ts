import { defineConfig } from '@playwright/test'

/** Chromium as Debian packages it; no browser is downloaded. It asks nothing of the internet. */
const chromium = {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-dev-shm-usage',
  ],
}

export default defineConfig({
  testDir: '.',
  // Half of a story is waiting: two at a time, each with a product of its own.
  workers: 2,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  outputDir: '../test-results',
  use: {
    actionTimeout: 15_000,
    launchOptions: chromium,
    locale: 'en-US',
    viewport: { width: 1440, height: 900 },
    // A third of the time goes into traces: to see why a story fails, run it with `--trace on`.
    trace: 'off',
    screenshot: 'only-on-failure',
  },
})
