import { describe, expect, test } from 'vitest'
import {
  actionOutcome,
  crashWindowMs,
  getStatus,
  type Input,
  isRunning,
  type PowerAction,
  powerActions,
  quickExitMs,
  type Rules,
  resume,
  type State,
  transition,
} from './rules.ts'
import { defaultRestartDelayMs } from './supervisor.ts'

const rules: Rules = {
  restartDelayMs: 1000,
  autorestart: false,
  autorecover: false,
  expectedExitCode: 0,
  hasReadyLine: false,
}
const withLine: Rules = { ...rules, hasReadyLine: true }
const exited = (code: number | null, signal: string | null = null, uptimeMs = 1000): Input => ({
  type: 'exited',
  exit: { code, signal },
  uptimeMs,
})

const offline: State = { is: 'offline' }
const installing: State = { is: 'installing', next: 'rest' }
const starting: State = { is: 'starting', crashes: 0 }
const online: State = { is: 'online', crashes: 0, isReady: true }
/** Running, without its ready line yet. */
const unready: State = { ...online, isReady: false }
const stopping: State = { is: 'stopping', of: 'server', by: 'asking', next: 'rest' }
const restarting: State = { ...stopping, next: 'start' }
const killing: State = { ...stopping, by: 'killing' }
const stoppingStart: State = { is: 'stopping', of: 'start', by: 'asking', next: 'rest' }
const abortingInstall: State = { is: 'stopping', of: 'install', by: 'killing', next: 'rest' }
const ending: State = { is: 'ending', next: { do: 'rest' }, crashes: 0 }
const waiting: State = { is: 'waiting', crashes: 1, forMs: 1000, isAsked: false }
/** The delay of a requested restart. */
const pausing: State = { is: 'waiting', crashes: 0, forMs: 1000, isAsked: true }

describe('actions', () => {
  test.each<[string, State, PowerAction, State | 'nothing', string?]>([
    ['a start begins with the pre steps', offline, 'start', starting, 'prepare'],
    ['a second start while starting changes nothing', starting, 'start', 'nothing'],
    ['a start of what runs changes nothing', online, 'start', 'nothing'],
    ['a restart starts what is down', offline, 'restart', starting, 'prepare'],
    ['a restart stops, then starts', online, 'restart', restarting, 'requestStop'],
    ['a start while stopping comes after the stop', stopping, 'start', restarting],
    ['a stop takes back a restart', restarting, 'stop', stopping],
    ['a stop asks', online, 'stop', stopping, 'requestStop'],
    ['a second stop sends no second request', stopping, 'stop', stopping],
    ['a stop of what is down changes nothing', offline, 'stop', 'nothing'],
    ['a stop while starting lets the pre steps end', starting, 'stop', stoppingStart],
    ['a stop cancels the start after a crash', waiting, 'stop', offline],
    ['a kill of what runs', online, 'kill', killing, 'kill'],
    ['a kill of what is stopping', stopping, 'kill', killing, 'kill'],
    ['a kill during a kill tries again', killing, 'kill', killing, 'kill'],
    ['a kill aborts pre steps', starting, 'kill', { ...stoppingStart, by: 'killing' }, 'abort'],
    ['a kill aborts an install', installing, 'kill', abortingInstall, 'abort'],
    ['a kill aborts post steps', { ...ending, next: { do: 'start' } }, 'kill', ending, 'abort'],
    ['a kill cancels the start after a crash', waiting, 'kill', offline],
    ['a stop cancels the start of a restart', pausing, 'stop', offline],
    ['an install of what is down', offline, 'install', installing, 'install'],
    ['an install of what runs stops it first', online, 'install', { ...stopping, next: 'install' }, 'requestStop'],
    ['an install takes the place of the start after a crash', waiting, 'install', installing, 'install'],
    ['a second install changes nothing', installing, 'install', 'nothing'],
    ['a start during an install comes after it', installing, 'start', { is: 'installing', next: 'start' }],
    ['a start takes the place of the one after a crash, and clears the count', waiting, 'start', starting, 'prepare'],
    ['a start of what is not ready yet changes nothing', unready, 'start', 'nothing'],
    ['a restart of what is not ready yet', unready, 'restart', restarting, 'requestStop'],
    ['a stop of what is not ready yet', unready, 'stop', stopping, 'requestStop'],
    ['a kill of what is not ready yet', unready, 'kill', killing, 'kill'],
    ['an install of what is not ready yet', unready, 'install', { ...stopping, next: 'install' }, 'requestStop'],
    ['a start after a kill comes when all has ended', killing, 'start', { ...killing, next: 'start' }],
  ])('%s', (_, before, action, now, effect) => {
    const step = transition(before, { type: action }, rules)

    expect(step).toEqual(now === 'nothing' ? undefined : { now, ...(effect && { effect }) })
  })
})

