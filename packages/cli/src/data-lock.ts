import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { createServer, type Server } from 'node:net'

/** The data folder is in use by another Innkeeper on this machine. */
export class DataInUse extends Error {
  override readonly name = 'DataInUse'
}

/**
 * Makes sure that one Innkeeper alone works on a data folder. The lock is a listener on an abstract socket, which the
 * kernel releases however the process ends, so that there is no stale lock to remove.
 * @throws DataInUse when it is taken.
 */
export function lockData(dataDir: string): Promise<Server> {
  const name = createHash('sha256').update(realpathSync(dataDir)).digest('hex')
  const lock = createServer((stranger) => stranger.destroy())
  return new Promise((resolve, reject) => {
    lock.once('error', (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === 'EADDRINUSE'
      reject(taken ? new DataInUse(`Another Innkeeper is using the data folder ${dataDir}.`, { cause }) : cause)
    })
    lock.listen(`\0innkeeper-${name}`, () => {
      lock.unref()
      resolve(lock)
    })
  })
}
