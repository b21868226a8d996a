import type { Step, StepType } from '@innkeeper/contract/operations'
import { ActionIcon, Menu } from '@mantine/core'
import {
  IconAlertTriangle,
  IconArrowDown,
  IconArrowUp,
  IconChevronDown,
  IconCopy,
  IconDots,
  IconPencil,
  IconTrash,
} from '@tabler/icons-react'
import { useEffect, useId, useRef, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { SortableRow, useReorder } from '../../ui/sortable.tsx'
import { StepForm } from './step-form.tsx'
import { hasCondition, summaryOf, textIn } from './step-rules.ts'
import { typeName } from './step-words.ts'
import classes from './steps.module.css'

interface StepRowProps {
  readonly id: number
  readonly at: number
  /** `Step 2, Download files`. */
  readonly name: string
  readonly step: Step
  readonly kinds: readonly StepType[]
  readonly problems: ReadonlyMap<string, string>
  readonly withheld: ReadonlyMap<StepType, string>
  /** Whether it was added just now: it opens and takes the focus. */
  readonly isAdded: boolean
  /** Whether it shows its problems even though it was added just now. */
  readonly marksAdded: boolean
  readonly isOpen: boolean
  readonly onOpen: () => void
  readonly onToggle: () => void
  readonly onChange: (step: Step) => void
  readonly onRetype: (step: Step) => void
  readonly onDuplicate: () => void
  readonly onRemove: () => void
}

export function StepRow(props: StepRowProps) {
  const { id, at, name, step, kinds, problems, isAdded, isOpen, onOpen, onToggle, onRemove } = props
  const t = useT()
  const form = useId()
  const row = useRef<HTMLDivElement>(null)
  // Nothing is held against a step before somebody closed it, and nothing moves away under a click.
  const [isFresh, setIsFresh] = useState(isAdded)
  const own = new Map(
    [...problems].flatMap(([path, problem]) =>
      path.startsWith(`${at}.`) ? [[path.slice(`${at}.`.length), problem]] : [],
    ),
  )
  const shown: ReadonlyMap<string, string> = isFresh && !props.marksAdded ? new Map() : own
  const condition = hasCondition(step) ? textIn(step, 'if').trim() : ''

  useEffect(() => {
    if (isAdded) onOpen()
  }, [isAdded, onOpen])
  useEffect(() => {
    if (isOpen && isFresh) row.current?.querySelector('input')?.focus()
  }, [isOpen, isFresh])

  return (
    <SortableRow id={id}>
      {(grip) => (
        <div ref={row} className={classes.step} data-open={isOpen || undefined}>
          <div className={classes.line}>
            {grip}
            <span className={classes.number}>{at + 1}</span>
            <span className={classes.type}>{typeName(t, step)}</span>
            <span className={classes.summary} dir="ltr">
              {summaryOf(step)}
            </span>
            {condition !== '' && (
              <span className={classes.condition} dir="ltr" title={condition}>
                {t('steps.If', { condition })}
              </span>
            )}
            {shown.size > 0 && (
              <span className={classes.problem} role="img" aria-label={[...shown.values()].join('. ')}>
                <IconAlertTriangle size={16} aria-hidden />
              </span>
            )}
            <span className={classes.actions}>
              <ActionIcon
                aria-label={t('steps.Edit', { name })}
                aria-expanded={isOpen}
                aria-controls={isOpen ? form : undefined}
                onClick={() => {
                  setIsFresh(false)
                  onToggle()
                }}
              >
                {isOpen ? <IconChevronDown size={16} aria-hidden /> : <IconPencil size={16} aria-hidden />}
              </ActionIcon>
              <More {...props} />
              <ActionIcon aria-label={t('steps.Remove', { name })} onClick={onRemove}>
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            </span>
          </div>
          {isOpen && (
            <fieldset id={form} aria-label={name} className={classes.form}>
              <StepForm
                step={step}
                kinds={kinds}
                problems={shown}
                withheld={props.withheld}
                onChange={props.onChange}
                onRetype={props.onRetype}
              />
            </fieldset>
          )}
        </div>
      )}
    </SortableRow>
  )
}

function More({ id, name, onDuplicate }: StepRowProps) {
  const t = useT()
  const { isFirst, isLast, up, down } = useReorder(id)
  return (
    <Menu position="bottom-end" width={190}>
      <Menu.Target>
        <ActionIcon aria-label={t('steps.More', { name })}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconCopy size={16} aria-hidden />} onClick={onDuplicate}>
          {t('steps.Duplicate')}
        </Menu.Item>
        <Menu.Item disabled={isFirst} leftSection={<IconArrowUp size={16} aria-hidden />} onClick={up}>
          {t('sorting.Up')}
        </Menu.Item>
        <Menu.Item disabled={isLast} leftSection={<IconArrowDown size={16} aria-hidden />} onClick={down}>
          {t('sorting.Down')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
