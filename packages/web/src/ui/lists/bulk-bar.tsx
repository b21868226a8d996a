import { ActionIcon, Button, Group, type GroupProps, Text } from '@mantine/core'
import { IconDots, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { lazySource } from '../hooks/use-lazy-component.ts'
import { IconButton } from '../menus/icon-button.tsx'
import { LazyMenu } from '../menus/lazy-menu.tsx'
import classes from './bulk-bar.module.css'
import { type BulkBarAction, getActionColor } from './bulk-bar-action.ts'

interface BulkBarProps extends GroupProps {
  readonly 'aria-label': string
  /** How many items are selected. */
  readonly summary: ReactNode
  readonly actions: readonly BulkBarAction[]
  readonly isDisabled?: boolean
  /** For a bar in a card on a phone: buttons without text. */
  readonly iconsOnly?: boolean
  /** For a phone: only the first actions have buttons, the others are in a menu. */
  readonly hasMenu?: boolean
  readonly inCard?: boolean
  /** Covers the head of the table that follows it, but for its first checkbox: the rows do not move when it appears. */
  readonly overHead?: boolean
  readonly onClear: () => void
}

/** How many items of a list are selected, and the actions for all of them. */
export function BulkBar({
  summary,
  actions,
  isDisabled,
  iconsOnly = false,
  hasMenu = false,
  inCard,
  overHead = false,
  onClear,
  children,
  ...props
}: BulkBarProps) {
  const t = useT()
  const bar = (
    <Group
      className={classes.bar}
      role="toolbar"
      gap={iconsOnly ? 0 : '2xs'}
      wrap={overHead ? 'nowrap' : 'wrap'}
      mih={overHead ? undefined : 44}
      py={overHead ? 0 : '2xs'}
      ps={overHead ? 'sm' : 'md'}
      pe={iconsOnly ? '2xs' : 'sm'}
      mod={{ 'in-card': inCard, 'over-head': overHead, 'has-menu': hasMenu, 'icons-only': iconsOnly }}
      {...props}
    >
      <Text
        component="div"
        className={classes.summary}
        fz="compact"
        fw={500}
        style={{ whiteSpace: iconsOnly ? undefined : 'nowrap' }}
      >
        {summary}
      </Text>
      <IconButton
        size={iconsOnly || hasMenu ? 44 : 30}
        c="var(--ik-text)"
        label={t('common.ClearSelection')}
        onClick={onClear}
      >
        <IconX size={17} aria-hidden />
      </IconButton>
      {hasMenu ? (
        <ActionsWithMenu actions={actions} isDisabled={isDisabled} />
      ) : (
        <Group gap={iconsOnly ? 0 : '2xs'} wrap={overHead ? 'nowrap' : 'wrap'}>
          <Actions actions={actions} isDisabled={isDisabled} iconsOnly={iconsOnly} />
          {overHead && actions.length > buttonsBesideMenu && (
            <span className={classes.narrowOnly}>
              <MoreMenu actions={actions} isDisabled={isDisabled} size={28} />
            </span>
          )}
        </Group>
      )}
      {children}
    </Group>
  )
  return overHead ? <div className={classes.head}>{bar}</div> : bar
}

type ActionsProps = Pick<BulkBarProps, 'actions' | 'isDisabled'>

function Actions({ actions, isDisabled, iconsOnly }: ActionsProps & { readonly iconsOnly: boolean }) {
  return actions.map((action, index) => {
    const { name, icon: Icon, run } = action
    const shared = { disabled: isDisabled, c: getActionColor(action), onClick: run }
    return iconsOnly ? (
      <ActionIcon key={name} size={44} aria-label={name} {...shared}>
        <Icon size={20} aria-hidden />
      </ActionIcon>
    ) : (
      <Button
        key={name}
        className={index < buttonsBesideMenu ? undefined : classes.later}
        size="compact-sm"
        variant="subtle"
        classNames={{ section: classes.icon ?? '' }}
        leftSection={<Icon size={16} aria-hidden />}
        {...shared}
      >
        {name}
      </Button>
    )
  })
}

/** Not part of the first load of the list. */
const bulkBarMenu = lazySource(async () => (await import('./bulk-bar-menu.tsx')).BulkBarMenu)

/** How many actions have a button beside the menu. */
const buttonsBesideMenu = 3

function ActionsWithMenu({ actions, isDisabled }: ActionsProps) {
  return (
    <Group gap="xs" w="100%" pb="2xs">
      {actions.slice(0, buttonsBesideMenu).map((action) => (
        <Button
          key={action.name}
          flex="1 0 auto"
          mih={44}
          px="xs"
          variant="default"
          disabled={isDisabled}
          c={getActionColor(action)}
          onClick={action.run}
        >
          {action.name}
        </Button>
      ))}
      <MoreMenu actions={actions} isDisabled={isDisabled} size={44} variant="default" />
    </Group>
  )
}

/** The actions that have no button where there is little room. */
function MoreMenu({ actions, isDisabled, size, ...props }: ActionsProps & { size: number; variant?: 'default' }) {
  const t = useT()
  const inMenu: readonly BulkBarAction[] = actions.slice(buttonsBesideMenu)
  return (
    <LazyMenu
      menu={bulkBarMenu}
      menuProps={{ actions: inMenu }}
      renderTarget={(target) => (
        <ActionIcon {...target} {...props} size={size} aria-label={t('common.More')} disabled={isDisabled}>
          <IconDots size={20} aria-hidden />
        </ActionIcon>
      )}
    />
  )
}
