import { Box, Button, type ButtonProps, type ElementProps, Flex, Group, Title } from '@mantine/core'
import { IconFileCode, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { IconButton } from '../../ui/menus/icon-button.tsx'
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
  const names = path.split('/')
  return (
    <Flex
      className={classes.bar}
      align="center"
      gap={{ base: '2xs', sm: 'sm' }}
      mih={50}
      ps={{ base: 'sm', sm: 'lg' }}
      pe={{ base: '2xs', sm: 'xs' }}
    >
      {icon ?? <IconFileCode size={17} aria-hidden />}
      <Group gap="sm" wrap="nowrap" flex={1} miw={0}>
        <Title order={2} className={classes.path} flex={{ base: 1, sm: '0 1 auto' }} textWrap="nowrap" dir="ltr">
          <Box component="span" display="block" style={{ overflow: 'hidden', textOverflow: 'ellipsis' }}>
            {names.length > 1 && (
              <Box component="span" visibleFrom="sm">
                {`${names.slice(0, -1).join(' / ')} / `}
              </Box>
            )}
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
    </Flex>
  )
}

interface EditorButtonProps extends ButtonProps, ElementProps<'button', keyof ButtonProps> {
  readonly icon: ReactNode
  readonly label: string
}

/** A button of the bar: icon and text, on a phone the icon only. */
export function EditorButton({ icon, label, children, ...props }: EditorButtonProps) {
  return (
    <Button
      className={classes.tool}
      variant="subtle"
      color="gray"
      flex="none"
      w={{ base: 44, sm: 'auto' }}
      h={{ base: 44, sm: 36 }}
      px={{ base: 0, sm: 'sm' }}
      aria-label={label}
      {...props}
    >
      {icon}
      <Group component="span" gap="xs" ms="xs" visibleFrom="sm">
        {label}
        {children}
      </Group>
    </Button>
  )
}
