import { statfs } from 'node:fs/promises'

/**
 * File systems of this machine, as Linux numbers them: ext, XFS, Btrfs, ZFS, bcachefs, F2FS, overlays, and memory. Any
 * other one may be behind a network, and not answer for ever.
 */
const localFileSystems: readonly number[] = [
  0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xca451a4e, 0xf2f52010, 0x794c7630, 0x01021994, 0x858458f6,
]

/** So many answers in a row must have been quick; more of them once it was asked without a thread and was not. */
const fastStreak = 2
const fastStreakAfterMiss = 8

/**
 * Beside `DiskPace`, which judges single questions: whether a disk has in memory what it is asked for, one thing after the other. To hand such a question to a thread and
 * be woken by it costs a multiple of the answer. What really comes from the disk must be waited for by a thread: the
 * program has other things to do meanwhile.
 */
export class CacheHeuristic {
  readonly #isOwn: boolean
  #streak = 0
  #needed = fastStreak

  private constructor(isOwn: boolean) {
    this.#isOwn = isOwn
  }

  /** Of the disk that something is on. */
  static async of(path: string): Promise<CacheHeuristic> {
    return new CacheHeuristic(localFileSystems.includes((await statfs(path)).type))
  }

  /** Whether it may be asked without a thread. */
  get mayBlock(): boolean {
    return this.#isOwn && this.#streak >= this.#needed
  }

  /** Tells whether it was quick, by whichever way it was asked. */
  record(wasQuick: boolean): void {
    if (!wasQuick && this.mayBlock) this.#needed = fastStreakAfterMiss
    this.#streak = wasQuick ? this.#streak + 1 : 0
  }
}
