import { ActionIcon, Fieldset, Group, Input, Stack, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { codeInputProps } from '../../ui/fields/code-input.ts'
import { AddButton } from '../../ui/layout/add-button.tsx'
import { type ConfigChangeDraft, setChangeText } from './config-changes.ts'

interface ConfigChangesInputProps {
  readonly label: string
  readonly changes: readonly ConfigChangeDraft[]
  readonly error: string | undefined
  readonly onChange: (changes: readonly ConfigChangeDraft[]) => void
}

/** The settings that a step changes in a configuration file, one row each. */
export function ConfigChangesInput({ label, changes, error, onChange }: ConfigChangesInputProps) {
  const t = useT()
  const rows = changes.length === 0 ? [{}] : changes
  const columns = { path: t('steps.ConfigPath'), value: t('definition.Value'), when: t('steps.ConfigWhen') }
  const legend = (
    <Input.Label labelElement="div" required>
      {label}
    </Input.Label>
  )
  return (
    <Fieldset variant="unstyled" mx={0} legend={legend} miw={0}>
      <Stack gap="xs" align="flex-start">
        {rows.map((change, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is identified by its position
          <Group key={index} gap="xs" w="100%">
            {(['path', 'value', 'when'] as const).map((name) => (
              <TextInput
                key={name}
                {...codeInputProps}
                flex="1 1 8rem"
                aria-label={`${t('lines.Line', { label, number: index + 1 })}: ${columns[name]}`}
                placeholder={columns[name]}
                value={String(change[name] ?? '')}
                error={error !== undefined && index === 0}
                onChange={(event) => onChange(rows.with(index, setChangeText(change, name, event.currentTarget.value)))}
              />
            ))}
            <ActionIcon
              aria-label={t('lines.Remove', { label, number: index + 1 })}
              disabled={changes.length === 0}
              onClick={() => onChange(changes.toSpliced(index, 1))}
            >
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        {error !== undefined && <Input.Error>{error}</Input.Error>}
        <AddButton isCompact aria-label={t('lines.AddTo', { label })} onClick={() => onChange([...rows, {}])}>
          {t('lines.Add')}
        </AddButton>
      </Stack>
    </Fieldset>
  )
}
