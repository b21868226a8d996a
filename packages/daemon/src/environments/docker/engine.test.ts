import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, expect } from 'vitest'
import { Engine, EngineError, isMissing, isNotRunning, pingTimeoutMs } from './engine.ts'

const test = base.extend<{ folder: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of the fixtures it needs
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-engine-'))
    await use(folder)
    await rm(folder, { recursive: true })
  },
})

/** A fake engine with scripted responses. */
async function listening(path: string, answer: (url: string) => number | undefined) {
  const listener = createServer((asked, response) => {
    const status = answer(asked.url ?? '')
    if (status !== undefined) response.writeHead(status).end('{"message":"no, thank you"}')
  })
  await once(listener.listen(path), 'listening')
  return {
    async [Symbol.asyncDispose]() {
      listener.closeAllConnections()
      listener.close()
      await once(listener, 'close')
    },
  }
}

function engineAt(...sockets: string[]) {
  const engine = new Engine({ sockets, onAvailable: async () => {}, log: { info: () => {}, warn: () => {} } })
  return Object.assign(engine, { [Symbol.asyncDispose]: () => engine.close() })
}

test('the first existing socket is used, and one created later is found', async ({ folder }) => {
  const [first, second] = [join(folder, 'docker.sock'), join(folder, 'podman.sock')]
  await using engine = engineAt(first, second)
  expect(await engine.probe()).toBe(false)

  await using _ = await listening(second, () => 200)

  expect([await engine.probe(), engine.socketPath]).toEqual([true, second])
})

test('a socket that a removed engine left is skipped, but not that of an engine that is restarted', async ({
  folder,
}) => {
  const [first, second] = [join(folder, 'docker.sock'), join(folder, 'podman.sock')]
  await using _ = await listening(second, () => 200)
  await using engine = engineAt(first, second)
  const leaveSocket = () => writeFile(first, '')
  await leaveSocket()
  expect([await engine.probe(), engine.socketPath]).toEqual([true, second])
  await rm(first)

  const docker = await listening(first, () => 200)
  expect([await engine.probe(), engine.socketPath]).toEqual([true, first])
  await docker[Symbol.asyncDispose]()
  await leaveSocket()

  expect([await engine.probe(), engine.socketPath]).toEqual([false, first])
})

test('an engine that accepts connections without a response is unavailable after a second', async ({ folder }) => {
  const path = join(folder, 'docker.sock')
  await using _ = await listening(path, () => undefined)
  await using engine = engineAt(path)
  const began = performance.now()

  expect(await engine.probe()).toBe(false)

  expect(performance.now() - began).toBeLessThan(5 * pingTimeoutMs)
  await expect(engine.request((docker) => docker.info())).rejects.toMatchObject({ code: 'ErrDockerNotSupported' })
})

test('errors of the engine keep their message; without any response there is no engine', async ({ folder }) => {
  const path = join(folder, 'docker.sock')
  await using _ = await listening(path, (url) => (url === '/_ping' ? 200 : url === '/info' ? 409 : undefined))
  await using engine = engineAt(path)
  await engine.probe()

  await expect(engine.request((docker) => docker.info())).rejects.toEqual(new EngineError(409, 'no, thank you'))
  expect(engine.isResponding).toBe(true)
  await expect(engine.request((docker) => docker.version(), { withinMs: 100 })).rejects.toMatchObject({
    code: 'ErrDockerNotSupported',
  })
  expect(engine.isResponding).toBe(false)
})

test('a container that another request removes from Podman is missing', () => {
  const removed = 'container f3c8 does not exist in database: no such container'
  expect([isMissing(new EngineError(500, removed)), isMissing(new EngineError(500, 'out of disk'))]).toEqual([
    true,
    false,
  ])
})

test.each([
  [new EngineError(409, 'container is not running'), true],
  [new EngineError(500, 'can only kill running containers. abc is in state exited'), true],
  [new EngineError(500, 'out of disk'), false],
  [new Error('can only kill running containers'), false],
])('whether %s means that a container has exited: %s', (cause, expected) => {
  expect(isNotRunning(cause)).toBe(expected)
})
