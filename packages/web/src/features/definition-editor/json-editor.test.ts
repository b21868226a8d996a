import { expect, test } from 'vitest'
import { findPath, findSyntaxError } from './json-editor.tsx'

test('finds the position of a syntax error', () => {
  expect(findSyntaxError('{\n  "a": 1,\n  "b": \n}')?.line).toBe(4)
  expect(findSyntaxError('{\n  "a": 1\n  "b": 2\n}')?.line).toBe(3)
  expect(findSyntaxError('{\n  "a": nope\n}')).toEqual({ line: 2, column: 8 })
})

test('finds the position of a value by its path', () => {
  const text = JSON.stringify({ data: { port: { type: 1 } }, install: [{ type: 'x' }, { files: [] }] }, null, 2)

  expect(findPath(text, 'data.port.type')).toEqual({ line: 4, column: 7 })
  expect(findPath(text, 'install.1')).toEqual({ line: 11, column: 5 })
  expect(findPath(text, 'install.1.type').line).toBe(11)
  expect(findPath(text, 'type')).toEqual({ line: 1, column: 1 })
})

test('valid JSON has no syntax error', () => {
  expect(findSyntaxError('{"a": [1, "two", null, true]}')).toBeUndefined()
})
