import { getServer, type ListedServer, listServers, putServerTags } from '@innkeeper/contract/servers'
import { Modal, Stack } from '@mantine/core'
import { useApiMutation } from '../../../api/use-api-mutation.ts'
import { ifMatch, refetchOrThrow, useVersionedApiQuery } from '../../../api/use-api-query.ts'
import { SaveForm } from '../../../forms/save-form.tsx'
import { useCloseDialog } from '../../../forms/use-close-dialog.ts'
import { useSaveForm } from '../../../forms/use-save-form.ts'
import { useFormatters, useT } from '../../../i18n/i18n.tsx'
import { DialogButtons } from '../../../ui/dialog-buttons.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
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
  const { query, form } = useTagsForm(server, onClose)
  const close = useCloseDialog(form, onClose)
  return (
    <Modal opened onClose={close} title={t('servers.TagsOf', { name: server.name })}>
      <QueryState query={query} errorTitle={t('server.NotLoaded')} skeletonHeight="6rem">
        {() => (
          <SaveForm form={form}>
            <Stack gap="md">
              <TagsField
                data-autofocus
                label={t('servers.Tags')}
                knownTags={knownTags}
                value={form.values.tags}
                onChange={(tags) => form.set({ tags })}
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
function useTagsForm({ id, tags: listed }: ListedServer, onClose: () => void) {
  const t = useT()
  const { list } = useFormatters()
  const params = { id }
  const query = useVersionedApiQuery(getServer, { params, query: {} }, { staleTime: 0 })
  const { mutateAsync } = useApiMutation(putServerTags, { silent: true, invalidates: [listServers, getServer] })
  const toSaved = ({ answer, version }: NonNullable<typeof query.data>) => ({
    values: { tags: answer.server.tags },
    version,
  })
  const form = useSaveForm<Values>({
    // Until it is known what is saved, there is nothing to compare a draft with.
    ...(query.data && { id: `server-${id}-tags` }),
    saved: query.data ? toSaved(query.data) : { values: { tags: listed } },
    reload: async () => toSaved(await refetchOrThrow(query)),
    // Save also closes the dialog when nothing was edited.
    allowUnchanged: query.data !== undefined,
    getLabel: () => t('servers.Tags'),
    formatValue: (_, value) => list(value as Values['tags']),
    send: ({ values: { tags }, version }) => mutateAsync({ params, body: { tags: [...tags] } }, ifMatch(version)),
    onSaved: () => {
      // Edits made during the save keep the dialog open.
      if (!form.isDirtyNow()) onClose()
    },
  })
  return { query, form }
}
