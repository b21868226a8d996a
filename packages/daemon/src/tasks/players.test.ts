import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { getDefinition, putDefinition } from '@innkeeper/contract/definitions/server-definition'
import { getConsole, getStatus, startServer, stopServer } from '@innkeeper/contract/servers/node-servers'
import { getPlayers } from '@innkeeper/contract/servers/players'
import { cancelRestartCountdown, startRestartCountdown } from '@innkeeper/contract/servers/restart-countdown'
import {
  cancelTask,
  createTask,
  listTaskRuns,
  listTasks,
  runTask,
  type TaskView,
} from '@innkeeper/contract/servers/tasks'
import { test as base, describe, expect, vi } from 'vitest'
import { program, TestNode } from '../testing/daemon.ts'
import { minecraftStatus, startTcpGame } from '../testing/game-servers.ts'

const id = '0d0d0d0d'
const params = { id }
/** Generous for busy machines; every wait is for a state. */
const slowWait = { timeout: 15_000, interval: 20 }

/** A running server whose game answers with a number of players; without one it does not answer. */
class PlayedServer {
  readonly node: TestNode
  online: number | undefined = 0

  constructor(node: TestNode) {
    this.node = node
  }

  async setPlayers(online: number | undefined): Promise<void> {
    this.online = online
    await vi.waitFor(async () => {
      const { status } = (await this.node.client.send(getPlayers, { params })).body
      expect(status?.players.online).toBe(online)
    }, slowWait)
  }

  /** Creates a task and returns its key. */
  async create(task: object): Promise<string> {
    const body = { name: 'Chore', operations: [], ...task }
    const { status, body: created } = await this.node.client.send(createTask, { params, body })
    expect(status, JSON.stringify(created)).toBe(200)
    return created.id
  }

  /** Runs a task to its end. Returns the code of its refusal. */
  async run(task: string): Promise<string | undefined> {
    return (await this.start(task, { wait: true })).body?.error?.code
  }

  async start(task: string, query: Readonly<Record<string, unknown>> = {}) {
    return await this.node.client.send(runTask, { params: { id, task }, query })
  }

  async view(task: string): Promise<TaskView> {
    return (await this.node.client.send(listTasks, { params })).body.tasks[task]
  }

  async runs(task: string): Promise<{ result?: string; lines: string[] }[]> {
    return (await this.node.client.send(listTaskRuns, { params: { id, task } })).body
  }

  async console(): Promise<string> {
    return (await this.node.client.send(getConsole, { params })).body.logs
  }
}

const test = base.extend<{ node: TestNode; server: PlayedServer }>({
  node: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
    async ({}, use) => {
      await using node = await TestNode.start({
        tasks: { minuteMs: 200 },
        players: { tickMs: 5, everyMs: 5, idleEveryMs: 5 },
      })
      await use(node)
    },
    { scope: 'file' },
  ],
  server: async ({ node }, use) => {
    const server = new PlayedServer(node)
    await using game = await startTcpGame(() =>
      server.online === undefined ? undefined : minecraftStatus({ players: { online: server.online, max: 20 } }),
    )
    const definition = { query: { type: 'minecraft', port: game.port }, players: { actions } }
    await node.client.create(id, program('echo'), definition)
    try {
      await node.client.send(startServer, { params, query: { wait: true } })
      await server.setPlayers(0)
      await use(server)
    } finally {
      await node.client.asPanel('DELETE', `/daemon/server/${id}`)
    }
  },
})

const actions = [{ type: 'broadcast', command: 'say {message}' }]
const say = (message: string) => ({ type: 'console', message })

test('a task runs while its condition on players is met; else it leaves no trace but the reason', async ({
  server,
}) => {
  const task = await server.create({ if: 'players == 0 && quietMinutes >= 0', operations: [say('restarting')] })
  const codes: unknown[] = []
  const views: unknown[] = []
  for (const online of [2, undefined, 0]) {
    await server.setPlayers(online)
    codes.push(await server.run(task))
    views.push((await server.view(task)).unmet?.refusal.code)
  }

  expect(codes).toEqual(['ErrTaskConditionFalse', 'ErrPlayersUnknown', undefined])
  expect(views).toEqual(codes)
  expect((await server.runs(task)).map(({ result }) => result)).toEqual(['done'])
  const text = await server.console()
  expect(text.match(/restarting/g)).toHaveLength(1)
  expect(text).toContain('Task Chore was not run: The game does not answer, so it is unknown who plays')
})

