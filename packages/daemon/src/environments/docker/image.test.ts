import { expect, test } from 'vitest'
import { LayerProgress } from './image.ts'

test('the progress of layers is printed periodically, not line by line', () => {
  const messages: string[] = []
  let now = 0
  const progress = new LayerProgress(
    (message) => messages.push(message),
    () => now,
  )
  const mebibyte = 1024 ** 2

  progress.update({ status: 'Pulling from library/x', id: '1' })
  for (const id of ['a', 'b', 'c']) progress.update({ status: 'Pulling fs layer', progressDetail: {}, id })
  progress.update({ status: 'Already exists', progressDetail: {}, id: 'c' })
  for (let done = 0; done <= 100; done++) {
    now += 100
    const progressDetail = { current: done * mebibyte, total: 100 * mebibyte }
    progress.update({ status: 'Downloading', progressDetail, id: 'a' })
  }
  progress.update({ status: 'Extracting', progressDetail: { current: 1, total: 2 }, id: 'a' })

  expect(messages).toHaveLength(5)
  expect(messages[0]).toBe('Downloading image: 1 of 3 layers, 19 of 100 MiB')
})

test('an error in the middle of a pull ends it', () => {
  const progress = new LayerProgress(() => {})

  expect(() => progress.update({ error: 'toomanyrequests: slow down', errorDetail: {} })).toThrow('slow down')
})
