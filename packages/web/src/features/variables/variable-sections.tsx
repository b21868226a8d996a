import { Fragment, type ReactNode, useId } from 'react'
import { Description } from './description.tsx'
import type { Section } from './sections.ts'
import classes from './variables.module.css'

interface VariableSectionsProps<F> {
  readonly sections: readonly Section<F>[]
  /** Draws the fields of one section. */
  readonly children: (fields: readonly F[]) => ReactNode
}

/** The variables of a form under the headings of their groups. */
export function VariableSections<F>({ sections, children }: VariableSectionsProps<F>) {
  return (
    <div className={classes.sections}>
      {sections.map(({ key, group, fields }) =>
        group ? (
          <Group key={key} title={group.display ?? ''} about={group.description ?? ''}>
            {children(fields)}
          </Group>
        ) : (
          <Fragment key={key}>{children(fields)}</Fragment>
        ),
      )}
    </div>
  )
}

/** Fields side by side where there is room. */
export function FieldGrid({ children }: { children: ReactNode }) {
  return <div className={classes.grid}>{children}</div>
}

function Group({ title, about, children }: { title: string; about: string; children: ReactNode }) {
  const id = useId()
  return (
    <section className={classes.group} aria-labelledby={title === '' ? undefined : id}>
      {(title !== '' || about !== '') && (
        <div className={classes.head}>
          {title !== '' && <h3 id={id}>{title}</h3>}
          {about !== '' && (
            <p>
              <Description markup={about} />
            </p>
          )}
        </div>
      )}
      {children}
    </section>
  )
}
