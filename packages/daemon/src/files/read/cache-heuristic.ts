import { statfs } from 'node:fs/promises'

/**
 * Local file systems by magic number: ext, XFS, Btrfs, ZFS, bcachefs, F2FS, overlays and memory. Others may be network
 * file systems that do not respond.
 */
const localFileSystems: readonly number[] = [
  0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xca451a4e, 0xf2f52010, 0x794c7630, 0x01021994, 0x858458f6,
]

/** Required number of consecutive fast reads; more after a slow synchronous one. */
const fastStreak = 2
const fastStreakAfterMiss = 8

/**
 * Guesses from recent latencies whether reads hit the page cache, so that they may be done synchronously.
 * (`SyncIoPolicy` decides about single operations.) A cached read takes a fraction of the time of a thread hop; a real
 * disk read must be asynchronous, because it would block the event loop.
 */
export class CacheHeuristic {
  readonly #isOwn: boolean
  #streak = 0
  #required = fastStreak

  private constructor(isOwn: boolean) {
    this.#isOwn = isOwn
  }

  /** Creates one for the file system of a path. */
  static async of(path: string): Promise<CacheHeuristic> {
    return new CacheHeuristic(localFileSystems.includes((await statfs(path)).type))
  }

  /** Whether synchronous reads are allowed. */
  get mayBlock(): boolean {
    return this.#isOwn && this.#streak >= this.#required
  }

  /** Records whether a read was fast, synchronous or not. */
  record(wasQuick: boolean): void {
    if (!wasQuick && this.mayBlock) this.#required = fastStreakAfterMiss
    this.#streak = wasQuick ? this.#streak + 1 : 0
  }
}
