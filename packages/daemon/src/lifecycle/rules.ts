import type { ServerState, ServerStatus } from '@innkeeper/contract/servers/status'
import type { Exit } from '../processes/run.ts'

/** Crashes and quick exits in a row that are followed by a restart. */
export const maxRestartsAfterCrash = 3
/** A crash after a longer uptime is the first one in a row. */
export const crashWindowMs = 60_000
/** A normal exit this soon after the start backs off like a crash: the program may have gone to the background. */
export const quickExitMs = 10_000
const crashBackoffMs = [1_000, 5_000, 15_000] as const

/** What a user requested to happen after the current action. */
export type AfterStop = 'rest' | 'start' | 'install'

/** What happens after the post steps: a requested action, or an automatic start. */
export type Next = { readonly do: AfterStop } | { readonly do: 'startAgain'; readonly afterMs: number }

/**
 * The lifecycle state of a server. `crashes` counts consecutive automatic starts after crashes and quick exits, to end a
 * crash loop. `of` is what is being
 * stopped: the server itself, an incomplete start, or an install. `online` without `isReady` accepts the same inputs,
 * and is shown as starting.
 */
export type State =
  | { readonly is: 'offline' }
  | { readonly is: 'installing'; readonly next: 'rest' | 'start' }
  | { readonly is: 'starting'; readonly crashes: number }
  | { readonly is: 'online'; readonly crashes: number; readonly isReady: boolean }
  | {
      readonly is: 'stopping'
      readonly of: 'server' | 'start' | 'install'
      readonly by: 'asking' | 'killing'
      readonly next: AfterStop
    }
  /** The process has exited; the post steps run. */
  | { readonly is: 'ending'; readonly next: Next; readonly crashes: number }
  /** The delay before a start: of a requested restart (`isAsked`) or an automatic one. */
  | { readonly is: 'waiting'; readonly crashes: number; readonly forMs: number; readonly isAsked: boolean }

/** Inputs from users, accepted at any time. */
export const powerActions = ['start', 'stop', 'restart', 'kill', 'install'] as const
export type PowerAction = (typeof powerActions)[number]

/** Inputs from the supervisor: what has happened. */
export type LifecycleEvent =
  | { readonly type: 'prepared' }
  | { readonly type: 'launched' }
  | { readonly type: 'launchFailed' }
  | { readonly type: 'ready' }
  | { readonly type: 'exited'; readonly exit: Exit; readonly uptimeMs: number }
  | { readonly type: 'finished' }
  | { readonly type: 'finishFailed' }
  | { readonly type: 'installed' }
  | { readonly type: 'installFailed' }
  | { readonly type: 'backoffOver' }

export type Input = { readonly type: PowerAction } | LifecycleEvent

/**
 * What the supervisor does on a transition: `prepare` runs the pre steps, `finish` runs the post steps, `giveUp` does the
 * same after the crash limit was reached, `awaitStop` waits for a stop that was requested earlier, `abort` ends the running step list, `backOff` waits before the next start, and
 * `watchForReady` waits for the ready line. The next transition cancels these waits.
 */
export type Effect =
  | 'prepare'
  | 'launch'
  | 'watchForReady'
  | 'requestStop'
  | 'awaitStop'
  | 'kill'
  | 'abort'
  | 'finish'
  | 'giveUp'
  | 'install'
  | 'backOff'

/** Settings for automatic starts, restarts and readiness. */
export interface Rules {
  /** The delay between an exit and the next start. */
  readonly restartDelayMs: number
  readonly autorestart: boolean
  readonly autorecover: boolean
  readonly expectedExitCode: number
  /** Whether a line of output reports readiness. Otherwise the server is ready as soon as it runs. */
  readonly hasReadyLine: boolean
}

export interface Transition {
  readonly now: State
  readonly effect?: Effect
}

type Row<S extends State> = {
  readonly [I in Input['type']]?: (state: S, input: Extract<Input, { type: I }>, rules: Rules) => Transition
}
type Table = { readonly [S in State['is']]: Row<Extract<State, { is: S }>> }

const offline: State = { is: 'offline' }

const start = (crashes = 0): Transition => ({ now: { is: 'starting', crashes }, effect: 'prepare' })
const install = (): Transition => ({ now: { is: 'installing', next: 'rest' }, effect: 'install' })
const rest = (): Transition => ({ now: offline })
const run = (crashes: number, { hasReadyLine }: Rules): Transition =>
  hasReadyLine
    ? { now: { is: 'online', crashes, isReady: false }, effect: 'watchForReady' }
    : { now: { is: 'online', crashes, isReady: true } }

