import { Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import type { FormState } from '../../forms/use-save-form.ts'
import { CardHeader } from '../../ui/lists/card-header.tsx'

interface SettingsCardProps {
  readonly id: string
  readonly title: string
  /** Shown at the end of the heading row. */
  readonly note?: string
  readonly form: FormState
  /** Buttons below the settings. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** Settings that are saved together. */
export function SettingsCard({ id, title, note, form, actions, children }: SettingsCardProps) {
  return (
    <Paper>
      <SaveForm form={form} isInCard id={id} aria-label={title} style={{ scrollMarginBlockStart: '1.25rem' }}>
        <CardHeader title={title}>{note && <Text variant="caption">{note}</Text>}</CardHeader>
        <Stack p="md">{children}</Stack>
        {actions && (
          <Group gap="xs" px="md" pb="md">
            {actions}
          </Group>
        )}
        <SaveBar form={form} isInline />
      </SaveForm>
    </Paper>
  )
}

/** Settings side by side where there is room. */
export function SettingGrid({ children }: { children: ReactNode }) {
  return (
    <SimpleGrid minColWidth="min(100%, 19rem)" autoFlow="auto-fit" spacing="lg" verticalSpacing="md">
      {children}
    </SimpleGrid>
  )
}
