import {
  getNodePorts,
  type NodePorts,
  PortRange,
  putNodePorts,
  type ReservedPort,
} from '@innkeeper/contract/node-ports'
import { ActionIcon, Button, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { useCall } from '../../api/use-call.ts'
import { useSend } from '../../api/use-send.ts'
import { useText } from '../../i18n/text.tsx'
import { LoadFailure } from '../../ui/empty-state.tsx'
import { useLeaveGuard } from '../../ui/leave-guard.ts'
import { Card, Mono } from '../../ui/small.tsx'
import { toast } from '../../ui/toast.tsx'
import classes from './nodes-screen.module.css'

/** From which ports new servers of a node get theirs, and which are given away. */
export function PortsCard({ node, mayEdit }: { node: number; mayEdit: boolean }) {
  const text = useText()
  const ports = useCall(getNodePorts, { params: { id: node } })
  if (ports.error) {
    const again = () => void ports.refetch()
    return (
      <Card className={classes.part ?? ''}>
        <LoadFailure title={text('nodes.PortsFailed')} error={ports.error} again={again} />
      </Card>
    )
  }
  if (!ports.data) return null
  const { ranges, reserved } = ports.data
  if (!mayEdit && ranges.length === 0 && reserved.length === 0) return null
  return (
    <Card className={classes.part ?? ''}>
      <h2>{text('nodes.Ports')}</h2>
      <p className={classes.quiet}>{text('nodes.PortsWhy')}</p>
      {mayEdit ? (
        <RangesForm key={JSON.stringify(ranges)} node={node} saved={ranges} />
      ) : (
        <ul className={classes.names}>
          {ranges.map((range) => (
            <li key={JSON.stringify(range)}>
              <Mono>{`${range.address} ${range.from}–${range.to}`}</Mono> {range.note}
            </li>
          ))}
        </ul>
      )}
      {reserved.length > 0 && <ReservedList reserved={reserved} />}
    </Card>
  )
}

function ReservedList({ reserved }: { reserved: readonly ReservedPort[] }) {
  const text = useText()
  return (
    <>
      <h3 id="reserved">{text('nodes.PortsReserved')}</h3>
      <ul className={classes.names} aria-labelledby="reserved">
        {reserved.map(({ address, port, server }) => (
          <li key={server.id}>
            <Mono>{`${address.includes(':') ? `[${address}]` : address}:${port}`}</Mono>{' '}
            <Link to={`/server/${server.id}`}>{server.name}</Link>
          </li>
        ))}
      </ul>
    </>
  )
}

/** A range as it is typed. */
type Typed = Readonly<Record<'address' | 'from' | 'to' | 'note', string>> & { readonly key: number }
type Field = Exclude<keyof Typed, 'key'>

const typedOf = ({ address, from, to, note = '' }: PortRange, key: number): Typed => ({
  key,
  address,
  from: String(from),
  to: String(to),
  note,
})

/** As the panel takes it, whether or not it will. */
const rangeOf = ({ address, from, to, note }: Typed) => ({
  address: address.trim(),
  from: Number(from),
  to: Number(to),
  ...(note.trim() === '' ? {} : { note: note.trim() }),
})

function RangesForm({ node, saved }: { node: number; saved: NodePorts['ranges'] }) {
  const text = useText()
  const [rows, setRows] = useState<readonly Typed[]>(saved.map(typedOf))
  const [nextKey, setNextKey] = useState(saved.length)
  const [isChecked, setIsChecked] = useState(false)
  const { send, pending } = useSend(putNodePorts, { refreshes: [getNodePorts] })
  const hasChanged = JSON.stringify(rows.map(rangeOf)) !== JSON.stringify(saved)
  useLeaveGuard(hasChanged)

  const problems = rows.map(
    (row) => new Set(PortRange.safeParse(rangeOf(row)).error?.issues.map(({ path }) => path[0])),
  )
  const add = () => {
    setRows([...rows, { key: nextKey, address: rows.at(-1)?.address ?? '0.0.0.0', from: '', to: '', note: '' }])
    setNextKey(nextKey + 1)
  }
  const save = async (event: FormEvent) => {
    event.preventDefault()
    setIsChecked(true)
    if (pending || problems.some(({ size }) => size > 0)) return
    try {
      await send({ params: { id: node }, body: { ranges: rows.map(rangeOf) } })
      toast.success(text('nodes.Updated'))
    } catch {
      // The refusal was shown; what was typed stays.
    }
  }
  const labelOf = (field: Field) => text(`nodes.Range_${field}`)

  return (
    <form noValidate aria-label={text('nodes.Ports')} onSubmit={(event) => void save(event)}>
      {rows.length > 0 && (
        <ul className={classes.ranges}>
          {rows.map((row, at) => {
            const field = (name: Field) => ({
              label: labelOf(name),
              value: row[name],
              error: isChecked && problems[at]?.has(name) && text('errors.ErrFieldInvalid', { field: labelOf(name) }),
              autoComplete: 'off',
              spellCheck: false,
              onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
                setRows(rows.map((other) => (other === row ? { ...row, [name]: value } : other))),
            })
            return (
              <li key={row.key}>
                <TextInput {...field('address')} dir="ltr" />
                <TextInput {...field('from')} dir="ltr" inputMode="numeric" />
                <TextInput {...field('to')} dir="ltr" inputMode="numeric" />
                <TextInput {...field('note')} />
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="lg"
                  aria-label={text('nodes.RemoveRange', { range: `${row.address} ${row.from}–${row.to}` })}
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
          {text('nodes.AddRange')}
        </Button>
        {hasChanged && (
          <>
            <Button variant="subtle" color="gray" onClick={() => setRows(saved.map(typedOf))}>
              {text('common.Discard')}
            </Button>
            <Button type="submit" loading={pending}>
              {text('nodes.SavePorts')}
            </Button>
          </>
        )}
      </div>
    </form>
  )
}
