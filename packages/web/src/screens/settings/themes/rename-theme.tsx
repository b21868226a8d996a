import { getConfig } from '@innkeeper/contract/settings/panel'
import { listSettings } from '@innkeeper/contract/settings/settings'
import { listThemes, renameTheme } from '@innkeeper/contract/settings/themes'
import { useApiMutation } from '../../../api/use-action.ts'
import { useT } from '../../../i18n/i18n.tsx'
import { ThemeNameDialog } from './theme-name-dialog.tsx'

export function RenameTheme({ name, onClose }: { name: string; onClose: () => void }) {
  const t = useT()
  const rename = useApiMutation(renameTheme, { invalidates: [listThemes, getConfig, listSettings] })
  return (
    <ThemeNameDialog
      title={t('settings.ThemeRenameTitle')}
      initialName={name}
      action={t('common.Rename')}
      send={(newName) => rename.mutateAsync({ params: { name, newName } })}
      onClose={onClose}
    />
  )
}
