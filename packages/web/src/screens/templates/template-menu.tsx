import { deleteTemplate, listTemplates } from '@innkeeper/contract/templates'
import { ActionIcon, Menu } from '@mantine/core'
import { IconCopy, IconDots, IconDownload, IconTrash } from '@tabler/icons-react'
import { Link, useNavigate } from 'react-router'
import { useSend } from '../../api/use-send.ts'
import { formatRaw, type Raw } from '../../features/definition-editor/raw.ts'
import { useText } from '../../i18n/text.tsx'
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
  const text = useText()
  const goTo = useNavigate()
  const confirm = useConfirm()
  const remove = useSend(deleteTemplate, { refreshes: [listTemplates] })

  const askAndRemove = async () => {
    const yes = await confirm({
      title: text('templates.DeleteTitle', { name: title }),
      body: text('templates.DeleteBody'),
      action: text('templates.Delete'),
      danger: true,
      typeToConfirm: name,
    })
    if (!yes) return
    try {
      await remove.send({ params: { name } })
    } catch {
      // It was told already, and the template is still there.
      return
    }
    toast.success(text('templates.Deleted', { name: title }))
    onDeleted?.()
    void goTo('/template')
  }
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon size={36} variant="default" loading={remove.pending} aria-label={text('common.More')}>
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
            {text('templates.Duplicate')}
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<IconDownload size={17} aria-hidden />}
          onClick={() => saveAsFile(`${name}.json`, `${formatRaw(raw)}\n`, 'application/json')}
        >
          {text('templates.Download')}
        </Menu.Item>
        {mayEdit && (
          <Menu.Item
            className={classes.danger ?? ''}
            leftSection={<IconTrash size={17} aria-hidden />}
            onClick={() => void askAndRemove()}
          >
            {text('templates.Delete')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
