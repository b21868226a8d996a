import { getServer, listServers, renameServer } from '@innkeeper/contract/servers/servers'
import { TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useApiMutation } from '../../api/use-action.ts'
import { getQueryKey, useVersionedApiQuery } from '../../api/use-api.ts'
import { SaveDialog, useDialogForm } from '../../forms/form-dialogs.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { serverNameError } from '../../ui/fields/server-name.ts'

interface RenameDialogProps {
  readonly server: { readonly id: string; readonly name: string }
  readonly onClose: () => void
}

/** Renames a server. The new name is shown at once and rolled back when the panel refuses it. */
export function RenameDialog({ server, onClose }: RenameDialogProps) {
  const t = useT()
  const { id } = server
  const queryClient = useQueryClient()
  const rename = useApiMutation(renameServer, { invalidates: [listServers] })
  const setCachedName = (cachedName: string) => {
    queryClient.setQueriesData<{ server: { name: string } }>({ queryKey: getQueryKey(getServer) }, (response) =>
      response && isServer(response, id) ? { ...response, server: { ...response.server, name: cachedName } } : response,
    )
  }
  const state = useDialogForm({
    id: `server-${id}-name`,
    query: useVersionedApiQuery(getServer, { params: { id }, query: {} }, { staleTime: 0 }),
    toValues: (response) => ({ name: response.server.name }),
    initialValues: { name: server.name },
    normalize: ({ name }) => ({ name: name.trim() }),
    getLabel: () => t('common.Name'),
    fieldByCode: { ErrDuplicateServerName: 'name' },
    validate: ({ name }) => ({ name: serverNameError(t, name, { isComplete: true }) }),
    send: async ({ changed: { name }, version }) => {
      if (name === undefined) return
      setCachedName(name)
      try {
        await rename.mutateAsync({ params: { id, name } }, { version })
      } catch (error) {
        setCachedName(server.name)
        throw error
      }
    },
    onClose,
  })
  const { form } = state
  return (
    <SaveDialog state={state} title={t('server.Rename')} errorTitle={t('server.NotLoaded')}>
      {() => (
        <TextInput
          data-autofocus
          label={t('common.Name')}
          autoComplete="off"
          {...form.field('name')}
          // A name that is too long is reported while typing.
          error={form.errors.name ?? serverNameError(t, form.values.name, { isComplete: false })}
        />
      )}
    </SaveDialog>
  )
}

function isServer(response: object, id: string): boolean {
  return 'server' in response && (response.server as { id?: unknown }).id === id
}
