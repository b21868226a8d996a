import { environmentOf, environmentTypeOf } from '@innkeeper/contract/definition'
import { getNodeFeatures, type NodeIsolation } from '@innkeeper/contract/nodes'
import type { ServerView } from '@innkeeper/contract/servers'
import { Paper, Skeleton } from '@mantine/core'
import { refetchOrThrow, useApiQuery } from '../../api/use-api-query.ts'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { type Saved, useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { LimitsFields, limitRows } from '../../ui/limits-fields.tsx'
import {
  applyLimitsForm,
  type LimitName,
  type LimitsForm,
  limitNames,
  noLimits,
  toLimitsForm,
} from '../../ui/limits-form.ts'
import { toast } from '../../ui/toast.tsx'
import classes from './server-admin.module.css'
import { useDefinition, useWriteDefinition, type VersionedDefinition } from './use-definition.ts'

/** What a server may use at most, and which of it the node really holds it to. */
export function LimitsCard({ server }: { server: ServerView }) {
  const t = useT()
  const definition = useDefinition(server.id)
  // The cards beside it say that the definition could not be loaded.
  if (definition.isError && !definition.data) return null
  return (
    <Paper className={classes.tall ?? ''}>
      <div className={classes.head} aria-busy={definition.isPending}>
        <h2>{t('server.Limits')}</h2>
      </div>
      {definition.data ? (
        <Limits server={server} definition={definition.data} reload={() => refetchOrThrow(definition)} />
      ) : (
        <div className={classes.limits}>
          {limitNames.map((name) => (
            <Skeleton key={name} height="3.75rem" />
          ))}
        </div>
      )}
    </Paper>
  )
}

/** Limits as typed: a draft of text can be compared with what is saved, whether a limit is there or not. */
type LimitsDraft = Readonly<Record<LimitName, string>>

const labels = {
  memory: 'server.LimitMemory',
  cpu: 'server.LimitCpu',
  processes: 'server.LimitProcesses',
} as const satisfies Record<LimitName, string>

interface LimitsProps {
  readonly server: ServerView
  readonly definition: VersionedDefinition
  readonly reload: () => Promise<VersionedDefinition>
}

function Limits({ server, definition, reload }: LimitsProps) {
  const t = useT()
  const { write } = useWriteDefinition(server.id)
  const isolation = useIsolation(server.node.id)
  const isContained = environmentTypeOf(environmentOf(definition.definition)) === 'docker'
  const form = useSaveForm<LimitsDraft, VersionedDefinition>({
    id: `server-${server.id}-limits`,
    saved: savedOf(definition),
    reload: async () => savedOf(await reload()),
    labelOf: (name) => t(labels[name]),
    describe: (name, value) => limitRows(t, { ...noLimits, ...numbersOf({ [name]: String(value) }) })[0]?.[1] ?? '',
    // The limits are written with the definition that they were read from.
    send: async ({ changed, version }) => {
      const { definition: seen, version: tag } = version ?? (await reload())
      const environment = environmentOf(seen)
      const limited = applyLimitsForm(environment, { ...toLimitsForm(environment), ...numbersOf(changed) })
      await write({ raw: { ...seen, environment: limited }, version: tag })
    },
    onSaved: () => toast.success(t('server.LimitsSaved')),
  })
  return (
    <SaveForm form={form} isInCard aria-label={t('server.Limits')}>
      <div className={classes.limits}>
        <LimitsFields
          form={{ ...noLimits, ...numbersOf(form.values) }}
          isolation={isContained ? undefined : isolation}
          onChange={(next) => form.set(draftOf(next))}
        />
        <p className={classes.quiet}>{t('server.LimitsAbout')}</p>
      </div>
      <SaveBar isInline form={form} action={t('server.LimitsSave')} />
    </SaveForm>
  )
}

function savedOf(definition: VersionedDefinition): Saved<LimitsDraft, VersionedDefinition> {
  return { values: draftOf(toLimitsForm(environmentOf(definition.definition))), version: definition }
}

function draftOf({ memory, cpu, processes }: LimitsForm): LimitsDraft {
  return { memory: String(memory), cpu: String(cpu), processes: String(processes) }
}

function numbersOf(draft: Partial<LimitsDraft>): Partial<LimitsForm> {
  return Object.fromEntries(Object.entries(draft).map(([name, limit]) => [name, limit === '' ? '' : Number(limit)]))
}

/** What the node holds servers to, for those who may know. */
function useIsolation(node: number): NodeIsolation | undefined {
  const maySee = useCan('nodes.view')
  const features = useApiQuery(getNodeFeatures, { params: { id: node } }, { enabled: maySee, meta: { quiet: true } })
  return features.data?.isolation
}
