import type { RequestOf, ResponseOf } from '@innkeeper/contract/api/endpoint'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { EndpointForNodes, PanelLink } from '../panel-link/panel-link.ts'
import { FakePanel } from '../testing/fake-panel.ts'
import { TaskPermissions } from './task-permissions.ts'

const log = pino({ level: 'silent' })
const server = '0a0a0a0a'

/** A panel that counts its requests. */
class CountingPanel extends FakePanel {
  questions = 0

  override async request<C extends EndpointForNodes>(call: C, given: RequestOf<C>): Promise<ResponseOf<C>> {
    this.questions++
    return await super.request(call, given)
  }
}

test('concurrent questions share one request', async () => {
  const panel = new CountingPanel()
  const user = panel.addUser({ permissions: { [server]: ['viewServer', 'startServer'] } })
  const permissions = new TaskPermissions({ panel, log })

  const answers = await Promise.all([
    permissions.of(user.id, server),
    permissions.of(user.id, 'ffffffff'),
    permissions.of(9, server),
  ])

  expect(answers).toEqual([['viewServer', 'startServer'], [], []])
  expect(panel.questions).toBe(1)
})

test('an unreachable panel is waited for once, and later polled without waiting', async () => {
  const panel = new CountingPanel()
  const user = panel.addUser({ permissions: { [server]: ['viewServer'] } })
  const permissions = new TaskPermissions({ panel, log, timeoutMs: 1_200 })
  panel.isAway = true

  expect(await permissions.of(user.id, server)).toBeUndefined()
  expect(panel.questions).toBeGreaterThan(1)
  const before = panel.questions
  expect(await permissions.of(user.id, server)).toBeUndefined()
  expect(panel.questions).toBe(before + 1)

  panel.isAway = false
  expect(await permissions.of(user.id, server)).toEqual(['viewServer'])
})

test('a panel that never responds counts as unreachable', async () => {
  const panel: Pick<PanelLink, 'request'> = { request: () => new Promise<never>(() => {}) }
  const permissions = new TaskPermissions({ panel, log, timeoutMs: 50 })

  expect(await permissions.of(1, server)).toBeUndefined()
  expect(await new TaskPermissions({ panel: undefined, log }).of(1, server)).toBeUndefined()
})
