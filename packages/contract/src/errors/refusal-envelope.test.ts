import { expect, test } from 'vitest'
import { refusalFrom, toEnvelope } from './refusal-envelope.ts'
import { Refusal } from './refusals.ts'

test('an envelope has placeholders in its message, and the values in metadata', () => {
  const envelope = toEnvelope(new Refusal('ErrFieldLength', { field: 'name', length: 3 }))

  expect(envelope).toEqual({
    error: {
      msg: '${field} must be at least ${length} characters',
      code: 'ErrFieldLength',
      metadata: { field: 'name', length: 3 },
    },
  })
  expect(refusalFrom(envelope)).toMatchObject({ code: 'ErrFieldLength', metadata: { field: 'name', length: 3 } })
})

test('an unknown code keeps its message, metadata and status', () => {
  const body = { error: { code: 'ErrFromTheFuture', msg: 'The ${thing} is full', metadata: { thing: 'moon' } } }

  const refusal = refusalFrom(body, 409)

  expect(refusal).toMatchObject({ code: 'ErrUnknownError', message: 'The moon is full', status: 409 })
  expect(refusal && toEnvelope(refusal)).toEqual(body)
  expect(refusalFrom(body, 200)?.status).toBe(500)
  expect(refusalFrom({ error: { code: 'ErrX', msg: 'x'.repeat(5_000) } })?.message).toHaveLength(1_000)
})

test('another body is not a refusal, and an invalid code is an unknown error', () => {
  expect(refusalFrom({ message: 'x' })).toBeUndefined()
  expect(refusalFrom({ error: { code: 'ErrFromTheFuture' } })?.code).toBe('ErrUnknownError')
  expect(refusalFrom({ error: { code: 'toString' } })).toMatchObject({ code: 'ErrUnknownError', unknown: undefined })
})
