import { beforeEach, expect, test, vi } from 'vitest'
import { whileFrozen } from './while-frozen.ts'

const events: string[] = []
const job = { mark: async ({ isFrozen }: { isFrozen?: boolean }) => void events.push(`marked ${isFrozen}`) }
const onThaw = () => void events.push('not still')

function serverThat(isSupported: boolean) {
  return {
    async freeze() {
      events.push('freeze')
      return isSupported
    },
    thaw: async () => void events.push('thaw'),
  }
}

beforeEach(() => {
  events.length = 0
})

test('the processes are frozen during the work', async () => {
  await whileFrozen(serverThat(true), { freezeMs: 5_000, job, onThaw }, async () => void events.push('work'))

  expect(events).toEqual(['marked true', 'freeze', 'work', 'thaw', 'marked false'])
})

test('they go on when the work fails, and when it takes long', async () => {
  vi.useFakeTimers()
  try {
    const failing = async () => {
      await vi.advanceTimersByTimeAsync(5_000)
      events.push('work')
      throw new Error('no disk')
    }

    await expect(whileFrozen(serverThat(true), { freezeMs: 5_000, job, onThaw }, failing)).rejects.toThrow('no disk')
  } finally {
    vi.useRealTimers()
  }

  expect(events).toEqual(['marked true', 'freeze', 'thaw', 'not still', 'work', 'thaw', 'marked false'])
})

test('where they cannot, the work is done all the same', async () => {
  await whileFrozen(serverThat(false), { freezeMs: 5_000, job, onThaw }, async () => void events.push('work'))

  expect(events).toEqual(['marked true', 'freeze', 'not still', 'work', 'thaw', 'marked false'])
})

test('a limit of 0 switches it off', async () => {
  await whileFrozen(serverThat(true), { freezeMs: 0, job, onThaw }, async () => void events.push('work'))

  expect(events).toEqual(['not still', 'work'])
})
