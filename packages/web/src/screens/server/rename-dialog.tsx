import { getServer, listServers, renameServer } from '@innkeeper/contract/servers'
import { Modal, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { getQueryKey, ifMatch, refetchOrThrow, useVersionedApiQuery } from '../../api/use-api-query.ts'
import { SaveForm } from '../../forms/save-form.tsx'
import { useCloseDialog } from '../../forms/use-close-dialog.ts'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { serverNameError } from '../../ui/server-name.ts'

interface RenameDialogProps {
  readonly server: { readonly id: string; readonly name: string }
  readonly onClose: () => void
}

/** Renames a server. The new name is shown at once and rolled back when the panel refuses it. */
export function RenameDialog({ server, onClose }: RenameDialogProps) {
  const t = useT()
  const { query, form } = useRenameForm(server, onClose)
  const close = useCloseDialog(form, onClose)
  return (
    <Modal opened onClose={close} title={t('server.Rename')}>
      <QueryState query={query} errorTitle={t('server.NotLoaded')} skeletonHeight="6rem">
        {() => (
          <SaveForm form={form}>
            <Stack gap="md">
              <TextInput
                data-autofocus
                label={t('common.Name')}
                autoComplete="off"
                {...form.field('name')}
                // A name that is too long is reported while typing.
                error={form.errors.name ?? serverNameError(t, form.values.name, { isComplete: false })}
              />
              <DialogButtons onCancel={close} type="submit" loading={form.isSaving}>
                {t('common.Save')}
              </DialogButtons>
            </Stack>
          </SaveForm>
        )}
      </QueryState>
    </Modal>
  )
}

/** The form of the dialog. It is shown once `query` has data. */
function useRenameForm(server: RenameDialogProps['server'], onClose: () => void) {
  const t = useT()
  const { id } = server
  const queryClient = useQueryClient()
  const query = useVersionedApiQuery(getServer, { params: { id }, query: {} }, { staleTime: 0 })
  const rename = useApiMutation(renameServer, { silent: true, invalidates: [listServers] })
  const setCachedName = (cachedName: string) => {
    queryClient.setQueriesData<{ server: { name: string } }>({ queryKey: getQueryKey(getServer) }, (answer) =>
      answer && isServer(answer, id) ? { ...answer, server: { ...answer.server, name: cachedName } } : answer,
    )
  }
  const toSaved = ({ answer, version }: NonNullable<typeof query.data>) => ({
    values: { name: answer.server.name },
    version,
  })
  const form = useSaveForm({
    // Until it is known what is saved, there is nothing to compare a draft with.
    ...(query.data && { id: `server-${id}-name` }),
    saved: query.data ? toSaved(query.data) : { values: { name: server.name } },
    reload: async () => toSaved(await refetchOrThrow(query)),
    // Save also closes the dialog when nothing was edited.
    allowUnchanged: query.data !== undefined,
    normalize: ({ name }) => ({ name: name.trim() }),
    getLabel: () => t('common.Name'),
    fieldByCode: { ErrDuplicateServerName: 'name' },
    validate: ({ name }) => ({ name: serverNameError(t, name, { isComplete: true }) }),
    send: async ({ changed: { name }, version }) => {
      if (name === undefined) return
      setCachedName(name)
      try {
        await rename.mutateAsync({ params: { id, name } }, ifMatch(version))
      } catch (error) {
        setCachedName(server.name)
        throw error
      }
    },
    onSaved: () => {
      // Edits made during the save keep the dialog open.
      if (!form.isDirtyNow()) onClose()
    },
  })
  return { query, form }
}

function isServer(answer: object, id: string): boolean {
  return 'server' in answer && (answer.server as { id?: unknown }).id === id
}
