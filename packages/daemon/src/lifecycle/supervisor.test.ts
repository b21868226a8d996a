import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import type { ServerStatus } from '@innkeeper/contract/status'
import { pino } from 'pino'
import { describe, expect, test, vi } from 'vitest'
import type { Exit, Run } from '../processes/run.ts'
import { FakeEnvironment } from '../testing/fake-environment.ts'
import type { LifecycleActions } from './actions.ts'
import type { ReadyWatchOptions } from './ready-line.ts'
import type { Rules } from './rules.ts'
import type { Saved } from './state-file.ts'
import { Supervisor } from './supervisor.ts'

/** A busy machine may take its time; what is waited for comes or does not. */
const patience = { timeout: 10_000 }

const log = pino({ level: 'silent' })
const plan = { key: '0a0a0a0a/main', file: 'game', args: [], cwd: '/', env: {} }

/** A supervisor with steps and processes that do what the test says. */
function setUp({
  saved,
  rules = {},
  restartDelayMs = 0,
}: {
  saved?: Saved
  rules?: Partial<Rules>
  restartDelayMs?: number
} = {}) {
  const environment = new FakeEnvironment()
  const lines: string[] = []
  const states: Saved[] = saved ? [saved] : []
  const exits: Exit[] = []
  /** Those that wait for a ready line now. */
  const looks: ReadyWatchOptions[] = []
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
      looks.push(how)
      return { replayed: Promise.resolve(), [Symbol.dispose]: () => void looks.splice(looks.indexOf(how), 1) }
    },
    requestStop: (run) => run.write('stop\n'),
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
  return { supervisor, environment, lines, states, exits, looks, steps, reaches }
}

const since = new Date(0).toISOString()

