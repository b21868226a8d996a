import { limits } from '@innkeeper/contract/limits'
import { sendCommand } from '@innkeeper/contract/node-servers'
import { changeServerTags, getUsage, type ListedServer } from '@innkeeper/contract/servers'
import type { ServerStatus } from '@innkeeper/contract/status'
import { Modal } from '@mantine/core'
import { useEffect, useState } from 'react'
import { request } from '../../../api/request.ts'
import type { ListPower } from '../../../features/power/use-list-power.ts'
import type { ServerUsage } from '../../../features/servers/use-server-usage.ts'
import { useT } from '../../../i18n/i18n.tsx'
import { toDisplayStatus } from '../../../ui/status.tsx'
import { toast, useShowError } from '../../../ui/toast.tsx'
import type { CanOnListed } from '../server-list.ts'
import { BulkForm, type BulkInput } from './bulk-form.tsx'
import { type BulkAction, type BulkPlan, isPowerAction, planBulkAction, runsAtOnce } from './bulk-plan.ts'
import { BulkResults } from './bulk-results.tsx'
import { useBulkRun } from './use-bulk-run.ts'

export interface BulkDialogProps {
  readonly action: BulkAction
  readonly servers: readonly ListedServer[]
  readonly power: ListPower
  readonly usage: ReadonlyMap<string, ServerUsage>
  readonly can: CanOnListed
  /** The tags that fields suggest. */
  readonly knownTags: readonly string[]
  /** `isDone`: the action ran. */
  readonly onClose: (isDone: boolean) => void
}

/** An action on many servers: confirmation, progress, and the result of each server that it did not succeed on. */
export function BulkDialog({ action, servers, power, usage, can, knownTags, onClose }: BulkDialogProps) {
  const t = useT()
  const showError = useShowError()
  const bulk = useBulkRun()
  const [plan, setPlan] = useState<BulkPlan>()
  const [input, setInput] = useState<BulkInput>()

  const run = async ({ targets, skipped }: BulkPlan, values: BulkInput) => {
    setInput(values)
    const results = await bulk.run(targets, (server) => sendBulkAction(action, server, values, power))
    const all = [...results.values()]
    if (skipped.length > 0 || !all.every(({ type }) => type === 'done')) return
    toast.success(t(`servers.Done_${action}`, { count: all.length, total: all.length }))
    onClose(true)
  }
  const prepare = async () => {
    const statuses = action === 'tags' ? new Map() : await fetchStatuses(servers.filter(({ id }) => !usage.has(id)))
    const getStatus = ({ id }: ListedServer) => {
      const status = usage.get(id)?.status ?? statuses.get(id)
      const displayed = usage.has(id) ? power.getStatus(id) : status ? toDisplayStatus(status) : 'unknown'
      return { status, displayed }
    }
    const next = planBulkAction(action, servers, getStatus, can)
    const [only] = next.targets
    if (only && isPowerAction(action) && runsAtOnce(action, next)) {
      power.run(only, action)
      onClose(true)
    } else setPlan(next)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the servers are fixed when the dialog opens
  useEffect(() => {
    prepare().catch((error: unknown) => {
      showError(error)
      onClose(false)
    })
  }, [])

  const count = plan?.targets.length || servers.length
  const title =
    action === 'command'
      ? t('servers.CommandTitle', { count })
      : t(input ? `servers.Bulk_${action}` : `servers.BulkQuestion_${action}`, { count })
  return (
    <Modal
      opened={plan !== undefined}
      onClose={() => onClose(input !== undefined)}
      closeOnClickOutside={input === undefined}
      closeOnEscape={!bulk.isRunning}
      withCloseButton={!bulk.isRunning}
      title={title}
    >
      {plan && !input && (
        <BulkForm
          action={action}
          plan={plan}
          knownTags={knownTags}
          onCancel={() => onClose(false)}
          onSubmit={(values) => void run(plan, values)}
        />
      )}
      {plan && input && (
        <BulkResults
          action={action}
          plan={plan}
          bulk={bulk}
          onRetry={(targets) => void run({ ...plan, targets }, input)}
          onClose={() => onClose(true)}
        />
      )}
    </Modal>
  )
}

/** Sends the action to one server. Rejects with the refusal. */
function sendBulkAction(
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

/** The statuses of servers that the list does not poll, because they are on other pages; without those that are unknown. */
async function fetchStatuses(servers: readonly ListedServer[]): Promise<ReadonlyMap<string, ServerStatus>> {
  const statuses = new Map<string, ServerStatus>()
  for (let first = 0; first < servers.length; first += limits.pageSizeMax) {
    const ids = servers.slice(first, first + limits.pageSizeMax).map(({ id }) => id)
    for (const { id, status, isOld } of await request(getUsage, { query: { ids: ids.join(',') } })) {
      if (status && !isOld) statuses.set(id, status)
    }
  }
  return statuses
}
