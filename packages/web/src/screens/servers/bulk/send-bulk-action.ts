import { sendCommand } from '@innkeeper/contract/node-servers'
import { changeServerTags, type ListedServer } from '@innkeeper/contract/servers'
import { request } from '../../../api/request.ts'
import type { ListPower } from '../../../features/power/use-list-power.ts'
import type { BulkInput } from './bulk-form.tsx'
import type { BulkAction } from './bulk-plan.ts'

/** Sends the action to one server. Rejects with the refusal. */
export function sendBulkAction(
  action: BulkAction,
  server: ListedServer,
  { command, add, remove }: BulkInput,
  power: ListPower,
): Promise<unknown> {
  const params = { id: server.id }
  if (action === 'command') return request(sendCommand, { params, body: command })
  if (action === 'tags') return request(changeServerTags, { params, body: { add: [...add], remove: [...remove] } })
  return power.send(server, action)
}
