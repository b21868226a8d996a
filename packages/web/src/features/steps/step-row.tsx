import type { Step } from '@innkeeper/contract/definitions/operations'
import { ActionIcon, Badge, Box, Flex, Group, Menu, Text } from '@mantine/core'
import { IconAlertTriangle, IconChevronDown, IconCopy, IconPencil } from '@tabler/icons-react'
import { useEffect, useId, useRef, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { SortableMenu, SortableRow } from '../../ui/lists/sortable.tsx'
import { StepForm, type StepFormProps } from './step-form.tsx'
import { getText, hasTextCondition, stepTypeName, summarize } from './step-rules.ts'
import classes from './steps.module.css'

interface StepRowProps extends StepFormProps {
  readonly id: number
  readonly number: number
  /** `Step 2, Download files`. */
  readonly name: string
  /** Added just now: it expands and gets the focus. */
  readonly isAdded: boolean
  /** Whether errors are shown although the step was added just now. */
  readonly showErrorsOfAdded: boolean
  readonly isOpen: boolean
  readonly onOpen: () => void
  readonly onToggle: () => void
  readonly onDuplicate: () => void
  readonly onRemove: () => void
}

/** One step: a row that expands into its form. */
export function StepRow(props: StepRowProps) {
  const { id, number, name, step, errors, isAdded, isOpen, onOpen, onToggle, onDuplicate, onRemove } = props
  const t = useT()
  const { list } = useFormatters()
  const formId = useId()
  const row = useRef<HTMLDivElement>(null)
  // Errors of a new step are shown once it was collapsed, so that nothing moves while the user fills it in.
  const [isFresh, setIsFresh] = useState(isAdded)
  const shownErrors: ReadonlyMap<string, string> = isFresh && !props.showErrorsOfAdded ? new Map() : errors

  useEffect(() => {
    if (isAdded) onOpen()
  }, [isAdded, onOpen])
  useEffect(() => {
    if (isOpen && isFresh) row.current?.querySelector('input')?.focus()
  }, [isOpen, isFresh])

  return (
    <SortableRow id={id} isHighlighted={isOpen}>
      {(handle) => (
        <div ref={row}>
          <Flex
            wrap={{ base: 'wrap', sm: 'nowrap' }}
            align="center"
            gap="xs"
            mih="2.75rem"
            px="xs"
            py={{ base: 'xs', sm: '2xs' }}
          >
            {handle}
            <Text ff="monospace" variant="note" miw="1.25rem" ta="end">
              {number}
            </Text>
            <Badge radius="sm" bg="var(--ik-primary-soft)" c="var(--ik-link)" miw={0} style={{ overflow: 'hidden' }}>
              {stepTypeName(t, step)}
            </Badge>
            <Text
              ff="monospace"
              fz="compact"
              truncate
              flex={{ base: '1 1 100%', sm: '1 1 4rem' }}
              miw={0}
              px={{ base: 'xs', sm: 0 }}
              dir="ltr"
              className={classes.summary}
            >
              {summarize(step)}
            </Text>
            <Condition step={step} />
            {shownErrors.size > 0 && (
              <Text span c="var(--ik-warning)" lh={0} role="img" aria-label={list([...shownErrors.values()])}>
                <IconAlertTriangle size={16} aria-hidden />
              </Text>
            )}
            <Group gap="3xs" ms="auto" wrap="nowrap">
              <ActionIcon
                aria-label={t('common.EditNamed', { name })}
                aria-expanded={isOpen}
                aria-controls={isOpen ? formId : undefined}
                onClick={() => {
                  setIsFresh(false)
                  onToggle()
                }}
              >
                {isOpen ? <IconChevronDown size={16} aria-hidden /> : <IconPencil size={16} aria-hidden />}
              </ActionIcon>
              <SortableMenu id={id} name={name} onRemove={onRemove}>
                <Menu.Item leftSection={<IconCopy size={16} aria-hidden />} onClick={onDuplicate}>
                  {t('common.Duplicate')}
                </Menu.Item>
              </SortableMenu>
            </Group>
          </Flex>
          {isOpen && (
            <Box
              component="fieldset"
              id={formId}
              aria-label={name}
              className={classes.form}
              m={0}
              miw={0}
              pt="2xs"
              px="md"
              pb="md"
              bd="none"
            >
              <StepForm {...props} errors={shownErrors} />
            </Box>
          )}
        </div>
      )}
    </SortableRow>
  )
}

function Condition({ step }: { step: Step }) {
  const t = useT()
  const condition = hasTextCondition(step) ? getText(step, 'if').trim() : ''
  if (condition === '') return null
  return (
    <Text
      ff="monospace"
      variant="note"
      truncate
      miw={0}
      maw={{ base: '100%', sm: '14rem' }}
      px={{ base: 'xs', sm: 0 }}
      dir="ltr"
      className={classes.condition}
    >
      {t('steps.If', { condition })}
    </Text>
  )
}
