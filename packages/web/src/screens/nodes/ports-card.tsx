import { getNodePorts, type NodePorts, PortRange, putNodePorts } from '@innkeeper/contract/nodes/node-ports'
import { ActionIcon, Box, Flex, Paper, Stack, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import type { VersionedResponse } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-action.ts'
import { refetchOrThrow, useVersionedApiQuery } from '../../api/use-api.ts'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { AddButton } from '../../ui/layout/add-button.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { CodeText } from '../../ui/text/code-text.tsx'
import classes from './nodes.module.css'

/** The port ranges that new servers of a node get their ports from, and the ports in use. */
export function PortsCard({ node, canEdit }: { node: number; canEdit: boolean }) {
  const t = useT()
  const ports = useVersionedApiQuery(getNodePorts, { params: { id: node } })
  return (
    <QueryState inCard query={ports} errorTitle={t('nodes.PortsFailed')}>
      {(data) => <Ports node={node} canEdit={canEdit} ports={data} reload={() => refetchOrThrow(ports)} />}
    </QueryState>
  )
}

interface PortsProps extends RangesFormProps {
  readonly canEdit: boolean
}

function Ports({ node, canEdit, ports, reload }: PortsProps) {
  const t = useT()
  const { ranges } = ports.response
  if (!canEdit && ranges.length === 0) return null
  return (
    <Paper>
      <CardHeader title={t('nodes.Ports')} description={t('nodes.PortsHelp')} />
      {canEdit ? (
        <RangesForm node={node} ports={ports} reload={reload} />
      ) : (
        <Flex component="ul" wrap="wrap" rowGap="2xs" columnGap="lg" p="md">
          {ranges.map((range) => (
            <li key={JSON.stringify(range)}>
              <CodeText>{formatRange(range)}</CodeText> {range.note}
            </li>
          ))}
        </Flex>
      )}
    </Paper>
  )
}

function formatRange({ address, from, to }: { address: string; from: string | number; to: string | number }): string {
  return `${address} ${from}\u2013${to}`
}

/** The inputs of one range. */
type RangeDraft = Readonly<Record<'address' | 'from' | 'to' | 'note', string>>
type RangeField = keyof RangeDraft

interface PortsDraft {
  readonly ranges: readonly RangeDraft[]
}

const toRangeDraft = ({ address, from, to, note = '' }: PortRange): RangeDraft => ({
  address,
  from: String(from),
  to: String(to),
  note,
})

const trimRange = ({ address, from, to, note }: RangeDraft): RangeDraft => ({
  address: address.trim(),
  from: from.trim(),
  to: to.trim(),
  note: note.trim(),
})

/** The range for the API, which may still be invalid. */
const toRange = ({ address, from, to, note }: RangeDraft) => ({
  address,
  from: Number(from),
  to: Number(to),
  ...(note === '' ? {} : { note }),
})

const getInvalidFields = (range: RangeDraft) =>
  new Set(PortRange.safeParse(toRange(trimRange(range))).error?.issues.map(({ path }) => path[0]))

interface RangesFormProps {
  readonly node: number
  readonly ports: VersionedResponse<NodePorts>
  readonly reload: () => Promise<VersionedResponse<NodePorts>>
}

function RangesForm({ node, ports, reload }: RangesFormProps) {
  const t = useT()
  const { list } = useFormatters()
  const put = useApiMutation(putNodePorts, { invalidates: [getNodePorts] })
  const toSaved = ({ response, version }: VersionedResponse<NodePorts>) => ({
    values: { ranges: response.ranges.map(toRangeDraft) },
    version,
  })
  const form = useSaveForm<PortsDraft>({
    id: `node-${node}-ports`,
    saved: toSaved(ports),
    reload: async () => toSaved(await reload()),
    normalize: ({ ranges }) => ({ ranges: ranges.map(trimRange) }),
    getLabel: () => t('nodes.Ports'),
    formatValue: (_, ranges) => list((ranges as PortsDraft['ranges']).map(formatRange)),
    validate: ({ ranges }) =>
      ranges.some((range) => getInvalidFields(range).size > 0)
        ? { ranges: t('errors.ErrFieldInvalid', { field: t('nodes.Ports') }) }
        : {},
    send: ({ values, version }) =>
      put.mutateAsync({ params: { id: node }, body: { ranges: values.ranges.map(toRange) } }, { version }),
  })
  const { ranges: rows } = form.values
  const setRows = (ranges: PortsDraft['ranges']) => form.set({ ranges })
  const add = () => setRows([...rows, { address: rows.at(-1)?.address ?? '0.0.0.0', from: '', to: '', note: '' }])
  const getLabel = (field: RangeField) => t(`nodes.Range_${field}`)

  return (
    <SaveForm form={form} isInCard aria-label={t('nodes.Ports')}>
      <Box p="md">
        {rows.length > 0 && (
          <Stack component="ul" gap="sm" mb="sm">
            {rows.map((row, index) => {
              const invalid = form.errors.ranges === undefined ? new Set() : getInvalidFields(row)
              const field = (name: RangeField) => ({
                label: getLabel(name),
                value: row[name],
                // The form focuses the first input with this path when the ranges are invalid.
                'data-path': getInvalidFields(row).has(name) ? 'ranges' : undefined,
                error: invalid.has(name) && t('errors.ErrFieldInvalid', { field: getLabel(name) }),
                autoComplete: 'off',
                spellCheck: false,
                onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
                  setRows(rows.map((other) => (other === row ? { ...row, [name]: value } : other))),
              })
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: ranges have no identity but their position
                <li key={index} className={classes.range}>
                  <TextInput {...field('address')} dir="ltr" />
                  <TextInput {...field('from')} dir="ltr" inputMode="numeric" />
                  <TextInput {...field('to')} dir="ltr" inputMode="numeric" />
                  <TextInput {...field('note')} />
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size="lg"
                    aria-label={t('nodes.RemoveRange', { range: formatRange(row) })}
                    onClick={() => setRows(rows.filter((other) => other !== row))}
                  >
                    <IconTrash size={17} aria-hidden />
                  </ActionIcon>
                </li>
              )
            })}
          </Stack>
        )}
        <AddButton onClick={add}>{t('nodes.AddRange')}</AddButton>
      </Box>
      <SaveBar form={form} isInline action={t('nodes.SavePorts')} />
    </SaveForm>
  )
}