const table: Table = {
  offline: { start: () => start(), restart: () => start(), install },

  installing: {
    start: () => ({ now: { is: 'installing', next: 'start' } }),
    restart: () => ({ now: { is: 'installing', next: 'start' } }),
    stop: () => ({ now: { is: 'installing', next: 'rest' } }),
    kill: () => ({ now: { is: 'stopping', of: 'install', by: 'killing', next: 'rest' }, effect: 'abort' }),
    installed: ({ next }) => proceed(next),
    // An incomplete install must not be started.
    installFailed: rest,
  },

  starting: {
    // A stop does not interrupt pre steps; it skips the launch.
    stop: () => ({ now: { is: 'stopping', of: 'start', by: 'asking', next: 'rest' } }),
    install: () => ({ now: { is: 'stopping', of: 'start', by: 'asking', next: 'install' } }),
    kill: () => ({ now: { is: 'stopping', of: 'start', by: 'killing', next: 'rest' }, effect: 'abort' }),
    prepared: (state) => ({ now: state, effect: 'launch' }),
    launched: ({ crashes }, _, rules) => run(crashes, rules),
    launchFailed: rest,
  },

  online: {
    stop: () => ({ now: { is: 'stopping', of: 'server', by: 'asking', next: 'rest' }, effect: 'requestStop' }),
    restart: () => ({ now: { is: 'stopping', of: 'server', by: 'asking', next: 'start' }, effect: 'requestStop' }),
    install: () => ({ now: { is: 'stopping', of: 'server', by: 'asking', next: 'install' }, effect: 'requestStop' }),
    kill: () => ({ now: { is: 'stopping', of: 'server', by: 'killing', next: 'rest' }, effect: 'kill' }),
    ready: (state) => ({ now: { ...state, isReady: true } }),
    exited: ({ crashes }, event, rules) => afterUnexpectedExit(event, crashes, rules),
  },

  stopping: {
    start: (state) => ({ now: { ...state, next: 'start' } }),
    restart: (state) => ({ now: { ...state, next: 'start' } }),
    stop: (state) => ({ now: { ...state, next: 'rest' } }),
    install: (state) => ({ now: { ...state, next: 'install' } }),
    kill: (state) => ({
      now: { ...state, by: 'killing', next: 'rest' },
      effect: state.of === 'server' ? 'kill' : 'abort',
    }),
    prepared: ({ next }) => proceed(next),
    launched: (state) => ({
      now: { ...state, of: 'server' },
      effect: state.by === 'killing' ? 'kill' : 'requestStop',
    }),
    launchFailed: ({ next }) => proceed(next),
    installed: ({ next }) => proceed(next),
    installFailed: ({ next }) => proceed(next),
    // The exit was requested, whatever its code.
    exited: ({ next }) => ({ now: { is: 'ending', next: { do: next }, crashes: 0 }, effect: 'finish' }),
  },

  ending: {
    start: (state) => ({ now: { ...state, next: { do: 'start' } } }),
    restart: (state) => ({ now: { ...state, next: { do: 'start' } } }),
    stop: (state) => ({ now: { ...state, next: { do: 'rest' } } }),
    install: (state) => ({ now: { ...state, next: { do: 'install' } } }),
    kill: (state) => ({ now: { ...state, next: { do: 'rest' } }, effect: 'abort' }),
    finished: ({ next, crashes }, _, rules) =>
      next.do === 'startAgain'
        ? { now: { is: 'waiting', crashes, forMs: next.afterMs, isAsked: false }, effect: 'backOff' }
        : proceedAfterExit(next.do, rules),
    // After failed post steps only requested actions continue.
    finishFailed: ({ next }, _, rules) => (next.do === 'startAgain' ? rest() : proceedAfterExit(next.do, rules)),
  },

  waiting: {
    start: () => start(),
    restart: () => start(),
    stop: rest,
    kill: rest,
    install,
    backoffOver: ({ crashes }) => start(crashes),
  },
}

/** Returns the transition for an input. Returns undefined when the input changes nothing. */
export function transition(state: State, input: Input, rules: Rules): Transition | undefined {
  const row = table[state.is] as Partial<
    Record<Input['type'], (state: State, input: Input, rules: Rules) => Transition>
  >
  return row[input.type]?.(state, input, rules)
}

function proceed(next: AfterStop): Transition {
  return { rest, start: () => start(), install }[next]()
}

/** After an exit, a start is delayed. */
function proceedAfterExit(next: AfterStop, { restartDelayMs }: Rules): Transition {
  if (next !== 'start') return proceed(next)
  return { now: { is: 'waiting', crashes: 0, forMs: restartDelayMs, isAsked: true }, effect: 'backOff' }
}

