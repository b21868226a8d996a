import { Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import type { FormState } from '../../forms/use-save-form.ts'
import { CardHeader } from '../../ui/card-header.tsx'
import { useIsPhone } from '../../ui/page.tsx'

interface SettingsCardProps {
  readonly id: string
  readonly title: string
  /** Shown at the end of the heading row. */
  readonly note?: string
  readonly form: FormState
  /** Buttons at the start of the save bar, which is then always shown. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** Settings that are saved together. */
export function SettingsCard({ id, title, note, form, actions, children }: SettingsCardProps) {
  const isPhone = useIsPhone()
  return (
    <Paper>
      <SaveForm form={form} isInCard id={id} aria-label={title} style={{ scrollMarginBlockStart: '1.25rem' }}>
        <CardHeader title={title}>{note && <Text variant="caption">{note}</Text>}</CardHeader>
        <Stack p="md">{children}</Stack>
        {isPhone && actions !== undefined && (
          <Group gap="xs" px="md" pb="md">
            {actions}
          </Group>
        )}
        <SaveBar form={form} isInline>
          {isPhone ? undefined : actions}
        </SaveBar>
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
