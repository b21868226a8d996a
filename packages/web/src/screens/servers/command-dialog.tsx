import type { ServerView } from '@innkeeper/contract/servers'
import { Button, Modal, Text as Paragraph, TextInput } from '@mantine/core'
import { use, useEffect, useState } from 'react'
import { ShowErrorContext } from '../../api/use-api-mutation.ts'
import { useT } from '../../i18n/i18n.tsx'
import classes from './servers-screen.module.css'
import type { Actions } from './use-actions.tsx'

interface CommandDialogProps {
  readonly servers: readonly ServerView[]
  readonly actions: Actions
  readonly onClose: () => void
}

/** Asks for a console command, and sends it to those of the servers that run. */
export function CommandDialog({ servers, actions, onClose }: CommandDialogProps) {
  const t = useT()
  const tell = use(ShowErrorContext)
  const [command, setCommand] = useState('')
  const [receivers, setReceivers] = useState<readonly ServerView[]>()
  const count = receivers?.length ?? 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked up once, when the dialog opens
  useEffect(() => {
    actions.ableToReceive(servers).then(setReceivers, (error: unknown) => {
      tell(error)
      onClose()
    })
  }, [])

  return (
    <Modal opened={receivers !== undefined} onClose={onClose} title={t('servers.CommandTitle', { count })}>
      <form
        className={classes.dialog}
        onSubmit={(event) => {
          event.preventDefault()
          if (count === 0 || command.trim() === '' || !receivers) return
          void actions.sendToAll(receivers, command)
          onClose()
        }}
      >
        <Paragraph component="div" size="sm" c="dimmed">
          {count === 0 ? t('servers.NoneToCommand') : actions.names(receivers ?? [])}
          {count > 0 && count < servers.length && <p>{t('servers.Skipped', { count: servers.length - count })}</p>}
        </Paragraph>
        <TextInput
          data-autofocus
          label={t('console.Command')}
          value={command}
          disabled={count === 0}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          dir="ltr"
          onChange={(event) => setCommand(event.currentTarget.value)}
        />
        <div className={classes.dialogButtons}>
          <Button variant="subtle" color="gray" onClick={onClose}>
            {t('common.Cancel')}
          </Button>
          <Button type="submit" disabled={count === 0 || command.trim() === ''}>
            {t('servers.CommandSend', { count })}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
