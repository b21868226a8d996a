import { defaultTerminalSize, type TerminalSize } from '@innkeeper/contract/servers/live'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SharedTerminalSize } from './terminal-size.ts'

const [ada, ben] = [{}, {}]
const small: TerminalSize = { cols: 80, rows: 24 }
const large: TerminalSize = { cols: 200, rows: 60 }

function create() {
  const applied: TerminalSize[] = []
  const size = new SharedTerminalSize((next) => applied.push(next), 100)
  return { size, applied }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('the size is that of the last viewer who set one, then of the one before, then the default', () => {
  const { size } = create()
  const set = (change: () => void) => {
    change()
    vi.advanceTimersByTime(100)
    return size.current
  }

  expect(set(() => size.set(ada, small))).toEqual(small)
  expect(set(() => size.set(ben, large))).toEqual(large)
  expect(set(() => size.set(ada, small))).toEqual(small)
  expect(set(() => size.remove(ada))).toEqual(large)
  expect(set(() => size.remove(ben))).toEqual(defaultTerminalSize)
})

test('many changes are applied immediately once and at the end of the interval, and the same size never twice', () => {
  const { size, applied } = create()
  const changes: TerminalSize[] = []
  size.onChange((next) => changes.push(next))

  for (let cols = 80; cols <= 120; cols++) size.set(ada, { cols, rows: 24 })
  expect(applied).toEqual([small])
  vi.advanceTimersByTime(1_000)
  size.set(ada, { cols: 120, rows: 24 })

  expect(applied).toEqual([small, { cols: 120, rows: 24 }])
  expect(changes).toEqual(applied)
})

test('a viewer who never set a size changes nothing on leaving', () => {
  const { size, applied } = create()

  size.remove(ada)
  vi.advanceTimersByTime(1_000)

  expect(applied).toEqual([])
})
