import { getUsage, type ListedServer } from '@innkeeper/contract/servers/servers'
import type { ServerStatus } from '@innkeeper/contract/servers/status'
import { limits } from '@innkeeper/contract/text/limits'
import { Button, Group } from '@mantine/core'
import { IconTags, IconTerminal2 } from '@tabler/icons-react'
import { useState } from 'react'
import { request } from '../../../api/request.ts'
import { useAction } from '../../../api/use-action.ts'
import { powerDisplays } from '../../../features/power/power.ts'
import type { ListPower } from '../../../features/power/use-list-power.ts'
import type { ServerUsage } from '../../../features/servers/use-server-usage.ts'
import { useKeyCapture } from '../../../hotkeys/use-key-capture.ts'
import { useT } from '../../../i18n/i18n.tsx'
import { type DisplayStatus, toDisplayStatus, toSuspendedStatus } from '../../../ui/feedback/status.tsx'
import { useIsPhone } from '../../../ui/layout/page.tsx'
import { BulkBar } from '../../../ui/lists/bulk-bar.tsx'
import type { BulkBarAction } from '../../../ui/lists/bulk-bar-action.ts'
import type { Selection } from '../../../ui/lists/use-selection.ts'
import type { CanOnListed } from '../list/server-list.ts'
import { BulkDialog, type BulkDialogProps } from './bulk-dialog.tsx'
import {
  type BulkAction,
  type BulkPlan,
  bulkPowerActions,
  isPowerAction,
  planBulkAction,
  runsAtOnce,
} from './bulk-plan.ts'

interface ServerBulkBarProps extends ListState, Pick<BulkDialogProps, 'knownTags'> {
  readonly selection: Selection<ListedServer>
  /** How many servers match the filter. */
  readonly matchCount: number
  readonly fetchAllMatches: () => Promise<readonly ListedServer[]>
}

/** The actions on the selected servers. */
export function ServerBulkBar({ selection, matchCount, fetchAllMatches, knownTags, ...list }: ServerBulkBarProps) {
  const t = useT()
  // The list of phones has no checkbox for all rows.
  const isPhone = useIsPhone()
  const [opened, setOpened] = useState<Pick<BulkDialogProps, 'action' | 'plan'>>()
  const { selected } = selection
  const count = selected.length
  const keyCapture = useKeyCapture()
  const close = (isDone: boolean) => {
    keyCapture.end()
    setOpened(undefined)
    if (isDone) selection.clear()
  }
  const preparation = useAction(
    async ({ action, signal }: { readonly action: BulkAction; readonly signal: AbortSignal }) => {
      const plan = await prepareBulkPlan(action, selected, list, signal)
      if (signal.aborted) return
      const [only] = plan.targets
      if (only && isPowerAction(action) && runsAtOnce(action, plan)) {
        void list.power.run(only, action)
        close(true)
      } else setOpened({ action, plan })
    },
    {
      handleError: (_, { signal }) => {
        if (!signal.aborted) close(false)
        return signal.aborted
      },
    },
  )
  const open = (action: BulkAction) => {
    const opening = new AbortController()
    const cancel = () => {
      opening.abort()
      close(false)
    }
    keyCapture.begin({ onEscape: cancel })
    return preparation.mutate({ action, signal: opening.signal })
  }
  const selectAllMatches = useAction(async () => selection.select(await fetchAllMatches()))
  const isBusy = preparation.isPending || selectAllMatches.isPending || opened !== undefined
  const isDisabled = isBusy || count === 0
  const actions: readonly BulkBarAction[] = [
    ...bulkPowerActions.map((action) => ({
      name: t(powerDisplays[action].label),
      icon: powerDisplays[action].Icon,
      isDanger: action === 'kill',
      run: () => void open(action),
    })),
    { name: t('servers.Command'), icon: IconTerminal2, run: () => void open('command') },
    { name: t('servers.TagsEdit'), icon: IconTags, run: () => void open('tags') },
  ]
  return (
    <BulkBar
      overHead={!isPhone}
      mx={{ base: 'md', sm: 0 }}
      mb={{ base: 'sm', sm: 0 }}
      aria-label={t('servers.Selected', { count })}
      aria-busy={isBusy}
      summary={
        <Group gap="xs">
          <span role="status">{t('servers.Selected', { count })}</span>
          {(selection.isAll || isPhone) && count < matchCount && (
            <Button size="compact-sm" variant="subtle" disabled={isBusy} onClick={() => void selectAllMatches.mutate()}>
              {t('servers.SelectMatching', { count: matchCount })}
            </Button>
          )}
        </Group>
      }
      actions={actions}
      hasMenu={isPhone}
      isDisabled={isDisabled}
      onClear={selection.clear}
    >
      {opened && <BulkDialog power={list.power} knownTags={knownTags} {...opened} onClose={close} />}
    </BulkBar>
  )
}

interface ListState {
  readonly power: ListPower
  readonly usage: ReadonlyMap<string, ServerUsage>
  readonly can: CanOnListed
}

/** What an action on the selected servers will do, by their statuses now. Rejects when these cannot be fetched. */
async function prepareBulkPlan(
  action: BulkAction,
  servers: readonly ListedServer[],
  { power, usage, can }: ListState,
  signal: AbortSignal,
): Promise<BulkPlan> {
  const unpolled = action === 'tags' ? [] : servers.filter(({ id }) => !usage.has(id))
  const statuses = await fetchStatuses(unpolled, signal)
  const getStatus = ({ id, suspension }: ListedServer) => {
    const status = usage.get(id)?.status ?? statuses.get(id)
    const displayed = usage.has(id) ? power.getStatus(id) : getUnpolledStatus(status, suspension !== undefined)
    return { status, displayed }
  }
  return planBulkAction(action, servers, getStatus, can)
}

function getUnpolledStatus(status: ServerStatus | undefined, isSuspended: boolean): DisplayStatus {
  const reported = status ? toDisplayStatus(status) : 'unknown'
  return isSuspended ? toSuspendedStatus(reported) : reported
}

/** The statuses of servers that the list does not poll, because they are on other pages; without those that are unknown. */
async function fetchStatuses(
  servers: readonly ListedServer[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ServerStatus>> {
  const statuses = new Map<string, ServerStatus>()
  for (let first = 0; first < servers.length; first += limits.pageSizeMax) {
    const ids = servers.slice(first, first + limits.pageSizeMax).map(({ id }) => id)
    for (const { id, status, isOld } of await request(getUsage, { query: { ids: ids.join(',') } }, { signal })) {
      if (status && !isOld) statuses.set(id, status)
    }
  }
  return statuses
}
