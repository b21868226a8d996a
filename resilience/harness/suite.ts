type Cleanup = () => unknown

/** A named list of checks, one output line each, and the cleanups to run when it ends. */
export class Suite {
  readonly name: string
  /** Aborted when the user interrupts the run. */
  readonly signal: AbortSignal
  passed = 0
  failed = 0
  readonly #cleanups: Cleanup[] = []

  constructor(name: string, signal: AbortSignal) {
    this.name = name
    this.signal = signal
  }

  /** Runs the checks, then the cleanups, also after an error. */
  async run(runChecks: (suite: Suite) => Promise<void>): Promise<void> {
    console.log(this.name)
    try {
      await this.#orAborted(runChecks(this))
    } catch (error) {
      // A required check has reported its failure already.
      if (this.signal.aborted) this.#fail('the suite runs to its end', error)
      else if (!(error instanceof RequiredCheckFailed)) this.#fail('the setup succeeds', error)
    } finally {
      await this.#cleanUp()
    }
  }

  /** Runs one check and prints `ok` or `FAILED` with the reason. A returned text is printed behind the title. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most checks return nothing
  async check(title: string, run: () => Promise<string | void>): Promise<boolean> {
    this.signal.throwIfAborted()
    try {
      const detail = await this.#orAborted(run())
      this.passed++
      console.log(`ok      ${title}${detail ? ` (${detail})` : ''}`)
      return true
    } catch (error) {
      this.signal.throwIfAborted()
      this.#fail(title, error)
      return false
    }
  }

  /** A check that all later ones depend on: its failure ends the suite. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most checks return nothing
  async checkRequired(title: string, run: () => Promise<string | void>): Promise<void> {
    if (!(await this.check(title, run))) throw new RequiredCheckFailed()
  }

  /** Prints a remark between the checks. */
  log(line: string): void {
    console.log(`        ${line}`)
  }

  /** Runs `cleanup` when the suite ends, in reverse order of registration. */
  onCleanup(cleanup: Cleanup): void {
    this.#cleanups.push(cleanup)
  }

  async #cleanUp(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0).reverse()) {
      try {
        await cleanup()
      } catch (error) {
        this.#fail('the cleanup succeeds', error)
      }
    }
  }

  #fail(title: string, error: unknown): void {
    this.failed++
    console.log(`FAILED  ${title}: ${error instanceof Error ? error.message : error}`)
  }

  /** Rejects as soon as the run is interrupted, also while the promise is pending. */
  async #orAborted<T>(promise: Promise<T>): Promise<T> {
    let onAbort = () => {}
    const aborted = new Promise<never>((_resolve, reject) => {
      onAbort = () => reject(this.signal.reason)
      this.signal.addEventListener('abort', onAbort, { once: true })
    })
    try {
      return await Promise.race([promise, aborted])
    } finally {
      this.signal.removeEventListener('abort', onAbort)
    }
  }
}

class RequiredCheckFailed extends Error {}

/**
 * Polls until the condition holds.
 * @param condition Completes the sentence "timed out after 30 s while waiting until …".
 * @throws Error after the timeout, with the last error of `isMet` as its cause.
 */
export async function waitUntil(
  condition: string,
  isMet: () => Promise<boolean> | boolean,
  { timeoutMs = 30_000, intervalMs = 100 } = {},
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  let lastError: unknown
  for (;;) {
    try {
      if (await isMet()) return
      lastError = undefined
    } catch (error) {
      lastError = error
    }
    if (performance.now() > deadline)
      throw new Error(
        `timed out after ${timeoutMs / 1000} s while waiting until ${condition}`,
        lastError === undefined ? {} : { cause: lastError },
      )
    await new Promise((resolve) => setTimeout(resolve, intervalMs))
  }
}
