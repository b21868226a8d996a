import { setTimeout as pause } from 'node:timers/promises'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { startServer } from '@innkeeper/contract/servers/node-servers'
import { type Browser, type BrowserContext, chromium } from '@playwright/test'
import { Api } from '../e2e/testing/api.ts'
import { chromiumOptions } from '../e2e/testing/chromium.ts'
import type { Observation } from './servers.ts'
import { quantile } from './statistics.ts'
import { TestInstallation } from './test-installation.ts'

const loads = 7
const listGoalMs = 1_000
const maxTaskMs = 50
const linesPerSecond = 20_000
const printMs = 10_000
const settleMs = 2_000
/** Prints its lines in ten batches per second. */
const printCommand = `sh -c "while :; do seq -f 'line %012.0f of a server that prints much' ${linesPerSecond / 10}; sleep 0.1; done"`

/** Loads the app in Chromium on this machine, with an empty cache each time. */
export async function browserTimes(): Promise<readonly Observation[]> {
  await using installation = await TestInstallation.start()
  const browser = await chromium.launch(chromiumOptions)
  try {
    return [await measureList(installation, browser), await measureConsole(installation, browser)]
  } finally {
    await browser.close()
  }
}

/** The servers list is interactive when its row is there and no task takes longer than 50 ms. */
async function measureList(installation: TestInstallation, browser: Browser): Promise<Observation> {
  const times: number[] = []
  for (let load = 0; load < loads; load++) {
    const context = await signedIn(installation, browser)
    const page = await context.newPage()
    await page.goto(`${installation.url}/server`)
    await page.getByRole('link', { name: 'bench' }).first().waitFor()
    const rowAt = await page.evaluate(() => performance.now())
    await pause(settleMs)
    const tasks = await page.evaluate(() => window.longTasks)
    times.push(Math.max(rowAt, ...tasks.map(({ endedAt }) => endedAt)))
    await context.close()
  }
  const [median, longest] = [quantile(times, 0.5), quantile(times, 1)]
  return {
    name: 'browser: servers list is interactive',
    isGoalMet: median <= listGoalMs,
    details: `${median.toFixed(0)} ms, at most ${longest.toFixed(0)} ms in ${loads} loads (≤ ${listGoalMs})`,
  }
}

async function measureConsole(installation: TestInstallation, browser: Browser): Promise<Observation> {
  const body = { name: 'printing', type: 'bench', run: { command: printCommand }, data: {} }
  const { id } = await installation.send<{ id: string }>(createServer, { body })
  const context = await signedIn(installation, browser)
  const page = await context.newPage()
  await page.goto(`${installation.url}/server/${id}`)
  await page.getByRole('log').waitFor()
  await pause(settleMs)
  const countBefore = await page.evaluate(() => window.longTasks.length)

  await installation.send(startServer, { params: { id }, query: { wait: true } })
  await page.getByText('of a server that prints much').first().waitFor()
  await pause(printMs)

  const tasks = (await page.evaluate(() => window.longTasks)).slice(countBefore)
  await context.close()
  const longest = Math.max(0, ...tasks.map(({ ms }) => ms))
  return {
    name: `browser: console with ${linesPerSecond} lines/s`,
    isGoalMet: tasks.length === 0,
    details: `${tasks.length} tasks over ${maxTaskMs} ms in ${printMs / 1000} s, the longest ${longest.toFixed(0)} ms (none)`,
  }
}

interface LongTask {
  readonly ms: number
  /** Milliseconds since the start of the navigation. */
  readonly endedAt: number
}

declare global {
  interface Window {
    longTasks: LongTask[]
  }
}

async function signedIn({ url, email, password }: TestInstallation, browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext()
  await (await Api.signIn(url, { email, password })).signInTo(context)
  // Chromium reports tasks of 50 ms or more.
  await context.addInitScript(() => {
    window.longTasks = []
    const observer = new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries())
        window.longTasks.push({ ms: duration, endedAt: startTime + duration })
    })
    observer.observe({ type: 'longtask', buffered: true })
  })
  return context
}
