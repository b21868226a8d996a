import { Paper } from '@mantine/core'
import type { ReactNode } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import classes from './definition-editor.module.css'
import type { SectionId } from './draft.ts'
import type { Raw } from './raw.ts'

/** What every card of the editor gets: the definition, and the way to another one. */
export interface PartProps {
  readonly raw: Raw
  readonly onChange: (raw: Raw) => void
}

interface PartCardProps {
  readonly section: SectionId
  /** What it is called where that is not the name of the section. */
  readonly title?: string
  /** A quiet word at the end of the title. */
  readonly note?: string
  readonly action?: ReactNode
  readonly isPadded?: boolean
  readonly children: ReactNode
}

/** One card of the editor. */
export function PartCard({ section, title, note, action, isPadded = true, children }: PartCardProps) {
  const t = useT()
  const name = title ?? t(`definition.Section_${section}`)
  return (
    <section id={partId(section)} className={classes.part} aria-label={name}>
      <Paper>
        <div className={classes.head}>
          <h2 tabIndex={-1}>{name}</h2>
          {note !== undefined && <span className={classes.note}>{note}</span>}
          {action}
        </div>
        {isPadded ? <div className={classes.fields}>{children}</div> : children}
      </Paper>
    </section>
  )
}

/** The id of a card in the page. */
export function partId(section: SectionId): string {
  return `definition-${section}`
}

export const fieldOrder = ['label', 'input', 'error', 'description'] as ('label' | 'input' | 'error' | 'description')[]

/** How a field for names, paths and commands looks and behaves. */
export const code = {
  dir: 'ltr' as const,
  spellCheck: false,
  autoComplete: 'off',
  autoCapitalize: 'none',
  classNames: { input: classes.mono ?? '' },
}
