import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { ServerStatus } from '@innkeeper/contract/servers/status'
import { pino } from 'pino'
import { describe, expect, test, vi } from 'vitest'
import type { Exit, Run } from '../processes/run.ts'
import { FakeEnvironment } from '../testing/fake-environment.ts'
import type { LifecycleActions } from './actions.ts'
import type { ReadyWatchOptions } from './ready-line.ts'
import type { Rules } from './rules.ts'
import type { SavedState } from './state-file.ts'
import { defaultRestartDelayMs, Supervisor } from './supervisor.ts'

/** Generous for busy machines; every wait is for a state. */
const patience = { timeout: 10_000 }

const log = pino({ level: 'silent' })
const plan = { key: '0a0a0a0a/main', file: 'game', args: [], cwd: '/', env: {} }

/** A supervisor whose steps and processes are controlled by the test. */
function setUp({
  saved,
  rules = {},
  restartDelayMs = 0,
  stopTimeoutMs = 30_000,
}: {
  saved?: SavedState
  rules?: Partial<Rules>
  restartDelayMs?: number
  stopTimeoutMs?: number
} = {}) {
  const environment = new FakeEnvironment()
  const lines: string[] = []
  const states: SavedState[] = saved ? [saved] : []
  const exits: Exit[] = []
  /** Runs that wait for a ready line. */
  const watches: ReadyWatchOptions[] = []
  const steps: { prepare?: () => Promise<void>; install?: () => Promise<void>; finish?: () => Promise<void> } = {}
  const untilAborted = (signal: AbortSignal, step: (() => Promise<void>) | undefined) =>
    Promise.race([
      step?.(),
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ])
  const actions: LifecycleActions = {
    rules: () => ({ autorestart: false, autorecover: false, expectedExitCode: 0, hasReadyLine: false, ...rules }),
    prepare: async (signal) => void (await untilAborted(signal, steps.prepare)),
    launch: () => environment.start(plan),
    watchForReady(_, how) {
      if (!rules.hasReadyLine) return undefined
      watches.push(how)
      return { replayed: Promise.resolve(), [Symbol.dispose]: () => void watches.splice(watches.indexOf(how), 1) }
    },
    encoding: () => undefined,
    stopTimeoutMs: () => stopTimeoutMs,
    requestStop(run, { isRequested }) {
      if (!isRequested) run.write('stop\n')
      return { [Symbol.dispose]: () => {} }
    },
    finish: async (exit, signal) => {
      exits.push(exit)
      await untilAborted(signal, steps.finish)
    },
    install: async (signal) => void (await untilAborted(signal, steps.install)),
  }
  const supervisor = new Supervisor({
    actions,
    log,
    restartDelayMs,
    console: {
      say: (line) => void lines.push(line),
      async follow(run: Run) {
        run.follow(0, () => {})
        await run.exited
      },
    },
    file: { load: () => states.at(-1), save: (state) => void states.push(state), remove: () => {} },
  })
  const reaches = (state: ServerStatus['state']) =>
    vi.waitFor(() => expect(supervisor.status.state).toBe(state), { interval: 5, timeout: 10_000 })
  return { supervisor, environment, lines, states, exits, watches, steps, reaches }
}

const since = new Date(0).toISOString()

