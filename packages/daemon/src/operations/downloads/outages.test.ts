import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import type { Step } from '@innkeeper/contract/definitions/operations'
import { upstreams } from '@innkeeper/contract/http/upstreams'
import { expect, test } from 'vitest'
import { createFetcher } from '../../network/fetch.ts'
import { openWorkshop } from '../../testing/step-fixture.ts'

/** Each step that uses an outside service, and the service that it contacts first. */
const asking = [
  ['mojangdl', {}, 'MOJANG'],
  ['forgedl', { minecraftVersion: '1.20.1' }, 'FORGE'],
  ['neoforgedl', { minecraftVersion: '1.21.1' }, 'NEOFORGE'],
  ['spongeforgedl', {}, 'SPONGE'],
  ['spongedl', {}, 'SPONGE'],
  ['fabricdl', {}, 'FABRIC'],
  ['paperdl', {}, 'PAPER'],
  ['curseforge', { projectId: 925200 }, 'CURSEFORGE'],
  ['javadl', { version: 21 }, 'ADOPTIUM'],
  ['nodejsdl', { version: 22 }, 'NODEJS'],
  ['steamgamedl', { appId: 740 }, 'GITHUB'],
] as const

/** Failures of a service: how it accepts a connection, or that it is unreachable. */
const faults: readonly (readonly [what: string, take: ((socket: Socket) => void) | undefined])[] = [
  ['is not there', undefined],
  ['hangs up', (socket) => socket.destroy()],
  ['never answers', () => {}],
  ['sends byte by byte without end', drip],
  ['is broken', (socket) => void socket.end('HTTP/1.1 503 Sorry\r\ncontent-length: 5\r\n\r\nsorry')],
  ['says something else', (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n<html/>')],
]

function drip(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\n\r\n')
  const timer = setInterval(() => socket.write(' '), 20)
  socket.on('close', () => clearInterval(timer))
}

/** The error of a step with a failing service, and what it leaves. */
async function failing(step: Step, port: number): Promise<{ readonly why: string; readonly left: readonly string[] }> {
  await using fixture = await openWorkshop()
  const mirrors = Object.fromEntries(Object.keys(upstreams).map((name) => [name, `http://127.0.0.1:${port}`]))
  const fetch = createFetcher({ allow: [], mirrors, version: '0', idleMs: 100, totalMs: 200, retryMs: 20 })
  return { why: await fixture.getFailure([step], { fetch }), left: readdirSync(fixture.folder) }
}

test.concurrent.each(faults)(
  'where a service %s, each step names it and what to do, and leaves nothing',
  async (_, breakConnection) => {
    const listener = createServer((socket) => {
      socket.on('error', () => {})
      breakConnection?.(socket)
    }).listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const { port } = listener.address() as { port: number }
    if (!breakConnection) await new Promise((closed) => listener.close(closed))

    const found = await Promise.all(asking.map(([type, fields]) => failing({ type, ...fields }, port)))
    listener.close()

    for (const [at, [type, , service]] of asking.entries()) {
      const { why = '', left } = found[at] ?? {}
      expect(why, type).toContain('Check that this node can reach ')
      expect(why, type).toContain(`or set a mirror of it in INNKEEPER_UPSTREAM_${service}`)
      expect(left, type).toEqual([])
    }
  },
)
