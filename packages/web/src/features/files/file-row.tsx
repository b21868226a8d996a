import { isBlankName } from '@innkeeper/contract/files'
import { IconDots, IconDotsVertical, IconLink } from '@tabler/icons-react'
import { Fragment, memo } from 'react'
import type { Formatters } from '../../i18n/formatters.ts'
import type { TFunction } from '../../i18n/i18n.tsx'
import { actionNames, quickActionNames, quickActionsOf } from './actions.ts'
import type { Item } from './entries.ts'
import classes from './file-table.module.css'
import { actionIcons, ItemIcon } from './icons.tsx'
import { modifiedText } from './modified.ts'

interface FileRowProps {
  readonly item: Item
  readonly at: number
  readonly isChosen: boolean
  /** The one row that the Tab key leads into. */
  readonly isActive: boolean
  readonly canWrite: boolean
  readonly isPhone: boolean
  /** A folder's address, for another tab of the browser. */
  readonly href: string | undefined
  /** Where it was found. */
  readonly where: string | undefined
  readonly t: TFunction
  readonly formats: Formatters
  readonly now: number
}

/**
 * One row. What is done to it is noticed by the table: `data-at` says which row, `data-do` what was meant. So a row is
 * drawn again only when it looks different, and ten thousand of them cost little.
 */
export const FileRow = memo(function FileRow(row: FileRowProps) {
  const { item, at, isChosen, isActive, canWrite, isPhone, href, where, t: text, formats, now } = row
  const { isFolder, isOdd, size, modified } = item
  const name = isBlankName(item.name) ? text('files.BlankName') : item.name
  const tab = isActive ? 0 : -1
  const day = modifiedText(text, formats, modified, now)
  const bytes = isFolder || isOdd ? '' : formats.size(size)
  const facts = [...(where === undefined ? [] : [where || '/']), bytes, day].filter(Boolean)
  const label = (
    <>
      <ItemIcon item={item} size={isPhone ? 24 : 18} />
      <span className={classes.label}>
        <bdi>{name}</bdi>
        {item.isLink && <IconLink size={13} aria-label={text('files.Link')} className={classes.link} />}
        {isPhone && (
          <small>
            {facts.map((fact, nth) => (
              <Fragment key={fact}>
                {nth > 0 && ' · '}
                <bdi>{fact}</bdi>
              </Fragment>
            ))}
          </small>
        )}
        {!isPhone && where !== undefined && (
          <small dir="ltr" className={classes.where}>
            {where || '/'}
          </small>
        )}
      </span>
    </>
  )
  const open = { className: classes.open, 'data-do': 'open', 'data-main': true, tabIndex: tab } as const
  const Dots = isPhone ? IconDotsVertical : IconDots

  return (
    <tr
      data-at={at}
      aria-rowindex={at + 2}
      aria-selected={isOdd ? undefined : isChosen}
      data-drop-folder={isFolder && canWrite && !isOdd ? item.path : undefined}
    >
      {/* The whole cell takes the finger that aims at the box. */}
      <td className={classes.check} data-do="choose">
        <input
          type="checkbox"
          data-do="choose"
          aria-label={text('files.Choose', { name })}
          checked={isChosen}
          readOnly
          disabled={isOdd}
          tabIndex={tab}
        />
      </td>
      <td className={classes.name}>
        {href === undefined ? (
          <button type="button" {...open} aria-disabled={isOdd || undefined}>
            {label}
          </button>
        ) : (
          <a href={href} {...open}>
            {label}
          </a>
        )}
      </td>
      {!isPhone && (
        <>
          <td className={classes.size}>
            <bdi>{bytes}</bdi>
          </td>
          <td className={classes.modified}>
            {modified !== undefined && (
              <time dateTime={new Date(modified).toISOString()} data-tip={formats.dateTime(modified)}>
                <bdi>{day}</bdi>
              </time>
            )}
          </td>
        </>
      )}
      <td className={classes.actions}>
        {isOdd ? (
          <span className={classes.odd}>{text('files.Odd')}</span>
        ) : (
          <span className={classes.buttons}>
            {!isPhone &&
              quickActionsOf(item, canWrite).map((action) => {
                const Icon = actionIcons[action]
                return (
                  <button
                    key={action}
                    type="button"
                    className={classes.icon}
                    data-do={action}
                    data-tip={text(actionNames[action])}
                    aria-label={text(quickActionNames[action], { name })}
                    tabIndex={tab}
                  >
                    <Icon size={17} aria-hidden />
                  </button>
                )
              })}
            <button
              type="button"
              className={classes.icon}
              data-do="menu"
              aria-haspopup="menu"
              aria-label={text('files.MoreFor', { name })}
              tabIndex={tab}
            >
              <Dots size={isPhone ? 20 : 17} aria-hidden />
            </button>
          </span>
        )}
      </td>
    </tr>
  )
})
