import { Drawer, Menu, UnstyledButton } from '@mantine/core'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { type Action, actionsFor, labelOf } from './actions.ts'
import { bytesOf, type Item } from './entries.ts'
import classes from './file-menu.module.css'
import { actionIcons, ItemIcon } from './icons.tsx'
import { modifiedText } from './modified.ts'

/** What a menu is about, and where on the screen it was asked for. */
export interface MenuWish {
  readonly items: readonly Item[]
  readonly place: MenuPlace
}

/** Where on the screen; a menu of a button ends where the button ends, one of the pointer begins there. */
export interface MenuPlace {
  readonly x: number
  readonly y: number
  readonly from: 'pointer' | 'button'
}

interface FileMenuProps {
  readonly wish: MenuWish | undefined
  readonly canWrite: boolean
  readonly isPhone: boolean
  readonly onAct: (action: Action, items: readonly Item[]) => void
  /** Begins choosing several, on a phone, where rows have no boxes until then. */
  readonly onChoose: (item: Item) => void
  readonly onClose: () => void
}

/** The one menu of the list: at the pointer or its button, and from the bottom edge of a phone. */
export function FileMenu(props: FileMenuProps) {
  return props.isPhone ? <Sheet {...props} /> : <PlacedMenu {...props} />
}

function PlacedMenu({ wish, canWrite, onAct, onClose }: FileMenuProps) {
  const t = useT()
  const items = wish?.items ?? []
  return (
    <Menu
      // A menu that was asked for elsewhere is another menu: it would not follow its place.
      key={wish ? `${wish.place.x} ${wish.place.y}` : 'none'}
      opened={wish !== undefined}
      onClose={onClose}
      position={wish?.place.from === 'button' ? 'bottom-end' : 'bottom-start'}
      width={210}
      returnFocus={false}
    >
      <Menu.Target>
        <span
          aria-hidden
          className={classes.menuPlace}
          style={{ insetBlockStart: wish?.place.y ?? 0, insetInlineStart: fromStart(wish?.place.x ?? 0) }}
        />
      </Menu.Target>
      <Menu.Dropdown aria-label={t('files.Actions')}>
        {actionsFor(items, canWrite).map((action) => {
          const Icon = actionIcons[action]
          return (
            <Menu.Item
              key={action}
              leftSection={<Icon size={17} aria-hidden />}
              {...(action === 'delete' && classes.danger ? { className: classes.danger } : {})}
              onClick={() => onAct(action, items)}
            >
              {labelOf(t, action, items)}
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}

function Sheet({ wish, canWrite, onAct, onChoose, onClose }: FileMenuProps) {
  const t = useT()
  const formats = useFormatters()
  const items = wish?.items ?? []
  const [only] = items
  const size = items.some(({ isFolder }) => !isFolder) ? formats.size(bytesOf(items)) : ''
  const day = items.length === 1 ? modifiedText(t, formats, only?.modified, Date.now()) : ''

  return (
    <Drawer
      opened={wish !== undefined}
      onClose={onClose}
      position="bottom"
      size="auto"
      classNames={{ content: classes.sheet ?? '', body: classes.sheetBody ?? '', header: classes.sheetHeader ?? '' }}
      title={
        only && (
          <span className={classes.sheetTitle}>
            <ItemIcon item={only} size={24} />
            <span>
              <bdi>{items.length === 1 ? only.name : t('files.Chosen', { count: items.length })}</bdi>
              <small>{[size, day].filter(Boolean).join(' · ')}</small>
            </span>
          </span>
        )
      }
    >
      {actionsFor(items, canWrite).map((action) => {
        const Icon = actionIcons[action]
        return (
          <UnstyledButton
            key={action}
            className={`${classes.sheetItem} ${action === 'delete' ? classes.danger : ''}`}
            onClick={() => {
              onClose()
              onAct(action, items)
            }}
          >
            <Icon size={22} aria-hidden />
            {labelOf(t, action, items)}
          </UnstyledButton>
        )
      })}
      {only && items.length === 1 && (
        <UnstyledButton
          className={classes.sheetItem}
          onClick={() => {
            onClose()
            onChoose(only)
          }}
        >
          <span className={classes.sheetGap} />
          {t('files.ChooseSeveral')}
        </UnstyledButton>
      )}
    </Drawer>
  )
}

/** A distance from the left edge of the window as one from where lines begin. */
function fromStart(fromLeft: number): number {
  return document.documentElement.dir === 'rtl' ? innerWidth - fromLeft : fromLeft
}
