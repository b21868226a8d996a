import { Anchor, Breadcrumbs, Group, Text, TextInput, Tooltip, UnstyledButton } from '@mantine/core'
import { IconChevronRight, IconHome, IconPencil } from '@tabler/icons-react'
import { type KeyboardEvent, type MouseEvent, type ReactNode, useState } from 'react'
import { parsePath, pathSegments } from '../../api/file-paths.ts'
import { useT } from '../../i18n/i18n.tsx'
import classes from './path-bar.module.css'

interface PathBarProps {
  /** The name of the top folder: that of the server. On a phone it is in the top bar already. */
  readonly rootName: string
  readonly path: string
  readonly onPath: (path: string) => void
  readonly getHref: (path: string) => string
  readonly isPhone: boolean
}

/** The current path as breadcrumbs. A click beside them edits it as text. */
export function PathBar({ rootName, path, onPath, getHref, isPhone }: PathBarProps) {
  const t = useT()
  const [draft, setDraft] = useState<string>()
  const segments = pathSegments(path)
  const maxSegments = isPhone ? 2 : 4
  // The ellipsis replaces one segment.
  const shownCount = segments.length > maxSegments ? maxSegments - 1 : maxSegments
  const shown = segments.slice(-shownCount)
  const collapsed = segments[segments.length - shownCount - 1]

  if (draft !== undefined) {
    const handleKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape') setDraft(undefined)
      if (event.key !== 'Enter') return
      setDraft(undefined)
      onPath(parsePath(draft.trim()))
    }
    return (
      <TextInput
        className="ik-soft"
        flex="1 1 14rem"
        ref={(field) => {
          if (field && document.activeElement !== field) field.select()
        }}
        aria-label={t('files.Path')}
        dir="ltr"
        value={draft}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setDraft(event.currentTarget.value)}
        onKeyDown={handleKeyDown}
        onBlur={() => setDraft(undefined)}
      />
    )
  }
  const link = (to: string, children: ReactNode, label?: string) => (
    <Tooltip key={to} label={label} disabled={label === undefined}>
      <Anchor
        href={getHref(to)}
        className={classes.crumb}
        {...(label === undefined ? {} : { 'aria-label': label, 'data-icon': true })}
        onClick={(event: MouseEvent) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return
          event.preventDefault()
          onPath(to)
        }}
      >
        {children}
      </Anchor>
    </Tooltip>
  )
  return (
    <Group component="nav" className={classes.path} gap={0} wrap="nowrap" dir="ltr" aria-label={t('files.Path')}>
      <Breadcrumbs
        className={classes.crumbs}
        miw={0}
        separator={<IconChevronRight size={14} aria-hidden />}
        separatorMargin={0}
      >
        {link('', <IconHome size={17} aria-hidden />, t('files.Home'))}
        {segments.length === 0 && !isPhone && (
          <Text className={classes.crumb} aria-current="page" style={{ flexShrink: 1 }}>
            <bdi>{rootName}</bdi>
          </Text>
        )}
        {collapsed && link(collapsed.path, '…', collapsed.path)}
        {shown.map(({ name, path: to }, index) =>
          index < shown.length - 1 ? (
            link(to, name)
          ) : (
            <Text key={to} className={classes.crumb} aria-current="page">
              {name}
            </Text>
          ),
        )}
      </Breadcrumbs>
      <Tooltip label={t('files.EditPath')}>
        <UnstyledButton className={classes.edit} aria-label={t('files.EditPath')} onClick={() => setDraft(`/${path}`)}>
          <IconPencil size={14} aria-hidden />
        </UnstyledButton>
      </Tooltip>
    </Group>
  )
}
