import { getServerBackupTargets, localTarget, putServerBackupTargets } from '@innkeeper/contract/backup-targets'
import { Checkbox, Modal, Stack, Switch } from '@mantine/core'
import type { z } from 'zod/mini'
import { useApiMutation } from '../../../api/use-api-mutation.ts'
import { ifMatch, refetchOrThrow, useVersionedApiQuery, type VersionedAnswer } from '../../../api/use-api-query.ts'
import { SaveForm } from '../../../forms/save-form.tsx'
import { useCloseDialog } from '../../../forms/use-close-dialog.ts'
import { type Saved, useSaveForm } from '../../../forms/use-save-form.ts'
import { useFormatters, useT } from '../../../i18n/i18n.tsx'
import { DialogButtons } from '../../../ui/dialog-buttons.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { toast } from '../../../ui/toast.tsx'
import { useTargetName } from './copy-list.tsx'
import { toggleTarget } from './selection.ts'

export type ServerTargets = z.infer<typeof getServerBackupTargets.response>

interface Selection {
  /** Empty when those of the node apply. */
  readonly targets: readonly string[]
}

/** Chooses where the backups of a server are stored. */
export function ServerTargetsDialog({ server, onClose }: { server: string; onClose: () => void }) {
  const t = useT()
  const { query, form } = useSelectionForm(server, onClose)
  const close = useCloseDialog(form, onClose)
  const usesNode = form.values.targets.length === 0
  return (
    <Modal opened onClose={close} title={t('backup-targets.Title')}>
      <QueryState query={query} errorTitle={t('backups.LoadFailed')} skeletonHeight="6rem">
        {({ answer: { targets, defaults } }) => {
          const shown = usesNode ? defaults : form.values.targets
          return (
            <SaveForm form={form}>
              <Stack gap="md">
                <Switch
                  label={t('backup-targets.UseNode')}
                  checked={usesNode}
                  onChange={({ currentTarget: { checked } }) => form.set({ targets: checked ? [] : [...defaults] })}
                />
                {[{ id: localTarget, name: t('backup-targets.Local') }, ...targets].map(({ id, name }) => (
                  <Checkbox
                    key={id}
                    label={<bdi>{name}</bdi>}
                    checked={shown.includes(id)}
                    disabled={usesNode}
                    onChange={() => form.set({ targets: toggleTarget(shown, id) })}
                  />
                ))}
                <DialogButtons type="submit" onCancel={close} loading={form.isSaving}>
                  {t('common.Save')}
                </DialogButtons>
              </Stack>
            </SaveForm>
          )
        }}
      </QueryState>
    </Modal>
  )
}

/** The form of the dialog. It is shown once `query` has data. */
function useSelectionForm(server: string, onClose: () => void) {
  const t = useT()
  const { list } = useFormatters()
  const params = { id: server }
  const query = useVersionedApiQuery(getServerBackupTargets, { params }, { staleTime: 0 })
  const { mutateAsync } = useApiMutation(putServerBackupTargets, {
    silent: true,
    invalidates: [getServerBackupTargets],
  })
  const getName = useTargetName(query.data?.answer)
  const form = useSaveForm<Selection>({
    // Until it is known what is saved, there is nothing to compare a draft with.
    ...(query.data && { id: `server-${server}-backup-targets` }),
    saved: query.data ? toSaved(query.data) : { values: { targets: [] } },
    reload: async () => toSaved(await refetchOrThrow(query)),
    // Also an unchanged choice closes the dialog.
    allowUnchanged: query.data !== undefined,
    getLabel: () => t('backup-targets.Title'),
    formatValue: (_, value) => {
      const targets = value as Selection['targets']
      return targets.length === 0 ? t('backup-targets.UseNode') : list(targets.map(getName))
    },
    send: ({ values: { targets }, version }) =>
      mutateAsync({ params, body: targets.length === 0 ? null : [...targets] }, ifMatch(version)),
    onSaved: () => {
      toast.success(t('common.Saved'))
      // Edits made during the save keep the dialog open.
      if (!form.isDirtyNow()) onClose()
    },
  })
  return { query, form }
}

function toSaved({ answer, version }: VersionedAnswer<ServerTargets>): Saved<Selection> {
  return { values: { targets: answer.selected ?? [] }, version }
}
