import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { test } from '../../testing/test-directory.ts'
import { fileResponse } from './file-response.ts'

test('a file whose stat fails is closed', async ({ fixture: { outside } }) => {
  const file = await open(join(outside, 'secret.txt'))
  const failing = Object.assign(file, { stat: () => Promise.reject(new Error('EIO: i/o error')) })
  const asking = {
    header: () => undefined,
    reply: { header: () => {}, status: () => {} },
    signal: new AbortController().signal,
  }

  await expect(fileResponse(failing, 'secret.txt', asking)).rejects.toThrow('EIO')

  expect(file.fd).toBe(-1)
})
