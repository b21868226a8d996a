import { getConfig } from '@innkeeper/contract/panel'
import { listSettings } from '@innkeeper/contract/settings'
import { listThemes, renameTheme } from '@innkeeper/contract/themes'
import { Modal } from '@mantine/core'
import { useApiMutation } from '../../../api/use-api-mutation.ts'
import { useT } from '../../../i18n/i18n.tsx'
import { ThemeNameForm } from './theme-name-form.tsx'

export function RenameTheme({ name, onClose }: { name: string; onClose: () => void }) {
  const t = useT()
  const rename = useApiMutation(renameTheme, { invalidates: [listThemes, getConfig, listSettings] })
  return (
    <Modal opened onClose={onClose} title={t('settings.ThemeRenameTitle')}>
      <ThemeNameForm
        initialName={name}
        action={t('common.Rename')}
        send={(newName) => rename.mutateAsync({ params: { name, newName } })}
        onClose={onClose}
      />
    </Modal>
  )
}
