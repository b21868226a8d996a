import { type Backup, listBackups } from '@innkeeper/contract/backups'
import { cloneServer, listFailedClones } from '@innkeeper/contract/clones'
import { findFreePorts } from '@innkeeper/contract/node-ports'
import { listNodeChoices } from '@innkeeper/contract/nodes'
import { getPortVariables, isPort, portsOf } from '@innkeeper/contract/port-variables'
import { getData } from '@innkeeper/contract/server-definition'
import { listServers, type ServerView } from '@innkeeper/contract/servers'
import { Modal, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { SubmitForm } from '../../forms/submit-form.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { serverNameError } from '../../ui/server-name.ts'
import { CloneProgress } from './clone-progress.tsx'
import { suggestPorts, toVariableValues } from './port-values.ts'

interface CloneDialogProps {
  readonly server: ServerView
  /** The backup that is selected at first; otherwise the current state. */
  readonly backup?: Backup | undefined
  /** Whether a backup of the current state can be made. */
  readonly canBackUp: boolean
  readonly canEditUsers: boolean
  readonly onClose: () => void
}

/** Creates a server from another one or from one of its backups, and shows the progress. */
export function CloneDialog(props: CloneDialogProps) {
  const t = useT()
  const [clone, setClone] = useState<string>()
  return (
    <Modal opened onClose={props.onClose} title={t('server.CloneTitle', { name: props.server.name })}>
      {clone === undefined ? (
        <CloneForm {...props} onStarted={setClone} />
      ) : (
        <CloneProgress id={clone} onClose={props.onClose} />
      )}
    </Modal>
  )
}

/** The value of the current state in the list of sources. */
const currentState = 'present'

function CloneForm(props: CloneDialogProps & { readonly onStarted: (id: string) => void }) {
  const { server, backup, canBackUp, canEditUsers, onClose, onStarted } = props
  const t = useT()
  const { dateTime } = useFormatters()
  const params = { id: server.id }
  const [node, setNode] = useState(server.node.id)
  const [ports, setPorts] = useState<Readonly<Record<string, string>>>({})
  const [hasUsers, setHasUsers] = useState(false)
  const nodes = useApiQuery(listNodeChoices, {}, { refetchOnMount: 'always' })
  const backups = useApiQuery(listBackups, { params })
  const variables = useApiQuery(getData, { params })
  const data = variables.data?.data ?? {}
  const portVariables = getPortVariables(data)
  const [source, setSource] = useState(backup?.id ?? (canBackUp ? currentState : undefined))
  const free = useApiQuery(
    findFreePorts,
    { params: { id: node }, query: { count: Math.max(1, portVariables.length), instead: portsOf(data).join(',') } },
    { refetchOnMount: 'always', enabled: portVariables.length > 0 },
  )
  const values = { ...suggestPorts(portVariables, free.data?.ports ?? []), ...ports }
  const start = useApiMutation(cloneServer, { invalidates: [listServers, listBackups, listFailedClones] })
  const form = useSubmitForm({
    initialValues: { name: `${server.name.slice(0, 30)} 2` },
    fieldByCode: { ErrDuplicateServerName: 'name' },
    validate: ({ name }) => ({ name: serverNameError(t, name, { isComplete: true }) }),
    send: async ({ name }) => {
      const body = {
        ...{ name: name.trim(), node, users: hasUsers, data: toVariableValues(data, ports) },
        ...(source !== currentState && source !== undefined && { backup: source }),
      }
      onStarted((await start.mutateAsync({ params, body })).id)
    },
  })
  const isReady = variables.data !== undefined && source !== undefined && Object.values(values).every(isPort)
  return (
    <SubmitForm form={form}>
      <Stack gap="md">
        <Text c="dimmed">{t('server.CloneAbout')}</Text>
        <TextInput
          data-autofocus
          label={t('common.Name')}
          autoComplete="off"
          {...form.field('name')}
          error={form.errors.name ?? serverNameError(t, form.values.name, { isComplete: false })}
        />
        <QueryState query={backups} errorTitle={t('backups.LoadFailed')}>
          {(saved) => (
            <Select
              label={t('server.CloneSource')}
              allowDeselect={false}
              value={source ?? null}
              onChange={(id) => setSource(id ?? undefined)}
              data={[
                ...(canBackUp ? [{ value: currentState, label: t('server.CloneAsItIs') }] : []),
                ...saved.map(({ id, name, createdAt }) => {
                  const time = dateTime(Date.parse(createdAt))
                  return { value: id, label: name === '' ? time : `${time} · ${name}` }
                }),
              ]}
            />
          )}
        </QueryState>
        <QueryState query={nodes} errorTitle={t('common.NodesNotLoaded')}>
          {(choices) => (
            <Select
              label={t('common.Node')}
              allowDeselect={false}
              value={String(node)}
              onChange={(id) => {
                setNode(Number(id))
                setPorts({})
              }}
              data={choices.map(({ id, name }) => ({ value: String(id), label: name }))}
            />
          )}
        </QueryState>
        <QueryState
          query={variables}
          errorTitle={t('common.SettingsNotLoaded')}
          isEmpty={() => portVariables.length === 0}
        >
          {() => (
            <QueryState query={free} errorTitle={t('nodes.PortsFailed')}>
              {() => (
                <PortFields
                  {...{ portVariables, values }}
                  onChange={(changed) => setPorts((all) => ({ ...all, ...changed }))}
                />
              )}
            </QueryState>
          )}
        </QueryState>
        {canEditUsers && (
          <Switch
            label={t('server.CloneUsers')}
            checked={hasUsers}
            onChange={(event) => setHasUsers(event.currentTarget.checked)}
          />
        )}
        <DialogButtons onCancel={onClose} type="submit" disabled={!isReady} loading={form.isSaving}>
          {t('server.Clone')}
        </DialogButtons>
      </Stack>
    </SubmitForm>
  )
}

interface PortFieldsProps {
  readonly portVariables: ReturnType<typeof getPortVariables>
  readonly values: Readonly<Record<string, string>>
  readonly onChange: (changed: Readonly<Record<string, string>>) => void
}

function PortFields({ portVariables, values, onChange }: PortFieldsProps) {
  const t = useT()
  return portVariables.map(({ name, variable }) => {
    const label = variable.display || name
    const value = values[name] ?? ''
    return (
      <TextInput
        key={name}
        label={label}
        inputMode="numeric"
        autoComplete="off"
        value={value}
        onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
        error={!isPort(value) && t('errors.ErrFieldNotBetween', { field: label, min: 1, max: '65535' })}
      />
    )
  })
}
