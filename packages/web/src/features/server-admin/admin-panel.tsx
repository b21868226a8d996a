import {
  findEnvironmentType,
  getEnvironment,
  isLimitVariable,
  type LimitName,
} from '@innkeeper/contract/definitions/definition'
import { getNodeFeatures, type NodeIsolation } from '@innkeeper/contract/nodes/nodes'
import type { ServerView } from '@innkeeper/contract/servers/servers'
import { Paper, SimpleGrid, Stack, Switch, Text } from '@mantine/core'
import { useId } from 'react'
import { useAction } from '../../api/use-action.ts'
import { refetchOrThrow, useApiQuery } from '../../api/use-api.ts'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { type Saved, useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { SettingRow } from '../../ui/fields/setting-row.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { LimitsFields } from '../../ui/server-forms/limits-fields.tsx'
import { applyLimitsForm, type LimitsForm, noLimits, toLimitsForm } from '../../ui/server-forms/limits-form.ts'
import { toast } from '../../ui/toasts/toast.tsx'
import { setIn } from '../definition-editor/json-path.ts'
import { EditDefinition, ReloadFromDisk } from './definition-actions.tsx'
import classes from './server-admin.module.css'
import { SleepRow } from './sleep-row.tsx'
import { useDefinition, useWriteDefinition, type VersionedDefinition } from './use-definition.ts'

/** The cards for administrators. */
export function AdminPanel({ server }: { server: ServerView }) {
  const t = useT()
  const query = useDefinition(server.id)
  return (
    <SimpleGrid
      cols={{ base: 1, md: 2 }}
      p={{ base: 'sm', sm: 0 }}
      style={{ alignItems: 'start', gridTemplateRows: 'auto 1fr' }}
    >
      <QueryState inCard query={query} errorTitle={t('server.AdminNotLoaded')} skeletonHeight="18rem">
        {(data) => (
          <>
            <StartAndRecovery id={server.id} definition={data.definition} />
            <Paper className={classes.tall}>
              <CardHeader title={t('server.Limits')} />
              <Limits server={server} definition={data} reload={() => refetchOrThrow(query)} />
            </Paper>
          </>
        )}
      </QueryState>
      <Paper>
        <CardHeader title={t('server.AdminDefinition')} />
        <EditDefinition server={server} />
        <ReloadFromDisk id={server.id} />
      </Paper>
    </SimpleGrid>
  )
}

/** The limits as text, empty for none: a value is always there, so drafts can be compared with what is saved. */
type LimitsDraft = Readonly<Record<LimitName, string>>

const labels = {
  memory: 'server.LimitMemory',
  cpu: 'server.LimitCpu',
  processes: 'server.LimitProcesses',
  disk: 'definition.LimitDisk',
} as const satisfies Record<LimitName, string>

interface LimitsProps {
  readonly server: ServerView
  readonly definition: VersionedDefinition
  readonly reload: () => Promise<VersionedDefinition>
}

/** The resource limits of a server, and which of them its node enforces. */
function Limits({ server, definition, reload }: LimitsProps) {
  const t = useT()
  const { write } = useWriteDefinition(server.id)
  const isolation = useIsolation(server.node.id)
  const isContainer = findEnvironmentType(getEnvironment(definition.definition)) === 'docker'
  const form = useSaveForm<LimitsDraft, VersionedDefinition>({
    id: `server-${server.id}-limits`,
    saved: toSaved(definition),
    reload: async () => toSaved(await reload()),
    getLabel: (name) => t(labels[name]),
    // Limits are part of the definition: it is saved as it was loaded, with the new limits.
    send: async ({ changed, version: loaded }) => {
      const base = loaded ?? (await reload())
      const environment = getEnvironment(base.definition)
      const limited = applyLimitsForm(environment, { ...toLimitsForm(environment), ...parseDraft(changed) })
      await write({ raw: { ...base.definition, environment: limited }, version: base.version })
    },
    onSaved: () => toast.success(t('server.LimitsSaved')),
  })
  return (
    <SaveForm form={form} isInCard aria-label={t('server.Limits')}>
      <Stack gap="sm" p="md">
        <LimitsFields
          form={{ ...noLimits, ...parseDraft(form.values) }}
          isolation={isolation}
          isContainer={isContainer}
          onChange={(next) => form.set(toDraft(next))}
        />
        <Text variant="note">{t('server.LimitsAbout')}</Text>
        <Text variant="note">{t('server.LimitsAboutDisk')}</Text>
      </Stack>
      <SaveBar isInline form={form} action={t('server.LimitsSave')} />
    </SaveForm>
  )
}

function toSaved(definition: VersionedDefinition): Saved<LimitsDraft, VersionedDefinition> {
  return { values: toDraft(toLimitsForm(getEnvironment(definition.definition))), version: definition }
}

function toDraft({ memory, cpu, processes, disk }: LimitsForm): LimitsDraft {
  return { memory: String(memory), cpu: String(cpu), processes: String(processes), disk: String(disk) }
}

function parseDraft(draft: Partial<LimitsDraft>): Partial<LimitsForm> {
  return Object.fromEntries(
    Object.entries(draft).map(([name, limit]) => [
      name,
      limit === '' || isLimitVariable(limit) ? limit : Number(limit),
    ]),
  )
}

/** Which limits the node enforces; `undefined` without permission to see nodes. */
function useIsolation(node: number): NodeIsolation | undefined {
  const canView = useCan('nodes.view')
  const features = useApiQuery(getNodeFeatures, { params: { id: node } }, { enabled: canView, meta: { quiet: true } })
  return features.data?.isolation
}

const flags = [
  { flag: 'autostart', title: 'definition.Flag_autostart', description: 'server.AdminAutostartAbout' },
  { flag: 'autorestart', title: 'definition.Flag_autorestart', description: 'server.AdminAutorestartAbout' },
  { flag: 'autorecover', title: 'definition.Flag_autorecover', description: 'server.AdminAutorecoverAbout' },
  {
    flag: 'restartWhenNotResponding',
    title: 'definition.Flag_restartWhenNotResponding',
    description: 'server.AdminRestartWhenNotRespondingAbout',
  },
] as const
type Flag = (typeof flags)[number]['flag']

interface StartAndRecoveryProps extends Pick<VersionedDefinition, 'definition'> {
  readonly id: string
}

/** Switches for when the server starts by itself. Each writes the definition at once. */
function StartAndRecovery({ id, definition }: StartAndRecoveryProps) {
  const t = useT()
  const { update } = useWriteDefinition(id)
  const baseId = useId()

  const { mutate, pending } = useAction(({ flag, value }: { readonly flag: Flag; readonly value: boolean }) =>
    update((current) => setIn(current, ['run', flag], value)),
  )
  return (
    <Paper>
      <CardHeader title={t('server.AdminStartAndRecovery')} />
      {flags.map(({ flag, title, description }) => {
        const switchId = `${baseId}-${flag}`
        const isUseless = flag === 'restartWhenNotResponding' && !definition.liveness
        return (
          <SettingRow
            key={flag}
            id={switchId}
            labelFor={switchId}
            title={t(title)}
            description={t(isUseless ? 'server.AdminLivenessMissing' : description)}
          >
            <Switch
              id={switchId}
              aria-describedby={`${switchId}-description`}
              disabled={pending !== undefined || (isUseless && definition.run[flag] !== true)}
              checked={pending?.flag === flag ? pending.value : definition.run[flag] === true}
              onChange={(event) => void mutate({ flag, value: event.currentTarget.checked })}
            />
          </SettingRow>
        )
      })}
      <SleepRow id={id} definition={definition} />
    </Paper>
  )
}
