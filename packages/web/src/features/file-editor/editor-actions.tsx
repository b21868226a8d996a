import { ActionIcon, Badge, Box, Button, Menu, VisuallyHidden } from '@mantine/core'
import {
  IconArrowBackUp,
  IconCheck,
  IconDeviceFloppy,
  IconHistory,
  IconSearch,
  IconTextWrap,
} from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { IconMenu } from '../../ui/icon-menu.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import { Shortcut } from '../../ui/shortcut.tsx'
import { ToolButton } from './editor-head.tsx'

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

export function EditorActions(props: EditorActionsProps) {
  const { isReadOnly, isModified, isSaving, isWrapped, onFind, onWrap, onRevert, onVersions, onSave } = props
  const t = useT()
  const isPhone = useIsPhone()
  const find = (
    <ToolButton icon={<IconSearch size={17} aria-hidden />} onClick={onFind}>
      {t('file-editor.Find')}
    </ToolButton>
  )
  const save = !isReadOnly && <SaveButton isSaving={isSaving} isDisabled={!isModified} onClick={onSave} />
  if (isPhone) {
    return (
      <>
        {find}
        <IconMenu label={t('common.More')} size={44}>
          <Menu.Item
            role="menuitemcheckbox"
            aria-checked={isWrapped}
            leftSection={<IconTextWrap size={18} aria-hidden />}
            rightSection={isWrapped && <IconCheck size={16} aria-hidden />}
            onClick={() => onWrap(!isWrapped)}
          >
            {t('file-editor.Wrap')}
          </Menu.Item>
          {!isReadOnly && (
            <Menu.Item
              leftSection={<IconArrowBackUp size={18} aria-hidden />}
              disabled={!isModified}
              onClick={onRevert}
            >
              {t('file-editor.Revert')}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconHistory size={18} aria-hidden />} onClick={onVersions}>
            {t('file-editor.Versions')}
          </Menu.Item>
        </IconMenu>
        {save}
      </>
    )
  }
  return (
    <>
      {find}
      <ToolButton
        icon={<IconTextWrap size={17} aria-hidden />}
        isPressed={isWrapped}
        onClick={() => onWrap(!isWrapped)}
      >
        {t('file-editor.Wrap')}
      </ToolButton>
      {!isReadOnly && (
        <ToolButton icon={<IconArrowBackUp size={17} aria-hidden />} isDisabled={!isModified} onClick={onRevert}>
          {t('file-editor.Revert')}
        </ToolButton>
      )}
      <ToolButton icon={<IconHistory size={17} aria-hidden />} onClick={onVersions}>
        {t('file-editor.Versions')}
      </ToolButton>
      {save}
    </>
  )
}

/** On a phone it is a dot, and text for screen readers only. */
export function ModifiedBadge() {
  const t = useT()
  const text = t('file-editor.Modified')
  return useIsPhone() ? (
    <Box flex="none" w={8} h={8} bg="var(--ik-accent)" bdrs="xl">
      <VisuallyHidden>{text}</VisuallyHidden>
    </Box>
  ) : (
    <Badge flex="none" bg="var(--ik-accent-soft)" c="var(--ik-accent)">
      {text}
    </Badge>
  )
}

interface SaveButtonProps {
  readonly isSaving: boolean
  readonly isDisabled: boolean
  readonly onClick: () => void
}

function SaveButton({ isSaving, isDisabled, onClick }: SaveButtonProps) {
  const t = useT()
  const icon = <IconDeviceFloppy size={17} aria-hidden />
  const common = { loading: isSaving, disabled: isDisabled, onClick }
  return useIsPhone() ? (
    <ActionIcon {...common} aria-label={t('common.Save')} variant="filled" color="primary" size={44}>
      {icon}
    </ActionIcon>
  ) : (
    <Button
      {...common}
      flex="none"
      px={10}
      leftSection={icon}
      rightSection={
        // Not a part of the name of the button.
        <span aria-hidden>
          <Shortcut keys="Mod S" />
        </span>
      }
    >
      {t('common.Save')}
    </Button>
  )
}
