import { deleteTemplate, listTemplates } from '@innkeeper/contract/templates'
import { ActionIcon, Menu } from '@mantine/core'
import { IconCopy, IconDots, IconDownload, IconTrash } from '@tabler/icons-react'
import { Link, useNavigate } from 'react-router'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { formatRaw, type Raw } from '../../features/definition-editor/raw.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { saveAsFile } from '../../ui/save-as-file.ts'
import { toast } from '../../ui/toast.tsx'
import classes from './template-screen.module.css'

interface TemplateMenuProps {
  readonly name: string
  readonly title: string
  readonly raw: Raw
  readonly mayEdit: boolean
  /** It is gone, and nothing of it is left to be saved. */
  readonly onDeleted?: () => void
}

/** What can be done with a template as a whole. */
export function TemplateMenu({ name, title, raw, mayEdit, onDeleted }: TemplateMenuProps) {
  const t = useT()
  const goTo = useNavigate()
  const confirm = useConfirm()
  const remove = useApiMutation(deleteTemplate, { invalidates: [listTemplates] })

  const askAndRemove = async () => {
    const yes = await confirm({
      title: t('templates.DeleteTitle', { name: title }),
      body: t('templates.DeleteBody'),
      action: t('templates.Delete'),
      danger: true,
      typeToConfirm: name,
    })
    if (!yes) return
    try {
      await remove.mutateAsync({ params: { name } })
    } catch {
      // It was told already, and the template is still there.
      return
    }
    toast.success(t('templates.Deleted', { name: title }))
    onDeleted?.()
    void goTo('/template')
  }
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon size={36} variant="default" loading={remove.isPending} aria-label={t('common.More')}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {mayEdit && (
          <Menu.Item
            leftSection={<IconCopy size={17} aria-hidden />}
            component={Link}
            to={`/addtemplate?from=${encodeURIComponent(name)}`}
          >
            {t('templates.Duplicate')}
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<IconDownload size={17} aria-hidden />}
          onClick={() => saveAsFile(`${name}.json`, `${formatRaw(raw)}\n`, 'application/json')}
        >
          {t('templates.Download')}
        </Menu.Item>
        {mayEdit && (
          <Menu.Item
            className={classes.danger ?? ''}
            leftSection={<IconTrash size={17} aria-hidden />}
            onClick={() => void askAndRemove()}
          >
            {t('templates.Delete')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
