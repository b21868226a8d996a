import { environmentOf, environmentTypeOf } from '@innkeeper/contract/definition'
import { getNodeFeatures, type NodeIsolation } from '@innkeeper/contract/nodes'
import type { ServerView } from '@innkeeper/contract/servers'
import { Button, NumberInput } from '@mantine/core'
import { use, useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { useCall } from '../../api/use-call.ts'
import { TellRefusalContext } from '../../api/use-send.ts'
import { useText } from '../../i18n/text.tsx'
import { useMay } from '../../session/session.tsx'
import { Card } from '../../ui/small.tsx'
import { toast } from '../../ui/toast.tsx'
import { type LimitName, type LimitsForm, limitNames, limitsOf, withLimits } from './limits.ts'
import classes from './server-admin.module.css'
import { useDefinition, useWriteDefinition } from './use-definition.ts'

const fields: Readonly<Record<LimitName, { label: string; suffix: string; most: number }>> = {
  memory: { label: 'server.LimitMemory', suffix: ' MiB', most: 16_777_216 },
  cpu: { label: 'server.LimitCpu', suffix: ' %', most: 100_000 },
  processes: { label: 'server.LimitProcesses', suffix: '', most: 4_194_304 },
}

/** What a server may use at most, and which of it the node really holds it to. */
export function LimitsCard({ server }: { server: ServerView }) {
  const text = useText()
  const tell = use(TellRefusalContext)
  const definition = useDefinition(server.id)
  const { write } = useWriteDefinition(server.id)
  const isolation = useIsolation(server.node.id)
  const [edited, setEdited] = useState<LimitsForm>()
  const [isSaving, setIsSaving] = useState(false)
  const read = definition.data
  const isContained = read && environmentTypeOf(environmentOf(read.definition)) === 'docker'
  const shown = edited ?? (read ? limitsOf(read.definition) : { memory: '', cpu: '', processes: '' })

  const save = async () => {
    if (!read || !edited) return
    setIsSaving(true)
    try {
      await write({ raw: withLimits(read.definition, edited), version: read.version })
      setEdited(undefined)
      toast.success(text('server.LimitsSaved'))
    } catch (refusal) {
      tell(refusal)
      if (isRefusal(refusal, 'ErrStaleVersion')) await definition.refetch()
    } finally {
      setIsSaving(false)
    }
  }
  // The cards beside it say that the definition could not be loaded.
  if (definition.isError) return null
  return (
    <Card>
      <div className={classes.head}>
        <h2>{text('server.Limits')}</h2>
      </div>
      <form
        className={classes.limits}
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        {limitNames.map((name) => (
          <NumberInput
            key={name}
            label={text(fields[name].label)}
            description={isContained ? undefined : heldText(text, isolation, name)}
            placeholder={text(name === 'processes' ? 'server.LimitOrdinary' : 'server.LimitNone')}
            suffix={fields[name].suffix}
            min={1}
            max={fields[name].most}
            allowDecimal={false}
            allowNegative={false}
            clampBehavior="strict"
            disabled={!read || isSaving}
            value={shown[name]}
            onChange={(value) => setEdited({ ...shown, [name]: typeof value === 'number' ? value : '' })}
          />
        ))}
        <p className={classes.quiet}>{text('server.LimitsAbout')}</p>
        <Button type="submit" size="xs" variant="default" loading={isSaving} disabled={!edited}>
          {text('server.LimitsSave')}
        </Button>
      </form>
    </Card>
  )
}

function heldText(text: ReturnType<typeof useText>, isolation: NodeIsolation | undefined, name: LimitName) {
  const ability = isolation?.limits[name]
  if (!ability) return undefined
  return ability.enforced ? text('server.LimitHeld') : text('server.LimitNotHeld', { reason: ability.reason ?? '' })
}

/** What the node holds servers to, for those who may know. */
function useIsolation(node: number): NodeIsolation | undefined {
  const maySee = useMay('nodes.view')
  const features = useCall(getNodeFeatures, { params: { id: node } }, { enabled: maySee, meta: { quiet: true } })
  return features.data?.isolation
}