describe('an action', () => {
  test('start completes when the process runs', async () => {
    const { supervisor, lines } = setUp()

    await supervisor.request('start').ended

    expect(supervisor.status).toMatchObject({ state: 'online', running: true, installing: false })
    expect(lines).toEqual(['Starting server'])
  })

  test('two starts start one process', async () => {
    const { supervisor, environment } = setUp()

    await Promise.all([supervisor.request('start').ended, supervisor.request('start').ended])
    await supervisor.request('start').ended

    expect(environment.runs).toHaveLength(1)
  })

  test('start fails with the reason, and the server remains usable', async () => {
    const { supervisor, environment, lines } = setUp()
    environment.refusal = new Refusal('ErrMissingBinary', { expected: 'game' })

    await expect(supervisor.request('start').ended).rejects.toMatchObject({ code: 'ErrMissingBinary' })

    expect(lines.at(-1)).toBe('Failed to start server: Missing binary: game')
    environment.refusal = undefined
    await supervisor.request('start').ended
    expect(supervisor.status.state).toBe('online')
  })

  test('stop requests the stop and waits, and never kills', async () => {
    const { supervisor, environment } = setUp()
    await supervisor.request('start').ended

    const { ended } = supervisor.request('stop')
    expect(supervisor.status).toMatchObject({ state: 'stopping', running: true })
    environment.last.exit(0)
    await ended

    expect(environment.last.calls).toEqual(['write stop\n', 'release'])
    expect(supervisor.status.state).toBe('offline')
  })

  test('a stop that takes longer than it may is reported, and still waits', async () => {
    const { supervisor, environment, lines, reaches } = setUp({ stopTimeoutMs: 20 })
    await supervisor.request('start').ended
    const overdue: (boolean | undefined)[] = []
    supervisor.onStatus(({ isStopOverdue }) => overdue.push(isStopOverdue))

    const { ended } = supervisor.request('stop')
    await vi.waitFor(() => expect(overdue).toEqual([undefined, true]), patience)
    expect(supervisor.status.state).toBe('stopping')
    await expect(ended).rejects.toMatchObject({ code: 'ErrPowerTooSlow' })
    environment.last.exit(0)
    await reaches('offline')

    expect(lines).toContainEqual(expect.stringMatching(/^The server has not stopped within .* Kill ends it/))
    expect(environment.last.calls).not.toContain('kill')
    expect(supervisor.status).not.toHaveProperty('isStopOverdue')
  })

  test('the time of a stop goes on after a restart of the daemon', async () => {
    const first = setUp()
    await first.supervisor.request('start').ended
    first.supervisor.request('stop')
    const saved = first.states.at(-1)
    await first.supervisor.close()
    if (saved?.stopUntilMs === undefined) throw new Error('the end of the stop time was not saved')
    const next = setUp({ saved: { ...saved, stopUntilMs: Date.now() } })

    next.supervisor.resume(first.environment.last)

    await vi.waitFor(() => expect(next.supervisor.status.isStopOverdue).toBe(true), patience)
    expect(saved.stopUntilMs - Date.now()).toBeGreaterThan(20_000)
  })

  test('stop is saved before it is carried out', async () => {
    const { supervisor, environment, states } = setUp()
    await supervisor.request('start').ended
    const saved: (SavedState | undefined)[] = []
    environment.last.write = () => void saved.push(states.at(-1))

    supervisor.request('stop')

    expect(saved).toMatchObject([{ state: { is: 'stopping', next: 'rest' }, run: { id: 'run-1' } }])
  })

  test('restart stops and starts, for all callers', async () => {
    const { supervisor, environment } = setUp()
    await supervisor.request('start').ended

    const { ended } = supervisor.request('restart')
    environment.last.exit(0)
    await ended

    expect(environment.runs).toHaveLength(2)
    expect(supervisor.status.state).toBe('online')
  })

  test('restart waits a second between exit and start', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { supervisor, environment, lines } = setUp({ restartDelayMs: defaultRestartDelayMs })
      await supervisor.request('start').ended
      const { ended } = supervisor.request('restart')
      environment.last.exit(0)
      await vi.advanceTimersByTimeAsync(0)
      expect(supervisor.status.state).toBe('waiting')

      await vi.advanceTimersByTimeAsync(999)
      expect(environment.runs).toHaveLength(1)
      await vi.advanceTimersByTimeAsync(1)
      await ended

      expect(supervisor.status.state).toBe('online')
      expect(lines).toContain('Server has been queued to start in 1 s')
    } finally {
      vi.useRealTimers()
    }
  })

  test('stop cancels a delayed restart', async () => {
    const { supervisor, environment, reaches } = setUp({ restartDelayMs: 60_000 })
    await supervisor.request('start').ended
    const { ended } = supervisor.request('restart')
    environment.last.exit(0)
    await reaches('waiting')

    await supervisor.request('stop').ended

    await expect(ended).rejects.toMatchObject({ code: 'ErrServerBusy' })
    expect(supervisor.status.state).toBe('offline')
    expect(environment.runs).toHaveLength(1)
  })

  test('kill aborts pre steps that hang', async () => {
    const { supervisor, steps, environment } = setUp()
    steps.prepare = () => new Promise(() => {})
    const start = supervisor.request('start')

    await supervisor.request('kill').ended

    await expect(start.ended).rejects.toBeInstanceOf(Refusal)
    expect(supervisor.status.state).toBe('offline')
    expect(environment.runs).toEqual([])
  })

  test('kill completes even if no exit is reported', async () => {
    const { supervisor, environment } = setUp()
    await supervisor.request('start').ended
    environment.last.kill = async () => {}

    await supervisor.request('kill').ended

    expect(supervisor.status.state).toBe('offline')
    environment.last.exit(0)
  })

  test('kill aborts an install that hangs', async () => {
    const { supervisor, steps } = setUp()
    steps.install = () => new Promise(() => {})
    const install = supervisor.request('install')
    expect(supervisor.status).toMatchObject({ state: 'installing', installing: true, running: false })

    await supervisor.request('kill').ended

    await expect(install.ended).rejects.toBeInstanceOf(Refusal)
    expect(supervisor.status.state).toBe('offline')
  })

  test('install stops a running server first', async () => {
    const { supervisor, environment, lines } = setUp()
    await supervisor.request('start').ended

    const { ended } = supervisor.request('install')
    environment.last.exit(0)
    await ended

    expect(lines.slice(1)).toEqual([
      'Server was told to stop',
      'Server exited with code 0',
      'Installing server',
      'Server installed',
    ])
  })
})

