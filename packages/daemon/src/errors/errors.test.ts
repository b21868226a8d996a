import { Refusal } from '@innkeeper/contract/errors/refusals'
import { expect, test } from 'vitest'
import { closeOnError, withRollback } from './cleanup.ts'
import { ignoreErrors } from './error-code.ts'
import { ignoreRefusals } from './refusals.ts'

const errno = (code: string) => Object.assign(new Error(code), { code })

test('expected errors are ignored, others are thrown', async () => {
  const forbidden = errno('EACCES')

  expect(await Promise.reject(errno('ENOENT')).catch(ignoreErrors('EEXIST', 'ENOENT'))).toBeUndefined()
  await expect(Promise.reject(forbidden).catch(ignoreErrors('ENOENT'))).rejects.toBe(forbidden)
})

test('expected refusals are ignored, others and faults are thrown', async () => {
  const [missing, fault] = [new Refusal('ErrFileNotFound'), new Error('fault')]

  expect(await Promise.reject(missing).catch(ignoreRefusals('ErrFileNotFound'))).toBeUndefined()
  expect(await Promise.reject(missing).catch(ignoreRefusals())).toBeUndefined()
  await expect(Promise.reject(missing).catch(ignoreRefusals('ErrNotAFile'))).rejects.toBe(missing)
  await expect(Promise.reject(fault).catch(ignoreRefusals())).rejects.toBe(fault)
})

test('an operation is only undone when it fails', async () => {
  const undone: string[] = []
  const undo = (name: string) => async () => void undone.push(name)

  expect(await withRollback(Promise.resolve(1), undo('successful'))).toBe(1)
  await expect(withRollback(Promise.reject(new Error('the disk is full')), undo('failed'))).rejects.toThrow('full')

  expect(undone).toEqual(['failed'])
})

test('a resource is only closed when its use fails', async () => {
  let closed = 0
  const resource = { [Symbol.asyncDispose]: async () => void closed++ }

  expect(await closeOnError(resource, async () => 'used')).toBe('used')
  expect(closed).toBe(0)
  await expect(closeOnError(resource, () => Promise.reject(new Error('unusable')))).rejects.toThrow('unusable')
  expect(closed).toBe(1)
})
