import { ActionIcon, Box, Button, Group, Title } from '@mantine/core'
import { IconFileCode, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import classes from './file-editor.module.css'

interface EditorHeadProps {
  readonly path: string
  /** Instead of the icon for text files. */
  readonly icon?: ReactNode
  /** After the path. */
  readonly tags?: ReactNode
  /** Before the Close button. */
  readonly actions?: ReactNode
  readonly onClose: () => void
}

/** The bar at the top of the overlay: path, actions and Close. */
export function EditorHead({ path, icon, tags, actions, onClose }: EditorHeadProps) {
  const t = useT()
  const isPhone = useIsPhone()
  const names = path.split('/')
  return (
    <Group
      className={classes.bar}
      gap={isPhone ? '2xs' : 10}
      wrap="nowrap"
      mih={50}
      ps={isPhone ? 'sm' : 18}
      pe={isPhone ? '2xs' : 'xs'}
    >
      {icon ?? <IconFileCode size={17} aria-hidden />}
      <Group gap={10} wrap="nowrap" flex={1} miw={0}>
        <Title order={2} className={classes.path} flex={isPhone ? 1 : '0 1 auto'} textWrap="nowrap" dir="ltr">
          <Box component="span" display="block" style={{ overflow: 'hidden', textOverflow: 'ellipsis' }}>
            {names.length > 1 && !isPhone && `${names.slice(0, -1).join(' / ')} / `}
            <Box component="b" c="var(--ik-text)" fw={500}>
              {names.at(-1)}
            </Box>
          </Box>
        </Title>
        {tags}
      </Group>
      {actions}
      <IconButton size={36} label={t('common.Close')} onClick={onClose}>
        <IconX size={18} aria-hidden />
      </IconButton>
    </Group>
  )
}

interface ToolButtonProps {
  readonly icon: ReactNode
  /** For a toggle button. */
  readonly isPressed?: boolean
  readonly isDisabled?: boolean
  readonly onClick: () => void
  readonly children: string
}

/** A button of the bar: icon and text, on a phone the icon only. */
export function ToolButton({ icon, isPressed, isDisabled = false, onClick, children }: ToolButtonProps) {
  const isPhone = useIsPhone()
  const common = {
    className: classes.tool,
    variant: 'subtle',
    color: 'gray',
    'aria-label': children,
    'aria-pressed': isPressed,
    disabled: isDisabled,
    onClick,
  }
  return isPhone ? (
    <ActionIcon {...common} size={44}>
      {icon}
    </ActionIcon>
  ) : (
    <Button {...common} flex="none" px={10} leftSection={icon}>
      {children}
    </Button>
  )
}