test('a step that needs to know who plays is skipped while that is unknown, and the others run', async ({ server }) => {
  const steps = [
    { ...say('nobody'), if: 'players == 0' },
    { ...say('not somebody'), if: '!(players > 0)' },
    { ...say('somebody'), if: 'players > 0' },
    say('always'),
  ]
  const task = await server.create({ operations: steps })
  const linesWith = async (online: number | undefined) => {
    await server.setPlayers(online)
    expect(await server.run(task)).toBeUndefined()
    return (await server.runs(task))[0]?.lines.map((line) => line.replace('Message: ', ''))
  }
  const skipped = [1, 2, 3].map(
    (step) => `Step ${step} of 4 (console) was skipped: it is unknown who plays, because the game does not answer`,
  )

  expect(await linesWith(0)).toEqual(['nobody', 'not somebody', 'always'])
  expect(await linesWith(3)).toEqual(['somebody', 'always'])
  expect(await linesWith(undefined)).toEqual([...skipped, 'always'])
})

describe('a countdown', () => {
  const message = 'Restart in {minutes} min'
  const restart = { type: 'power', action: 'restart' }
  const getEnds = async (server: PlayedServer) =>
    (await server.console()).match(/Message to all players: .*|No countdown.*|The countdown ends early.*|echo: .*/g)

  test('tells the players at each of its minutes, and then the server restarts', async ({ server }) => {
    await server.setPlayers(2)
    const before = (await server.node.client.send(getStatus, { params })).body.since
    const task = await server.create({ operations: [{ type: 'countdown', minutes: [1, 3, 2], message }, restart] })

    expect(await server.run(task)).toBeUndefined()

    const sent = [3, 2, 1].map((left) => `Message to all players: Restart in ${left} min`)
    const received = [3, 2, 1].map((left) => `echo: say Restart in ${left} min`)
    expect((await getEnds(server))?.toSorted()).toEqual([...sent, ...received].toSorted())
    const after = (await server.node.client.send(getStatus, { params })).body
    expect(after.state).toBe('online')
    expect(after.since).not.toBe(before)
  })

  test('is skipped while nobody plays, and for a server that does not run', async ({ server }) => {
    const task = await server.create({ operations: [{ type: 'countdown', minutes: '180' }] })

    expect(await server.run(task)).toBeUndefined()
    await server.node.client.send(stopServer, { params, query: { wait: true } })
    expect(await server.run(task)).toBeUndefined()

    expect(await getEnds(server)).toEqual(['No countdown: nobody plays', 'No countdown: the server does not run'])
  })

  test('is not skipped while it is unknown who plays, and ends when nobody plays any more', async ({ server }) => {
    await server.setPlayers(undefined)
    const task = await server.create({ operations: [{ type: 'countdown', minutes: '180' }] })
    await server.start(task)
    await vi.waitFor(async () => expect(await server.console()).toContain('echo: say '), slowWait)

    await server.setPlayers(0)

    await vi.waitFor(async () => expect((await server.runs(task))[0]?.result).toBe('done'), slowWait)
    expect((await getEnds(server))?.at(-1)).toBe('The countdown ends early: nobody plays any more')
  })

  test.for<[string, (server: PlayedServer, task: string) => Promise<unknown>, object]>([
    [
      'is canceled',
      (server, task) => server.node.client.send(cancelTask, { params: { id, task } }),
      { result: 'cancelled', refusal: { code: 'ErrCancelled' } },
    ],
    [
      'meets a stop of the server',
      (server) => server.node.client.send(stopServer, { params, query: { wait: true } }),
      { result: 'failed', refusal: { code: 'ErrServerOffline' } },
    ],
  ])('that %s does not restart the server', async ([, end, run], { server }) => {
    await server.setPlayers(1)
    const task = await server.create({ operations: [{ type: 'countdown', minutes: '180' }, restart] })
    await server.start(task)
    await vi.waitFor(async () => expect(await server.console()).toContain('Message to all players'), slowWait)

    await end(server, task)

    await vi.waitFor(async () => expect((await server.runs(task))[0]).toMatchObject({ ...run, step: 1 }), slowWait)
    expect((await server.console()).match(/Starting server/g)).toHaveLength(1)
  })

  test('without a command for messages, or with one that the game would take apart, fails before the restart', async ({
    server,
  }) => {
    await server.setPlayers(1)
    const run = async (message: string) => {
      const task = await server.create({ operations: [{ type: 'countdown', message }, restart] })
      await server.run(task)
      return (await server.runs(task))[0]
    }

    expect(await run('now; stop')).toMatchObject({ step: 1, refusal: { code: 'ErrFieldCharacters' } })
    const definition = (await server.node.client.send(getDefinition, { params })).body
    await server.node.client.send(putDefinition, { params, body: { ...definition, players: null } })
    expect(await run('now')).toMatchObject({ step: 1, refusal: { code: 'ErrNoPlayerAction' } })
    expect(await server.console()).not.toContain('echo: ')
  })
})