describe('events', () => {
  test.each<[string, State, Input, State, string?]>([
    ['after the pre steps the server is launched', starting, { type: 'prepared' }, starting, 'launch'],
    ['a launched server is online', starting, { type: 'launched' }, online],
    ['a server that says when it is ready has done so', unready, { type: 'ready' }, online],
    ['what could not be launched is offline', starting, { type: 'launchFailed' }, offline],
    ['a stop during the pre steps leaves the launch out', stoppingStart, { type: 'prepared' }, offline],
    ['a stop that comes during the launch asks at once', stoppingStart, { type: 'launched' }, stopping, 'requestStop'],
    [
      'a kill that comes during the launch kills at once',
      { ...stoppingStart, by: 'killing' },
      { type: 'launched' },
      killing,
      'kill',
    ],
    ['an asked stop ends in rest', stopping, exited(0), ending, 'finish'],
    ['a signal after an asked stop is no crash', stopping, exited(null, 'SIGTERM'), ending, 'finish'],
    ['after the post steps a stopped server rests', ending, { type: 'finished' }, offline],
    [
      'a restart waits a moment after the post steps',
      { ...ending, next: { do: 'start' } },
      { type: 'finished' },
      pausing,
      'backOff',
    ],
    ['a restart starts after that moment', pausing, { type: 'backoffOver' }, starting, 'prepare'],
    [
      'a requested restart survives failed post steps',
      { ...ending, next: { do: 'start' } },
      { type: 'finishFailed' },
      pausing,
      'backOff',
    ],
    [
      'a start that nobody asked for does not survive failed post steps',
      { ...ending, next: { do: 'startAgain', afterMs: 1000 } },
      { type: 'finishFailed' },
      offline,
    ],
    [
      'an install that waited begins',
      { ...stopping, next: 'install' },
      exited(0),
      { ...ending, next: { do: 'install' } },
      'finish',
    ],
    ['an installed server rests', installing, { type: 'installed' }, offline],
    ['a start waits for the install', { is: 'installing', next: 'start' }, { type: 'installed' }, starting, 'prepare'],
    ['a failed install is not started', { is: 'installing', next: 'start' }, { type: 'installFailed' }, offline],
    ['an aborted install rests', abortingInstall, { type: 'installFailed' }, offline],
    [
      'the pause after a crash ends in a start that remembers it',
      waiting,
      { type: 'backoffOver' },
      { is: 'starting', crashes: 1 },
      'prepare',
    ],
  ])('%s', (_, before, event, now, effect) => {
    expect(transition(before, event, rules)).toEqual({ now, ...(effect && { effect }) })
  })

  test('a launched server with a ready pattern is not ready', () => {
    expect(transition(starting, { type: 'launched' }, withLine)).toEqual({ now: unready, effect: 'watchForReady' })
    expect(transition(stoppingStart, { type: 'launched' }, withLine)).toEqual({ now: stopping, effect: 'requestStop' })
  })

  test('until it is ready, it is shown as starting and running', () => {
    expect(getStatus(unready, new Date(0))).toMatchObject({ state: 'starting', running: true })
    expect(getStatus(online, new Date(0))).toMatchObject({ state: 'online', running: true })
    expect(getStatus(starting, new Date(0))).toMatchObject({ state: 'starting', running: false })
  })

  test.each<[string, Partial<Rules>, Input, State & { is: 'ending' }]>([
    ['a normal end rests', {}, exited(0), { is: 'ending', next: { do: 'rest' }, crashes: 0 }],
    [
      'a crash rests without autorecover',
      { autorestart: true },
      exited(1),
      { is: 'ending', next: { do: 'rest' }, crashes: 0 },
    ],
    [
      'autorestart follows a normal end',
      { autorestart: true },
      exited(0, null, quickExitMs),
      { is: 'ending', next: { do: 'startAgain', afterMs: defaultRestartDelayMs }, crashes: 0 },
    ],
    [
      'autorestart backs off after a normal end within seconds, as after a crash',
      { autorestart: true },
      exited(0, null, quickExitMs - 1),
      { is: 'ending', next: { do: 'startAgain', afterMs: 1000 }, crashes: 1 },
    ],
    [
      'a normal end within seconds rests without autorestart',
      { autorecover: true },
      exited(0, null, 0),
      { is: 'ending', next: { do: 'rest' }, crashes: 0 },
    ],
    [
      'autorecover leaves a normal end alone',
      { autorecover: true },
      exited(0),
      { is: 'ending', next: { do: 'rest' }, crashes: 0 },
    ],
    [
      'autorecover follows a crash',
      { autorecover: true },
      exited(null, 'SIGSEGV'),
      { is: 'ending', next: { do: 'startAgain', afterMs: 1000 }, crashes: 1 },
    ],
    [
      'the expected exit code is a normal end',
      { autorestart: true, expectedExitCode: 143 },
      exited(143, null, quickExitMs),
      { is: 'ending', next: { do: 'startAgain', afterMs: defaultRestartDelayMs }, crashes: 0 },
    ],
    [
      'another than the expected exit code is a crash, be it 0',
      { autorecover: true, expectedExitCode: 143 },
      exited(0),
      { is: 'ending', next: { do: 'startAgain', afterMs: 1000 }, crashes: 1 },
    ],
  ])('%s', (_, overrides, event, now) => {
    expect(transition(online, event, { ...rules, ...overrides })?.now).toEqual(now)
    expect(transition(unready, event, { ...rules, ...overrides })?.now).toEqual(now)
  })

  test.each([
    ['autorecover', { autorecover: true }, 1],
    ['autorestart', { autorestart: true }, 0],
  ])('%s tries three times with increasing delays, then gives up; a manual start resets the count', (_, on, code) => {
    const recovering = { ...rules, ...on }
    const delays: number[] = []
    let state = online as State
    let effect: string | undefined
    const feed = (input: Input) => {
      const step = transition(state, input, recovering)
      state = step?.now ?? state
      effect = step?.effect
    }

    for (;;) {
      feed(exited(code))
      if (effect === 'giveUp') break
      feed({ type: 'finished' })
      expect(state).toMatchObject({ is: 'waiting' })
      if (state.is === 'waiting') delays.push(state.forMs)
      feed({ type: 'backoffOver' })
      feed({ type: 'launched' })
    }
    feed({ type: 'finished' })

    expect(delays).toEqual([1000, 5000, 15_000])
    expect(state).toEqual(offline)
    expect(transition(state, { type: 'start' }, recovering)?.now).toEqual(starting)
  })

  test('a server that ran long enough resets the crash count', () => {
    const step = transition({ ...online, crashes: 3 }, exited(1, null, crashWindowMs), {
      ...rules,
      autorecover: true,
    })

    expect(step?.now).toMatchObject({ next: { do: 'startAgain', afterMs: 1000 }, crashes: 1 })
  })
})

