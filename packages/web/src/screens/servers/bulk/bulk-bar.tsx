import type { ListedServer } from '@innkeeper/contract/servers'
import { Box, Button, Group } from '@mantine/core'
import { IconTags, IconTerminal2 } from '@tabler/icons-react'
import { useState } from 'react'
import { actionLabels } from '../../../features/power/power.ts'
import { powerIcons } from '../../../features/power/power-icons.ts'
import { useT } from '../../../i18n/i18n.tsx'
import { useIsPhone } from '../../../ui/page.tsx'
import { useShowError } from '../../../ui/toast.tsx'
import { useKeyCapture } from '../../../ui/use-key-capture.ts'
import type { Selection } from '../../../ui/use-selection.ts'
import classes from '../servers.module.css'
import { BulkDialog, type BulkDialogProps } from './bulk-dialog.tsx'
import { type BulkAction, bulkPowerActions } from './bulk-plan.ts'

interface BulkBarProps extends Pick<BulkDialogProps, 'power' | 'usage' | 'can' | 'knownTags'> {
  readonly selection: Selection<ListedServer>
  /** How many servers match the filter. */
  readonly matchCount: number
  readonly fetchAllMatches: () => Promise<readonly ListedServer[]>
}

/** The actions on the selected servers. */
export function BulkBar({ selection, matchCount, fetchAllMatches, ...dialog }: BulkBarProps) {
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
  return (
    <Group
      className={classes.bulkBar}
      gap="xs"
      px="sm"
      py="xs"
      mx={{ base: 'md', sm: 0 }}
      mb={{ base: 'sm', sm: 0 }}
      fz="compact"
      fw={500}
      role="toolbar"
      aria-label={t('servers.Selected', { count })}
      aria-busy={isBusy}
    >
      <span role="status">{t('servers.Selected', { count })}</span>
      {(selection.isAll || isPhone) && count < matchCount && (
        <Button size="xs" variant="subtle" disabled={isBusy} onClick={() => void selectAllMatches()}>
          {t('servers.SelectMatching', { count: matchCount })}
        </Button>
      )}
      <Box flex={1} />
      {bulkPowerActions.map((action) => {
        const Icon = powerIcons[action]
        return (
          <Button
            key={action}
            size="xs"
            variant="default"
            disabled={isBusy}
            className={action === 'kill' ? classes.kill : undefined}
            leftSection={<Icon size={15} aria-hidden />}
            onClick={() => open(action)}
          >
            {t(actionLabels[action])}
          </Button>
        )
      })}
      <Button
        size="xs"
        variant="default"
        disabled={isBusy}
        leftSection={<IconTerminal2 size={15} aria-hidden />}
        onClick={() => open('command')}
      >
        {t('servers.Command')}
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={isBusy}
        leftSection={<IconTags size={15} aria-hidden />}
        onClick={() => open('tags')}
      >
        {t('servers.TagsEdit')}
      </Button>
      <Button size="xs" variant="subtle" color="gray" onClick={selection.clear}>
        {t('common.ClearSelection')}
      </Button>
      {opened && <BulkDialog {...dialog} {...opened} onClose={close} />}
    </Group>
  )
}
