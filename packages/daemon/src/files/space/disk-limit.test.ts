import { expect, onTestFinished, test, vi } from 'vitest'
import { DiskLimit } from './disk-limit.ts'

const mebi = 1024 ** 2

const nothing = async () => {}

/** A limit of 100 MiB of a server whose files have this size. */
function getLimit(usedMebibytes: number, limitMebibytes = 100) {
  const disk = { used: usedMebibytes * mebi, limit: limitMebibytes ? limitMebibytes * mebi : undefined, staged: false }
  const measure = vi.fn(async () => ({ bytes: disk.used, includesStaged: disk.staged }))
  const apply = vi.fn(async () => {})
  const diskLimit = new DiskLimit(() => disk.limit)
  diskLimit.keepWith({ apply, measure })
  return { disk, diskLimit, measure, apply }
}

test('writes are counted until the next measurement', async () => {
  const { diskLimit, measure } = getLimit(50)

  await diskLimit.write(20 * mebi, nothing)
  await diskLimit.write(30 * mebi, nothing)

  expect(diskLimit.space).toEqual({ usedBytes: 100 * mebi, limitBytes: 100 * mebi })
  expect(measure).toHaveBeenCalledTimes(1)
})

test('a write beyond the limit is refused with the space in MiB', async () => {
  const { diskLimit } = getLimit(90)

  const refused = diskLimit.write(10 * mebi + 1, nothing)

  await expect(refused).rejects.toMatchObject({ code: 'ErrDiskLimit', status: 507, metadata: { used: 90, max: 100 } })
})

test('a write fits some time after files were deleted', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { disk, diskLimit } = getLimit(90)
  await diskLimit.write(mebi, nothing)
  disk.used = 10 * mebi
  vi.advanceTimersByTime(1_000)

  await diskLimit.write(50 * mebi, nothing)

  expect(diskLimit.space?.usedBytes).toBe(60 * mebi)
})

test('refused writes do not measure again and again', async () => {
  const { diskLimit, measure } = getLimit(100)

  for (let at = 0; at < 5; at++) await diskLimit.write(1, nothing).catch(() => {})

  expect(measure).toHaveBeenCalledTimes(1)
})

test.for(['EDQUOT', 'ENOSPC'])('%s is the limit of a server that has reached it, otherwise the disk', async (code) => {
  const cause = Object.assign(new Error(code), { code })
  const fail = () => Promise.reject(cause)

  const atLimit = getLimit(99).diskLimit.write(1, fail)
  const nearLimit = getLimit(90).diskLimit.write(9 * mebi, fail)
  const onFullDisk = getLimit(50).diskLimit.write(1, fail)
  const withoutLimit = getLimit(99, 0).diskLimit.write(1, fail)
  const otherError = getLimit(99).diskLimit.write(1, () => Promise.reject(new Error('EIO')))

  await expect(atLimit).rejects.toMatchObject({ code: 'ErrDiskLimit', metadata: { max: 100 }, cause })
  await expect(nearLimit).rejects.toMatchObject({ code: 'ErrDiskLimit', cause })
  await expect(onFullDisk).rejects.toBe(cause)
  await expect(withoutLimit).rejects.toBe(cause)
  await expect(otherError).rejects.toThrow('EIO')
})

test('without a limit nothing is measured', async () => {
  const { diskLimit, measure } = getLimit(90, 0)

  await diskLimit.write(1000 * mebi, nothing)

  expect(measure).not.toHaveBeenCalled()
  expect(diskLimit.space).toBeUndefined()
})

test('space is low from 95 percent on, until it is below 90 percent', () => {
  const { diskLimit } = getLimit(0)
  const told: boolean[] = []
  diskLimit.onNearlyFull((isNearlyFull) => told.push(isNearlyFull))

  const isLow = [94, 95, 100, 91, 90, 89, 94].map((used) => {
    diskLimit.measured(used * mebi)
    return diskLimit.lowSpace !== undefined
  })

  expect(isLow).toEqual([false, true, true, true, true, false, false])
  expect(told).toEqual([true, false])
})

