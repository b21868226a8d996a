import { promptTypes } from '@innkeeper/contract/definitions/prompts'
import { ActionIcon, Fieldset, Group, Input, Select, Stack, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { StringListInput } from '../../ui/fields/string-list-input.tsx'
import { AddButton } from '../../ui/layout/add-button.tsx'
import { useRowIds } from '../../ui/lists/row-ids.ts'
import { getPrompts, setPrompts } from './draft.ts'
import { getLines, getText, type JsonObject, setIn } from './json-path.ts'
import { PathInput, SectionCard, type SectionProps } from './section-card.tsx'
import { issueMessage, type ValidationIssue } from './validation.ts'

interface PromptsCardProps extends SectionProps {
  readonly issues: readonly ValidationIssue[]
}

/** What users are asked after a line of the output. */
export function PromptsCard({ raw, onChange, issues }: PromptsCardProps) {
  const t = useT()
  const prompts = getPrompts(raw)
  const { ids, keepIds } = useRowIds(prompts)
  const issue = issues.find(({ path }) => path === 'prompts')
  const update = (next: readonly JsonObject[], nextIds: readonly (number | undefined)[]) => {
    keepIds(next, nextIds)
    onChange(setPrompts(raw, next))
  }
  return (
    <SectionCard section="prompts">
      <Text c="dimmed">{t('definition.PromptsHelp')}</Text>
      {issue && <Input.Error>{issueMessage(t, issue)}</Input.Error>}
      {prompts.map((prompt, index) => (
        <PromptRow
          key={ids[index]}
          number={index + 1}
          prompt={prompt}
          onChange={(next) => update(prompts.with(index, next), ids)}
          onRemove={() => update(prompts.toSpliced(index, 1), ids.toSpliced(index, 1))}
        />
      ))}
      <AddButton onClick={() => update([...prompts, { type: promptTypes[0] }], [...ids, undefined])}>
        {t('definition.AddPrompt')}
      </AddButton>
    </SectionCard>
  )
}

interface PromptRowProps {
  readonly number: number
  readonly prompt: JsonObject
  readonly onChange: (prompt: JsonObject) => void
  readonly onRemove: () => void
}

function PromptRow({ number, prompt, onChange, onRemove }: PromptRowProps) {
  const t = useT()
  const type = getText(prompt, ['type'])
  const known = promptTypes.map((value) => ({ value, label: t(`server.Prompt_${value}`) }))
  const isKnown = known.some(({ value }) => value === type)
  return (
    <Fieldset variant="unstyled" mx={0} miw={0} legend={t('definition.PromptNumber', { number })}>
      <Stack gap="sm">
        <Group gap="xs" wrap="nowrap">
          <Select
            flex={1}
            miw={0}
            aria-label={t('definition.PromptNumber', { number })}
            data={isKnown || type === '' ? known : [...known, type]}
            value={type}
            allowDeselect={false}
            onChange={(value) => onChange(setIn(prompt, ['type'], value ?? type))}
          />
          <ActionIcon aria-label={t('definition.RemovePrompt', { number })} onClick={onRemove}>
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Group>
        <StringListInput
          label={t('definition.PromptPatterns')}
          description={t('definition.PromptPatternsHelp')}
          values={getLines(prompt, ['patterns'])}
          onChange={(lines) => onChange(setIn(prompt, ['patterns'], lines.length === 0 ? undefined : lines))}
        />
        <PathInput raw={prompt} onChange={onChange} path={['variable']} label={t('definition.PromptVariable')} />
      </Stack>
    </Fieldset>
  )
}
