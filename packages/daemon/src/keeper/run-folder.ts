import { chmodSync, closeSync, constants, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The folder of sockets and state, `<dataDir>/run`, held open: a socket is reached through the descriptor, because the
 * path of one may not be longer than 107 bytes and a data folder can lie anywhere.
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

export function runFolderOf(dataDir: string): string {
  return join(dataDir, 'run')
}
