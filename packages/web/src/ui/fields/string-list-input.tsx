import { ActionIcon, Fieldset, Group, Input, Stack, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { type ClipboardEvent, useLayoutEffect, useRef } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { AddButton } from '../layout/add-button.tsx'
import { codeInputProps } from './code-input.ts'

interface StringListInputProps {
  readonly label: string
  readonly description?: string
  readonly values: readonly string[]
  readonly onChange: (values: readonly string[]) => void
  readonly isRequired?: boolean
  readonly error?: string | undefined
}

/** A list of strings with one input each. Enter adds an input below; pasting several lines fills several inputs. */
export function StringListInput(props: StringListInputProps) {
  const { label, description, values, onChange, isRequired = false, error } = props
  const t = useT()
  const fieldset = useRef<HTMLFieldSetElement>(null)
  const indexToFocus = useRef<number>(undefined)
  // An empty list shows one empty input.
  const lines = values.length === 0 ? [''] : values

  useLayoutEffect(() => {
    if (indexToFocus.current === undefined) return
    fieldset.current?.querySelectorAll('input')[indexToFocus.current]?.focus()
    indexToFocus.current = undefined
  })
  const insert = (index: number) => {
    indexToFocus.current = index
    onChange(lines.toSpliced(index, 0, ''))
  }
  const paste = (event: ClipboardEvent<HTMLInputElement>, index: number) => {
    const pasted = event.clipboardData
      .getData('text')
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '')
    if (pasted.length < 2 || lines[index]?.trim()) return
    event.preventDefault()
    indexToFocus.current = index + pasted.length - 1
    onChange(lines.toSpliced(index, 1, ...pasted))
  }
  const legend = (
    <Input.Label labelElement="div" required={isRequired}>
      {label}
    </Input.Label>
  )
  return (
    <Fieldset ref={fieldset} variant="unstyled" mx={0} legend={legend} miw={0}>
      <Stack gap="xs" align="flex-start">
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its position
          <Group key={index} gap="xs" wrap="nowrap" w="100%">
            <TextInput
              {...codeInputProps}
              flex={1}
              aria-label={t('lines.Line', { label, number: index + 1 })}
              value={line}
              error={error !== undefined && index === 0}
              onChange={(event) => onChange(lines.with(index, event.currentTarget.value))}
              onPaste={(event) => paste(event, index)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
                event.preventDefault()
                insert(index + 1)
              }}
            />
            <ActionIcon
              aria-label={t('lines.Remove', { label, number: index + 1 })}
              disabled={values.length === 0}
              onClick={() => {
                indexToFocus.current = Math.max(0, index - 1)
                onChange(values.toSpliced(index, 1))
              }}
            >
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        {error !== undefined && <Input.Error>{error}</Input.Error>}
        {description !== undefined && <Input.Description>{description}</Input.Description>}
        <AddButton isCompact aria-label={t('lines.AddTo', { label })} onClick={() => insert(lines.length)}>
          {t('lines.Add')}
        </AddButton>
      </Stack>
    </Fieldset>
  )
}
