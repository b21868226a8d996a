import { Button } from '@mantine/core'
import { IconDeviceFloppy } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useText } from '../../i18n/text.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import { Card } from '../../ui/small.tsx'
import classes from './settings-screen.module.css'
import type { CardState } from './use-card.ts'

interface SettingsCardProps {
  readonly id: string
  readonly title: string
  /** A quiet word at the end of the title. */
  readonly note?: string
  readonly state: CardState
  /** Buttons at the start of its foot; with them the foot is always there. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** Settings that are saved together. The foot says how many changes wait. */
export function SettingsCard({ id, title, note, state, actions, children }: SettingsCardProps) {
  const text = useText()
  const isPhone = useIsPhone()
  const isDirty = state.count > 0
  return (
    <Card>
      <form
        ref={state.card}
        id={id}
        aria-label={title}
        className={classes.card}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void state.save()
        }}
      >
        <div className={classes.head}>
          <h2 tabIndex={-1}>{title}</h2>
          {note && <span className={classes.note}>{note}</span>}
        </div>
        {children}
        {isPhone && actions !== undefined && <div className={classes.actions}>{actions}</div>}
        {((actions !== undefined && !isPhone) || isDirty) && (
          <div className={classes.foot}>
            {!isPhone && actions}
            <span role="status" className={classes.changes} data-dirty={isDirty || undefined}>
              {isDirty && text('common.UnsavedChanges', { count: state.count })}
            </span>
            <div className={classes.buttons}>
              {isDirty && (
                <Button variant="subtle" color="gray" disabled={state.pending} onClick={state.discard}>
                  {text('common.Discard')}
                </Button>
              )}
              <Button
                type="submit"
                disabled={!isDirty}
                loading={state.pending}
                leftSection={<IconDeviceFloppy size={17} aria-hidden />}
              >
                {text('common.Save')}
              </Button>
            </div>
          </div>
        )}
      </form>
    </Card>
  )
}