describe('waiters', () => {
  test.each<[PowerAction, Input, State, ReturnType<typeof actionOutcome>]>([
    ['start', { type: 'start' }, starting, 'pending'],
    ['start', { type: 'launched' }, online, 'done'],
    ['start', { type: 'launched' }, unready, 'done'],
    ['restart', { type: 'launched' }, unready, 'done'],
    ['start', { type: 'launchFailed' }, offline, 'failed'],
    ['start', { type: 'stop' }, stoppingStart, 'failed'],
    ['start', { type: 'start' }, { is: 'installing', next: 'start' }, 'pending'],
    ['restart', { type: 'restart' }, restarting, 'pending'],
    ['restart', { type: 'stop' }, stopping, 'failed'],
    ['restart', { type: 'finished' }, pausing, 'pending'],
    ['start', { type: 'finished' }, pausing, 'pending'],
    ['restart', { type: 'stop' }, offline, 'failed'],
    ['start', { type: 'finished' }, waiting, 'failed'],
    ['stop', { type: 'finished' }, pausing, 'done'],
    ['stop', { type: 'stop' }, stopping, 'pending'],
    ['stop', exited(0), ending, 'pending'],
    ['stop', { type: 'finished' }, offline, 'done'],
    ['stop', { type: 'finished' }, starting, 'done'],
    ['kill', { type: 'installFailed' }, offline, 'done'],
    ['install', { type: 'install' }, { ...stopping, next: 'install' }, 'pending'],
    ['install', { type: 'finished' }, installing, 'pending'],
    ['install', { type: 'installed' }, offline, 'done'],
    ['install', { type: 'installed' }, starting, 'done'],
    ['install', { type: 'installFailed' }, offline, 'failed'],
  ])('%s after %o in %o is %s', (action, input, state, outcome) => {
    expect(actionOutcome(action, input, state)).toBe(outcome)
  })
})

