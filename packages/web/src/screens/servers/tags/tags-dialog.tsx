import { getServer, type ListedServer, listServers, putServerTags } from '@innkeeper/contract/servers/servers'
import { useApiMutation } from '../../../api/use-action.ts'
import { useVersionedApiQuery } from '../../../api/use-api.ts'
import { SaveDialog, useDialogForm } from '../../../forms/form-dialogs.tsx'
import { useT } from '../../../i18n/i18n.tsx'
import { useFormatters } from '../../../i18n/use-formatters.ts'
import { TagsField } from './tags-field.tsx'

interface TagsDialogProps {
  readonly server: ListedServer
  readonly knownTags: readonly string[]
  readonly onClose: () => void
}

interface Values {
  readonly tags: readonly string[]
}

/** Edits the tags of one server. */
export function TagsDialog({ server, knownTags, onClose }: TagsDialogProps) {
  const t = useT()
  const { list } = useFormatters()
  const params = { id: server.id }
  const { mutateAsync } = useApiMutation(putServerTags, { invalidates: [listServers, getServer] })
  const state = useDialogForm({
    id: `server-${server.id}-tags`,
    query: useVersionedApiQuery(getServer, { params, query: {} }, { staleTime: 0 }),
    toValues: (response): Values => ({ tags: response.server.tags }),
    initialValues: { tags: server.tags },
    getLabel: () => t('servers.Tags'),
    formatValue: (_, value) => list(value as Values['tags']),
    send: ({ values: { tags }, version }) => mutateAsync({ params, body: { tags: [...tags] } }, { version }),
    onClose,
  })
  const { form } = state
  return (
    <SaveDialog state={state} title={t('servers.TagsOf', { name: server.name })} errorTitle={t('server.NotLoaded')}>
      {() => (
        <TagsField
          data-autofocus
          label={t('servers.Tags')}
          knownTags={knownTags}
          value={form.values.tags}
          onChange={(tags) => form.set({ tags })}
        />
      )}
    </SaveDialog>
  )
}
