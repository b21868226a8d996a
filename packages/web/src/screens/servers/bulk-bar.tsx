import type { ServerView } from '@innkeeper/contract/servers'
import { Button } from '@mantine/core'
import { IconTerminal2 } from '@tabler/icons-react'
import { use, useState } from 'react'
import { ShowErrorContext } from '../../api/use-api-mutation.ts'
import { actionNames } from '../../features/power/power.ts'
import { powerIcons } from '../../features/power/power-icons.ts'
import { useT } from '../../i18n/i18n.tsx'
import { lazyOverlay } from '../../ui/lazy-overlay.tsx'
import { useWhenIdle } from '../../ui/use-idle.ts'
import { useKeyCapture } from '../../ui/use-key-capture.ts'
import classes from './servers-screen.module.css'
import { type Actions, bulkActions } from './use-actions.tsx'
import type { Selection } from './use-selection.ts'

const loadCommandDialog = async () => (await import('./command-dialog.tsx')).CommandDialog
const CommandDialog = lazyOverlay(loadCommandDialog)

interface BulkBarProps {
  readonly selection: Selection
  readonly actions: Actions
  /** How many servers answer the filter, and how to get them all; absent when the page shows them all. */
  readonly others?: { readonly found: number; readonly all: () => Promise<readonly ServerView[]> } | undefined
}

/** What can be done with the chosen servers together. */
export function BulkBar({ selection, actions, others }: BulkBarProps) {
  const t = useT()
  const tell = use(ShowErrorContext)
  const [isBusy, setIsBusy] = useState(false)
  const [receivers, setReceivers] = useState<readonly ServerView[]>()
  const { chosen } = selection
  const count = chosen.length
  const keyCapture = useKeyCapture()
  useWhenIdle(loadCommandDialog)

  const closeCommand = () => {
    keyCapture.end()
    setReceivers(undefined)
  }
  const askForCommand = () => {
    keyCapture.begin({ onEscape: closeCommand })
    setReceivers(chosen)
  }
  const busyWhile = async (work: () => Promise<void>) => {
    setIsBusy(true)
    await work().catch(tell)
    setIsBusy(false)
  }
  return (
    <div className={classes.bulk} role="toolbar" aria-label={t('servers.Chosen', { count })} aria-busy={isBusy}>
      <span role="status">{t('servers.Chosen', { count })}</span>
      {others && selection.isAll && count < others.found && (
        <Button
          size="xs"
          variant="subtle"
          disabled={isBusy}
          onClick={() => void busyWhile(async () => selection.choose(await others.all()))}
        >
          {t('servers.SelectMatching', { count: others.found })}
        </Button>
      )}
      <span className={classes.space} />
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
              void busyWhile(async () => {
                if (await actions.actOnAll(chosen, action)) selection.clear()
              })
            }
          >
            {t(actionNames[action])}
          </Button>
        )
      })}
      <Button
        size="xs"
        variant="default"
        disabled={isBusy}
        leftSection={<IconTerminal2 size={15} aria-hidden />}
        onClick={askForCommand}
      >
        {t('servers.Command')}
      </Button>
      <Button size="xs" variant="subtle" color="gray" onClick={selection.clear}>
        {t('servers.ClearChoice')}
      </Button>
      {receivers && <CommandDialog servers={receivers} actions={actions} onClose={closeCommand} />}
    </div>
  )
}
