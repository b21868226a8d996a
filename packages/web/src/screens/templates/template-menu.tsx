import { listCatalog } from '@innkeeper/contract/templates/catalog'
import { deleteTemplate, listTemplates } from '@innkeeper/contract/templates/templates'
import { Menu } from '@mantine/core'
import { IconCopy, IconDownload, IconTrash } from '@tabler/icons-react'
import { Link, useNavigate } from 'react-router'
import { useApiMutation } from '../../api/use-action.ts'
import { formatJson, type JsonObject } from '../../features/definition-editor/json-path.ts'
import { useT } from '../../i18n/i18n.tsx'
import { saveAsFile } from '../../ui/feedback/save-as-file.ts'
import { IconMenu } from '../../ui/menus/icon-menu.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { toast } from '../../ui/toasts/toast.tsx'

interface TemplateMenuProps {
  readonly name: string
  readonly title: string
  readonly raw: JsonObject
  readonly canEdit: boolean
  /** Called after the template was deleted, before the page changes. */
  readonly onDeleted?: () => void
}

/** Actions on a whole template. */
export function TemplateMenu({ name, title, raw, canEdit, onDeleted }: TemplateMenuProps) {
  const t = useT()
  const navigate = useNavigate()
  const confirm = useConfirm()
  const remove = useApiMutation(deleteTemplate, {
    invalidates: [listTemplates, listCatalog],
    onSuccess: () => {
      toast.success(t('common.Deleted', { name: title }))
      onDeleted?.()
      void navigate('/template')
    },
  })

  const confirmDelete = () =>
    confirm({
      title: t('common.DeleteQuestion', { name: title }),
      body: t('templates.DeleteBody'),
      action: t('templates.Delete'),
      typeToConfirm: name,
      onConfirm: () => remove.mutate({ params: { name } }),
    })
  return (
    <IconMenu label={t('common.More')} size={36} button={{ variant: 'default', loading: remove.isPending }} width={220}>
      {canEdit && (
        <Menu.Item
          leftSection={<IconCopy size={17} aria-hidden />}
          component={Link}
          to={`/addtemplate?from=${encodeURIComponent(name)}`}
        >
          {t('common.Duplicate')}
        </Menu.Item>
      )}
      <Menu.Item
        leftSection={<IconDownload size={17} aria-hidden />}
        onClick={() => saveAsFile(`${name}.json`, `${formatJson(raw)}\n`, 'application/json')}
      >
        {t('templates.Download')}
      </Menu.Item>
      {canEdit && (
        <Menu.Item
          c="var(--ik-offline)"
          leftSection={<IconTrash size={17} aria-hidden />}
          onClick={() => void confirmDelete()}
        >
          {t('templates.Delete')}
        </Menu.Item>
      )}
    </IconMenu>
  )
}
