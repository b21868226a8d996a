import { fchmod, fstat, ftruncate, futimes } from 'node:fs'
import { promisify } from 'node:util'

/** Attributes of a file or directory that can be set. */
export interface FileStat {
  /** Only the permission bits are used. */
  readonly mode?: number | undefined
  readonly modified?: Date | undefined
  readonly accessed?: Date | undefined
  /** Files only. */
  readonly size?: number | undefined
}

/** Sets the given attributes of an open file. */
export async function setOn(fd: number, { size, mode, modified, accessed }: FileStat): Promise<void> {
  if (size !== undefined) await threaded.truncate(fd, size)
  if (mode !== undefined) await threaded.chmod(fd, mode & 0o777)
  if (modified && accessed) await threaded.utimes(fd, accessed, modified)
  else if (modified || accessed) {
    const { atimeNs, mtimeNs } = await threaded.stat(fd, { bigint: true })
    await threaded.utimes(fd, accessed ?? getSeconds(atimeNs), modified ?? getSeconds(mtimeNs))
  }
}

const threaded = {
  chmod: promisify(fchmod),
  stat: promisify(fstat),
  truncate: promisify(ftruncate),
  utimes: promisify(futimes),
}

export const getSeconds = (nanoseconds: bigint): number => Number(nanoseconds) / 1e9
