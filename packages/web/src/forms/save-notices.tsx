import { Button, Group, Stack, type StackProps } from '@mantine/core'
import { type ComponentProps, type ReactNode, useEffect, useRef } from 'react'
import { useT } from '../i18n/i18n.tsx'
import { Alert } from '../ui/feedback/alert.tsx'
import { ErrorAlert } from '../ui/feedback/error-alert.tsx'
import type { Failure } from './use-save.ts'

interface SaveNoticesProps extends Pick<StackProps, 'px' | 'pt' | 'mb'> {
  /** A draft of an earlier session. */
  readonly storedDraft: object | undefined
  readonly restoreDraft: () => void
  readonly dismissDraft: () => void
  readonly failure: Failure | undefined
  /** The alert of a conflict. */
  readonly children?: ReactNode
}

/** What is to be known before editing goes on: an offered draft, a conflict, and the error of the last save. */
export function SaveNotices(props: SaveNoticesProps) {
  const { storedDraft, restoreDraft, dismissDraft, failure, children, px, pt, mb } = props
  if (!storedDraft && !children && !failure) return null
  return (
    <Stack gap="xs" px={px} pt={pt} mb={mb}>
      {storedDraft && <DraftOffer onRestore={restoreDraft} onDismiss={dismissDraft} />}
      {children}
      {failure && (
        <ScrollIntoView>
          <ErrorAlert {...failure} />
        </ScrollIntoView>
      )}
    </Stack>
  )
}

function DraftOffer({ onRestore, onDismiss }: { onRestore: () => void; onDismiss: () => void }) {
  const t = useT()
  return (
    <Alert
      type="info"
      action={
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={onRestore}>
            {t('forms.Restore')}
          </Button>
          <Button size="xs" variant="subtle" onClick={onDismiss}>
            {t('common.Discard')}
          </Button>
        </Group>
      }
    >
      {t('forms.DraftOffered')}
    </Alert>
  )
}

interface RestoredDraftProps {
  /** Drops the draft. */
  readonly onDiscard: () => void
  readonly onClose: () => void
}

/** Says that what is shown is the draft of an earlier session, which was restored without a question. */
export function RestoredDraft({ onDiscard, onClose }: RestoredDraftProps) {
  const t = useT()
  return (
    <Alert
      type="info"
      role="status"
      action={
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={onDiscard}>
            {t('common.Discard')}
          </Button>
          <Button size="xs" variant="subtle" onClick={onClose}>
            {t('common.Close')}
          </Button>
        </Group>
      }
    >
      {t('file-editor.DraftRestored')}
    </Alert>
  )
}

/** Scrolls to a message when it appears: the button that was pressed may be far below. */
export function ScrollIntoView(props: ComponentProps<'div'>) {
  const message = useRef<HTMLDivElement>(null)
  useEffect(() => {
    message.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return <div {...props} ref={message} />
}
