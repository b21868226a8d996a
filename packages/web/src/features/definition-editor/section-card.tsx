import { Paper, SimpleGrid, Stack, Text, TextInput, type TextInputProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { codeInputProps } from '../../ui/fields/code-input.ts'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import type { SectionId } from './draft.ts'
import { getText, type JsonObject, type Path, setText } from './json-path.ts'

/** What every card edits: the whole definition. */
export interface SectionProps {
  readonly raw: JsonObject
  readonly onChange: (raw: JsonObject) => void
}

interface SectionCardProps {
  readonly section: SectionId
  /** Replaces the name of the section. */
  readonly title?: string
  readonly note?: string
  readonly action?: ReactNode
  readonly isPadded?: boolean
  readonly children: ReactNode
}

/** The frame of one section of the definition editor: heading, note, action and fields. */
export function SectionCard({ section, title, note, action, isPadded = true, children }: SectionCardProps) {
  const t = useT()
  const name = title ?? t(`definition.Section_${section}`)
  return (
    <Paper
      component="section"
      id={sectionElementId(section)}
      aria-label={name}
      style={{ scrollMarginBlockStart: 'var(--mantine-spacing-lg)' }}
    >
      <CardHeader title={name}>
        {note !== undefined && <Text variant="caption">{note}</Text>}
        {action}
      </CardHeader>
      {isPadded ? (
        <Stack gap="md" p="md">
          {children}
        </Stack>
      ) : (
        children
      )}
    </Paper>
  )
}

/** Inputs side by side where there is room. */
export function FieldRow({ children }: { children: ReactNode }) {
  return (
    <SimpleGrid minColWidth="min(100%, 15rem)" spacing="lg" verticalSpacing="md">
      {children}
    </SimpleGrid>
  )
}

/** The id of a card's element, which links to sections use. */
export function sectionElementId(section: SectionId): string {
  return `definition-${section}`
}

interface PathInputProps extends SectionProps, Omit<TextInputProps, 'value' | 'onChange'> {
  readonly path: Path
}

/** A code input for an optional field of the definition. An empty text removes the field. */
export function PathInput({ raw, onChange, path, ...rest }: PathInputProps) {
  return (
    <TextInput
      {...codeInputProps}
      {...rest}
      value={getText(raw, path)}
      onChange={(event) => onChange(setText(raw, path, event.currentTarget.value))}
    />
  )
}