describe('a server with a ready pattern', () => {
  const rules = { hasReadyLine: true }

  test('is running and starting until it has printed the line, and listeners are called', async () => {
    const { supervisor, watches, states } = setUp({ rules })
    const received: [string, boolean][] = []
    supervisor.onStatus(({ state, running }) => void received.push([state, running]))

    await supervisor.request('start').ended
    expect(supervisor.status).toMatchObject({ state: 'starting', running: true })
    expect(supervisor.run).toBeDefined()
    watches[0]?.onReady()

    expect(received).toEqual([
      ['starting', false],
      ['starting', true],
      ['online', true],
    ])
    expect(watches).toEqual([])
    expect(states.at(-1)?.state).toMatchObject({ is: 'online', isReady: true })
  })

  test('has been online since it became ready', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const { supervisor, watches } = setUp({ rules })
      vi.setSystemTime(1_000)
      await supervisor.request('start').ended
      vi.setSystemTime(61_000)
      expect(supervisor.status.since).toBe(new Date(1_000).toISOString())

      watches[0]?.onReady()

      expect(supervisor.status.since).toBe(new Date(61_000).toISOString())
    } finally {
      vi.useRealTimers()
    }
  })

  test('counts as online after the timeout, and the console prints the reason', async () => {
    const { supervisor, watches, lines } = setUp({ rules })
    await supervisor.request('start').ended

    watches[0]?.onReady('No such line')

    expect(supervisor.status.state).toBe('online')
    expect(lines.at(-1)).toBe('No such line')
  })

  test('can be stopped, killed and recovered before it is ready, and its output is no longer matched', async () => {
    const { supervisor, environment, watches, reaches } = setUp({ rules: { ...rules, autorecover: true } })
    await supervisor.request('start').ended
    const { ended } = supervisor.request('stop')
    expect(supervisor.status).toMatchObject({ state: 'stopping', running: true })
    expect(watches).toEqual([])
    environment.last.exit(0)
    await ended

    await supervisor.request('start').ended
    await supervisor.request('kill').ended
    expect(watches).toEqual([])

    await supervisor.request('start').ended
    environment.last.exit(1)
    await reaches('waiting')
    expect(watches).toEqual([])
    await vi.waitFor(() => expect(environment.runs).toHaveLength(4), patience)
    await reaches('starting')
    await vi.waitFor(() => expect(watches).toHaveLength(1), patience)
  })

  test('that was not ready is watched by the next daemon, which matches earlier output first', async () => {
    const run = await new FakeEnvironment().start(plan)
    const state = { is: 'online', crashes: 0, isReady: false } as const
    const { supervisor, watches } = setUp({
      rules,
      saved: { state, since, run: { id: run.id, launchedMs: Date.now() } },
    })

    supervisor.resume(run)

    expect(supervisor.status).toMatchObject({ state: 'starting', running: true, since })
    expect(watches).toMatchObject([{ isReattached: true }])
    watches[0]?.onReady()
    expect(supervisor.status.state).toBe('online')
  })

  test('whose pattern was removed meanwhile is online with the next daemon', async () => {
    const run = await new FakeEnvironment().start(plan)
    const state = { is: 'online', crashes: 0, isReady: false } as const
    const { supervisor } = setUp({ saved: { state, since, run: { id: run.id, launchedMs: Date.now() } } })

    supervisor.resume(run)

    expect(supervisor.status.state).toBe('online')
  })

  test('is no longer watched when its supervisor closes', async () => {
    const { supervisor, watches } = setUp({ rules })
    await supervisor.request('start').ended

    await supervisor.close()

    expect(watches).toEqual([])
  })
})

