import { Table } from '@mantine/core'
import type { ComponentProps } from 'react'
import { useT } from '../i18n/i18n.tsx'
import { ConflictAlert } from './conflict-alert.tsx'
import { SaveNotices } from './save-notices.tsx'
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

function FormNotices({ form, isInCard }: { form: FormState; isInCard: boolean }) {
  const t = useT()
  const { conflicts, resolve } = form
  return (
    <SaveNotices {...form} {...(isInCard ? { px: 'md', pt: 'md' } : { mb: 'sm' })}>
      {conflicts.length > 0 && (
        <ConflictAlert
          message={t('forms.Conflict')}
          mine={{ label: t('forms.KeepMine'), onChoose: () => resolve('mine') }}
          theirs={{ label: t('forms.TakeTheirs'), onChoose: () => resolve('theirs') }}
        >
          <ConflictTable conflicts={conflicts} />
        </ConflictAlert>
      )}
    </SaveNotices>
  )
}

function ConflictTable({ conflicts }: Pick<FormState, 'conflicts'>) {
  const t = useT()
  return (
    <Table
      mt="xs"
      fz="compact"
      withRowBorders={false}
      verticalSpacing="3xs"
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
  )
}
