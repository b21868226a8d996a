import { Box, Drawer, Group, Menu, NavLink, Stack, Text } from '@mantine/core'
import { IconListCheck } from '@tabler/icons-react'
import { useId } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { isRtl } from '../../ui/keyboard/arrow-keys.ts'
import { getActionLabel, getAvailableActions } from './actions.ts'
import { type FileItem, totalSize } from './entries.ts'
import classes from './files.module.css'
import { actionIcons, ItemIcon } from './icons.tsx'
import type { FileBrowserState } from './use-file-browser.ts'

/** The items that a menu acts on, and where it opens. */
export interface ContextMenuState {
  readonly items: readonly FileItem[]
  readonly position: MenuPosition
}

/** Viewport pixels. A button's menu is aligned to the button's end; one at the pointer starts at the pointer. */
export interface MenuPosition {
  readonly x: number
  readonly y: number
  readonly anchor: 'pointer' | 'button'
}

interface FileMenuProps {
  readonly browser: FileBrowserState
  readonly state: ContextMenuState | undefined
  readonly onClose: () => void
}

/** The list's one context menu: at the pointer or its button, and a bottom sheet on a phone. */
export function FileMenu(props: FileMenuProps) {
  return props.browser.isPhone ? <Sheet {...props} /> : <ContextMenu {...props} />
}

function ContextMenu({ browser, state, onClose }: FileMenuProps) {
  const t = useT()
  const { dateTime } = useFormatters()
  const timeId = useId()
  const items = state?.items ?? []
  const modified = items.length === 1 ? items[0]?.modified : undefined
  const { x, y, anchor } = state?.position ?? { x: 0, y: 0, anchor: 'pointer' }
  return (
    <Menu
      // An open menu does not follow its target: at another position it is mounted again.
      key={state ? `${x} ${y}` : 'none'}
      opened={state !== undefined}
      onClose={onClose}
      position={anchor === 'button' ? 'bottom-end' : 'bottom-start'}
      width={210}
      returnFocus={false}
    >
      <Menu.Target>
        <Box aria-hidden pos="fixed" w={0} h={0} style={{ insetBlockStart: y, insetInlineStart: toInlineStart(x) }} />
      </Menu.Target>
      <Menu.Dropdown aria-label={t('common.Actions')} aria-describedby={timeId}>
        {modified !== undefined && (
          <Menu.Label id={timeId}>
            {t('files.Modified')} <bdi>{dateTime(modified)}</bdi>
          </Menu.Label>
        )}
        {getAvailableActions(items, browser.canWrite).map((action) => {
          const Icon = actionIcons[action]
          return (
            <Menu.Item
              key={action}
              leftSection={<Icon size={17} aria-hidden />}
              c={action === 'delete' ? 'var(--ik-offline)' : undefined}
              onClick={() => browser.actions.runAction(action, items)}
            >
              {getActionLabel(t, action, items)}
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}

function Sheet({ browser, state, onClose }: FileMenuProps) {
  const t = useT()
  const formatters = useFormatters()
  const items = state?.items ?? []
  const [first] = items
  const isSingle = items.length === 1
  const facts = [
    items.some(({ isFolder }) => !isFolder) ? formatters.fileSize(totalSize(items), { decimals: 2 }) : '',
    isSingle && first?.modified !== undefined ? formatters.dateTime(first.modified) : '',
  ]

  return (
    <Drawer
      opened={state !== undefined}
      onClose={onClose}
      position="bottom"
      size="auto"
      classNames={{ content: classes.sheet, body: classes.sheetBody, header: classes.section }}
      title={
        first && (
          <Group gap="sm" wrap="nowrap">
            <Box component="span" flex="none" lh={0}>
              <ItemIcon item={first} size={24} />
            </Box>
            <Stack gap={0} className={classes.wrapAnywhere}>
              <bdi>{isSingle ? first.name : t('files.Selected', { count: items.length })}</bdi>
              <Text span fw={400} variant="note">
                {formatters.facts(facts.filter(Boolean))}
              </Text>
            </Stack>
          </Group>
        )
      }
    >
      {/* On a phone, rows have no checkboxes until one is selected. */}
      {first && isSingle && (
        <SheetItem
          icon={IconListCheck}
          label={t('files.SelectOnPhone')}
          onClick={() => {
            onClose()
            browser.selection.toggle(first.path)
          }}
        />
      )}
      {getAvailableActions(items, browser.canWrite).map((action) => (
        <SheetItem
          key={action}
          icon={actionIcons[action]}
          label={getActionLabel(t, action, items)}
          isDanger={action === 'delete'}
          onClick={() => {
            onClose()
            browser.actions.runAction(action, items)
          }}
        />
      ))}
    </Drawer>
  )
}

interface SheetItemProps {
  readonly icon: typeof IconListCheck
  readonly label: string
  readonly isDanger?: boolean
  readonly onClick: () => void
}

function SheetItem({ icon: Icon, label, isDanger = false, onClick }: SheetItemProps) {
  return (
    <NavLink
      component="button"
      type="button"
      label={label}
      leftSection={<Icon size={22} aria-hidden />}
      mih={48}
      px="lg"
      c={isDanger ? 'var(--ik-offline)' : undefined}
      onClick={onClick}
    />
  )
}

/** Converts a distance from the window's left edge to one from its inline start. */
function toInlineStart(left: number): number {
  return isRtl() ? innerWidth - left : left
}