describe('a restarted daemon', () => {
  test.each<[string, State, boolean, ReturnType<typeof resume>]>([
    ['a server that runs is online', online, true, { now: online }],
    ['one that was being launched is online', starting, true, { now: online }],
    [
      'an asked stop stays an asked stop, and is not asked again',
      stopping,
      true,
      { now: stopping, effect: 'awaitStop' },
    ],
    ['a kill is finished', killing, true, { now: killing, effect: 'kill' }],
    ['a stop during the launch is asked now', stoppingStart, true, { now: stopping, effect: 'requestStop' }],
    ['a process that nobody knew of is watched', offline, true, { now: online }],
    ['what had not said that it is ready is listened to', unready, true, { now: unready, effect: 'watchForReady' }],
    ['what had not said so and is gone is offline', unready, false, { now: offline }],
    ['an interrupted install is over', installing, false, { now: offline, interrupted: 'install' }],
    ['an interrupted start is over', starting, false, { now: offline, interrupted: 'start' }],
    ['an aborted install is over', abortingInstall, false, { now: offline, interrupted: 'install' }],
    ['interrupted post steps run again', ending, false, { now: ending, effect: 'finish', interrupted: 'finish' }],
    ['the pause after a crash begins again', waiting, false, { now: waiting, effect: 'backOff' }],
    ['the pause of a restart begins again', pausing, false, { now: pausing, effect: 'backOff' }],
    ['a server that is gone is offline', online, false, { now: offline }],
    ['a restart whose server is gone starts it', restarting, false, { now: starting, effect: 'prepare' }],
  ])('%s', (_, saved, isReattached, expected) => {
    expect(resume(saved, isReattached, rules)).toEqual(expected)
  })

  test('waits for the ready line of a server that was starting, but not of an unknown process', () => {
    expect(resume(starting, true, withLine)).toEqual({ now: unready, effect: 'watchForReady' })
    expect(resume(offline, true, withLine)).toEqual({ now: online })
    expect(resume(online, true, withLine)).toEqual({ now: online })
  })
})

