import { chmodSync, closeSync, constants, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The directory of sockets and state, `<dataDir>/run`, as an open descriptor. Sockets are addressed through it, because
 * a socket path is limited to 107 bytes and a data directory can be anywhere.
 */
export class RunFolder implements Disposable {
  readonly path: string
  readonly #fd: number

  constructor(path: string) {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    chmodSync(path, 0o700)
    this.path = path
    this.#fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY)
  }

  file(name: string): string {
    return join(this.path, name)
  }

  socket(name: string): string {
    return `/proc/self/fd/${this.#fd}/${name}`
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd)
  }
}

export function getRunFolder(dataDir: string): string {
  return join(dataDir, 'run')
}
