import { expect, onTestFinished, test, vi } from 'vitest'
import { DiskLimit } from './disk-limit.ts'

const mebi = 1024 ** 2

const nothing = async () => {}

/** A limit of 100 MiB of a server whose files have this size. */
function limitOf(usedMebibytes: number, limitMebibytes = 100) {
  const disk = { used: usedMebibytes * mebi, limit: limitMebibytes ? limitMebibytes * mebi : undefined }
  const measure = vi.fn(async () => disk.used)
  const apply = vi.fn(async () => {})
  const diskLimit = new DiskLimit(() => disk.limit)
  diskLimit.keepWith({ apply, measure })
  return { disk, diskLimit, measure, apply }
}

test('writes are counted until the next measurement', async () => {
  const { diskLimit, measure } = limitOf(50)

  await diskLimit.write(20 * mebi, nothing)
  await diskLimit.write(30 * mebi, nothing)

  expect(diskLimit.space).toEqual({ usedBytes: 100 * mebi, limitBytes: 100 * mebi })
  expect(measure).toHaveBeenCalledTimes(1)
})

test('a write beyond the limit is refused with the space in MiB', async () => {
  const { diskLimit } = limitOf(90)

  const refused = diskLimit.write(10 * mebi + 1, nothing)

  await expect(refused).rejects.toMatchObject({ code: 'ErrDiskLimit', status: 507, metadata: { used: 90, max: 100 } })
})

test('a write fits some time after files were deleted', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { disk, diskLimit } = limitOf(90)
  await diskLimit.write(mebi, nothing)
  disk.used = 10 * mebi
  vi.advanceTimersByTime(1_000)

  await diskLimit.write(50 * mebi, nothing)

  expect(diskLimit.space?.usedBytes).toBe(60 * mebi)
})

test('refused writes do not measure again and again', async () => {
  const { diskLimit, measure } = limitOf(100)

  for (let at = 0; at < 5; at++) await diskLimit.write(1, nothing).catch(() => {})

  expect(measure).toHaveBeenCalledTimes(1)
})

test.for(['EDQUOT', 'ENOSPC'])('%s is the limit of a server that has reached it, otherwise the disk', async (code) => {
  const cause = Object.assign(new Error(code), { code })
  const fail = () => Promise.reject(cause)

  const atLimit = limitOf(99).diskLimit.write(1, fail)
  const nearLimit = limitOf(90).diskLimit.write(9 * mebi, fail)
  const onFullDisk = limitOf(50).diskLimit.write(1, fail)
  const withoutLimit = limitOf(99, 0).diskLimit.write(1, fail)
  const otherError = limitOf(99).diskLimit.write(1, () => Promise.reject(new Error('EIO')))

  await expect(atLimit).rejects.toMatchObject({ code: 'ErrDiskLimit', metadata: { max: 100 }, cause })
  await expect(nearLimit).rejects.toMatchObject({ code: 'ErrDiskLimit', cause })
  await expect(onFullDisk).rejects.toBe(cause)
  await expect(withoutLimit).rejects.toBe(cause)
  await expect(otherError).rejects.toThrow('EIO')
})

test('without a limit nothing is measured', async () => {
  const { diskLimit, measure } = limitOf(90, 0)

  await diskLimit.write(1000 * mebi, nothing)

  expect(measure).not.toHaveBeenCalled()
  expect(diskLimit.space).toBeUndefined()
})

test('space is low from 95 percent on, until it is below 90 percent', () => {
  const { diskLimit } = limitOf(0)
  const told: boolean[] = []
  diskLimit.onNearlyFull((isNearlyFull) => told.push(isNearlyFull))

  const isLow = [94, 95, 100, 91, 90, 89, 94].map((used) => {
    diskLimit.measured(used * mebi)
    return diskLimit.lowSpace !== undefined
  })

  expect(isLow).toEqual([false, true, true, true, true, false, false])
  expect(told).toEqual([true, false])
})

test('a suspended limit refuses nothing, and applies again afterwards', async () => {
  const { diskLimit, apply } = limitOf(100)
  {
    await using _ = await diskLimit.suspend()
    await diskLimit.write(mebi, nothing)
    expect(diskLimit.limitBytes).toBeUndefined()
  }

  await expect(diskLimit.write(mebi, nothing)).rejects.toMatchObject({ code: 'ErrDiskLimit' })
  expect(apply).toHaveBeenCalledTimes(2)
})
