import { limits } from '@innkeeper/contract/text/limits'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { OutputRates, type OutputShare } from './output-rates.ts'

const kibi = 1024

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A viewer that always has another KiB of output to read. */
class Viewer {
  readonly #share: OutputShare
  bytes = 0

  constructor(rates: OutputRates, user: number | undefined) {
    this.#share = rates.join(user)
    this.#flush()
  }

  #flush(): void {
    while (this.#share.isReady(this.#onReady)) {
      this.bytes += kibi
      this.#share.spend(kibi)
    }
  }

  readonly #onReady = () => this.#flush()

  close(): void {
    this.#share.close()
  }
}

const getSum = (viewers: readonly Viewer[]) => viewers.reduce((sum, { bytes }) => sum + bytes, 0)
const rate = (burst: number) => ({ burst: burst * kibi, perSecond: burst * kibi })

test.each([1, 10, 200])('%i viewers of one user get as much as one, in turn', (count) => {
  const rates = new OutputRates({ perUser: rate(1_000), inAll: rate(100_000) })
  const viewers = Array.from({ length: count }, () => new Viewer(rates, 1))

  vi.advanceTimersByTime(20_000)

  expect(getSum(viewers) / kibi).toBeGreaterThan(20_900)
  expect(getSum(viewers) / kibi).toBeLessThan(21_100)
  // The first one took the burst.
  for (const { bytes } of viewers.slice(1)) expect(bytes / kibi).toBeGreaterThan(20_000 / count / 2)
})

test('viewers of another user are not affected', () => {
  const rates = new OutputRates({ perUser: rate(1_000), inAll: rate(100_000) })
  for (let index = 0; index < 50; index++) new Viewer(rates, 1)
  const other = new Viewer(rates, 2)

  vi.advanceTimersByTime(10_000)

  expect(other.bytes / kibi).toBeGreaterThan(10_900)
})

test('all viewers together have a limit', () => {
  const rates = new OutputRates({ perUser: rate(1_000), inAll: rate(2_000) })
  const viewers = Array.from({ length: 100 }, (_, user) => new Viewer(rates, user))

  vi.advanceTimersByTime(10_000)

  expect(getSum(viewers) / kibi).toBeGreaterThan(21_500)
  expect(getSum(viewers) / kibi).toBeLessThan(22_500)
  expect(Math.min(...viewers.map(({ bytes }) => bytes))).toBeGreaterThan(0)
})

test('a user who left and comes back begins anew, and nothing runs on', () => {
  const rates = new OutputRates({ perUser: rate(10), inAll: rate(1_000) })
  const viewer = rates.join(1)
  viewer.spend(20 * kibi)
  expect(viewer.isReady(() => {})).toBe(false)
  viewer.close()

  expect(rates.join(1).isReady(() => {})).toBe(true)
  vi.advanceTimersByTime(5_000)
  expect(vi.getTimerCount()).toBe(0)
})

test('a machine that sends more slowly than the rate is not held up', () => {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const share = new OutputRates({ perUser: rate(10), inAll: rate(10) }).join(1)
  let sent = 0
  const flush = () => {
    while (sent < 1_000 && share.isReady(flush)) {
      now += 1_000
      sent++
      share.spend(kibi)
    }
  }

  flush()
  expect(sent).toBe(10)

  // Late by 20 times: less than on time.
  now += 1_000
  vi.advanceTimersByTime(50)
  expect(sent).toBe(11)
  vi.restoreAllMocks()
})

test('the more viewers there are, the less is kept for each', () => {
  const rates = new OutputRates({ perUser: rate(1_000), inAll: rate(10_000) })
  const share = rates.join(1)
  expect([share.backlogBytes, share.unreadBytes]).toEqual([limits.viewerBacklogBytes, 2_000 * kibi])

  const others = Array.from({ length: 255 }, (_, at) => rates.join(at % 2))

  expect(share.backlogBytes).toBe(limits.viewerBacklogBytes / 4)
  expect(share.unreadBytes).toBeLessThan((2_000 * kibi) / 100)
  for (const other of others) other.close()
  expect([share.backlogBytes, share.unreadBytes]).toEqual([limits.viewerBacklogBytes, 2_000 * kibi])
})
