import { TextInput } from '@mantine/core'
import { IconChevronRight, IconHome, IconPencil } from '@tabler/icons-react'
import { type KeyboardEvent, type MouseEvent, useState } from 'react'
import { parsePath, pathSegments } from '../../api/file-paths.ts'
import { useT } from '../../i18n/i18n.tsx'
import classes from './toolbar.module.css'

interface PathBarProps {
  readonly path: string
  readonly onPath: (path: string) => void
  readonly hrefOf: (path: string) => string
  /** How many folders are shown before the ones above are folded. */
  readonly most: number
}

/** Where one is: every folder on the way leads there. A click beside them lets the path be typed. */
export function PathBar({ path, onPath, hrefOf, most }: PathBarProps) {
  const t = useT()
  const [typed, setTyped] = useState<string>()
  const segments = pathSegments(path)
  // The fold takes the room of one more.
  const fitting = segments.length > most ? most - 1 : most
  const shown = segments.slice(-fitting)
  const folded = segments[segments.length - fitting - 1]
  const follow = (to: string) => (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    onPath(to)
  }

  if (typed !== undefined) {
    const press = (event: KeyboardEvent) => {
      if (event.key === 'Escape') setTyped(undefined)
      if (event.key !== 'Enter') return
      setTyped(undefined)
      onPath(parsePath(typed.trim()))
    }
    return (
      <TextInput
        className={`${classes.typedPath} ik-soft`}
        ref={(field) => {
          if (field && document.activeElement !== field) field.select()
        }}
        aria-label={t('files.Path')}
        dir="ltr"
        value={typed}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={press}
        onBlur={() => setTyped(undefined)}
      />
    )
  }
  return (
    <nav className={classes.path} dir="ltr" aria-label={t('files.Path')}>
      <ol>
        <li>
          <a href={hrefOf('')} onClick={follow('')} aria-label={t('files.Home')} data-tip={t('files.Home')}>
            <IconHome size={17} aria-hidden />
          </a>
        </li>
        {folded && (
          <li>
            <IconChevronRight size={14} aria-hidden />
            <a
              href={hrefOf(folded.path)}
              onClick={follow(folded.path)}
              aria-label={folded.path}
              data-tip={folded.path}
              className={classes.folded}
            >
              …
            </a>
          </li>
        )}
        {shown.map(({ name, path: to }, index) => (
          <li key={to}>
            <IconChevronRight size={14} aria-hidden />
            {index === shown.length - 1 ? (
              <b aria-current="page">{name}</b>
            ) : (
              <a href={hrefOf(to)} onClick={follow(to)}>
                {name}
              </a>
            )}
          </li>
        ))}
      </ol>
      <button
        type="button"
        className={classes.edge}
        aria-label={t('files.EditPath')}
        data-tip={t('files.EditPath')}
        onClick={() => setTyped(`/${path}`)}
      >
        <IconPencil size={14} aria-hidden />
      </button>
    </nav>
  )
}
