import { type ChildProcess, spawn } from 'node:child_process'

/**
 * Ends every process of a user after a while, also when we are gone or get no turn any more. It asks the system once, as
 * that user: whoever forks cannot outrun that.
 */
export class Deadline implements Disposable {
  readonly #waiting: ChildProcess

  private constructor(waiting: ChildProcess) {
    this.#waiting = waiting
  }

  /** @throws Error for a user that others are, too. */
  static over(user: number, ms: number): Deadline {
    if (user < 1_000_000) throw new Error(`User ${user} is not a server's own`)
    const end = `setpriv --reuid=${user} --regid=${user} --clear-groups sh -c 'kill -9 -1'`
    const waiting = spawn('/bin/sh', ['-c', `sleep ${ms / 1000}; ${end}`], { stdio: 'ignore', detached: true })
    return new Deadline(waiting)
  }

  [Symbol.dispose](): void {
    if (this.#waiting.pid !== undefined && this.#waiting.exitCode === null) process.kill(-this.#waiting.pid, 'SIGKILL')
  }
}
