import { SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { Fragment, type ReactNode, useId } from 'react'
import { Description } from './description.tsx'
import type { Section } from './sections.ts'
import classes from './variables.module.css'

interface VariableSectionsProps<F> {
  readonly sections: readonly Section<F>[]
  /** Renders the fields of one section. */
  readonly children: (fields: readonly F[]) => ReactNode
}

/** The variables of a form under the headings of their groups. */
export function VariableSections<F>({ sections, children }: VariableSectionsProps<F>) {
  return (
    <div className={classes.sections}>
      {sections.map(({ key, group, fields }) =>
        group ? (
          <VariableGroup key={key} title={group.display ?? ''} description={group.description ?? ''}>
            {children(fields)}
          </VariableGroup>
        ) : (
          <Fragment key={key}>{children(fields)}</Fragment>
        ),
      )}
    </div>
  )
}

/** Fields side by side where there is room. */
export function FieldGrid({ children }: { children: ReactNode }) {
  return (
    <SimpleGrid minColWidth="min(100%, 20rem)" spacing="lg" verticalSpacing="lg" px="md" py="lg">
      {children}
    </SimpleGrid>
  )
}

function VariableGroup({ title, description, children }: { title: string; description: string; children: ReactNode }) {
  const id = useId()
  return (
    <section className={classes.group} aria-labelledby={title === '' ? undefined : id}>
      {(title !== '' || description !== '') && (
        <Stack gap="3xs" px="md" pt="md">
          {title !== '' && (
            <Title order={3} id={id}>
              {title}
            </Title>
          )}
          {description !== '' && (
            <Text c="dimmed" maw="68ch" style={{ overflowWrap: 'anywhere' }}>
              <Description markup={description} />
            </Text>
          )}
        </Stack>
      )}
      {children}
    </section>
  )
}
