import type { ServerView } from '@innkeeper/contract/servers'
import { Box, Button, Group } from '@mantine/core'
import { IconTerminal2 } from '@tabler/icons-react'
import { useState } from 'react'
import { actionLabels } from '../../features/power/power.ts'
import { powerIcons } from '../../features/power/power-icons.ts'
import { useT } from '../../i18n/i18n.tsx'
import { lazyOverlay } from '../../ui/lazy-overlay.tsx'
import { useShowError } from '../../ui/toast.tsx'
import { usePreload } from '../../ui/use-idle.ts'
import { useKeyCapture } from '../../ui/use-key-capture.ts'
import type { Selection } from '../../ui/use-selection.ts'
import classes from './servers.module.css'
import { bulkActions, type ServerActions } from './use-server-actions.tsx'

const loadCommandDialog = async () => (await import('./command-dialog.tsx')).CommandDialog
const CommandDialog = lazyOverlay(loadCommandDialog)

interface BulkBarProps {
  readonly selection: Selection<ServerView>
  readonly actions: ServerActions
  /** How many servers match the filter. */
  readonly matchCount: number
  /** Absent when the matching servers of other pages cannot be fetched. */
  readonly fetchAllMatches: (() => Promise<readonly ServerView[]>) | undefined
}

/** The actions on the selected servers. */
export function BulkBar({ selection, actions, matchCount, fetchAllMatches }: BulkBarProps) {
  const t = useT()
  const showError = useShowError()
  const [isBusy, setIsBusy] = useState(false)
  const [commandTargets, setCommandTargets] = useState<readonly ServerView[]>()
  const { selected } = selection
  const count = selected.length
  const keyCapture = useKeyCapture()
  usePreload(loadCommandDialog)

  const closeCommand = () => {
    keyCapture.end()
    setCommandTargets(undefined)
  }
  const openCommand = () => {
    keyCapture.begin({ onEscape: closeCommand })
    setCommandTargets(selected)
  }
  const runBusy = async (work: () => Promise<void>) => {
    setIsBusy(true)
    await work().catch(showError)
    setIsBusy(false)
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
      {fetchAllMatches && selection.isAll && count < matchCount && (
        <Button
          size="xs"
          variant="subtle"
          disabled={isBusy}
          onClick={() => void runBusy(async () => selection.select(await fetchAllMatches()))}
        >
          {t('servers.SelectMatching', { count: matchCount })}
        </Button>
      )}
      <Box flex={1} />
      {bulkActions.map((action) => {
        const Icon = powerIcons[action]
        return (
          <Button
            key={action}
            size="xs"
            variant="default"
            disabled={isBusy}
            className={action === 'kill' ? classes.kill : undefined}
            leftSection={<Icon size={15} aria-hidden />}
            onClick={() =>
              void runBusy(async () => {
                if (await actions.runAll(selected, action)) selection.clear()
              })
            }
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
        onClick={openCommand}
      >
        {t('servers.Command')}
      </Button>
      <Button size="xs" variant="subtle" color="gray" onClick={selection.clear}>
        {t('common.ClearSelection')}
      </Button>
      {commandTargets && <CommandDialog servers={commandTargets} actions={actions} onClose={closeCommand} />}
    </Group>
  )
}
