import { Button, Group, Stack, Table } from '@mantine/core'
import { type ComponentProps, useEffect, useRef } from 'react'
import { useT } from '../i18n/i18n.tsx'
import { Alert } from '../ui/alert.tsx'
import { ErrorAlert } from '../ui/error-alert.tsx'
import type { FormState } from './use-save-form.ts'

interface SaveFormProps extends Omit<ComponentProps<'form'>, 'ref' | 'onSubmit' | 'noValidate'> {
  readonly form: FormState
  /** Its fields fill a card, which has no padding of its own. */
  readonly isInCard?: boolean
}

/** The `<form>` of `useSaveForm`: Enter saves, and messages about the whole form are shown above the fields. */
export function SaveForm({ form, isInCard = false, children, ...rest }: SaveFormProps) {
  return (
    <form
      {...rest}
      ref={form.root}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void form.save()
      }}
    >
      <FormNotices form={form} isInCard={isInCard} />
      {children}
      {/* Enter in a field saves, also while no other button of the form submits it. */}
      <button type="submit" hidden />
    </form>
  )
}

/** The offered draft, conflicts to resolve, and the error of the last save. */
function FormNotices({ form, isInCard }: { form: FormState; isInCard: boolean }) {
  const { storedDraft, conflicts, failure } = form
  if (!storedDraft && conflicts.length === 0 && !failure) return null
  return (
    <Stack gap="xs" {...(isInCard ? { px: 'md', pt: 'md' } : { mb: 'sm' })}>
      {storedDraft && <DraftOffer onRestore={form.restoreDraft} onDismiss={form.dismissDraft} />}
      {conflicts.length > 0 && <ConflictAlert form={form} />}
      {failure && (
        <InView>
          <ErrorAlert error={failure.error} message={failure.message} />
        </InView>
      )}
    </Stack>
  )
}

/** Offers changes that an earlier session of the same user left unsaved. */
export function DraftOffer({ onRestore, onDismiss }: { onRestore: () => void; onDismiss: () => void }) {
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

/** Scrolls to a message when it appears: the button that was pressed may be far below. */
function InView(props: ComponentProps<'div'>) {
  const message = useRef<HTMLDivElement>(null)
  useEffect(() => {
    message.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return <div {...props} ref={message} />
}

function ConflictAlert({ form: { conflicts, resolve } }: { form: Pick<FormState, 'conflicts' | 'resolve'> }) {
  const t = useT()
  return (
    <InView tabIndex={-1} data-conflict data-quiet-focus>
      <Alert
        type="warning"
        urgent
        action={
          <Group gap="xs">
            <Button size="xs" variant="default" onClick={() => resolve('mine')}>
              {t('forms.KeepMine')}
            </Button>
            <Button size="xs" variant="default" onClick={() => resolve('theirs')}>
              {t('forms.TakeTheirs')}
            </Button>
          </Group>
        }
      >
        {t('forms.Conflict')}
        <Table
          mt={6}
          fz="compact"
          withRowBorders={false}
          verticalSpacing={2}
          horizontalSpacing="xs"
          style={{ overflowWrap: 'anywhere' }}
        >
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('forms.Field')}</Table.Th>
              <Table.Th>{t('forms.Mine')}</Table.Th>
              <Table.Th>{t('forms.Theirs')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {conflicts.map(({ field, label, mine, theirs }) => (
              <Table.Tr key={field}>
                <Table.Th scope="row">{label}</Table.Th>
                <Table.Td dir="auto">{mine || t('forms.Empty')}</Table.Td>
                <Table.Td dir="auto">{theirs || t('forms.Empty')}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Alert>
    </InView>
  )
}
