import { getServerBackupTargets, localTarget, putServerBackupTargets } from '@innkeeper/contract/backups/backup-targets'
import { Checkbox, Switch } from '@mantine/core'
import { useApiMutation } from '../../../api/use-action.ts'
import { useVersionedApiQuery } from '../../../api/use-api.ts'
import { SaveDialog, useDialogForm } from '../../../forms/form-dialogs.tsx'
import { useT } from '../../../i18n/i18n.tsx'
import { useFormatters } from '../../../i18n/use-formatters.ts'
import { toast } from '../../../ui/toasts/toast.tsx'
import { useTargetName } from './copy-list.tsx'
import { toggleTarget } from './target-types.ts'

interface Selection {
  /** Empty when those of the node apply. */
  readonly targets: readonly string[]
}

/** Chooses where the backups of a server are stored. */
export function ServerTargetsDialog({ server, onClose }: { server: string; onClose: () => void }) {
  const t = useT()
  const { list } = useFormatters()
  const params = { id: server }
  const query = useVersionedApiQuery(getServerBackupTargets, { params }, { staleTime: 0 })
  const { mutateAsync } = useApiMutation(putServerBackupTargets, {
    invalidates: [getServerBackupTargets],
  })
  const getName = useTargetName(query.data?.response)
  const state = useDialogForm({
    id: `server-${server}-backup-targets`,
    query,
    toValues: ({ selected }): Selection => ({ targets: selected ?? [] }),
    initialValues: { targets: [] },
    getLabel: () => t('backup-targets.Title'),
    formatValue: (_, value) => {
      const targets = value as Selection['targets']
      return targets.length === 0 ? t('backup-targets.UseNode') : list(targets.map(getName))
    },
    send: ({ values: { targets }, version }) =>
      mutateAsync({ params, body: targets.length === 0 ? null : [...targets] }, { version }),
    onSaved: () => toast.success(t('common.Saved')),
    onClose,
  })
  const { form } = state
  const usesNode = form.values.targets.length === 0
  return (
    <SaveDialog state={state} title={t('backup-targets.Title')} errorTitle={t('backups.LoadFailed')}>
      {({ targets, defaults }) => {
        const shown = usesNode ? defaults : form.values.targets
        return (
          <>
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
          </>
        )
      }}
    </SaveDialog>
  )
}
