import { expect, test } from 'vitest'
import { deliverAlert } from './deliver.ts'

test('a channel of a type that this version does not know fails, and nothing is sent', async () => {
  const sent: unknown[] = []
  const post = async (request: unknown) => {
    sent.push(request)
    return { status: 200, text: '' }
  }
  const message = { id: 'a', type: 'crashed', isResolved: false, content: { at: 1, detail: '' } } as const
  const rendered = { title: 'Server crashed', detail: '', url: undefined }
  const target = { type: 'teams', url: new URL('https://hooks.example'), secret: '' }

  const result = await deliverAlert(post, { target, message, rendered, now: 1 }, new AbortController().signal)

  expect(result).toEqual({ delivered: false, answer: 'Unknown channel type: teams', isFinal: true })
  expect(sent).toEqual([])
})
