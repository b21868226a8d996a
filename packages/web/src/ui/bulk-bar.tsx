import { ActionIcon, Button, Group, type GroupProps, Text } from '@mantine/core'
import { IconX, type TablerIcon } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useT } from '../i18n/i18n.tsx'
import classes from './bulk-bar.module.css'
import { IconButton } from './icon-button.tsx'

export interface BulkBarAction {
  readonly name: string
  readonly icon: TablerIcon
  readonly isDanger?: boolean
  readonly run: () => void
}

interface BulkBarProps extends GroupProps {
  readonly 'aria-label': string
  /** How many items are selected. */
  readonly summary: ReactNode
  readonly actions: readonly BulkBarAction[]
  readonly isDisabled?: boolean
  /** For a bar in a card on a phone: buttons without text. */
  readonly iconsOnly?: boolean
  readonly inCard?: boolean
  readonly onClear: () => void
}

/** How many items of a list are selected, and the actions for all of them. */
export function BulkBar({
  summary,
  actions,
  isDisabled,
  iconsOnly,
  inCard,
  onClear,
  children,
  ...props
}: BulkBarProps) {
  const t = useT()
  return (
    <Group
      className={classes.bar}
      role="toolbar"
      gap={iconsOnly ? 0 : '2xs'}
      mih={44}
      py="2xs"
      ps="md"
      pe={iconsOnly ? '2xs' : 'sm'}
      mod={{ 'in-card': inCard }}
      {...props}
    >
      <Text component="div" fz="compact" fw={500} flex={1} style={{ whiteSpace: iconsOnly ? undefined : 'nowrap' }}>
        {summary}
      </Text>
      {actions.map(({ name, icon: Icon, isDanger, run }) => {
        const shared = { disabled: isDisabled, c: isDanger ? 'var(--ik-offline)' : 'var(--ik-text)', onClick: run }
        return iconsOnly ? (
          <ActionIcon key={name} size={44} aria-label={name} {...shared}>
            <Icon size={20} aria-hidden />
          </ActionIcon>
        ) : (
          <Button
            key={name}
            size="compact-sm"
            variant="subtle"
            color="gray"
            leftSection={<Icon size={16} aria-hidden />}
            {...shared}
          >
            {name}
          </Button>
        )
      })}
      <IconButton size={iconsOnly ? 44 : 30} c="var(--ik-text)" label={t('common.ClearSelection')} onClick={onClear}>
        <IconX size={17} aria-hidden />
      </IconButton>
      {children}
    </Group>
  )
}
