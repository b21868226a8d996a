import type { ServerView } from '@innkeeper/contract/servers'
import { Button, Modal, Text as Paragraph, TextInput } from '@mantine/core'
import { use, useEffect, useState } from 'react'
import { TellRefusalContext } from '../../api/use-send.ts'
import { useText } from '../../i18n/text.tsx'
import classes from './servers-screen.module.css'
import type { Actions } from './use-actions.tsx'

interface CommandDialogProps {
  readonly servers: readonly ServerView[]
  readonly actions: Actions
  readonly onClose: () => void
}

/** Asks for a console command, and sends it to those of the servers that run. */
export function CommandDialog({ servers, actions, onClose }: CommandDialogProps) {
  const text = useText()
  const tell = use(TellRefusalContext)
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
    <Modal
      opened={receivers !== undefined}
      onClose={onClose}
      title={text('servers.CommandTitle', { count })}
      closeButtonProps={{ 'aria-label': text('common.Close') }}
    >
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
          {count === 0 ? text('servers.NoneToCommand') : actions.names(receivers ?? [])}
          {count > 0 && count < servers.length && <p>{text('servers.Skipped', { count: servers.length - count })}</p>}
        </Paragraph>
        <TextInput
          data-autofocus
          label={text('console.Command')}
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
            {text('common.Cancel')}
          </Button>
          <Button type="submit" disabled={count === 0 || command.trim() === ''}>
            {text('servers.CommandSend', { count })}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
