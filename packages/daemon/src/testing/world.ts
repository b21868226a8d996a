import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { BackupServer } from './backup-server.ts'
import { program } from './daemon.ts'

/** A program that listens on this machine, and counts who connects. */
export class OutsideProgram {
  visitors = 0
  readonly #server = createServer((socket) => {
    this.visitors++
    socket.destroy()
  })

  async listen(): Promise<void> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening')
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    await once(this.#server.close(), 'close')
  }
}

/** Creates a server that is ready when it has read its file `level.dat`, see `programs/world.mjs`. */
export async function createWorld(
  server: BackupServer,
  outside: OutsideProgram,
  { run, ...more }: { readonly run?: object; readonly backup?: object } = {},
): Promise<void> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await once(probe.close(), 'close')
  const command = program('world', port, outside.port, server.dir)
  const environment = { type: 'standard', limits: { memory: 256 } }
  await server.node.client.create(server.id, { command, readyPattern: 'Done!', ...run }, { environment, ...more })
}
