import { environmentOf, environmentTypeOf } from '@innkeeper/contract/definition'
import { getNodeFeatures, type NodeIsolation } from '@innkeeper/contract/nodes'
import type { ServerView } from '@innkeeper/contract/servers'
import { Button } from '@mantine/core'
import { use, useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { useCall } from '../../api/use-call.ts'
import { TellRefusalContext } from '../../api/use-send.ts'
import { useText } from '../../i18n/text.tsx'
import { useMay } from '../../session/session.tsx'
import { LimitsFields } from '../../ui/limits-fields.tsx'
import { type LimitsForm, limitsFormOf, noLimits, withLimitsForm } from '../../ui/limits-form.ts'
import { Card } from '../../ui/small.tsx'
import { toast } from '../../ui/toast.tsx'
import classes from './server-admin.module.css'
import { useDefinition, useWriteDefinition } from './use-definition.ts'

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
  const environment = read && environmentOf(read.definition)
  const isContained = environment && environmentTypeOf(environment) === 'docker'
  const shown = edited ?? (environment ? limitsFormOf(environment) : noLimits)

  const save = async () => {
    if (!read || !environment || !edited) return
    setIsSaving(true)
    try {
      const limited = withLimitsForm(environment, edited)
      await write({ raw: { ...read.definition, environment: limited }, version: read.version })
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
    <Card className={classes.tall ?? ''}>
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
        <LimitsFields
          form={shown}
          isolation={isContained ? undefined : isolation}
          disabled={!read || isSaving}
          onChange={setEdited}
        />
        <p className={classes.quiet}>{text('server.LimitsAbout')}</p>
        <Button type="submit" size="xs" variant="default" loading={isSaving} disabled={!edited}>
          {text('server.LimitsSave')}
        </Button>
      </form>
    </Card>
  )
}

/** What the node holds servers to, for those who may know. */
function useIsolation(node: number): NodeIsolation | undefined {
  const maySee = useMay('nodes.view')
  const features = useCall(getNodeFeatures, { params: { id: node } }, { enabled: maySee, meta: { quiet: true } })
  return features.data?.isolation
}
