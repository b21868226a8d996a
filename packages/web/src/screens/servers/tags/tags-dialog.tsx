import { type ListedServer, listServers, putServerTags } from '@innkeeper/contract/servers'
import { Modal, Stack } from '@mantine/core'
import { useState } from 'react'
import { useApiMutation } from '../../../api/use-api-mutation.ts'
import { useT } from '../../../i18n/i18n.tsx'
import { DialogButtons } from '../../../ui/dialog-buttons.tsx'
import { TagsField } from './tags-field.tsx'

interface TagsDialogProps {
  readonly server: ListedServer
  readonly knownTags: readonly string[]
  readonly opened?: boolean
  readonly onClose: () => void
}

/** Edits the tags of one server. */
export function TagsDialog({ server, knownTags, opened = true, onClose }: TagsDialogProps) {
  const t = useT()
  const [tags, setTags] = useState<readonly string[]>(server.tags)
  const save = useApiMutation(putServerTags, { invalidates: [listServers], onSuccess: onClose })
  return (
    <Modal opened={opened} onClose={onClose} title={t('servers.TagsOf', { name: server.name })}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate({ params: { id: server.id }, body: { tags: [...tags] } })
        }}
      >
        <Stack gap="md">
          <TagsField data-autofocus label={t('servers.Tags')} knownTags={knownTags} value={tags} onChange={setTags} />
          <DialogButtons onCancel={onClose} type="submit" loading={save.isPending}>
            {t('common.Save')}
          </DialogButtons>
        </Stack>
      </form>
    </Modal>
  )
}