describe('a restart with a countdown', () => {
  const permissions = ['startServer', 'messagePlayers'] as const
  const countdown = { minutes: [1, 2], message: 'Restart in {minutes} min' }
  const start = ({ node }: PlayedServer, body: object = countdown, own: readonly RequiredPermission[] = permissions) =>
    node.client.send(startRestartCountdown, { params, body, permissions: [...own] })
  const getServerStatus = async ({ node }: PlayedServer) => (await node.client.send(getStatus, { params })).body

  test('is shown in the status until the server has restarted', async ({ server }) => {
    await server.setPlayers(2)
    const { since } = await getServerStatus(server)
    const startedAt = Date.now()

    expect((await start(server)).status).toBe(202)
    const { restartAt } = await getServerStatus(server)
    const again = await start(server)

    expect(Date.parse(restartAt) - startedAt).toBeGreaterThanOrEqual(100)
    expect(again.body.error.code).toBe('ErrTaskRunning')
    await vi.waitFor(async () => {
      const after = await getServerStatus(server)
      expect([after.state, after.restartAt, after.since === since]).toEqual(['online', undefined, false])
    }, slowWait)
    const text = await server.console()
    expect(text.match(/echo: say .*/g)).toEqual(['echo: say Restart in 2 min', 'echo: say Restart in 1 min'])
    expect(text).toContain('Task Restart with a countdown finished')
  })

  test('can be canceled', async ({ server }) => {
    await server.setPlayers(2)
    const { since } = await getServerStatus(server)
    await start(server, { ...countdown, minutes: [180] })

    await server.node.client.send(cancelRestartCountdown, { params, permissions: ['startServer'] })

    const after = await getServerStatus(server)
    expect([after.since, after.restartAt]).toEqual([since, undefined])
    expect(await server.console()).toContain('Task Restart with a countdown was canceled')
    expect(Object.keys((await server.node.client.send(listTasks, { params })).body.tasks)).toEqual([])
  })

  test('needs both permissions, minutes, and a message that is one argument', async ({ server }) => {
    const refusals = await Promise.all([
      start(server, countdown, ['startServer']),
      start(server, countdown, ['messagePlayers']),
      start(server, { ...countdown, message: 'a; stop' }),
      start(server, { ...countdown, minutes: [] }),
    ])

    const codes = ['ErrMissingScope', 'ErrMissingScope', 'ErrFieldCharacters', 'ErrFieldTooSmall']
    expect(refusals.map(({ body }) => body.error.code)).toEqual(codes)
    expect((await getServerStatus(server)).restartAt).toBeUndefined()
  })
})

test('a task with an invalid condition is not saved', async ({ server: { node } }) => {
  const body = { name: 'Chore', operations: [], if: 'players ==' }

  const { body: answer } = await node.client.send(createTask, { params, body })

  expect(answer.error).toMatchObject({ code: 'ErrFieldInvalid', metadata: { field: 'if' } })
})
