import { constants } from 'node:fs'
import { type FileHandle, open, statfs } from 'node:fs/promises'
import { codeOf } from './error-code.ts'
import { isAligned } from './write-memory.ts'

/** File systems, as Linux numbers them, that are known to write past their memory as they should: ext and XFS. */
const knownKinds: readonly number[] = [0xef53, 0x58465342]
/** What disks want memory, places and lengths to be multiples of: that of the largest blocks they have. */
const blockBytes = 4096

/** A second way into a file, by which bytes go from our memory to the disk without a copy in that of the system. */
export class DirectFile implements AsyncDisposable {
  readonly #file: FileHandle

  private constructor(file: FileHandle) {
    this.#file = file
  }

  /** `undefined` where the disk has no such way. */
  static async into(file: FileHandle): Promise<DirectFile | undefined> {
    const path = `/proc/self/fd/${file.fd}`
    try {
      if (!knownKinds.includes((await statfs(path)).type)) return undefined
      return new DirectFile(await open(path, constants.O_WRONLY | constants.O_DIRECT))
    } catch (error) {
      // Whatever it was: there is the usual way.
      if (codeOf(error) === '') throw error
      return undefined
    }
  }

  /** Whether a block can begin there. */
  static isPlace(position: number): boolean {
    return position % blockBytes === 0
  }

  /** The first such place that is not before a position. */
  static placeFrom(position: number): number {
    return Math.ceil(position / blockBytes) * blockBytes
  }

  /** Whether a whole block can go this way. */
  static fits(block: Buffer, position: number): boolean {
    return isAligned(block) && DirectFile.isPlace(block.length) && DirectFile.isPlace(position)
  }

  /**
   * Writes a block that fits; says how many bytes of it were written, which may be none when the disk wants something else.
   * @throws what the system says.
   */
  async write(block: Buffer, position: number): Promise<number> {
    try {
      return (await this.#file.write(block, 0, block.length, position)).bytesWritten
    } catch (error) {
      if (codeOf(error) === 'EINVAL') return 0
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }
}
