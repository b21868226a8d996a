import {
  getNodePorts,
  type NodePorts,
  PortRange,
  putNodePorts,
  type ReservedPort,
} from '@innkeeper/contract/node-ports'
import { ActionIcon, Button, Paper, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { Link } from 'react-router'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { ifMatch, refetchOrThrow, useVersionedApiQuery, type VersionedAnswer } from '../../api/use-api-query.ts'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { CodeText } from '../../ui/code-text.tsx'
import { QueryError } from '../../ui/empty-state.tsx'
import { toast } from '../../ui/toast.tsx'
import classes from './nodes-screen.module.css'

/** From which ports new servers of a node get theirs, and which are given away. */
export function PortsCard({ node, mayEdit }: { node: number; mayEdit: boolean }) {
  const t = useT()
  const ports = useVersionedApiQuery(getNodePorts, { params: { id: node } })
  if (ports.error) {
    const retry = () => void ports.refetch()
    return (
      <Paper className={classes.part ?? ''}>
        <QueryError title={t('nodes.PortsFailed')} error={ports.error} retry={retry} />
      </Paper>
    )
  }
  if (!ports.data) return null
  const { ranges, reserved } = ports.data.answer
  if (!mayEdit && ranges.length === 0 && reserved.length === 0) return null
  return (
    <Paper className={classes.part ?? ''}>
      <h2>{t('nodes.Ports')}</h2>
      <p className={classes.quiet}>{t('nodes.PortsWhy')}</p>
      {mayEdit ? (
        <RangesForm node={node} ports={ports.data} reload={() => refetchOrThrow(ports)} />
      ) : (
        <ul className={classes.names}>
          {ranges.map((range) => (
            <li key={JSON.stringify(range)}>
              <CodeText>{`${range.address} ${range.from}–${range.to}`}</CodeText> {range.note}
            </li>
          ))}
        </ul>
      )}
      {reserved.length > 0 && <ReservedList reserved={reserved} />}
    </Paper>
  )
}

function ReservedList({ reserved }: { reserved: readonly ReservedPort[] }) {
  const t = useT()
  return (
    <>
      <h3 id="reserved">{t('nodes.PortsReserved')}</h3>
      <ul className={classes.names} aria-labelledby="reserved">
        {reserved.map(({ address, port, server }) => (
          <li key={server.id}>
            <CodeText>{`${address.includes(':') ? `[${address}]` : address}:${port}`}</CodeText>{' '}
            <Link to={`/server/${server.id}`}>{server.name}</Link>
          </li>
        ))}
      </ul>
    </>
  )
}

/** A range as it is typed. */
type RangeDraft = Readonly<Record<'address' | 'from' | 'to' | 'note', string>>
type Field = keyof RangeDraft

interface PortsDraft {
  readonly ranges: readonly RangeDraft[]
}

const draftOf = ({ address, from, to, note = '' }: PortRange): RangeDraft => ({
  address,
  from: String(from),
  to: String(to),
  note,
})

const trimmed = ({ address, from, to, note }: RangeDraft): RangeDraft => ({
  address: address.trim(),
  from: from.trim(),
  to: to.trim(),
  note: note.trim(),
})

/** As the panel takes it, whether or not it will. */
const rangeOf = ({ address, from, to, note }: RangeDraft) => ({
  address,
  from: Number(from),
  to: Number(to),
  ...(note === '' ? {} : { note }),
})

const wrongFields = (range: RangeDraft) =>
  new Set(PortRange.safeParse(rangeOf(trimmed(range))).error?.issues.map(({ path }) => path[0]))

interface RangesFormProps {
  readonly node: number
  readonly ports: VersionedAnswer<NodePorts>
  readonly reload: () => Promise<VersionedAnswer<NodePorts>>
}

function RangesForm({ node, ports, reload }: RangesFormProps) {
  const t = useT()
  const put = useApiMutation(putNodePorts, { silent: true, invalidates: [getNodePorts] })
  const savedOf = ({ answer, version }: VersionedAnswer<NodePorts>) => ({
    values: { ranges: answer.ranges.map(draftOf) },
    version,
  })
  const form = useSaveForm<PortsDraft>({
    id: `node-${node}-ports`,
    saved: savedOf(ports),
    reload: async () => savedOf(await reload()),
    normalize: ({ ranges }) => ({ ranges: ranges.map(trimmed) }),
    labelOf: () => t('nodes.Ports'),
    describe: (_, ranges) =>
      (ranges as PortsDraft['ranges']).map(({ address, from, to }) => `${address} ${from}–${to}`).join(', '),
    validate: ({ ranges }) =>
      ranges.some((range) => wrongFields(range).size > 0)
        ? { ranges: t('errors.ErrFieldInvalid', { field: t('nodes.Ports') }) }
        : {},
    send: ({ values, version }) =>
      put.mutateAsync({ params: { id: node }, body: { ranges: values.ranges.map(rangeOf) } }, ifMatch(version)),
    onSaved: () => toast.success(t('nodes.Updated')),
  })
  const { ranges: rows } = form.values
  const setRows = (ranges: PortsDraft['ranges']) => form.set({ ranges })
  const add = () => setRows([...rows, { address: rows.at(-1)?.address ?? '0.0.0.0', from: '', to: '', note: '' }])
  const labelOf = (field: Field) => t(`nodes.Range_${field}`)

  return (
    <SaveForm form={form} aria-label={t('nodes.Ports')}>
      {rows.length > 0 && (
        <ul className={classes.ranges}>
          {rows.map((row, index) => {
            const wrong = form.errors.ranges === undefined ? new Set() : wrongFields(row)
            const field = (name: Field) => ({
              label: labelOf(name),
              value: row[name],
              // The first of them gets the focus.
              'data-path': wrongFields(row).has(name) ? 'ranges' : undefined,
              error: wrong.has(name) && t('errors.ErrFieldInvalid', { field: labelOf(name) }),
              autoComplete: 'off',
              spellCheck: false,
              onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
                setRows(rows.map((other) => (other === row ? { ...row, [name]: value } : other))),
            })
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a range is what stands at its place
              <li key={index}>
                <TextInput {...field('address')} dir="ltr" />
                <TextInput {...field('from')} dir="ltr" inputMode="numeric" />
                <TextInput {...field('to')} dir="ltr" inputMode="numeric" />
                <TextInput {...field('note')} />
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="lg"
                  aria-label={t('nodes.RemoveRange', { range: `${row.address} ${row.from}–${row.to}` })}
                  onClick={() => setRows(rows.filter((other) => other !== row))}
                >
                  <IconTrash size={17} aria-hidden />
                </ActionIcon>
              </li>
            )
          })}
        </ul>
      )}
      <div className={classes.tools}>
        <Button variant="default" leftSection={<IconPlus size={17} aria-hidden />} onClick={add}>
          {t('nodes.AddRange')}
        </Button>
        {form.isDirty && (
          <>
            <Button variant="subtle" color="gray" disabled={form.isSaving} onClick={form.discard}>
              {t('common.Discard')}
            </Button>
            <Button type="submit" loading={form.isSaving}>
              {t('nodes.SavePorts')}
            </Button>
          </>
        )}
      </div>
    </SaveForm>
  )
}
