import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PeriodicJob } from './periodic-job.ts'

const everyMs = 60_000
const onError = vi.fn<(error: unknown) => void>()

beforeEach(() => {
  vi.useFakeTimers()
  onError.mockClear()
})
afterEach(() => vi.useRealTimers())

/** A job whose runs end when `finish` is called. */
const heldJob = () => {
  const runs: { readonly signal: AbortSignal; readonly finish: () => void; readonly fail: (error: Error) => void }[] =
    []
  const run = (signal: AbortSignal) =>
    new Promise<void>((finish, fail) => {
      runs.push({ signal, finish, fail })
    })
  return { job: new PeriodicJob({ everyMs, run, onError }), runs }
}

test('runs at its interval, counted from the end of a run', async () => {
  const { job, runs } = heldJob()
  job.start()

  await vi.advanceTimersByTimeAsync(everyMs * 3)
  expect(runs).toHaveLength(1)
  runs[0]?.finish()
  await vi.advanceTimersByTimeAsync(everyMs)

  expect(runs).toHaveLength(2)
})

test('wake runs it soon, and once more when it is running', async () => {
  const { job, runs } = heldJob()
  job.wake()
  job.start()
  job.wake()
  job.wake()

  await vi.advanceTimersByTimeAsync(1000)
  expect(runs).toHaveLength(1)
  job.wake()
  runs[0]?.finish()
  await vi.advanceTimersByTimeAsync(1000)

  expect(runs).toHaveLength(2)
})

test('a failed run is reported, and the next one takes place', async () => {
  const { job, runs } = heldJob()
  job.start()
  await vi.advanceTimersByTimeAsync(everyMs)

  runs[0]?.fail(new Error('broken'))
  await vi.advanceTimersByTimeAsync(everyMs)

  expect(onError).toHaveBeenCalledExactlyOnceWith(new Error('broken'))
  expect(runs).toHaveLength(2)
})

test('a run that is asked for joins the current one, and keeps the interval', async () => {
  const { job, runs } = heldJob()
  job.start()

  const both = Promise.all([job.run(), job.run()])
  runs[0]?.finish()
  await both
  expect(runs).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(everyMs)

  expect(runs).toHaveLength(2)
})

test('close aborts the current run and waits for it; nothing runs after it', async () => {
  const { job, runs } = heldJob()
  job.start()
  const running = job.run()
  let isClosed = false

  const closing = job.close().then(() => {
    isClosed = true
  })
  await vi.advanceTimersByTimeAsync(0)
  expect(runs[0]?.signal.aborted).toBe(true)
  expect(isClosed).toBe(false)
  runs[0]?.finish()
  await Promise.all([running, closing])
  await job.run()
  await vi.advanceTimersByTimeAsync(everyMs * 2)

  expect(runs).toHaveLength(1)
})
