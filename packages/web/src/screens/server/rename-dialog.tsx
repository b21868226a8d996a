import { getServer, listServers, renameServer } from '@innkeeper/contract/servers'
import { Modal, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { use } from 'react'
import { ShowErrorContext, useApiMutation } from '../../api/use-api-mutation.ts'
import { getQueryKey } from '../../api/use-api-query.ts'
import { applyError } from '../../forms/apply-error.ts'
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
  const showError = use(ShowErrorContext)
  const queryClient = useQueryClient()
  const rename = useApiMutation(renameServer, { silent: true, invalidates: [listServers] })
  const form = useForm({
    initialValues: { name: server.name },
    validate: { name: (name) => serverNameError(t, name, { isComplete: true }) ?? null },
  })

  const setCachedName = (cachedName: string) => {
    queryClient.setQueriesData<{ server: { name: string } }>({ queryKey: getQueryKey(getServer) }, (answer) =>
      answer && isServer(answer, server.id) ? { ...answer, server: { ...answer.server, name: cachedName } } : answer,
    )
  }
  const save = async (name: string) => {
    if (name === server.name) return onClose()
    setCachedName(name)
    try {
      await rename.mutateAsync({ params: { id: server.id, name } })
      onClose()
    } catch (error) {
      setCachedName(server.name)
      const applied = applyError(error, { t, fields: ['name'], fieldByCode: { ErrDuplicateServerName: 'name' } })
      if (applied.type === 'field') form.setFieldError(applied.field, applied.message)
      else showError(error)
    }
  }

  return (
    <Modal opened onClose={onClose} title={t('server.Rename')}>
      <form onSubmit={form.onSubmit(({ name }) => save(name.trim()))}>
        <Stack gap="md">
          <TextInput
            data-autofocus
            label={t('common.Name')}
            autoComplete="off"
            {...form.getInputProps('name')}
            // A name that is too long is reported while typing.
            error={form.errors.name ?? serverNameError(t, form.values.name, { isComplete: false })}
          />
          <DialogButtons onCancel={onClose} type="submit" loading={rename.isPending}>
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