describe('a wish', () => {
  test('to start is through when the process runs', async () => {
    const { supervisor, lines } = setUp()

    await supervisor.request('start').ended

    expect(supervisor.status).toMatchObject({ state: 'online', running: true, installing: false })
    expect(lines).toEqual(['Starting server'])
  })

  test('to start twice starts one process', async () => {
    const { supervisor, environment } = setUp()

    await Promise.all([supervisor.request('start').ended, supervisor.request('start').ended])
    await supervisor.request('start').ended

    expect(environment.runs).toHaveLength(1)
  })

  test('to start fails with the reason, and the server is usable', async () => {
    const { supervisor, environment, lines } = setUp()
    environment.refusal = new Refusal('ErrMissingBinary', { expected: 'game' })

    await expect(supervisor.request('start').ended).rejects.toMatchObject({ code: 'ErrMissingBinary' })

    expect(lines.at(-1)).toBe('Failed to start server: Missing binary: game')
    environment.refusal = undefined
    await supervisor.request('start').ended
    expect(supervisor.status.state).toBe('online')
  })

  test('to stop asks and waits, and never kills', async () => {
    const { supervisor, environment } = setUp()
    await supervisor.request('start').ended

    const { ended } = supervisor.request('stop')
    expect(supervisor.status).toMatchObject({ state: 'stopping', running: true })
    environment.last.exit(0)
    await ended

    expect(environment.last.deeds).toEqual(['write stop\n', 'forget'])
    expect(supervisor.status.state).toBe('offline')
  })

  test('to stop is on disk before it is carried out', async () => {
    const { supervisor, environment, states } = setUp()
    await supervisor.request('start').ended
    const saved: (Saved | undefined)[] = []
    environment.last.write = () => void saved.push(states.at(-1))

    supervisor.request('stop')

    expect(saved).toMatchObject([{ state: { is: 'stopping', next: 'rest' }, run: { id: 'run-1' } }])
  })

  test('to restart stops and starts, whoever waits', async () => {
    const { supervisor, environment } = setUp()
    await supervisor.request('start').ended

    const { ended } = supervisor.request('restart')
    environment.last.exit(0)
    await ended

    expect(environment.runs).toHaveLength(2)
    expect(supervisor.status.state).toBe('online')
  })

  test('to restart waits a second between the end and the new start', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { supervisor, environment, lines } = setUp({ restartDelayMs: limits.restartDelayMs })
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

  test('to stop takes back a restart that waits', async () => {
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

  test('to kill aborts pre steps that hang', async () => {
    const { supervisor, steps, environment } = setUp()
    steps.prepare = () => new Promise(() => {})
    const start = supervisor.request('start')

    await supervisor.request('kill').ended

    await expect(start.ended).rejects.toBeInstanceOf(Refusal)
    expect(supervisor.status.state).toBe('offline')
    expect(environment.runs).toEqual([])
  })

  test('to kill is through even when nobody tells of the end', async () => {
    const { supervisor, environment } = setUp()
    await supervisor.request('start').ended
    environment.last.kill = async () => {}

    await supervisor.request('kill').ended

    expect(supervisor.status.state).toBe('offline')
    environment.last.exit(0)
  })

  test('to kill aborts an install that hangs', async () => {
    const { supervisor, steps } = setUp()
    steps.install = () => new Promise(() => {})
    const install = supervisor.request('install')
    expect(supervisor.status).toMatchObject({ state: 'installing', installing: true, running: false })

    await supervisor.request('kill').ended

    await expect(install.ended).rejects.toBeInstanceOf(Refusal)
    expect(supervisor.status.state).toBe('offline')
  })

  test('to install while the server runs stops it first', async () => {
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

describe('a server with a ready line', () => {
  const rules = { hasReadyLine: true }

  test('runs and is starting until it has printed it, and that is told', async () => {
    const { supervisor, looks, states } = setUp({ rules })
    const heard: [string, boolean][] = []
    supervisor.onStatus(({ state, running }) => void heard.push([state, running]))

    await supervisor.request('start').ended
    expect(supervisor.status).toMatchObject({ state: 'starting', running: true })
    expect(supervisor.run).toBeDefined()
    looks[0]?.onReady()

    expect(heard).toEqual([
      ['starting', false],
      ['starting', true],
      ['online', true],
    ])
    expect(looks).toEqual([])
    expect(states.at(-1)?.state).toMatchObject({ is: 'online', isReady: true })
  })

  test('is online since it is ready', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const { supervisor, looks } = setUp({ rules })
      vi.setSystemTime(1_000)
      await supervisor.request('start').ended
      vi.setSystemTime(61_000)
      expect(supervisor.status.since).toBe(new Date(1_000).toISOString())

      looks[0]?.onReady()

      expect(supervisor.status.since).toBe(new Date(61_000).toISOString())
    } finally {
      vi.useRealTimers()
    }
  })

  test('counts as online without it, and the console says why', async () => {
    const { supervisor, looks, lines } = setUp({ rules })
    await supervisor.request('start').ended

    looks[0]?.onReady('No such line')

    expect(supervisor.status.state).toBe('online')
    expect(lines.at(-1)).toBe('No such line')
  })

  test('is stopped, killed and recovered before it is ready like any other, and no longer listened to', async () => {
    const { supervisor, environment, looks, reaches } = setUp({ rules: { ...rules, autorecover: true } })
    await supervisor.request('start').ended
    const { ended } = supervisor.request('stop')
    expect(supervisor.status).toMatchObject({ state: 'stopping', running: true })
    expect(looks).toEqual([])
    environment.last.exit(0)
    await ended

    await supervisor.request('start').ended
    await supervisor.request('kill').ended
    expect(looks).toEqual([])

    await supervisor.request('start').ended
    environment.last.exit(1)
    await reaches('waiting')
    expect(looks).toEqual([])
    await vi.waitFor(() => expect(environment.runs).toHaveLength(4), patience)
    await reaches('starting')
    await vi.waitFor(() => expect(looks).toHaveLength(1), patience)
  })

  test('that was not ready is waited for by the next daemon, and its past is looked through first', async () => {
    const run = await new FakeEnvironment().start(plan)
    const state = { is: 'online', crashes: 0, isReady: false } as const
    const { supervisor, looks } = setUp({ rules, saved: { state, since, run: { id: run.id, launchedMs: Date.now() } } })

    supervisor.resume(run)

    expect(supervisor.status).toMatchObject({ state: 'starting', running: true, since })
    expect(looks).toMatchObject([{ isReattached: true }])
    looks[0]?.onReady()
    expect(supervisor.status.state).toBe('online')
  })

  test('whose pattern was taken away meanwhile is online with the next daemon', async () => {
    const run = await new FakeEnvironment().start(plan)
    const state = { is: 'online', crashes: 0, isReady: false } as const
    const { supervisor } = setUp({ saved: { state, since, run: { id: run.id, launchedMs: Date.now() } } })

    supervisor.resume(run)

    expect(supervisor.status.state).toBe('online')
  })

  test('is listened to no longer when its supervisor closes', async () => {
    const { supervisor, looks } = setUp({ rules })
    await supervisor.request('start').ended

    await supervisor.close()

    expect(looks).toEqual([])
  })
})

describe('an end that nobody asked for', () => {
  test('is followed by a start when the server recovers by itself', async () => {
    const { supervisor, environment, lines, reaches } = setUp({ rules: { autorecover: true } })
    await supervisor.request('start').ended

    environment.last.exit(null, 'SIGSEGV')
    await reaches('waiting')
    await reaches('online')

    expect(environment.runs).toHaveLength(2)
    expect(lines).toContain('Server was ended by signal SIGSEGV')
    expect(lines).toContain('Server has been queued to start in 1 s (1 of 3 tries after a crash)')
  })

  test('is not followed by a start when someone stops the server in the pause', async () => {
    const { supervisor, environment, reaches } = setUp({ rules: { autorecover: true } })
    await supervisor.request('start').ended
    environment.last.exit(1)
    await reaches('waiting')

    await supervisor.request('stop').ended

    expect(supervisor.status.state).toBe('offline')
  })

  test('a server that a person stopped stays down, whatever restarts itself', async () => {
    const { supervisor, environment } = setUp({ rules: { autorestart: true, autorecover: true } })
    await supervisor.request('start').ended

    const { ended } = supervisor.request('stop')
    environment.last.exit(null, 'SIGTERM')
    await ended

    expect(supervisor.status.state).toBe('offline')
  })

  test('tells the post steps how it went', async () => {
    const { supervisor, environment, exits, reaches } = setUp()
    await supervisor.request('start').ended

    environment.last.exit(7)
    await reaches('offline')

    expect(exits).toEqual([{ code: 7, signal: null }])
  })
})

describe('why a server ended', () => {
  test('is in its status until somebody starts it again', async () => {
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

  test('is known to the next daemon', async () => {
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

  test('nobody saw when the process went while no daemon was there', () => {
    const { supervisor } = setUp({ saved: { state: { is: 'online', crashes: 0, isReady: true }, since } })

    supervisor.resume(undefined)

    expect(supervisor.status).toMatchObject({ state: 'offline', lastExit: { reason: 'unknown' } })
  })

  test('says that it crashed too often, and a start by hand begins anew', async () => {
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

describe('a daemon that comes back', () => {
  test('watches the process that runs, since when it runs', async () => {
    const run = await new FakeEnvironment().start(plan)
    const { supervisor, lines, reaches } = setUp({
      saved: { state: { is: 'online', crashes: 0, isReady: true }, since, run: { id: run.id, launchedMs: 0 } },
    })

    supervisor.resume(run)

    expect(supervisor.status).toEqual({ state: 'online', running: true, installing: false, since })
    run.exit(3)
    await reaches('offline')
    expect(lines).toContain('Server exited with code 3')
    expect(run.deeds).toEqual(['forget'])
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

  test('does not take an asked stop for a crash', async () => {
    const run = await new FakeEnvironment().start(plan)
    run.exit(null, 'SIGTERM')
    const { supervisor, environment, reaches } = setUp({
      saved: { state: { is: 'stopping', of: 'server', by: 'asking', next: 'rest' }, since },
      rules: { autorecover: true, autorestart: true },
    })

    supervisor.resume(run)
    await reaches('offline')

    expect(environment.runs).toEqual([])
    expect(run.deeds).toEqual(['forget'])
  })

  test('says that an install was interrupted', () => {
    const { supervisor, lines } = setUp({ saved: { state: { is: 'installing', next: 'rest' }, since } })

    supervisor.resume(undefined)

    expect(supervisor.status.state).toBe('offline')
    expect(lines).toEqual([expect.stringContaining('install was interrupted')])
  })

  test('finishes post steps with the exit that was seen, and does not deal with it twice', async () => {
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
    expect(run.deeds).toEqual(['forget'])
  })
})

test('a supervisor that closes waits for a launch and aborts steps, and leaves what it did to the next', async () => {
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
  expect(environment.last.deeds).toEqual([])
  expect(states.at(-1)?.state.is).toBe('starting')
  expect(installing.states.at(-1)?.state.is).toBe('installing')
})

describe('a server of which nobody can tell whether it runs', () => {
  test('is in doubt until somebody can again, or it has ended', async () => {
    const { supervisor, environment, reaches } = setUp()
    const heard: (boolean | undefined)[] = []
    await supervisor.request('start').ended
    supervisor.onStatus(({ isInDoubt }) => heard.push(isInDoubt))

    environment.last.miss(true)
    environment.last.miss(true)
    const missed = supervisor.status
    environment.last.miss(false)
    environment.last.miss(true)
    environment.last.exit(0)
    await reaches('offline')

    expect(missed).toMatchObject({ state: 'online', running: true, isInDoubt: true })
    expect(heard.slice(0, 3)).toEqual([true, undefined, true])
    expect(supervisor.status.isInDoubt).toBeUndefined()
  })

  test('is not in doubt while it is being started, and again when that failed', async () => {
    const { supervisor, steps } = setUp()
    const { promise: held, reject: refuse } = Promise.withResolvers<void>()
    steps.prepare = () => held
    supervisor.setStateUnknown(true)
    const before = supervisor.status

    const { ended } = supervisor.request('start')
    const meanwhile = supervisor.status
    refuse(new Refusal('ErrDockerNotSupported'))
    await expect(ended).rejects.toMatchObject({ code: 'ErrDockerNotSupported' })
    const afterwards = supervisor.status
    supervisor.resume(undefined)

    expect(before).toMatchObject({ state: 'offline', isInDoubt: true })
    expect(meanwhile).toMatchObject({ state: 'starting' })
    expect(meanwhile.isInDoubt).toBeUndefined()
    expect(afterwards).toMatchObject({ state: 'offline', isInDoubt: true })
    expect(supervisor.status.isInDoubt).toBeUndefined()
  })
})

test('watchers hear of every change, in order', async () => {
  const { supervisor, environment, reaches } = setUp()
  const heard: string[] = []
  supervisor.onStatus(({ state }) => heard.push(state))

  await supervisor.request('start').ended
  supervisor.request('stop')
  environment.last.exit(0)
  await reaches('offline')

  expect(heard).toEqual(['starting', 'online', 'stopping', 'stopping', 'offline'])
})