describe('an unexpected exit', () => {
  test('is followed by a start with autorecover', async () => {
    const { supervisor, environment, lines, reaches } = setUp({ rules: { autorecover: true } })
    await supervisor.request('start').ended

    environment.last.exit(null, 'SIGSEGV')
    await reaches('waiting')
    await reaches('online')

    expect(environment.runs).toHaveLength(2)
    expect(lines).toContain('Server was ended by signal SIGSEGV')
    expect(lines).toContain('Server has been queued to start in 1 s (attempt 1 of 3 after a crash)')
  })

  test('is not followed by a start when a user stops the server during the delay', async () => {
    const { supervisor, environment, reaches } = setUp({ rules: { autorecover: true } })
    await supervisor.request('start').ended
    environment.last.exit(1)
    await reaches('waiting')

    await supervisor.request('stop').ended

    expect(supervisor.status.state).toBe('offline')
  })

  test('a server that a user stopped stays down with autorestart and autorecover', async () => {
    const { supervisor, environment } = setUp({ rules: { autorestart: true, autorecover: true } })
    await supervisor.request('start').ended

    const { ended } = supervisor.request('stop')
    environment.last.exit(null, 'SIGTERM')
    await ended

    expect(supervisor.status.state).toBe('offline')
  })

  test('passes the exit to the post steps', async () => {
    const { supervisor, environment, exits, reaches } = setUp()
    await supervisor.request('start').ended

    environment.last.exit(7)
    await reaches('offline')

    expect(exits).toEqual([{ code: 7, signal: null }])
  })
})

describe('the reason of an exit', () => {
  test('is in the status until the next start', async () => {
    const { supervisor, environment, lines, reaches } = setUp()
    await supervisor.request('start').ended

    environment.last.exit(null, 'SIGKILL', { isOutOfMemory: true })
    await reaches('offline')

    expect(supervisor.status.lastExit).toMatchObject({ reason: 'outOfMemory', code: null, signal: 'SIGKILL' })
    expect(lines.slice(-2)).toEqual([
      'Server was ended by signal SIGKILL',
      'It was killed because it used more memory than it may',
    ])
    await supervisor.request('start').ended
    expect(supervisor.status.lastExit).toBeUndefined()
  })

  test('is restored by the next daemon', async () => {
    const before = setUp()
    await before.supervisor.request('start').ended
    before.environment.last.exit(7)
    await before.reaches('offline')
    const saved = before.states.at(-1)

    const { supervisor } = setUp(saved ? { saved } : {})
    supervisor.resume(undefined)

    expect(supervisor.status.lastExit).toEqual(before.supervisor.status.lastExit)
    expect(supervisor.status.lastExit).toMatchObject({ reason: 'crashed', code: 7 })
  })

  test('is unknown when the process disappeared while no daemon ran', () => {
    const { supervisor } = setUp({ saved: { state: { is: 'online', crashes: 0, isReady: true }, since } })

    supervisor.resume(undefined)

    expect(supervisor.status).toMatchObject({ state: 'offline', lastExit: { reason: 'unknown' } })
  })

  test('includes that the crash limit was reached, and a manual start resets it', async () => {
    const run = await new FakeEnvironment().start(plan)
    run.exit(1)
    const { supervisor, lines, reaches } = setUp({
      saved: { state: { is: 'online', crashes: 3, isReady: true }, since, run: { id: run.id, launchedMs: Date.now() } },
      rules: { autorecover: true },
    })

    supervisor.resume(run)
    await reaches('offline')

    expect(supervisor.status.lastExit).toMatchObject({ reason: 'crashed', code: 1, gaveUpAfter: 4 })
    expect(lines.at(-1)).toBe('Server crashed 4 times in a row and stays offline')
    await supervisor.request('start').ended
    expect(supervisor.status).toMatchObject({ state: 'online' })
    expect(supervisor.status.lastExit).toBeUndefined()
  })
})

