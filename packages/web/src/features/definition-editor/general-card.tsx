import { Group, Input, Paper, SegmentedControl, Text, Textarea, TextInput } from '@mantine/core'
import { useId, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { codeInputProps } from '../../ui/fields/code-input.ts'
import { Readme } from '../../ui/loading/readme.tsx'
import { getText, setIn, setText } from './json-path.ts'
import { FieldRow, SectionCard, type SectionProps } from './section-card.tsx'
import { type DefinitionKind, issueMessage, type ValidationIssue } from './validation.ts'

interface GeneralCardProps extends SectionProps {
  readonly kind: DefinitionKind
  readonly issues: readonly ValidationIssue[]
}

/** Name, type and readme. */
export function GeneralCard({ raw, onChange, kind, issues }: GeneralCardProps) {
  const t = useT()
  const typeIssue = issues.find(({ path }) => path === 'type')
  return (
    <SectionCard section="general">
      <FieldRow>
        <TextInput
          label={t('common.DisplayName')}
          value={getText(raw, ['display'])}
          onChange={(event) => onChange(setText(raw, ['display'], event.currentTarget.value))}
        />
        <TextInput
          {...codeInputProps}
          label={t('common.Type')}
          description={t('definition.TypeHelp')}
          withAsterisk
          value={getText(raw, ['type'])}
          error={typeIssue && issueMessage(t, typeIssue)}
          onChange={(event) => onChange(setIn(raw, ['type'], event.currentTarget.value))}
        />
      </FieldRow>
      {kind === 'template' && <ReadmeField raw={raw} onChange={onChange} />}
    </SectionCard>
  )
}

function ReadmeField({ raw, onChange }: SectionProps) {
  const t = useT()
  const id = useId()
  const readme = getText(raw, ['readme'])
  const [isPreview, setIsPreview] = useState(readme.trim() !== '')
  return (
    <div>
      <Group justify="space-between" gap="xs" mb="2xs">
        <Input.Label htmlFor={id} labelElement={isPreview ? 'div' : 'label'}>
          {t('common.Readme')}
        </Input.Label>
        <SegmentedControl
          size="xs"
          aria-label={t('definition.ReadmeView')}
          value={isPreview ? 'preview' : 'write'}
          onChange={(view) => setIsPreview(view === 'preview')}
          data={[
            { value: 'write', label: t('definition.ReadmeWrite') },
            { value: 'preview', label: t('definition.ReadmePreview') },
          ]}
        />
      </Group>
      {isPreview ? (
        <Paper radius="md" px="md" py="sm" mah="20rem" style={{ overflowY: 'auto' }} tabIndex={0}>
          {readme.trim() === '' ? (
            <Text c="dimmed">{t('definition.NoReadme')}</Text>
          ) : (
            <Readme markdown={readme} headings="h3" />
          )}
        </Paper>
      ) : (
        <Textarea
          id={id}
          description={t('definition.ReadmeHelp')}
          autosize
          minRows={3}
          maxRows={20}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={readme}
          onChange={(event) => onChange(setText(raw, ['readme'], event.currentTarget.value))}
        />
      )}
    </div>
  )
}
