import { sendCommand } from '@innkeeper/contract/servers/node-servers'
import { changeServerTags, type ListedServer } from '@innkeeper/contract/servers/servers'
import { Modal } from '@mantine/core'
import { useState } from 'react'
import { request } from '../../../api/request.ts'
import type { ListPower } from '../../../features/power/use-list-power.ts'
import { useT } from '../../../i18n/i18n.tsx'
import { toast } from '../../../ui/toasts/toast.tsx'
import { BulkForm, type BulkInput } from './bulk-form.tsx'
import type { BulkAction, BulkPlan } from './bulk-plan.ts'
import { BulkResults } from './bulk-results.tsx'
import { useBulkRun } from './use-bulk-run.ts'

export interface BulkDialogProps {
  readonly action: BulkAction
  readonly plan: BulkPlan
  readonly power: ListPower
  /** The tags that fields suggest. */
  readonly knownTags: readonly string[]
  /** `isDone`: the action ran. */
  readonly onClose: (isDone: boolean) => void
}

/** An action on many servers: confirmation, progress, and the result of each server that it did not succeed on. */
export function BulkDialog({ action, plan, power, knownTags, onClose }: BulkDialogProps) {
  const t = useT()
  const bulk = useBulkRun()
  const [input, setInput] = useState<BulkInput>()

  const run = async ({ targets, skipped }: BulkPlan, values: BulkInput) => {
    setInput(values)
    const results = await bulk.run(targets, (server) => sendBulkAction(action, server, values, power))
    const all = [...results.values()]
    if (skipped.length > 0 || !all.every(({ type }) => type === 'done')) return
    toast.success(t(`servers.Done_${action}`, { count: all.length, total: all.length }))
    onClose(true)
  }
  const count = plan.targets.length || plan.skipped.length
  const title =
    action === 'command'
      ? t('servers.CommandTitle', { count })
      : t(input ? `servers.Bulk_${action}` : `servers.BulkQuestion_${action}`, { count })
  return (
    <Modal
      opened
      onClose={() => onClose(input !== undefined)}
      closeOnClickOutside={input === undefined}
      closeOnEscape={!bulk.isRunning}
      withCloseButton={!bulk.isRunning}
      title={title}
    >
      {input ? (
        <BulkResults
          action={action}
          plan={plan}
          bulk={bulk}
          onRetry={(targets) => void run({ ...plan, targets }, input)}
          onClose={() => onClose(true)}
        />
      ) : (
        <BulkForm
          action={action}
          plan={plan}
          knownTags={knownTags}
          onCancel={() => onClose(false)}
          onSubmit={(values) => void run(plan, values)}
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