test('for any order of inputs the state matches the process, and no second process is started', () => {
  let seed = 20_261_121
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  // The simulated environment: at most one process, one ready watch, one step list, one timer.
  const world = {
    process: false,
    look: false,
    steps: undefined as 'prepare' | 'launch' | 'finish' | 'install' | undefined,
    pause: false,
  }
  let state: State = offline
  let unasked = 0
  let readied = 0

  const facts = (): Input[] => [
    ...(world.steps === 'prepare' ? ([{ type: 'prepared' }, { type: 'launchFailed' }] as const) : []),
    ...(world.steps === 'launch' ? ([{ type: 'launched' }, { type: 'launchFailed' }] as const) : []),
    ...(world.steps === 'install' ? ([{ type: 'installed' }, { type: 'installFailed' }] as const) : []),
    ...(world.steps === 'finish' ? ([{ type: 'finished' }, { type: 'finishFailed' }] as const) : []),
    ...(world.process ? [exited(random(2), null, random(2) * 100_000)] : []),
    ...(world.look ? ([{ type: 'ready' }] as const) : []),
    ...(world.pause ? ([{ type: 'backoffOver' }] as const) : []),
  ]

  for (let count = 0; count < 10_000; count++) {
    const possible = [...powerActions.map((type): Input => ({ type })), ...facts(), ...facts()]
    const input = possible[random(possible.length)] as Input
    const overrides = {
      restartDelayMs: 1000,
      autorestart: random(2) === 0,
      autorecover: random(2) === 0,
      expectedExitCode: 0,
      hasReadyLine: random(2) === 0,
    }
    const before = state
    const step = transition(state, input, overrides)
    if (input.type === 'launched') world.process = true
    if (input.type === 'exited') world.process = false
    if (
      ['prepared', 'launched', 'launchFailed', 'installed', 'installFailed', 'finished', 'finishFailed'].includes(
        input.type,
      )
    ) {
      world.steps = undefined
    }
    // Events are never ignored.
    if (!(powerActions as readonly string[]).includes(input.type))
      expect(step, `${input.type} in ${state.is}`).toBeDefined()
    if (!step) continue
    state = step.now
    world.look = step.effect === 'watchForReady'
    if (input.type === 'ready') readied++
    world.pause = state.is === 'waiting'
    const { effect } = step
    if (
      effect === 'prepare' ||
      effect === 'launch' ||
      effect === 'install' ||
      effect === 'finish' ||
      effect === 'giveUp'
    ) {
      expect(world, `${effect} after ${input.type} in ${before.is}`).toMatchObject({ steps: undefined })
      if (effect !== 'finish') expect(world.process && effect !== 'giveUp').toBe(false)
      world.steps = effect === 'giveUp' ? 'finish' : effect
    }
    if (effect === 'requestStop' || effect === 'kill') expect(world.process).toBe(true)
    if (effect === 'abort') expect(world.steps).toBeDefined()

    expect(isRunning(state)).toBe(world.process)
    expect(state.is === 'online' && !state.isReady).toBe(world.look)
    expect(getStatus(state, new Date(0)).state === 'online').toBe(state.is === 'online' && !world.look)
    expect(getStatus(state, new Date(0)).installing).toBe(world.steps === 'install' && state.is === 'installing')
    if (state.is === 'offline' || state.is === 'waiting')
      expect(world).toMatchObject({ process: false, steps: undefined })
    if (input.type === 'stop' || input.type === 'kill') {
      const next = !('next' in state) ? 'rest' : typeof state.next === 'string' ? state.next : state.next.do
      expect(next).toBe('rest')
    }
    if (before.is === 'stopping' && input.type === 'exited' && state.is === 'ending' && state.next.do === 'startAgain')
      unasked++
  }

  expect(unasked).toBe(0)
  expect(readied).toBeGreaterThan(10)
})
