import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import type { Step } from '@innkeeper/contract/definitions/operations'
import { createTask, listTaskRuns, listTasks, type TaskRun, type TaskView } from '@innkeeper/contract/servers/tasks'
import { test as base, expect, vi } from 'vitest'
import { program, TestNode } from './daemon.ts'
import { FakePanel, type FakeUser } from './fake-panel.ts'

/** Generous for busy machines; every wait is for a state. */
const slowWait = { timeout: 15_000, interval: 50 }

/** A node with one server, and a panel with one user. */
export interface TaskNode {
  readonly node: TestNode
  readonly panel: FakePanel
  readonly user: FakeUser
  readonly server: string
  /** Saves a task as the user, with the permissions in the panel; returns its key. */
  task(task: { name?: string; operations?: Step[] } & Record<string, unknown>): Promise<string>
  view(key: string): Promise<TaskView>
  runs(key: string): Promise<(TaskRun & { lines: string[] })[]>
  /** Waits until the runs of a task, newest first, satisfy a condition. */
  until(
    key: string,
    description: string,
    isSo: (runs: TaskRun[]) => boolean,
  ): Promise<(TaskRun & { lines: string[] })[]>
}

export const server = '0a0a0a0a'

/** A node that aborts a slow pattern after half a second, and its panel. */
interface Shared {
  readonly node: TestNode
  readonly panel: FakePanel
}

/** A test with a server that has tasks. The tests of a file share a node, and each has its own server and user. */
export const test = base.extend<{ shared: Shared; fixture: TaskNode }>({
  shared: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
    async ({}, use) => {
      const panel = new FakePanel()
      await using node = await TestNode.start({ panel, servers: { patternMs: 500 } })
      await use({ node, panel })
    },
    { scope: 'file' },
  ],
  fixture: async ({ shared: { node, panel } }, use) => {
    const user = panel.addUser({ permissions: { [server]: ['admin'] } })
    await node.client.create(server, { command: program('echo'), stop: 'stop' })
    const params = { id: server }
    const runs = async (key: string) =>
      (await node.client.send(listTaskRuns, { params: { ...params, task: key } })).body as (TaskRun & {
        lines: string[]
      })[]
    await use({
      node,
      panel,
      user,
      server,
      async task({ name = 'Chore', operations = [say('hello')], ...more }) {
        const permissions: RequiredPermission[] = user.permissions[server] ?? []
        const body = { name, operations, ...more }
        const answer = await node.client.send(createTask, { params, permissions, body })
        if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
        return answer.body.id
      },
      view: async (key) => (await node.client.send(listTasks, { params })).body.tasks[key],
      runs,
      async until(key, description, isSo) {
        return await vi.waitFor(async () => {
          const now = await runs(key)
          expect(isSo(now), `${description}: ${JSON.stringify(now.slice(0, 3))}`).toBe(true)
          return now
        }, slowWait)
      },
    })
    panel.isAway = false
    panel.users.splice(0)
    const { status } = await node.client.asPanel('DELETE', `/daemon/server/${server}`)
    expect(status).toBe(204)
  },
})

/** A step that prints. */
export const say = (text: string): Step => ({ type: 'command', commands: [`echo ${text}`] })

/** A step that runs until it is released. */
export const hang: Step = { type: 'command', commands: ['sleep 600'] }

/** The process of a running step of any task. */
export async function taskProcess(node: { dataDir: string; liveKeys(): Promise<string[]> }, server: string) {
  return (await node.liveKeys()).find((key) => key.startsWith(`${server}/task-`))
}
