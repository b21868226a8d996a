import { Button, Table } from '@mantine/core'
import { type ComponentProps, useEffect, useRef } from 'react'
import { useT } from '../i18n/i18n.tsx'
import { Alert } from '../ui/alert.tsx'
import { ErrorAlert } from '../ui/error-alert.tsx'
import classes from './forms.module.css'
import type { FormState } from './use-save-form.ts'

interface SaveFormProps extends Omit<ComponentProps<'form'>, 'ref' | 'onSubmit' | 'noValidate'> {
  readonly form: FormState
  /** Its fields fill a card, which has no padding of its own. */
  readonly isInCard?: boolean
}

/** The `<form>` of `useSaveForm`: Enter saves, and above the fields stands what concerns them all. */
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

/** A draft that is offered, a conflict to be decided, the reason why it was not saved. */
function FormNotices({ form, isInCard }: { form: FormState; isInCard: boolean }) {
  const { offered, conflicts, failure } = form
  if (!offered && conflicts.length === 0 && !failure) return null
  return (
    <div className={`${classes.notices} ${isInCard ? classes.inCard : ''}`}>
      {offered && <DraftOffer onRestore={form.restore} onForget={form.forgetOffer} />}
      {conflicts.length > 0 && <ConflictNotice form={form} />}
      {failure && <ErrorAlert error={failure.error} message={failure.message} />}
    </div>
  )
}

interface DraftOfferProps {
  readonly onRestore: () => void
  readonly onForget: () => void
}

/** Offers changes that an earlier session of the same person left unsaved. */
export function DraftOffer({ onRestore, onForget }: DraftOfferProps) {
  const t = useT()
  return (
    <Alert
      type="info"
      action={
        <span className={classes.actions}>
          <Button size="xs" variant="default" onClick={onRestore}>
            {t('forms.Restore')}
          </Button>
          <Button size="xs" variant="subtle" color="gray" onClick={onForget}>
            {t('common.Discard')}
          </Button>
        </span>
      }
    >
      {t('forms.DraftOffered')}
    </Alert>
  )
}

function ConflictNotice({ form: { conflicts, resolve } }: { form: FormState }) {
  const t = useT()
  const notice = useRef<HTMLDivElement>(null)
  // The button that was pressed may be far below.
  useEffect(() => {
    notice.current?.scrollIntoView({ block: 'nearest' })
  }, [])

  return (
    <div ref={notice} tabIndex={-1} data-conflict data-quiet-focus>
      <Alert
        type="warning"
        urgent
        action={
          <span className={classes.actions}>
            <Button size="xs" variant="default" onClick={() => resolve('mine')}>
              {t('forms.KeepMine')}
            </Button>
            <Button size="xs" variant="default" onClick={() => resolve('theirs')}>
              {t('forms.TakeTheirs')}
            </Button>
          </span>
        }
      >
        {t('forms.Conflict')}
        <Table className={classes.versions} withRowBorders={false} verticalSpacing={2} horizontalSpacing="xs">
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
    </div>
  )
}
