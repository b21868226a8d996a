import { Button, Group, Modal } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useT } from '../i18n/i18n.tsx'
import { Alert } from '../ui/feedback/alert.tsx'
import { ScrollIntoView } from './save-notices.tsx'

interface Version {
  /** Label of the button that chooses it. */
  readonly label: string
  readonly onChoose: () => void
}

interface ConflictAlertProps {
  readonly id?: string
  readonly message: string
  readonly mine: Version
  /** Absent when what was edited is deleted. */
  readonly theirs?: Version | undefined
  /** Both versions below the message. */
  readonly children?: ReactNode
  /** Both versions in a dialog, where they need the space. */
  readonly comparison?: { readonly title: string; readonly view: () => ReactNode } | undefined
  /** Ends the conflict without a choice: the next save finds it again. */
  readonly onKeepEditing?: (() => void) | undefined
}

/** Someone else saved another version since: shows both, and lets the user choose one. */
export function ConflictAlert(props: ConflictAlertProps) {
  const { id, message, mine, theirs, children, comparison, onKeepEditing } = props
  const t = useT()
  const [isComparing, setIsComparing] = useState(false)
  const choices = (
    <>
      {theirs && (
        <Button size="xs" variant="default" onClick={theirs.onChoose}>
          {theirs.label}
        </Button>
      )}
      <Button size="xs" variant="default" onClick={mine.onChoose}>
        {mine.label}
      </Button>
      {onKeepEditing && (
        <Button size="xs" variant="subtle" onClick={onKeepEditing}>
          {t('common.KeepEditing')}
        </Button>
      )}
    </>
  )
  return (
    <ScrollIntoView id={id} tabIndex={-1} data-conflict data-quiet-focus>
      <Alert
        type="warning"
        role="alert"
        action={
          <Group gap="xs">
            {comparison && (
              <Button size="xs" variant="default" onClick={() => setIsComparing(true)}>
                {t('common.Compare')}
              </Button>
            )}
            {choices}
          </Group>
        }
      >
        {message}
        {children}
      </Alert>
      {comparison && (
        <Modal
          opened={isComparing}
          onClose={() => setIsComparing(false)}
          title={comparison.title}
          variant="phone-full-screen"
          size="min(90rem, calc(100vw - 60px))"
        >
          {isComparing && comparison.view()}
          <Group gap="xs" mt="lg">
            {choices}
          </Group>
        </Modal>
      )}
    </ScrollIntoView>
  )
}
