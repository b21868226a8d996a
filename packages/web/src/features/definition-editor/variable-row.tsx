import { Badge, Box, Flex, Text, UnstyledButton } from '@mantine/core'
import { IconAlertTriangle, IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useEffect, useId, useRef } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { SortableMenu, SortableRow } from '../../ui/sortable.tsx'
import classes from './definition-editor.module.css'
import type { VariableDraft } from './draft.ts'
import { getText, toText } from './json-path.ts'
import { VariableFields } from './variable-fields.tsx'
import { getType } from './variables.ts'

interface VariableRowProps {
  readonly row: VariableDraft
  readonly isOpen: boolean
  /** Added just now: its name gets the focus. */
  readonly isNew: boolean
  readonly nameError: string | undefined
  readonly valueError: string | undefined
  readonly onToggle: () => void
  readonly onChange: (changes: Partial<VariableDraft>) => void
  readonly onRemove: () => void
}

/** One variable: a row that expands into its form. */
export function VariableRow(props: VariableRowProps) {
  const { row, isOpen, isNew, nameError, valueError, onToggle, onRemove } = props
  const t = useT()
  const formId = useId()
  const form = useRef<HTMLFieldSetElement>(null)
  const name = row.name || t('definition.Unnamed')
  const error = nameError ?? valueError

  useEffect(() => {
    if (isNew) form.current?.querySelector('input')?.focus()
  }, [isNew])
  return (
    <SortableRow id={row.id} isHighlighted={isOpen}>
      {(handle) => (
        <>
          <Flex
            wrap={{ base: 'wrap', sm: 'nowrap' }}
            align="center"
            gap="2xs"
            mih="2.75rem"
            px="sm"
            py={{ base: 6, sm: 2 }}
          >
            <UnstyledButton
              className={classes.summary}
              aria-expanded={isOpen}
              aria-controls={isOpen ? formId : undefined}
              onClick={onToggle}
            >
              {isOpen ? (
                <IconChevronDown size={16} aria-hidden />
              ) : (
                <IconChevronRight size={16} aria-hidden data-flip />
              )}
              <Text span ff="monospace" fz="compact" truncate dir="ltr" {...(row.name === '' && { c: 'dimmed' })}>
                {name}
              </Text>
              <Text span truncate className={classes.display}>
                {getText(row.variable, ['display'])}
              </Text>
              <span className={classes.type}>
                <Badge radius="sm" title={getType(row.variable)}>
                  {t(`definition.VariableType_${getType(row.variable)}`)}
                </Badge>
              </span>
              <Text span ff="monospace" variant="note" truncate dir="ltr" className={classes.value}>
                {toText(row.variable.value)}
              </Text>
            </UnstyledButton>
            {error !== undefined && (
              <Text span c="var(--ik-warning)" lh={0} role="img" aria-label={error}>
                <IconAlertTriangle size={16} aria-hidden />
              </Text>
            )}
            {handle}
            <SortableMenu id={row.id} name={name} onRemove={onRemove} />
          </Flex>
          {isOpen && (
            <Box
              component="fieldset"
              ref={form}
              id={formId}
              m={0}
              miw={0}
              pt="2xs"
              pb="md"
              ps={{ base: 'md', sm: '2.75rem' }}
              pe="md"
              bd="none"
              aria-label={name}
            >
              <VariableFields {...props} />
            </Box>
          )}
        </>
      )}
    </SortableRow>
  )
}
