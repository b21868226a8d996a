import { ActionIcon, Group, Text, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useRef } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { codeInputProps } from '../../ui/fields/code-input.ts'
import { AddButton } from '../../ui/layout/add-button.tsx'
import { nextId } from '../../ui/lists/row-ids.ts'
import type { EnvVarDraft } from './draft.ts'
import { toText } from './json-path.ts'
import { SectionCard } from './section-card.tsx'
import { issueMessage, type ValidationIssue } from './validation.ts'

interface EnvCardProps {
  readonly rows: readonly EnvVarDraft[]
  readonly onChange: (rows: readonly EnvVarDraft[]) => void
  readonly issues: readonly ValidationIssue[]
}

/** The environment variables of the server process. */
export function EnvCard({ rows, onChange, issues }: EnvCardProps) {
  const t = useT()
  const addedId = useRef<number>(undefined)
  const edit = (id: number, changes: Partial<EnvVarDraft>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...changes } : row)))
  const add = () => {
    addedId.current = nextId(rows)
    onChange([...rows, { id: nextId(rows), name: '', value: '' }])
  }
  return (
    <SectionCard section="env">
      {rows.length === 0 && <Text c="dimmed">{t('definition.NoEnvironmentVars')}</Text>}
      {rows.map(({ id, name, value }) => {
        const issue = issues.find(({ path }) => path === `env/${id}`)
        const displayName = name || t('definition.Unnamed')
        return (
          <Group key={id} gap="xs" align="flex-start" wrap="nowrap">
            <TextInput
              {...codeInputProps}
              flex={2}
              ref={(input) => {
                if (!input || addedId.current !== id) return
                addedId.current = undefined
                input.focus()
              }}
              aria-label={t('common.Name')}
              placeholder={t('common.Name')}
              value={name}
              error={issue && issueMessage(t, issue)}
              onChange={(event) => edit(id, { name: event.currentTarget.value })}
            />
            <TextInput
              {...codeInputProps}
              flex={3}
              aria-label={t('definition.EnvironmentValue', { name: displayName })}
              placeholder={t('definition.Value')}
              value={toText(value)}
              onChange={(event) => edit(id, { value: event.currentTarget.value })}
            />
            <ActionIcon
              mt="3xs"
              aria-label={t('common.RemoveNamed', { name: displayName })}
              onClick={() => onChange(rows.filter((row) => row.id !== id))}
            >
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </Group>
        )
      })}
      <AddButton onClick={add}>{t('definition.AddEnvironmentVar')}</AddButton>
    </SectionCard>
  )
}