test('a suspended limit is lifted for the file system, and not for writes', async () => {
  const { diskLimit, apply } = getLimit(99)
  {
    await using _ = await diskLimit.suspend()
    expect([diskLimit.enforcedBytes, diskLimit.limitBytes]).toEqual([undefined, 100 * mebi])
    await diskLimit.write(mebi, nothing)
    await expect(diskLimit.write(mebi, nothing)).rejects.toMatchObject({ code: 'ErrDiskLimit' })
  }

  expect(diskLimit.enforcedBytes).toBe(100 * mebi)
  expect(apply).toHaveBeenCalledTimes(2)
})

test('open reservations count in addition to what is measured, until they are disposed', async () => {
  const { diskLimit } = getLimit(50)
  const first = await diskLimit.reserve(30 * mebi)
  await first.write(10 * mebi, nothing)
  await diskLimit.refresh()

  const refused = diskLimit.reserve(21 * mebi)

  await expect(refused).rejects.toMatchObject({ code: 'ErrDiskLimit', metadata: { used: 80, max: 100 } })
  first[Symbol.dispose]()
  expect(diskLimit.space?.usedBytes).toBe(50 * mebi)
  await diskLimit.reserve(50 * mebi)
})

test.for([
  { staged: true, used: 80 },
  { staged: false, used: 90 },
])('written bytes count once, whether a measurement sees temporary files or not', async ({ staged, used }) => {
  const { disk, diskLimit } = getLimit(50)
  disk.staged = staged
  await diskLimit.refresh()
  const reservation = await diskLimit.reserve(40 * mebi)
  await reservation.write(10 * mebi, nothing)

  // The 10 MiB are among these where the measurement sees them.
  if (staged) disk.used += 10 * mebi
  await diskLimit.refresh()

  expect(diskLimit.space?.usedBytes).toBe(90 * mebi)
  reservation.settle()
  expect(diskLimit.space?.usedBytes).toBe(60 * mebi)
  disk.used = used * mebi
  await diskLimit.refresh()
  expect(diskLimit.space?.usedBytes).toBe(used * mebi)
})

test('more than was reserved must fit, and a failed write does not count', async () => {
  const { diskLimit } = getLimit(50)
  const reservation = await diskLimit.reserve(10 * mebi)

  await reservation.write(40 * mebi, nothing)
  const tooMuch = reservation.write(11 * mebi, nothing)

  await expect(tooMuch).rejects.toMatchObject({ code: 'ErrDiskLimit' })
  await expect(reservation.write(10 * mebi, () => Promise.reject(new Error('EIO')))).rejects.toThrow('EIO')
  await reservation.write(10 * mebi, nothing)
  expect(diskLimit.space?.usedBytes).toBe(100 * mebi)
})

test('writes that begin at the same time do not take the same space', async () => {
  const { diskLimit } = getLimit(0)
  await diskLimit.refresh()

  const writes = await Promise.allSettled(Array.from({ length: 8 }, () => diskLimit.reserve(15 * mebi)))

  expect(writes.filter(({ status }) => status === 'fulfilled')).toHaveLength(6)
})

test('bytes that are written during a measurement still count after it', async () => {
  const { diskLimit, measure } = getLimit(0)
  await diskLimit.refresh()
  const { promise, resolve } = Promise.withResolvers<{ bytes: number; includesStaged: boolean }>()
  measure.mockReturnValueOnce(promise)
  const measuring = diskLimit.refresh()
  using reservation = diskLimit.hold(0)
  await reservation.write(20 * mebi, nothing)
  reservation.settle()

  resolve({ bytes: 50 * mebi, includesStaged: true })
  await measuring

  expect(diskLimit.space?.usedBytes).toBe(70 * mebi)
})

test('nothing is written while the used space is unknown, and a failed measurement keeps the last figure', async () => {
  const unknown = new DiskLimit(() => 100 * mebi)
  unknown.keepWith({ apply: nothing, measure: async () => undefined })
  const { diskLimit, measure } = getLimit(60)
  await diskLimit.refresh()
  measure.mockResolvedValue(undefined as never)

  const refused = unknown.write(1, nothing)

  const reason = 'the disk space that the server uses cannot be measured now. Try again in a minute'
  await expect(refused).rejects.toMatchObject({ code: 'ErrDisk', metadata: { reason } })
  await diskLimit.refresh()
  await expect(diskLimit.write(41 * mebi, nothing)).rejects.toMatchObject({ code: 'ErrDiskLimit' })
})
