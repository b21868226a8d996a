import { Badge, Box, Menu } from '@mantine/core'
import { IconArrowBackUp, IconDeviceFloppy, IconHistory, IconSearch, IconTextWrap } from '@tabler/icons-react'
import { Shortcut } from '../../hotkeys/shortcut.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { IconMenu } from '../../ui/menus/icon-menu.tsx'
import { EditorButton } from './editor-head.tsx'

interface EditorActionsProps {
  readonly isReadOnly: boolean
  readonly isModified: boolean
  readonly isSaving: boolean
  readonly isWrapped: boolean
  readonly onFind: () => void
  readonly onWrap: (isWrapped: boolean) => void
  readonly onRevert: () => void
  readonly onVersions: () => void
  readonly onSave: () => void
}

/** Find, Save, and between them the other actions: buttons, or a menu on a phone. */
export function EditorActions(props: EditorActionsProps) {
  const { isReadOnly, isModified, isSaving, isWrapped, onFind, onWrap, onRevert, onVersions, onSave } = props
  const t = useT()
  const tools = [
    {
      label: t('file-editor.Wrap'),
      Icon: IconTextWrap,
      isPressed: isWrapped,
      onClick: () => onWrap(!isWrapped),
    },
    ...(isReadOnly
      ? []
      : [{ label: t('file-editor.Revert'), Icon: IconArrowBackUp, disabled: !isModified, onClick: onRevert }]),
    { label: t('file-editor.Versions'), Icon: IconHistory, onClick: onVersions },
  ]
  return (
    <>
      <EditorButton icon={<IconSearch size={17} aria-hidden />} label={t('file-editor.Find')} onClick={onFind} />
      {tools.map(({ Icon, isPressed, ...tool }) => (
        <EditorButton
          key={tool.label}
          {...tool}
          icon={<Icon size={17} aria-hidden />}
          aria-pressed={isPressed}
          visibleFrom="sm"
        />
      ))}
      <IconMenu label={t('common.More')} size={44} button={{ hiddenFrom: 'sm' }}>
        {tools.map(({ label, Icon, isPressed, ...tool }) =>
          isPressed === undefined ? (
            <Menu.Item key={label} {...tool} leftSection={<Icon size={18} aria-hidden />}>
              {label}
            </Menu.Item>
          ) : (
            <Menu.CheckboxItem key={label} checked={isPressed} onChange={tool.onClick}>
              {label}
            </Menu.CheckboxItem>
          ),
        )}
      </IconMenu>
      {!isReadOnly && (
        <EditorButton
          variant="filled"
          color="primary"
          icon={<IconDeviceFloppy size={17} aria-hidden />}
          label={t('common.Save')}
          loading={isSaving}
          disabled={!isModified}
          onClick={onSave}
        >
          <Shortcut keys="Mod S" />
        </EditorButton>
      )}
    </>
  )
}

/** On a phone it is a dot. */
export function ModifiedBadge() {
  const t = useT()
  const text = t('file-editor.Modified')
  return (
    <>
      <Badge flex="none" bg="var(--ik-accent-soft)" c="var(--ik-accent)" visibleFrom="sm">
        {text}
      </Badge>
      <Box flex="none" w={8} h={8} bg="var(--ik-accent)" bdrs="xl" role="img" aria-label={text} hiddenFrom="sm" />
    </>
  )
}
