import { Button, Modal, Text as Paragraph, Popover, TextInput } from '@mantine/core'
import { createContext, type ReactNode, use, useCallback, useEffect, useRef, useState } from 'react'
import { useText } from '../i18n/text.tsx'
import classes from './confirm.module.css'

export interface Question {
  readonly title: string
  readonly body?: ReactNode
  /** The verb and its object, as the button says them: "Delete server". */
  readonly action: string
  readonly danger?: boolean
  /** The name a person must type before the button works. */
  readonly typeToConfirm?: string
}

type Confirm = (question: Question) => Promise<boolean>
const ConfirmContext = createContext<Confirm>(() => Promise.resolve(false))

/** Asks before something that cannot be undone; answers whether to go on. */
export function useConfirm(): Confirm {
  return use(ConfirmContext)
}

/** Holds the dialog of `useConfirm`. */
export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [question, setQuestion] = useState<Question>()
  const [isOpen, setIsOpen] = useState(false)
  const answering = useRef<(yes: boolean) => void>(() => undefined)

  const confirm = useCallback<Confirm>(
    (asked) =>
      new Promise((resolve) => {
        answering.current(false)
        answering.current = resolve
        setQuestion(asked)
        setIsOpen(true)
      }),
    [],
  )
  const answer = (yes: boolean) => {
    setIsOpen(false)
    answering.current(yes)
  }

  return (
    <ConfirmContext value={confirm}>
      {children}
      {question && <ConfirmDialog question={question} isOpen={isOpen} answer={answer} />}
    </ConfirmContext>
  )
}

function ConfirmDialog({
  question,
  isOpen,
  answer,
}: {
  question: Question
  isOpen: boolean
  answer: (yes: boolean) => void
}) {
  const text = useText()
  const [typed, setTyped] = useState('')
  const { typeToConfirm, danger = false } = question
  const mayGoOn = typeToConfirm === undefined || typed === typeToConfirm
  const isWrong = typed !== '' && !mayGoOn && !typeToConfirm?.startsWith(typed)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new question starts with an empty field
  useEffect(() => setTyped(''), [question, isOpen])

  return (
    <Modal
      opened={isOpen}
      onClose={() => answer(false)}
      title={question.title}
      closeButtonProps={{ 'aria-label': text('common.Close') }}
    >
      <form
        className={classes.dialog}
        onSubmit={(event) => {
          event.preventDefault()
          if (mayGoOn) answer(true)
        }}
      >
        {question.body && (
          <Paragraph component="div" size="sm" c="dimmed">
            {question.body}
          </Paragraph>
        )}
        {typeToConfirm !== undefined && (
          <TextInput
            data-autofocus
            label={text('common.TypeToConfirm', { name: typeToConfirm })}
            value={typed}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setTyped(event.currentTarget.value)}
            error={isWrong ? text('common.TypedDiffers', { name: typeToConfirm }) : undefined}
          />
        )}
        <div className={classes.buttons}>
          <Button
            variant="subtle"
            color="gray"
            onClick={() => answer(false)}
            {...(danger && typeToConfirm === undefined ? { 'data-autofocus': true } : {})}
          >
            {text('common.Cancel')}
          </Button>
          <Button type="submit" disabled={!mayGoOn} {...(danger ? { color: 'red' } : {})}>
            {question.action}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

interface ConfirmPopoverProps {
  readonly question: string
  readonly action: string
  readonly onConfirm: () => void
  readonly opened: boolean
  readonly onChange: (opened: boolean) => void
  /** The control it hangs on. */
  readonly children: ReactNode
}

/** A short question beside the control that asks it. Enter confirms, Esc leaves. */
export function ConfirmPopover({ question, action, onConfirm, opened, onChange, children }: ConfirmPopoverProps) {
  const text = useText()
  return (
    <Popover opened={opened} onChange={onChange} trapFocus returnFocus withArrow position="bottom-end" width={280}>
      <Popover.Target>{children}</Popover.Target>
      <Popover.Dropdown role="alertdialog" aria-label={question}>
        <Paragraph size="sm">{question}</Paragraph>
        <div className={classes.buttons}>
          <Button size="xs" variant="subtle" color="gray" onClick={() => onChange(false)}>
            {text('common.Cancel')}
          </Button>
          <Button
            size="xs"
            color="red"
            data-autofocus
            onClick={() => {
              onChange(false)
              onConfirm()
            }}
          >
            {action}
          </Button>
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}
