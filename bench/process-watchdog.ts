import { type ChildProcess, spawn } from 'node:child_process'

/**
 * Kills all processes of a user after a timeout, even if this process is gone or gets no CPU time. It uses one `kill -1` as that
 * user, which a fork bomb cannot outrun.
 */
export class ProcessWatchdog implements Disposable {
  readonly #timer: ChildProcess

  private constructor(timer: ChildProcess) {
    this.#timer = timer
  }

  /** @throws Error for a user that is not reserved for one server. */
  static start(user: number, ms: number): ProcessWatchdog {
    if (user < 1_000_000) throw new Error(`User ${user} is not the user of a server`)
    const kill = `setpriv --reuid=${user} --regid=${user} --clear-groups sh -c 'kill -9 -1'`
    const timer = spawn('/bin/sh', ['-c', `sleep ${ms / 1000}; ${kill}`], { stdio: 'ignore', detached: true })
    return new ProcessWatchdog(timer)
  }

  [Symbol.dispose](): void {
    if (this.#timer.pid !== undefined && this.#timer.exitCode === null) process.kill(-this.#timer.pid, 'SIGKILL')
  }
}
