/** Who uses a server now, so that it must not fall asleep: viewers, sessions of SFTP, work with its files, backups and tasks. */
export class ServerUse {
  #users = 0
  #usedAt = Number.NEGATIVE_INFINITY

  get isUsed(): boolean {
    return this.#users > 0
  }

  /** When it was last used, by `performance.now()`. */
  get usedAt(): number {
    return this.isUsed ? performance.now() : this.#usedAt
  }

  /** A use that takes no time. */
  touch(): void {
    this.#usedAt = performance.now()
  }

  /** The use ends with the disposal, once. */
  begin(): Disposable {
    this.#users++
    let isEnded = false
    return {
      [Symbol.dispose]: () => {
        if (isEnded) return
        isEnded = true
        this.#users--
        this.touch()
      },
    }
  }
}
