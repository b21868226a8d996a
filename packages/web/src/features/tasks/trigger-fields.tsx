import { limits } from '@innkeeper/contract/text/limits'
import { ActionIcon, Checkbox, Group, Stack, TextInput, Title } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useId, useRef } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { codeInputProps } from '../../ui/fields/code-input.ts'
import { AddButton } from '../../ui/layout/add-button.tsx'
import { plainEvents, type TaskForm } from './task-form.ts'

interface TriggerFieldsProps {
  readonly form: Pick<TaskForm, 'events' | 'patterns'>
  readonly onChange: (changes: Partial<TaskForm>) => void
  /** Messages by index of the pattern. */
  readonly errors: ReadonlyMap<number, string>
}

/** The events that run a task. */
export function TriggerFields({ form: { events, patterns }, onChange, errors }: TriggerFieldsProps) {
  const t = useT()
  const label = useId()
  const inputs = useRef<HTMLDivElement>(null)
  const isFull = events.length + patterns.length >= limits.taskTriggers

  const add = () => {
    onChange({ patterns: [...patterns, ''] })
    // The new input is rendered before the next frame.
    requestAnimationFrame(() => [...(inputs.current?.querySelectorAll('input') ?? [])].at(-1)?.focus())
  }
  return (
    <Stack gap="xs" align="flex-start" role="group" aria-labelledby={label}>
      <Title order={3} id={label}>
        {t('tasks.Triggers')}
      </Title>
      <Group gap="lg">
        {plainEvents.map((event) => (
          <Checkbox
            key={event}
            label={t(`tasks.On_${event}`)}
            checked={events.includes(event)}
            disabled={isFull && !events.includes(event)}
            onChange={({ currentTarget }) =>
              onChange({
                events: plainEvents.filter((plainEvent) =>
                  plainEvent === event ? currentTarget.checked : events.includes(plainEvent),
                ),
              })
            }
          />
        ))}
      </Group>
      {patterns.length > 0 && (
        <Stack ref={inputs} gap="xs" w="100%">
          {patterns.map((pattern, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a pattern is identified by its position
            <Group key={index} gap="xs" wrap="nowrap" align="flex-start">
              <TextInput
                {...codeInputProps}
                flex={1}
                label={t('tasks.ConsoleTrigger')}
                description={index === patterns.length - 1 ? t('tasks.ConsoleTriggerHelp') : undefined}
                maxLength={limits.patternMax}
                value={pattern}
                error={errors.get(index)}
                onChange={(event) => onChange({ patterns: patterns.with(index, event.currentTarget.value) })}
              />
              {/* Beside the input, below its label. */}
              <ActionIcon
                mt="xl"
                aria-label={t('tasks.RemoveConsoleTrigger', { number: index + 1 })}
                onClick={() => onChange({ patterns: patterns.toSpliced(index, 1) })}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            </Group>
          ))}
        </Stack>
      )}
      <AddButton isCompact disabled={isFull} onClick={add}>
        {t('tasks.AddConsoleTrigger')}
      </AddButton>
    </Stack>
  )
}
