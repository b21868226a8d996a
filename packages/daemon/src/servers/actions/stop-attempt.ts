import type { Console } from '../../console/console.ts'
import type { StopOptions } from '../../lifecycle/actions.ts'
import type { Run } from '../../processes/run.ts'

/** SIGTERM, the default stop signal. */
const terminate = 15
/** Parts of the stop time after each of which is checked whether a stop command arrived. */
const parts = 3
const maxIntervalMs = 10_000
/** What is printed this soon after a command may be its echo. */
const echoMs = 1_000

export interface StopSettings {
  readonly command: string | undefined
  readonly signal: number | undefined
  readonly timeoutMs: number
}

interface Deps {
  readonly console: Pick<Console, 'say' | 'listen'>
  /** Writes a line to the input of the server. */
  readonly write: (line: string) => void
}

/**
 * Stops a server with its stop signal or its stop command. A command that was not read is replaced by SIGTERM. One that
 * was read, but had no effect although the server prints nothing either, is written a second time, because some games
 * discard lines.
 */
export class StopAttempt implements Disposable {
  readonly #deps: Deps
  readonly #run: Run
  readonly #settings: StopSettings
  readonly #deadline: number
  readonly #unlisten: () => void
  #timer: NodeJS.Timeout | undefined
  #writtenAt = performance.now()
  #hasPrinted = false
  #isRepeated = false

  constructor(deps: Deps, run: Run, settings: StopSettings, { deadline, isRequested }: StopOptions) {
    this.#deps = deps
    this.#run = run
    this.#settings = settings
    this.#deadline = deadline
    this.#unlisten = deps.console.listen(({ id }) => {
      if (id === run.id && performance.now() - this.#writtenAt > echoMs) this.#hasPrinted = true
    })
    const { command, signal } = settings
    if (command === undefined) run.stop({ signal: signal ?? terminate, isSent: isRequested, deadline })
    else if (!run.hasConsole) this.#terminate(notReadable)
    else {
      if (!isRequested) deps.write(command)
      run.stop({ deadline })
      this.#scheduleCheck()
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#unlisten()
  }

  #scheduleCheck(): void {
    const intervalMs = Math.min(maxIntervalMs, this.#settings.timeoutMs / parts)
    if (performance.now() + intervalMs > this.#deadline) return
    this.#timer = setTimeout(() => this.#check(), intervalMs)
  }

  #check(): void {
    const unread = this.#run.takeUnreadInput?.()
    const hasReacted = this.#hasPrinted
    this.#hasPrinted = false
    if (!this.#run.hasConsole) this.#terminate(notReadable)
    else if (unread !== undefined && unread !== '') this.#terminate(notRead)
    else if (!hasReacted && this.#isRepeated && unread === undefined) this.#terminate(notReacted)
    else {
      if (!hasReacted && !this.#isRepeated) this.#repeat()
      this.#scheduleCheck()
    }
  }

  #repeat(): void {
    this.#isRepeated = true
    this.#writtenAt = performance.now()
    this.#deps.console.say('The server has not reacted to its stop command, which is written again')
    this.#deps.write(this.#settings.command ?? '')
  }

  #terminate(reason: string): void {
    this.#deps.console.say(`${reason}, so that it gets SIGTERM instead of its stop command`)
    this.#run.stop({ signal: terminate, deadline: this.#deadline })
  }
}

const notReadable = 'The server cannot be reached by commands any more'
const notRead = 'The server does not read its input'
const notReacted = 'The server has not reacted to its stop command'
