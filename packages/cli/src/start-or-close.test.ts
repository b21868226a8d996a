import pino from 'pino'
import { expect, test } from 'vitest'
import { startOrClose } from './start-or-close.ts'

const log = pino({ level: 'silent' })

function partsInto(closed: string[]): AsyncDisposableStack {
  const parts = new AsyncDisposableStack()
  parts.defer(() => void closed.push('lock'))
  parts.defer(() => void closed.push('daemon'))
  parts.defer(() => Promise.reject(new Error('The panel could not be closed.')))
  return parts
}

test('a failed start throws its error, also when a part cannot be closed, and closes the others', async () => {
  const closed: string[] = []

  const starting = startOrClose(partsInto(closed), log, () => Promise.reject(new Error('The port is in use.')))

  await expect(starting).rejects.toThrow('The port is in use.')
  expect(closed).toEqual(['daemon', 'lock'])
})

test('a successful start leaves its parts open', async () => {
  const closed: string[] = []

  expect(await startOrClose(partsInto(closed), log, async () => 'started')).toBe('started')
  expect(closed).toEqual([])
})
