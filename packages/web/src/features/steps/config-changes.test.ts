import { expect, test } from 'vitest'
import { getChanges, setChangeText } from './config-changes.ts'

test('a change of a configuration file keeps its type and its other fields', () => {
  const change = { path: 'a', value: 5, when: 'x', note: 1 }

  expect(setChangeText(change, 'value', '6')).toEqual({ ...change, value: 6 })
  expect(setChangeText(change, 'value', '${port}')).toEqual({ ...change, value: '${port}' })
  expect(setChangeText({ ...change, value: true }, 'value', 'false')).toEqual({ ...change, value: false })
  expect(setChangeText(change, 'when', '')).toEqual({ path: 'a', value: 5, note: 1 })
  expect(setChangeText({}, 'path', 'b')).toEqual({ path: 'b', value: '' })
  expect(getChanges({ type: 'editconfig', changes: [change, 'x'] })).toEqual([change])
  expect(getChanges({ type: 'editconfig' })).toEqual([])
})
