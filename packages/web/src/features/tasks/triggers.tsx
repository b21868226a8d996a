import { limits } from '@innkeeper/contract/limits'
import { ActionIcon, Button, Checkbox, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useId, useRef } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import classes from './task-dialog.module.css'
import { plainEvents, type TaskForm } from './task-form.ts'

interface TriggersProps {
  readonly form: Pick<TaskForm, 'events' | 'patterns'>
  readonly onChange: (part: Partial<TaskForm>) => void
  /** What the node said about patterns, by their place. */
  readonly problems: ReadonlyMap<number, string>
}

/** What sets a task off besides time. */
export function Triggers({ form: { events, patterns }, onChange, problems }: TriggersProps) {
  const t = useT()
  const label = useId()
  const lines = useRef<HTMLDivElement>(null)
  const isFull = events.length + patterns.length >= limits.taskTriggers

  const put = (at: number, pattern: string) => onChange({ patterns: patterns.with(at, pattern) })
  const add = () => {
    onChange({ patterns: [...patterns, ''] })
    // The field is there after the next paint.
    requestAnimationFrame(() => [...(lines.current?.querySelectorAll('input') ?? [])].at(-1)?.focus())
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: the heading stands beside other headings of the dialog
    <div role="group" aria-labelledby={label} className={classes.part}>
      <h3 id={label}>{t('tasks.Triggers')}</h3>
      <div className={classes.events}>
        {plainEvents.map((event) => (
          <Checkbox
            key={event}
            label={t(`tasks.On_${event}`)}
            checked={events.includes(event)}
            disabled={isFull && !events.includes(event)}
            onChange={({ currentTarget }) =>
              onChange({
                events: plainEvents.filter((one) => (one === event ? currentTarget.checked : events.includes(one))),
              })
            }
          />
        ))}
      </div>
      <div ref={lines} className={classes.patterns}>
        {patterns.map((pattern, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a pattern is told from another by its place alone
          <div key={index} className={classes.pattern}>
            <TextInput
              label={t('tasks.OnLine')}
              description={index === patterns.length - 1 ? t('tasks.PatternHow') : undefined}
              classNames={{ input: classes.mono ?? '' }}
              dir="ltr"
              autoComplete="off"
              spellCheck={false}
              maxLength={limits.patternMax}
              value={pattern}
              error={problems.get(index)}
              onChange={(event) => put(index, event.currentTarget.value)}
            />
            <ActionIcon
              aria-label={t('tasks.RemovePattern', { number: index + 1 })}
              onClick={() => onChange({ patterns: patterns.toSpliced(index, 1) })}
            >
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </div>
        ))}
      </div>
      <Button
        className={classes.addPattern ?? ''}
        size="xs"
        variant="subtle"
        color="gray"
        disabled={isFull}
        leftSection={<IconPlus size={16} aria-hidden />}
        onClick={add}
      >
        {t('tasks.AddPattern')}
      </Button>
    </div>
  )
}
