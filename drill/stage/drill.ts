/** Takes something down that was put up for a drill. */
type TakingDown = () => unknown

/** What is shown, one line each, and what has to be taken down afterwards. */
export class Drill {
  /** Aborted by who runs it; what waits for long should end then. */
  readonly signal: AbortSignal
  passed = 0
  failed = 0
  readonly #down: TakingDown[] = []

  constructor(signal: AbortSignal) {
    this.signal = signal
  }

  /** Runs one drill, and takes down what it put up, however it ends. */
  async stage(name: string, run: (drill: Drill) => Promise<void>): Promise<void> {
    console.log(name)
    try {
      await this.#unlessEnded(run(this))
    } catch (error) {
      // Told already if it was something shown without which nothing can go on.
      if (this.signal.aborted) this.#fail('the drill goes to its end', error)
      else if (!(error instanceof NothingToGoOn)) this.#fail('everything is set up', error)
    } finally {
      await this.#takeDown()
    }
  }

  /** Shows one thing: `ok` when it comes to its end, `FAILED` with the reason otherwise. What it returns may be a figure. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most return nothing at all
  async show(title: string, act: () => Promise<string | void>): Promise<boolean> {
    this.signal.throwIfAborted()
    try {
      const figure = await this.#unlessEnded(act())
      this.passed++
      console.log(`ok      ${title}${figure ? ` (${figure})` : ''}`)
      return true
    } catch (error) {
      this.signal.throwIfAborted()
      this.#fail(title, error)
      return false
    }
  }

  /** Shows something without which nothing that follows can be shown. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most return nothing at all
  async showFirst(title: string, act: () => Promise<string | void>): Promise<void> {
    if (!(await this.show(title, act))) throw new NothingToGoOn()
  }

  /** Says something beside what is shown. */
  say(line: string): void {
    console.log(`        ${line}`)
  }

  /** Does this when the drill ends; what was put up last goes first. */
  atEnd(takeDown: TakingDown): void {
    this.#down.push(takeDown)
  }

  async #takeDown(): Promise<void> {
    for (const takeDown of this.#down.splice(0).reverse()) {
      try {
        await takeDown()
      } catch (error) {
        this.#fail('everything is taken down', error)
      }
    }
  }

  #fail(title: string, error: unknown): void {
    this.failed++
    console.log(`FAILED  ${title}: ${error instanceof Error ? error.message : error}`)
  }

  /** Does not wait for what would go on although nobody wants it any more. */
  async #unlessEnded<T>(going: Promise<T>): Promise<T> {
    let stop = () => {}
    const ended = new Promise<never>((_resolve, reject) => {
      stop = () => reject(this.signal.reason)
      this.signal.addEventListener('abort', stop, { once: true })
    })
    try {
      return await Promise.race([going, ended])
    } finally {
      this.signal.removeEventListener('abort', stop)
    }
  }
}

class NothingToGoOn extends Error {}

/** Looks again and again until what is looked for holds; its last complaint is the error. */
export async function until(
  what: string,
  look: () => Promise<boolean> | boolean,
  { withinMs = 30_000, everyMs = 100 } = {},
): Promise<void> {
  const end = performance.now() + withinMs
  let complaint: unknown
  for (;;) {
    try {
      if (await look()) return
      complaint = undefined
    } catch (error) {
      complaint = error
    }
    if (performance.now() > end)
      throw new Error(`not within ${withinMs / 1000} s: ${what}`, complaint === undefined ? {} : { cause: complaint })
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
