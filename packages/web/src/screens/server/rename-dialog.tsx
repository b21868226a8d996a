import { getServer, listServers, renameServer } from '@innkeeper/contract/servers'
import { Modal, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { getQueryKey } from '../../api/use-api-query.ts'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { serverNameError } from '../../ui/server-name.ts'

interface RenameDialogProps {
  readonly server: { readonly id: string; readonly name: string }
  readonly onClose: () => void
}

/** Renames a server. The new name is shown at once and rolled back when the panel refuses it. */
export function RenameDialog({ server, onClose }: RenameDialogProps) {
  const t = useT()
  const queryClient = useQueryClient()
  const rename = useApiMutation(renameServer, { silent: true, invalidates: [listServers] })
  const setCachedName = (cachedName: string) => {
    queryClient.setQueriesData<{ server: { name: string } }>({ queryKey: getQueryKey(getServer) }, (answer) =>
      answer && isServer(answer, server.id) ? { ...answer, server: { ...answer.server, name: cachedName } } : answer,
    )
  }
  const form = useSubmitForm({
    initialValues: { name: server.name },
    fieldByCode: { ErrDuplicateServerName: 'name' },
    validate: ({ name }) => ({ name: serverNameError(t, name, { isComplete: true }) }),
    send: async (values) => {
      const name = values.name.trim()
      if (name === server.name) return onClose()
      setCachedName(name)
      try {
        await rename.mutateAsync({ params: { id: server.id, name } })
        onClose()
      } catch (error) {
        setCachedName(server.name)
        throw error
      }
    },
  })

  return (
    <Modal opened onClose={onClose} title={t('server.Rename')}>
      <form onSubmit={form.onSubmit}>
        <Stack gap="md">
          <TextInput
            data-autofocus
            label={t('common.Name')}
            autoComplete="off"
            {...form.field('name')}
            // A name that is too long is reported while typing.
            error={form.errors.name ?? serverNameError(t, form.values.name, { isComplete: false })}
          />
          <DialogButtons onCancel={onClose} type="submit" loading={form.isSubmitting}>
            {t('common.Save')}
          </DialogButtons>
        </Stack>
      </form>
    </Modal>
  )
}

function isServer(answer: object, id: string): boolean {
  return 'server' in answer && (answer.server as { id?: unknown }).id === id
}
