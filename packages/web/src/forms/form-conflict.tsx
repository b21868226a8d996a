import { Table } from '@mantine/core'
import { useT } from '../i18n/i18n.tsx'
import { ConflictAlert } from './conflict-alert.tsx'
import type { FormState } from './use-save-form.ts'

interface FormConflictProps {
  readonly form: Pick<FormState, 'conflicts' | 'resolve'>
}

/** Shows both versions of the fields that someone else changed too, and lets the user choose. */
export function FormConflict({ form: { conflicts, resolve } }: FormConflictProps) {
  const t = useT()
  return (
    <ConflictAlert
      message={t('forms.Conflict')}
      mine={{ label: t('forms.KeepMine'), onChoose: () => resolve('mine') }}
      theirs={{ label: t('forms.TakeTheirs'), onChoose: () => resolve('theirs') }}
    >
      <ConflictTable conflicts={conflicts} />
    </ConflictAlert>
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
