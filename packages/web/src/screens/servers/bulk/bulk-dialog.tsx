import type { ListedServer } from '@innkeeper/contract/servers'
import { Modal } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { ListPower } from '../../../features/power/use-list-power.ts'
import type { ServerUsage } from '../../../features/servers/use-server-usage.ts'
import { useT } from '../../../i18n/i18n.tsx'
import { toDisplayStatus } from '../../../ui/status.tsx'
import { toast, useShowError } from '../../../ui/toast.tsx'
import type { CanOnListed } from '../server-list.ts'
import { BulkForm, type BulkInput } from './bulk-form.tsx'
import { type BulkAction, type BulkPlan, isPowerAction, planBulkAction, runsAtOnce } from './bulk-plan.ts'
import { BulkResults } from './bulk-results.tsx'
import { fetchStatuses } from './fetch-statuses.ts'
import { sendBulkAction } from './send-bulk-action.ts'
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
