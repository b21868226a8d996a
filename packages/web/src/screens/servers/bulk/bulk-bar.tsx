import type { ListedServer } from '@innkeeper/contract/servers'
import { Button, Group } from '@mantine/core'
import { IconTags, IconTerminal2 } from '@tabler/icons-react'
import { useState } from 'react'
import { actionLabels } from '../../../features/power/power.ts'
import { powerIcons } from '../../../features/power/power-icons.ts'
import { useT } from '../../../i18n/i18n.tsx'
import { BulkBar } from '../../../ui/bulk-bar.tsx'
import type { BulkBarAction } from '../../../ui/bulk-bar-action.ts'
import { useIsPhone } from '../../../ui/page.tsx'
import { useShowError } from '../../../ui/toast.tsx'
import { useKeyCapture } from '../../../ui/use-key-capture.ts'
import type { Selection } from '../../../ui/use-selection.ts'
import { BulkDialog, type BulkDialogProps } from './bulk-dialog.tsx'
import { type BulkAction, bulkPowerActions } from './bulk-plan.ts'

interface ServerBulkBarProps extends Pick<BulkDialogProps, 'power' | 'usage' | 'can' | 'knownTags'> {
  readonly selection: Selection<ListedServer>
  /** How many servers match the filter. */
  readonly matchCount: number
  readonly fetchAllMatches: () => Promise<readonly ListedServer[]>
}

/** The actions on the selected servers. */
export function ServerBulkBar({ selection, matchCount, fetchAllMatches, ...dialog }: ServerBulkBarProps) {
  const t = useT()
  // The list of phones has no checkbox for all rows.
  const isPhone = useIsPhone()
  const showError = useShowError()
  const [isSelecting, setIsSelecting] = useState(false)
  const [opened, setOpened] = useState<Pick<BulkDialogProps, 'action' | 'servers'>>()
  const { selected } = selection
  const count = selected.length
  const keyCapture = useKeyCapture()
  const isBusy = isSelecting || opened !== undefined

  const close = (isDone: boolean) => {
    keyCapture.end()
    setOpened(undefined)
    if (isDone) selection.clear()
  }
  const open = (action: BulkAction) => {
    keyCapture.begin({ onEscape: () => close(false) })
    setOpened({ action, servers: selected })
  }
  const selectAllMatches = async () => {
    setIsSelecting(true)
    await fetchAllMatches().then(selection.select, showError)
    setIsSelecting(false)
  }
  const actions: readonly BulkBarAction[] = [
    ...bulkPowerActions.map((action) => ({
      name: t(actionLabels[action]),
      icon: powerIcons[action],
      isDanger: action === 'kill',
      run: () => open(action),
    })),
    { name: t('servers.Command'), icon: IconTerminal2, run: () => open('command') },
    { name: t('servers.TagsEdit'), icon: IconTags, run: () => open('tags') },
  ]
  return (
    <BulkBar
      mx={{ base: 'md', sm: 0 }}
      mb={{ base: 'sm', sm: 0 }}
      aria-label={t('servers.Selected', { count })}
      aria-busy={isBusy}
      summary={
        <Group gap="xs">
          <span role="status">{t('servers.Selected', { count })}</span>
          {(selection.isAll || isPhone) && count < matchCount && (
            <Button size="compact-sm" variant="subtle" disabled={isBusy} onClick={() => void selectAllMatches()}>
              {t('servers.SelectMatching', { count: matchCount })}
            </Button>
          )}
        </Group>
      }
      actions={actions}
      hasMenu={isPhone}
      isDisabled={isBusy}
      onClear={selection.clear}
    >
      {opened && <BulkDialog {...dialog} {...opened} onClose={close} />}
    </BulkBar>
  )
}