describe('the outcome of an install', () => {
  test('is missing while it runs, and is done or failed when it has ended', async () => {
    const { supervisor, steps } = setUp()
    const received: (string | undefined)[] = []
    supervisor.onStatus(({ lastInstall }) => received.push(lastInstall?.outcome))
    steps.install = () => Promise.reject(new Refusal('ErrMissingBinary', { expected: 'curl' }))
    await supervisor.request('install').ended.catch(() => {})
    steps.install = () => Promise.resolve()
    await supervisor.request('install').ended

    expect(received).toEqual([undefined, 'failed', undefined, 'done'])
  })

  test('is canceled after a kill, and a later start keeps it', async () => {
    const { supervisor, steps, reaches } = setUp()
    steps.install = () => new Promise(() => {})
    supervisor.request('install')

    await supervisor.request('kill').ended
    await reaches('offline')
    const afterwards = supervisor.status.lastInstall?.outcome
    await supervisor.request('start').ended

    expect(afterwards).toBe('cancelled')
    expect(supervisor.status.lastInstall?.outcome).toBe('cancelled')
  })

  test('is restored by the next daemon, and failed when that daemon interrupted it', async () => {
    const before = setUp()
    await before.supervisor.request('install').ended
    const saved = before.states.at(-1)
    const { supervisor } = setUp(saved ? { saved } : {})
    supervisor.resume(undefined)
    const interrupted = setUp({ saved: { state: { is: 'installing', next: 'rest' }, since } })
    interrupted.supervisor.resume(undefined)

    expect(supervisor.status.lastInstall).toEqual(before.supervisor.status.lastInstall)
    expect(supervisor.status.lastInstall?.outcome).toBe('done')
    expect(interrupted.supervisor.status.lastInstall?.outcome).toBe('failed')
    expect(interrupted.states.at(-1)?.lastInstall?.outcome).toBe('failed')
  })
})

describe('a restarted daemon', () => {
  test('reattaches to the running process, with its start time', async () => {
    const run = await new FakeEnvironment().start(plan)
    const { supervisor, lines, reaches } = setUp({
      saved: { state: { is: 'online', crashes: 0, isReady: true }, since, run: { id: run.id, launchedMs: 0 } },
    })

    supervisor.resume(run)

    expect(supervisor.status).toEqual({ state: 'online', running: true, installing: false, since })
    run.exit(3)
    await reaches('offline')
    expect(lines).toContain('Server exited with code 3')
    expect(run.calls).toEqual(['release'])
  })

  test('treats a server that crashed meanwhile like one that crashes now', async () => {
    const run = await new FakeEnvironment().start(plan)
    run.exit(1)
    const { supervisor, environment, reaches } = setUp({
      saved: { state: { is: 'online', crashes: 0, isReady: true }, since, run: { id: run.id, launchedMs: 0 } },
      rules: { autorecover: true },
    })

    supervisor.resume(run)
    await reaches('waiting')
    await reaches('online')

    expect(environment.runs).toHaveLength(1)
  })

  test('does not treat a requested stop as a crash', async () => {
    const run = await new FakeEnvironment().start(plan)
    run.exit(null, 'SIGTERM')
    const { supervisor, environment, reaches } = setUp({
      saved: { state: { is: 'stopping', of: 'server', by: 'asking', next: 'rest' }, since },
      rules: { autorecover: true, autorestart: true },
    })

    supervisor.resume(run)
    await reaches('offline')

    expect(environment.runs).toEqual([])
    expect(run.calls).toEqual(['release'])
  })

  test('reports an interrupted install', () => {
    const { supervisor, lines } = setUp({ saved: { state: { is: 'installing', next: 'rest' }, since } })

    supervisor.resume(undefined)

    expect(supervisor.status.state).toBe('offline')
    expect(lines).toEqual([expect.stringContaining('install was interrupted')])
  })

  test('runs interrupted post steps with the saved exit, and only once', async () => {
    const run = await new FakeEnvironment().start(plan)
    run.exit(9)
    const { supervisor, exits, reaches } = setUp({
      saved: {
        state: { is: 'ending', next: { do: 'rest' }, crashes: 0 },
        since,
        run: { id: run.id, launchedMs: 0 },
        exit: { code: 9, signal: null },
      },
    })

    supervisor.resume(run)
    await reaches('offline')

    expect(exits).toEqual([{ code: 9, signal: null }])
    expect(run.calls).toEqual(['release'])
  })
})

