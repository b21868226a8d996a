import { isBlankName } from '@innkeeper/contract/servers/files'
import { IconDots, IconLink } from '@tabler/icons-react'
import { Fragment, memo } from 'react'
import type { Formatters } from '../../i18n/formatters.ts'
import type { TFunction } from '../../i18n/i18n.tsx'
import controls from '../../ui/lists/row-controls.module.css'
import { actionNames, getQuickActions, quickActionNames } from './actions.ts'
import type { FileItem } from './entries.ts'
import classes from './file-table.module.css'
import { actionIcons, ItemIcon } from './icons.tsx'

interface FileRowProps {
  readonly item: FileItem
  readonly index: number
  readonly isSelected: boolean
  /** The row that has the grid's tab stop. */
  readonly isActive: boolean
  readonly canWrite: boolean
  readonly isPhone: boolean
  /** The URL of a folder, which opens it in another browser tab. */
  readonly href: string | undefined
  /** The folder of a search result. */
  readonly folder: string | undefined
  readonly t: TFunction
  readonly formatters: Formatters
  readonly now: number
}

/**
 * One row of the grid. The table handles its events: `data-index` on the row and `data-action` on a control say what
 * was clicked. A row without handlers stays memoized until it looks different, so that large folders stay fast.
 */
export const FileRow = memo(function FileRow(row: FileRowProps) {
  const { item, index, isSelected, isActive, canWrite, isPhone, href, folder, t, formatters, now } = row
  const { isFolder, isUnsupported, size, modified } = item
  const name = isBlankName(item.name) ? t('files.BlankName') : item.name
  const tabIndex = isActive ? 0 : -1
  const modifiedText = formatModified(t, formatters, modified, now)
  const sizeText = isFolder || isUnsupported ? '' : formatters.fileSize(size, { decimals: 2 })
  const facts = [...(folder === undefined ? [] : [folder || '/']), sizeText, modifiedText].filter(Boolean)
  const label = (
    <>
      <ItemIcon item={item} size={isPhone ? 24 : 18} />
      <span className={classes.label}>
        <bdi>{name}</bdi>
        {item.isLink && <IconLink size={13} aria-label={t('files.Link')} className={classes.link} />}
        {isPhone && (
          <small>
            {facts.map((fact, factIndex) => (
              <Fragment key={fact}>
                {factIndex > 0 && ' · '}
                <bdi>{fact}</bdi>
              </Fragment>
            ))}
          </small>
        )}
        {!isPhone && folder !== undefined && (
          <small dir="ltr" className={classes.folder}>
            {folder || '/'}
          </small>
        )}
      </span>
    </>
  )
  const open = { className: classes.open, 'data-action': 'open', 'data-main': true, tabIndex } as const

  return (
    <tr
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={isUnsupported ? undefined : isSelected}
      data-drop-folder={isFolder && canWrite && !isUnsupported ? item.path : undefined}
    >
      {/* A click anywhere in the cell counts, since the checkbox is small for a finger. */}
      <td className={classes.check} data-action="select">
        <input
          type="checkbox"
          className={controls.checkbox}
          data-action="select"
          aria-label={t('common.SelectNamed', { name })}
          checked={isSelected}
          readOnly
          disabled={isUnsupported}
          tabIndex={tabIndex}
        />
      </td>
      <td className={classes.name}>
        {href === undefined ? (
          <button type="button" {...open} aria-disabled={isUnsupported || undefined}>
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
            <bdi>{sizeText}</bdi>
          </td>
          <td className={classes.modified}>
            {modified !== undefined && (
              <time dateTime={new Date(modified).toISOString()}>
                <bdi>{modifiedText}</bdi>
              </time>
            )}
          </td>
        </>
      )}
      <td className={classes.actions}>
        {isUnsupported ? (
          <span className={classes.unsupported}>{t('files.Unsupported')}</span>
        ) : (
          <span className={controls.buttons}>
            {!isPhone &&
              getQuickActions(item, canWrite).map((action) => {
                const Icon = actionIcons[action]
                return (
                  <button
                    key={action}
                    type="button"
                    className={controls.icon}
                    data-action={action}
                    data-tip={t(actionNames[action])}
                    aria-label={t(quickActionNames[action], { name })}
                    tabIndex={tabIndex}
                  >
                    <Icon size={17} aria-hidden />
                  </button>
                )
              })}
            <button
              type="button"
              className={controls.icon}
              data-action="menu"
              aria-haspopup="menu"
              aria-label={t('common.MoreFor', { name })}
              tabIndex={tabIndex}
            >
              <IconDots size={isPhone ? 20 : 17} aria-hidden />
            </button>
          </span>
        )}
      </td>
    </tr>
  )
})

/** A modification time as text: the time of day if it is today, otherwise date and time. Epoch milliseconds. */
function formatModified(t: TFunction, formatters: Formatters, time: number | undefined, now: number): string {
  if (time === undefined) return ''
  const isToday = new Date(time).toDateString() === new Date(now).toDateString()
  return isToday ? t('files.Today', { time: formatters.shortTime(time) }) : formatters.shortDateTime(time, now)
}
