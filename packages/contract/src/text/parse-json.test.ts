import { expect, test } from 'vitest'
import { z } from 'zod/mini'
import { parseJsonOrUndefined, safeParseJson } from './parse-json.ts'

test('invalid JSON has no value', () => {
  expect(parseJsonOrUndefined('{"a":[1]}')).toEqual({ a: [1] })
  expect(parseJsonOrUndefined('null')).toBe(null)
  expect(parseJsonOrUndefined('{"a":')).toBeUndefined()
})

test('JSON that is invalid or does not fit the schema returns an error', () => {
  const schema = z.object({ port: z._default(z.number(), 80) })

  expect(safeParseJson(schema, '{}').data).toEqual({ port: 80 })
  expect(safeParseJson(schema, '{').error).toBeInstanceOf(SyntaxError)
  expect(safeParseJson(schema, '{"port":"a"}').error).toBeInstanceOf(z.core.$ZodError)
})
