import { ActionIcon, Button, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { type ClipboardEvent, useLayoutEffect, useRef } from 'react'
import { useText } from '../i18n/text.tsx'
import classes from './line-inputs.module.css'

interface LineInputsProps {
  readonly label: string
  readonly lines: readonly string[]
  readonly onChange: (lines: readonly string[]) => void
  readonly isRequired?: boolean
  readonly placeholder?: string
  readonly problem?: string | undefined
}

/** A list of texts, one input each. Enter goes on with a new one; several pasted lines become several. */
export function LineInputs({ label, lines, onChange, isRequired = false, placeholder, problem }: LineInputsProps) {
  const text = useText()
  const group = useRef<HTMLFieldSetElement>(null)
  const wanted = useRef<number>(undefined)
  // An empty list shows where its first line goes.
  const shown = lines.length === 0 ? [''] : lines

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
      {shown.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is what stands at its place
        <div key={at} className={classes.line}>
          <TextInput
            aria-label={text('lines.Line', { label, number: at + 1 })}
            dir="ltr"
            spellCheck={false}
            autoComplete="off"
            className={classes.input ?? ''}
            classNames={{ input: classes.mono ?? '' }}
            value={line}
            error={problem !== undefined && at === 0}
            {...(placeholder === undefined ? {} : { placeholder })}
            onChange={(event) => onChange(shown.with(at, event.currentTarget.value))}
            onPaste={(event) => paste(event, at)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
              event.preventDefault()
              insert(at + 1)
            }}
          />
          <ActionIcon
            aria-label={text('lines.Remove', { label, number: at + 1 })}
            disabled={lines.length === 0}
            onClick={() => {
              wanted.current = Math.max(0, at - 1)
              onChange(lines.toSpliced(at, 1))
            }}
          >
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      {problem !== undefined && <p className={classes.wrong}>{problem}</p>}
      <Button
        size="compact-xs"
        variant="subtle"
        leftSection={<IconPlus size={14} aria-hidden />}
        aria-label={text('lines.AddTo', { label })}
        onClick={() => insert(shown.length)}
      >
        {text('lines.Add')}
      </Button>
    </fieldset>
  )
}
