import { ActionIcon, Button, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { type ClipboardEvent, useLayoutEffect, useRef } from 'react'
import { useT } from '../i18n/i18n.tsx'
import classes from './string-list-input.module.css'

interface StringListInputProps {
  readonly label: string
  readonly values: readonly string[]
  readonly onChange: (lines: readonly string[]) => void
  readonly isRequired?: boolean
  readonly placeholder?: string
  readonly error?: string | undefined
}

/** A list of texts, one input each. Enter goes on with a new one; several pasted lines become several. */
export function StringListInput({
  label,
  values,
  onChange,
  isRequired = false,
  placeholder,
  error,
}: StringListInputProps) {
  const t = useT()
  const group = useRef<HTMLFieldSetElement>(null)
  const wanted = useRef<number>(undefined)
  // An empty list shows where its first line goes.
  const shown = values.length === 0 ? [''] : values

  useLayoutEffect(() => {
    if (wanted.current === undefined) return
    group.current?.querySelectorAll('input')[wanted.current]?.focus()
    wanted.current = undefined
  })
  const insert = (at: number) => {
    wanted.current = at
    onChange(shown.toSpliced(at, 0, ''))
  }
  const paste = (event: ClipboardEvent<HTMLInputElement>, at: number) => {
    const pasted = event.clipboardData
      .getData('text')
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '')
    if (pasted.length < 2 || shown[at]?.trim()) return
    event.preventDefault()
    wanted.current = at + pasted.length - 1
    onChange(shown.toSpliced(at, 1, ...pasted))
  }
  return (
    <fieldset ref={group} className={classes.group}>
      <legend>
        {label}
        {isRequired && (
          <span className={classes.required} aria-hidden>
            *
          </span>
        )}
      </legend>
      {shown.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is what stands at its place
        <div key={index} className={classes.line}>
          <TextInput
            aria-label={t('lines.Line', { label, number: index + 1 })}
            dir="ltr"
            spellCheck={false}
            autoComplete="off"
            className={classes.input ?? ''}
            classNames={{ input: classes.mono ?? '' }}
            value={line}
            error={error !== undefined && index === 0}
            {...(placeholder === undefined ? {} : { placeholder })}
            onChange={(event) => onChange(shown.with(index, event.currentTarget.value))}
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
              wanted.current = Math.max(0, index - 1)
              onChange(values.toSpliced(index, 1))
            }}
          >
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      {error !== undefined && <p className={classes.wrong}>{error}</p>}
      <Button
        size="compact-xs"
        variant="subtle"
        leftSection={<IconPlus size={14} aria-hidden />}
        aria-label={t('lines.AddTo', { label })}
        onClick={() => insert(shown.length)}
      >
        {t('lines.Add')}
      </Button>
    </fieldset>
  )
}