test('close waits for a launch and aborts steps, and leaves the rest to the next daemon', async () => {
  const launching = setUp()
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  const { environment, supervisor, states } = launching
  const start = environment.start.bind(environment)
  let isLaunching = false
  environment.start = async (given) => {
    isLaunching = true
    await held
    return await start(given)
  }
  const { ended } = supervisor.request('start')
  await vi.waitFor(() => expect(isLaunching).toBe(true), patience)
  const installing = setUp()
  installing.steps.install = () => new Promise(() => {})
  installing.supervisor.request('install')

  const closing = supervisor.close()
  await installing.supervisor.close()
  letGo()
  await closing

  await expect(ended).rejects.toMatchObject({ code: 'ErrServiceNotAvailable' })
  expect(environment.last.calls).toEqual([])
  expect(states.at(-1)?.state.is).toBe('starting')
  expect(installing.states.at(-1)?.state.is).toBe('installing')
})

describe('a server of unknown state', () => {
  test('is reported as unknown until its state is known again or it has exited', async () => {
    const { supervisor, environment, reaches } = setUp()
    const received: (boolean | undefined)[] = []
    await supervisor.request('start').ended
    supervisor.onStatus(({ isInDoubt }) => received.push(isInDoubt))

    environment.last.miss(true)
    environment.last.miss(true)
    const missed = supervisor.status
    environment.last.miss(false)
    environment.last.miss(true)
    environment.last.exit(0)
    await reaches('offline')

    expect(missed).toMatchObject({ state: 'online', running: true, isInDoubt: true })
    expect(received.slice(0, 3)).toEqual([true, undefined, true])
    expect(supervisor.status.isInDoubt).toBeUndefined()
  })

  test('is not reported as unknown while it starts, and is again when the start failed', async () => {
    const { supervisor, steps } = setUp()
    const { promise: held, reject: refuse } = Promise.withResolvers<void>()
    steps.prepare = () => held
    supervisor.setStateUnknown(true)
    const before = supervisor.status

    const { ended } = supervisor.request('start')
    const during = supervisor.status
    refuse(new Refusal('ErrDockerNotSupported'))
    await expect(ended).rejects.toMatchObject({ code: 'ErrDockerNotSupported' })
    const afterwards = supervisor.status
    supervisor.resume(undefined)

    expect(before).toMatchObject({ state: 'offline', isInDoubt: true })
    expect(during).toMatchObject({ state: 'starting' })
    expect(during.isInDoubt).toBeUndefined()
    expect(afterwards).toMatchObject({ state: 'offline', isInDoubt: true })
    expect(supervisor.status.isInDoubt).toBeUndefined()
  })
})

test('listeners receive every change, in order', async () => {
  const { supervisor, environment, reaches } = setUp()
  const received: string[] = []
  supervisor.onStatus(({ state }) => received.push(state))

  await supervisor.request('start').ended
  supervisor.request('stop')
  environment.last.exit(0)
  await reaches('offline')

  expect(received).toEqual(['starting', 'online', 'stopping', 'stopping', 'offline'])
})
