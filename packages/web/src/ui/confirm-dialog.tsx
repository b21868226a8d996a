import { Button, Modal, Text as Paragraph, Switch, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useT } from '../i18n/i18n.tsx'
import classes from './confirm.module.css'
import type { ConfirmOptions } from './confirm-provider.tsx'

/** The dialog of `useConfirm`. */
export function ConfirmDialog({
  question,
  opened,
  onConfirm,
  onClose,
}: {
  question: ConfirmOptions
  opened: boolean
  onConfirm: () => void
  onClose: () => void
}) {
  const t = useT()
  const [typed, setTyped] = useState('')
  const [isUnderstood, setIsUnderstood] = useState(false)
  const { typeToConfirm, acknowledgement, danger = false } = question
  const isTyped = typeToConfirm === undefined || typed === typeToConfirm
  const mayGoOn = isTyped && (acknowledgement === undefined || isUnderstood)
  const isWrong = typed !== '' && !isTyped && !typeToConfirm?.startsWith(typed)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new question starts from the beginning
  useEffect(() => {
    setTyped('')
    setIsUnderstood(false)
  }, [question, opened])
  // It is loaded with the first question. A dialog that begins open would not know where to bring the focus back to.
  const [isShown, setIsShown] = useState(false)
  useEffect(() => setIsShown(opened), [opened])

  return (
    <Modal opened={isShown} onClose={onClose} title={question.title}>
      <form
        className={classes.dialog}
        onSubmit={(event) => {
          event.preventDefault()
          if (mayGoOn) onConfirm()
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
            label={t('common.TypeToConfirm', { name: typeToConfirm })}
            value={typed}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setTyped(event.currentTarget.value)}
            error={isWrong ? t('common.TypedDiffers', { name: typeToConfirm }) : undefined}
          />
        )}
        {acknowledgement !== undefined && (
          <Switch
            label={acknowledgement}
            checked={isUnderstood}
            onChange={(event) => setIsUnderstood(event.currentTarget.checked)}
          />
        )}
        <div className={classes.buttons}>
          <Button
            variant="subtle"
            color="gray"
            onClick={onClose}
            {...(danger && typeToConfirm === undefined ? { 'data-autofocus': true } : {})}
          >
            {t('common.Cancel')}
          </Button>
          <Button
            type="submit"
            disabled={!mayGoOn}
            {...(danger ? { color: 'red' } : {})}
            // Else the focus would be on the cross that closes the dialog.
            {...(!danger && typeToConfirm === undefined && acknowledgement === undefined
              ? { 'data-autofocus': true }
              : {})}
          >
            {question.action}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
