import { getConsole, startServer } from '@innkeeper/contract/servers/node-servers'
import { getPlayers } from '@innkeeper/contract/servers/players'
import { createTask, listTaskRuns, listTasks, runTask, type TaskView } from '@innkeeper/contract/servers/tasks'
import { test as base, expect, vi } from 'vitest'
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
      await using node = await TestNode.start({ players: { tickMs: 5, everyMs: 5, idleEveryMs: 5 } })
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
    await node.client.send(startServer, { params, query: { wait: true } })
    await server.setPlayers(0)
    await use(server)
    await node.client.asPanel('DELETE', `/daemon/server/${id}`)
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

test('a task with an invalid condition is not saved', async ({ server: { node } }) => {
  const body = { name: 'Chore', operations: [], if: 'players ==' }

  const { body: answer } = await node.client.send(createTask, { params, body })

  expect(answer.error).toMatchObject({ code: 'ErrFieldInvalid', metadata: { field: 'if' } })
})
