import { expect, test } from 'vitest'
import { envelopeOf, refusalFrom } from './refusal-envelope.ts'
import { Refusal } from './refusals.ts'

test('an envelope keeps the placeholders in its message and the values beside it', () => {
  const envelope = envelopeOf(new Refusal('ErrFieldLength', { field: 'name', length: 3 }))

  expect(envelope).toEqual({
    error: {
      msg: '${field} must be at least ${length} characters',
      code: 'ErrFieldLength',
      metadata: { field: 'name', length: 3 },
    },
  })
  expect(refusalFrom(envelope)).toMatchObject({ code: 'ErrFieldLength', metadata: { field: 'name', length: 3 } })
})

test('what is no envelope is no refusal, and an unknown code is an unknown error', () => {
  expect(refusalFrom({ message: 'x' })).toBeUndefined()
  expect(refusalFrom({ error: { code: 'ErrFromTheFuture' } })?.code).toBe('ErrUnknownError')
  expect(refusalFrom({ error: { code: 'toString' } })?.code).toBe('ErrUnknownError')
})
