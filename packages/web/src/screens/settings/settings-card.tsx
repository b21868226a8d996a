import { Paper } from '@mantine/core'
import type { ReactNode } from 'react'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import type { FormState } from '../../forms/use-save-form.ts'
import { useIsPhone } from '../../ui/page.tsx'
import classes from './settings-screen.module.css'

interface SettingsCardProps {
  readonly id: string
  readonly title: string
  /** A quiet word at the end of the title. */
  readonly note?: string
  readonly form: FormState
  /** Buttons at the start of its foot; with them the foot is always there. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** Settings that are saved together. The foot says how many changes wait. */
export function SettingsCard({ id, title, note, form, actions, children }: SettingsCardProps) {
  const isPhone = useIsPhone()
  return (
    <Paper>
      <SaveForm form={form} isInCard id={id} aria-label={title} className={classes.card}>
        <div className={classes.head}>
          <h2 tabIndex={-1}>{title}</h2>
          {note && <span className={classes.note}>{note}</span>}
        </div>
        {children}
        {isPhone && actions !== undefined && <div className={classes.actions}>{actions}</div>}
        <SaveBar form={form} isInline>
          {isPhone ? undefined : actions}
        </SaveBar>
      </SaveForm>
    </Paper>
  )
}
