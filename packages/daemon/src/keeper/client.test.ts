import { expect, test } from 'vitest'
import { KeeperPlace, planOf, startReading } from '../testing/keepers.ts'

const terminal = { cols: 91, rows: 27 }

test('a server with pipes is started, answers what is typed, and ends with its exit code', async () => {
  await using place = await KeeperPlace.create()
  const keepers = await place.open()

  const { run, out } = await startReading(keepers, planOf('a/main', 'echo'))
  await out.until(/ready/)
  run.write('hello\n')
  await out.until(/echo: hello/)
  run.write('exit 3\n')

  expect(await out.all()).toEqual({ exit: { code: 3, signal: null }, text: 'ready\necho: hello\n' })
})

test('a server on a terminal sees its size and every change of it', async () => {
  await using place = await KeeperPlace.create()
  const keepers = await place.open()

  const { run, out } = await startReading(keepers, planOf('a/main', 'echo'), terminal)
  await out.until(/ready/)
  run.write('size\n')
  await out.until(/size: 91x27/)
  run.resize(120, 40)
  await out.until(/resized: 120x40/)
  run.write('exit 4\n')

  expect(await out.all()).toMatchObject({ exit: { code: 4, signal: null } })
})
