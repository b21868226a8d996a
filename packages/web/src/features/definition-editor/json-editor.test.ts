import { expect, test } from 'vitest'
import { mistakeIn, placeOfPath } from './json-editor.tsx'

test('the place of a mistake is told', () => {
  expect(mistakeIn('{\n  "a": 1,\n  "b": \n}')?.line).toBe(4)
  expect(mistakeIn('{\n  "a": 1\n  "b": 2\n}')?.line).toBe(3)
  expect(mistakeIn('{\n  "a": nope\n}')).toEqual({ line: 2, column: 8 })
})

test('a part of a definition is found in its text', () => {
  const text = JSON.stringify({ data: { port: { type: 1 } }, install: [{ type: 'x' }, { files: [] }] }, null, 2)

  expect(placeOfPath(text, 'data.port.type')).toEqual({ line: 4, column: 7 })
  expect(placeOfPath(text, 'install.1')).toEqual({ line: 11, column: 5 })
  expect(placeOfPath(text, 'install.1.type').line).toBe(11)
  expect(placeOfPath(text, 'type')).toEqual({ line: 1, column: 1 })
})

test('JSON has no mistake', () => {
  expect(mistakeIn('{"a": [1, "two", null, true]}')).toBeUndefined()
})
