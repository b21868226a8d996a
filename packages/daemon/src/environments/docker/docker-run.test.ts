import { Duplex } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { DockerRun, noProcess } from './docker-run.ts'

/** Records what is written to it. */
class Terminal extends Duplex {
  typed = ''
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.typed += String(chunk)
    done()
  }
}

/** A container whose terminal was opened with it; terminals that the engine opens later are in `opened`. */
function running() {
  const first = new Terminal()
  const opened: Terminal[] = []
  const onNotice: string[] = []
  const unused = () => Promise.reject(new Error('not asked for in this test'))
  const run = new DockerRun(
    { id: 'r', key: '0a0a0a0a/main', container: 'c', process: noProcess },
    {
      engine: {
        closedSignal: new AbortController().signal,
        isPodman: false,
        request: unused,
        probe: unused,
        readLog: unused,
        readStats: unused,
        async attach() {
          const input = new Terminal()
          opened.push(input)
          return input
        },
      },
      checkpoints: { load: async () => undefined, save: async () => {}, remove: async () => {} },
      onRelease: () => {},
      log: { warn: () => {} },
    },
    first,
  )
  run.onNotice((message) => onNotice.push(message))
  return { run, first, opened, onNotice }
}

test('commands sent while the terminal breaks go to a new one, and its late close does not affect the new one', async () => {
  const { run, first, opened } = running()
  // It closes only on request.
  const { promise: timeout, resolve: close } = Promise.withResolvers<void>()
  first._destroy = (error, done) => void timeout.then(() => done(error))
  first.destroy(new Error('broken'))
  for (const command of ['one\n', 'two\n']) run.write(command)
  await vi.waitFor(() => expect(opened[0]?.typed).toBe('one\ntwo\n'))

  const closedSignal = new Promise((resolve) => first.once('close', resolve))
  close()
  await closedSignal
  run.write('three\n')

  await vi.waitFor(() => expect(opened[0]?.typed).toBe('one\ntwo\nthree\n'))
  expect(opened).toHaveLength(1)
})

test('a command that the terminal rejects is reported', async () => {
  const { run, first, onNotice } = running()
  first._write = (_chunk, _encoding, done) => done(new Error('broken'))

  run.write('save\n')

  await vi.waitFor(() => expect(onNotice).toEqual([expect.stringContaining('The command did not reach the server')]))
})
