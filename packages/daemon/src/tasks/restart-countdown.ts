import { scopeOfPermission } from '@innkeeper/contract/api/permissions'
import { toCountdownText } from '@innkeeper/contract/definitions/countdown'
import { permissionOfStep } from '@innkeeper/contract/definitions/operations'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { hasPermission } from '@innkeeper/contract/node-link/ticket'
import type { RestartCountdown as Countdown } from '@innkeeper/contract/servers/restart-countdown'
import type { LoopGuard } from './loop-guard.ts'
import { parseTask } from './parse-task.ts'
import { RunLog } from './run-log.ts'
import { getOwner, rememberPermissions, type TaskAuthor } from './task-author.ts'
import { type TaskDeps, TaskRunner } from './task-runner.ts'

/** Its key beside those of the tasks in the definition. */
export const restartCountdownKey = 'restart with a countdown'

interface Deps extends TaskDeps {
  readonly dir: string
  readonly loopGuard: LoopGuard
}

/** A restart by hand with a countdown: a run of a task that is not in the definition. */
export class RestartCountdown {
  readonly #deps: Deps
  readonly #runner: TaskRunner

  constructor(deps: Deps) {
    this.#deps = deps
    const runs = new RunLog(deps.dir, restartCountdownKey, deps.log)
    this.#runner = new TaskRunner({ ...deps, key: restartCountdownKey, runs }, toTask([]))
    void this.#runner.recover()
  }

  async start(countdown: Countdown, author: TaskAuthor): Promise<void> {
    const { server, stateStore, minuteMs = 60_000, now } = this.#deps
    const { userId, permissions } = author
    const steps = [
      { type: 'countdown', ...countdown },
      { type: 'power', action: 'restart' },
    ]
    for (const permission of steps.map(permissionOfStep))
      if (!hasPermission(permissions, permission))
        throw new Refusal('ErrMissingScope', { scope: scopeOfPermission[permission] })
    if (!server.status.running) throw new Refusal('ErrServerOffline')
    const first = Math.max(...countdown.minutes)
    server.buildPlayerAction('broadcast', { message: toCountdownText(countdown.message, first) })
    await rememberPermissions(stateStore, author)
    if (this.#runner.isRunning) throw new Refusal('ErrTaskRunning')

    this.#runner.read = toTask(steps, getOwner(author))
    const { ended } = this.#runner.start({ cause: 'person', by: userId })
    server.pendingRestart.set(new Date(now() + first * minuteMs))
    const clear = () => server.pendingRestart.set(undefined)
    void ended.then(clear, clear)
  }

  async cancel(): Promise<void> {
    await this.#runner.cancel()
  }

  /** Interrupts it, which the next daemon records. */
  async interrupt(): Promise<void> {
    await this.#runner.interrupt()
  }
}

function toTask(operations: readonly object[], owner: object = {}) {
  return parseTask(restartCountdownKey, { name: 'Restart with a countdown', operations, ...owner })
}