/** After an exit that was not requested. */
function afterUnexpectedExit(
  { exit, uptimeMs }: Extract<LifecycleEvent, { type: 'exited' }>,
  crashes: number,
  rules: Rules,
): Transition {
  const isNormal = isExpectedExit(exit, rules)
  const isQuick = uptimeMs < quickExitMs
  if (isNormal && rules.autorestart && !isQuick) return scheduleRestart(0, rules.restartDelayMs)
  if (isNormal ? !rules.autorestart : !rules.autorecover)
    return { now: { is: 'ending', next: { do: 'rest' }, crashes: 0 }, effect: 'finish' }
  const inARow = uptimeMs < crashWindowMs ? crashes : 0
  const afterMs = crashBackoffMs[inARow]
  if (inARow >= maxRestartsAfterCrash || afterMs === undefined) {
    return { now: { is: 'ending', next: { do: 'rest' }, crashes: 0 }, effect: 'giveUp' }
  }
  return scheduleRestart(inARow + 1, afterMs)
}

/** Whether a process exited as its definition expects. */
export function isExpectedExit({ code, signal }: Exit, { expectedExitCode }: Pick<Rules, 'expectedExitCode'>): boolean {
  return signal === null && code === expectedExitCode
}

function scheduleRestart(crashes: number, afterMs: number): Transition {
  return { now: { is: 'ending', next: { do: 'startAgain', afterMs }, crashes }, effect: 'finish' }
}

/** The outcome of an action after an input was processed. */
export function actionOutcome(action: PowerAction, input: Input, state: State): 'pending' | 'done' | 'failed' {
  switch (action) {
    case 'stop':
    case 'kill':
      return state.is === 'stopping' || state.is === 'ending' ? 'pending' : 'done'
    case 'install':
      if (input.type === 'installed' && state.is !== 'installing') return 'done'
      return state.is === 'installing' || requestedNext(state) === 'install' ? 'pending' : 'failed'
    case 'start':
    case 'restart':
      if (state.is === 'online') return 'done'
      return state.is === 'starting' || requestedNext(state) === 'start' ? 'pending' : 'failed'
  }
}

function requestedNext(state: State): AfterStop | undefined {
  if (state.is === 'stopping' || state.is === 'installing') return state.next
  if (state.is === 'waiting') return state.isAsked ? 'start' : undefined
  return state.is === 'ending' && state.next.do !== 'startAgain' ? state.next.do : undefined
}

/** Whether the server's main process runs in this state. */
export function isRunning(state: State): boolean {
  return state.is === 'online' || (state.is === 'stopping' && state.of === 'server')
}

const shownStates = {
  offline: 'offline',
  installing: 'installing',
  starting: 'starting',
  online: 'online',
  stopping: 'stopping',
  ending: 'stopping',
  waiting: 'waiting',
} as const satisfies Record<State['is'], ServerState>

/** The status in the format of the API. */
export function getStatus(state: State, since: Date): ServerStatus {
  return {
    running: isRunning(state),
    installing: state.is === 'installing',
    state: state.is === 'online' && !state.isReady ? 'starting' : shownStates[state.is],
    since: since.toISOString(),
  }
}

/**
 * Returns the state to continue from after a restart of the daemon. `isFound`: the keeper has the server's process
 * (possibly exited, then `exited` follows). `interrupted` names steps that did not complete.
 */
export function resume(
  saved: State,
  isReattached: boolean,
  rules: Rules,
): Transition & { readonly interrupted?: 'install' | 'start' | 'finish' } {
  if (isReattached) {
    if (saved.is === 'stopping') {
      const effect = saved.by === 'killing' ? 'kill' : saved.of === 'server' ? 'awaitStop' : 'requestStop'
      return { now: { ...saved, of: 'server' }, effect }
    }
    if (saved.is === 'starting') return run(saved.crashes, rules)
    if (saved.is === 'online') return saved.isReady ? { now: saved } : { now: saved, effect: 'watchForReady' }
    // An unknown process is attached rather than duplicated; it may have been running for long.
    return { now: { is: 'online', crashes: 'crashes' in saved ? saved.crashes : 0, isReady: true } }
  }
  switch (saved.is) {
    case 'installing':
      return { now: offline, interrupted: 'install' }
    case 'starting':
      return { now: offline, interrupted: 'start' }
    case 'stopping':
      // A requested restart still restarts the server.
      return saved.of === 'server' ? proceed(saved.next) : { now: offline, interrupted: saved.of }
    case 'ending':
      return { now: saved, effect: 'finish', interrupted: 'finish' }
    case 'waiting':
      return { now: saved, effect: 'backOff' }
    default:
      return { now: offline }
  }
}
