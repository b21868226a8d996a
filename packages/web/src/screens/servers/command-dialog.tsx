import type { ServerView } from '@innkeeper/contract/servers'
import { Modal, Stack, Text, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { useShowError } from '../../ui/toast.tsx'
import type { ServerActions } from './use-server-actions.tsx'

interface CommandDialogProps {
  readonly servers: readonly ServerView[]
  readonly actions: ServerActions
  readonly onClose: () => void
}

/** Sends a console command to those of the servers that run. */
export function CommandDialog({ servers, actions, onClose }: CommandDialogProps) {
  const t = useT()
  const showError = useShowError()
  const [command, setCommand] = useState('')
  const [recipients, setRecipients] = useState<readonly ServerView[]>()
  const count = recipients?.length ?? 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: the recipients are fixed when the dialog opens
  useEffect(() => {
    actions.findRecipients(servers).then(setRecipients, (error: unknown) => {
      showError(error)
      onClose()
    })
  }, [])

  return (
    <Modal opened={recipients !== undefined} onClose={onClose} title={t('servers.CommandTitle', { count })}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (count === 0 || command.trim() === '' || !recipients) return
          void actions.sendToAll(recipients, command)
          onClose()
        }}
      >
        <Stack gap="md">
          <Text component="div" size="sm" c="dimmed">
            {count === 0 ? t('servers.NoneToCommand') : actions.formatNames(recipients ?? [])}
            {count > 0 && count < servers.length && <p>{t('servers.Skipped', { count: servers.length - count })}</p>}
          </Text>
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
          <DialogButtons onCancel={onClose} type="submit" disabled={count === 0 || command.trim() === ''}>
            {t('servers.CommandSend', { count })}
          </DialogButtons>
        </Stack>
      </form>
    </Modal>
  )
}
