import { type Backup, listBackups } from '@innkeeper/contract/backups/backups'
import { type Clone, cloneServer, listFailedClones } from '@innkeeper/contract/clones/clones'
import { withoutExtraPorts } from '@innkeeper/contract/definitions/extra-ports'
import { getPorts, getPortVariables, isPort } from '@innkeeper/contract/definitions/port-variables'
import { getData } from '@innkeeper/contract/definitions/server-definition'
import { findFreePorts } from '@innkeeper/contract/nodes/node-ports'
import { listNodeChoices } from '@innkeeper/contract/nodes/nodes'
import { listServers, type ServerView } from '@innkeeper/contract/servers/servers'
import { Modal, Select, Switch, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { DialogForm, useCloseDialog } from '../../forms/form-dialogs.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { serverNameError } from '../../ui/fields/server-name.ts'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { variableLabel } from '../../ui/names/variable-label.ts'
import { nodeOption } from '../../ui/text/node-availability.ts'
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

/** The value of the current state in the list of sources. */
const currentState = 'present'

/** Creates a server from another one or from one of its backups, and shows the progress. */
export function CloneDialog(props: CloneDialogProps) {
  const { server, canEditUsers, onClose } = props
  const t = useT()
  const [clone, setClone] = useState<string>()
  const state = useCloneForm(props, setClone)
  const { form, nodes, variables, free, portVariables, values } = state
  const close = useCloseDialog(form, onClose)
  return (
    <Modal opened onClose={close} title={t('server.CloneTitle', { name: server.name })}>
      {clone === undefined ? (
        <DialogForm form={form} action={t('server.Clone')} canSave={state.isReady} onCancel={close}>
          <Text c="dimmed">{t('server.CloneAbout')}</Text>
          <TextInput
            data-autofocus
            label={t('common.Name')}
            autoComplete="off"
            {...form.field('name')}
            error={form.errors.name ?? serverNameError(t, form.values.name, { isComplete: false })}
          />
          <SourceField {...props} {...form.field('source')} />
          <QueryState query={nodes} errorTitle={t('common.NodesNotLoaded')}>
            {(choices) => (
              <Select
                label={t('common.Node')}
                allowDeselect={false}
                {...form.field('node')}
                onChange={(node) => form.set({ node: node ?? form.values.node, ports: {} })}
                data={choices.map((node) => nodeOption(t, node))}
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
                    portVariables={portVariables}
                    values={values}
                    onChange={(changed) => form.set({ ports: { ...form.values.ports, ...changed } })}
                  />
                )}
              </QueryState>
            )}
          </QueryState>
          {canEditUsers && <Switch label={t('server.CloneUsers')} {...form.switchField('users')} />}
        </DialogForm>
      ) : (
        <CloneProgress id={clone} onClose={onClose} />
      )}
    </Modal>
  )
}

interface CloneValues {
  readonly name: string
  /** The id of a backup, or `currentState`; empty while none is selected. */
  readonly source: string
  readonly node: string
  /** Changed ports, by variable. */
  readonly ports: Readonly<Record<string, string>>
  /** Whether to copy the users too. */
  readonly users: boolean
}

function useCloneForm({ server, backup, canBackUp }: CloneDialogProps, onStarted: (id: string) => void) {
  const t = useT()
  const params = { id: server.id }
  const nodes = useApiQuery(listNodeChoices, {}, { refetchOnMount: 'always' })
  const variables = useApiQuery(getData, { params })
  // A clone takes its own.
  const data = withoutExtraPorts(variables.data?.data ?? {})
  const portVariables = getPortVariables(data)
  const start = useApiMutation(cloneServer, { invalidates: [listServers, listBackups, listFailedClones] })
  const form = useSubmitForm<CloneValues, Clone>({
    id: `clone-${server.id}`,
    initialValues: {
      name: `${server.name.slice(0, 30)} 2`,
      source: backup?.id ?? (canBackUp ? currentState : ''),
      node: String(server.node.id),
      ports: {},
      users: false,
    },
    fieldByCode: { ErrDuplicateServerName: 'name' },
    validate: ({ name }) => ({ name: serverNameError(t, name, { isComplete: true }) }),
    send: ({ name, source, node, ports, users }) => {
      const body = {
        name: name.trim(),
        node: Number(node),
        users,
        data: toVariableValues(data, ports),
        ...(source !== currentState && { backup: source }),
      }
      return start.mutateAsync({ params, body })
    },
    onSaved: ({ id }) => onStarted(id),
  })
  const { node, source, ports } = form.values
  const query = { count: Math.max(1, portVariables.length), instead: getPorts(data).join(',') }
  const free = useApiQuery(
    findFreePorts,
    { params: { id: Number(node) }, query },
    { refetchOnMount: 'always', enabled: portVariables.length > 0 },
  )
  const values = { ...suggestPorts(portVariables, free.data?.ports ?? []), ...ports }
  const isReady = variables.data !== undefined && source !== '' && Object.values(values).every(isPort)
  return { form, nodes, variables, free, portVariables, values, isReady }
}

interface SourceFieldProps extends Pick<CloneDialogProps, 'server' | 'canBackUp'> {
  readonly value: string
  readonly error: ReactNode
  readonly onChange: (source: string) => void
}

/** Chooses the current state or a backup. */
function SourceField({ server, canBackUp, value, error, onChange }: SourceFieldProps) {
  const t = useT()
  const { dateTime } = useFormatters()
  const backups = useApiQuery(listBackups, { params: { id: server.id } })
  return (
    <QueryState query={backups} errorTitle={t('backups.LoadFailed')}>
      {(saved) => (
        <Select
          label={t('server.CloneSource')}
          allowDeselect={false}
          value={value || null}
          error={error}
          onChange={(source) => onChange(source ?? value)}
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
    const label = variableLabel(t, name, variable)
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
