import { type RequiredPermission, requiredPermissions, scopeOfPermission } from '@innkeeper/contract/api/permissions'
import { type PowerAction, permissionOfStep } from '@innkeeper/contract/definitions/operations'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { hasPermission } from '@innkeeper/contract/node-link/ticket'
import type { SavedTask } from '@innkeeper/contract/servers/tasks'
import { limits } from '@innkeeper/contract/text/limits'
import type { ServerBackups } from '../backups/server-backups.ts'
import { LineSplitter } from '../patterns/line-splitter.ts'
import { waitForPower } from '../servers/power-wait.ts'
import type { Server } from '../servers/server.ts'
import { countDown } from './countdown.ts'
import type { CausalChain, LoopGuard } from './loop-guard.ts'
import type { TaskPermissions } from './task-permissions.ts'
import type { TaskStateStore } from './task-state-store.ts'

/** Timeout of a step that waits for a server to start or stop. */
const powerTimeoutMs = 10 * 60 * 1000
/** Longer lines of the output of a run are cut. */
export const maxLineBytes = 1_000

/** The collaborators of a run. */
export interface TaskRunContext {
  readonly server: Server
  readonly task: SavedTask
  /** Part of the process keys of this run. */
  readonly id: string
  readonly chain: CausalChain
  readonly permissions: TaskPermissions
  readonly stateStore: TaskStateStore
  readonly loopGuard: LoopGuard
  readonly backups: Pick<ServerBackups, 'create'>
  /** How long a minute of a countdown is, for tests. */
  readonly minuteMs?: number | undefined
  readonly signal: AbortSignal
  /** Called when the condition is met, before each step (from 1; the step waits for it), and for each printed line. */
  readonly onBegin: () => void
  readonly onStep: (step: number) => Promise<void>
  readonly onLine: (line: string) => void
}

/**
 * Runs a task with the permissions of its owner. Throws `ErrTaskRefused` when they are not sufficient, and
 * `ErrTaskConditionFalse` or `ErrPlayersUnknown` when its condition is not met.
 */
export async function runTaskSteps(work: TaskRunContext): Promise<void> {
  const { server, task, id, signal, onLine } = work
  const { operations: steps } = task
  const permission = await permissionFor(work)
  for (const at of steps.keys()) permission.step(at + 1)
  signal.throwIfAborted()

  const say = (message: string) => {
    server.console.say(message)
    onLine(message)
  }
  const onInput = () => work.loopGuard.recordInput(work.chain)
  const printed = new LineSplitter(maxLineBytes)
  await server.runTask(steps, {
    name: id,
    visibility: permission.visibility(),
    condition: task.if,
    signal,
    onBegin: work.onBegin,
    say,
    print: (data) => printed.push(data).forEach(onLine),
    power: (action, isAwaited) => setPower(work, action, isAwaited),
    countDown: (fields) => countDown(fields, { server, minuteMs: work.minuteMs ?? 60_000, signal, say, onInput }),
    backUp: (name, isVerified) => backUp(work, name, isVerified),
    onStep: async (step) => {
      printed.flush().forEach(onLine)
      await work.onStep(step)
      await permission.now()
      permission.step(step)
    },
    onInput,
  })
  printed.flush().forEach(onLine)
}

/** The current permissions of the task's owner, fetched from the panel and refreshed during the run. */
async function permissionFor({ server, task, permissions, stateStore }: TaskRunContext) {
  const { savedBy } = task
  if (savedBy == null) throw refused(new Refusal('ErrTaskUnanswered'))
  let effective: ReadonlySet<RequiredPermission> = new Set()
  let fetchedAt = Number.NEGATIVE_INFINITY

  async function now(): Promise<void> {
    if (performance.now() - fetchedAt < limits.socketRecheckMs) return
    const current = await permissions.of(savedBy as number, server.id)
    const known = stateStore.permissions.get(savedBy as number)
    if (current) {
      stateStore.permissions.set(savedBy as number, current)
      if (current.toSorted().join() !== known?.toSorted().join()) await stateStore.save()
    }
    const last = current ?? known
    if (!last) throw refused(new Refusal('ErrTaskRightsUnknown'))
    const all = new Set(last)
    const { savedRights } = task
    effective = savedRights
      ? new Set(
          requiredPermissions.filter(
            (permission) => savedRights.includes(permission) && hasPermission(all, permission),
          ),
        )
      : all
    fetchedAt = performance.now()
  }

  await now()
  return {
    now,
    visibility: () => (hasPermission(effective, 'admin') ? ('all' as const) : ('users' as const)),
    step(number: number): void {
      const step = task.operations[number - 1]
      if (!step) return
      const permission = permissionOfStep(step)
      if (hasPermission(effective, permission)) return
      throw refused(
        new Refusal('ErrTaskRightMissing', { step: number, type: step.type, scope: scopeOfPermission[permission] }),
      )
    },
  }
}

/** The refusal for callers that wait: the task was not run, for this reason. */
function refused(cause: Refusal): Refusal {
  return new Refusal('ErrTaskRefused', { reason: cause.message, ...cause.metadata }, { cause })
}

/** Starts or stops the server on behalf of the task. */
async function setPower(
  { server, chain, loopGuard, signal }: TaskRunContext,
  action: PowerAction,
  isAwaited: boolean,
): Promise<void> {
  const isStart = action === 'start' || action === 'restart'
  const endAction = loopGuard.beginAction(chain, isStart)
  let ended: Promise<void>
  try {
    ended = server.power(action).ended
  } catch (cause) {
    endAction()
    throw cause
  }
  void (isStart ? ended.then(() => untilReadyOrOffline(server)) : ended).then(endAction, endAction)
  if (isAwaited) await waitForPower(ended, { action, withinMs: powerTimeoutMs, signal })
}

/** Creates a backup on behalf of the task. What the commands around it print is caused by the task. */
async function backUp(
  { server, task, chain, loopGuard, backups, signal }: TaskRunContext,
  name: string,
  verify: boolean,
): Promise<string> {
  const endAction = loopGuard.beginAction(chain, false)
  try {
    return await backups.create(server.id, { name: name || task.name, origin: 'task' }, { signal, verify }).ended
  } finally {
    loopGuard.recordInput(chain)
    endAction()
  }
}

/** Until the server is ready, its events belong to its start. */
async function untilReadyOrOffline(server: Server): Promise<void> {
  if (server.status.state !== 'starting') return
  const { promise, resolve } = Promise.withResolvers<void>()
  const unsubscribe = server.onStatus(({ state }) => {
    if (state !== 'starting') resolve()
  })
  await promise
  unsubscribe()
}
