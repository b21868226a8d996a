import { getData } from '@innkeeper/contract/definitions/server-definition'
import {
  type ExtraPort,
  type ExtraPorts,
  editExtraPort,
  listExtraPorts,
  putExtraPortLimit,
  releaseExtraPort,
  takeExtraPort,
} from '@innkeeper/contract/servers/extra-ports'
import type { ServerView } from '@innkeeper/contract/servers/servers'
import { limits } from '@innkeeper/contract/text/limits'
import { Box, Button, Group, Paper, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { SubmitDialog } from '../../forms/form-dialogs.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { NumberField } from '../../ui/fields/number-field.tsx'
import { AddButton } from '../../ui/layout/add-button.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { IconButton } from '../../ui/menus/icon-button.tsx'
import { variableLabel } from '../../ui/names/variable-label.ts'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { CodeText } from '../../ui/text/code-text.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { toast } from '../../ui/toasts/toast.tsx'

type Opened = 'take' | 'limit' | ExtraPort

/** The ports that users of a server take beyond those of its template. Hidden where there can be none. */
export function ExtraPortsCard({ server }: { readonly server: ServerView }) {
  const t = useT()
  const canLimit = useCan('servers.edit.admin')
  const query = useApiQuery(listExtraPorts, { params: { id: server.id } })
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  const { limit = 0, ports = [] } = query.data ?? {}
  if (limit === 0 && ports.length === 0 && !canLimit) return null
  return (
    <Box maw="61.25rem" p={{ base: 'sm', sm: 0 }} mt="md">
      <Paper component="section" aria-label={t('server.ExtraPorts')}>
        <CardHeader title={t('server.ExtraPorts')} description={t('server.ExtraPortsAbout')}>
          {query.data && (
            <Group gap="xs">
              <Text variant="caption">{t('server.ExtraPortsTaken', { used: ports.length, max: limit })}</Text>
              {canLimit && (
                <Button size="xs" variant="default" onClick={() => setOpened('limit')}>
                  {t('server.ExtraPortLimit')}
                </Button>
              )}
              <AddButton disabled={ports.length >= limit} onClick={() => setOpened('take')}>
                {t('server.ExtraPortTake')}
              </AddButton>
            </Group>
          )}
        </CardHeader>
        <QueryState query={query} errorTitle={t('server.ExtraPortsFailed')}>
          {(data) =>
            data.ports.length === 0 && data.limit === 0 ? (
              <Text p="md" c="dimmed">
                {t('server.ExtraPortsNone')}
              </Text>
            ) : (
              <PortRows server={server.id} data={data} onEdit={setOpened} />
            )
          }
        </QueryState>
        {opened === 'limit' && <LimitDialog server={server} limit={limit} onClose={close} />}
        {opened !== undefined && opened !== 'limit' && query.data && (
          <PortDialog
            server={server.id}
            port={opened === 'take' ? undefined : opened}
            variables={query.data.variables}
            onClose={close}
          />
        )}
      </Paper>
    </Box>
  )
}

interface PortRowsProps {
  readonly server: string
  readonly data: ExtraPorts
  readonly onEdit: (port: ExtraPort) => void
}

function PortRows({ server, data, onEdit }: PortRowsProps) {
  const t = useT()
  const confirm = useConfirm()
  const release = useApiMutation(releaseExtraPort, { invalidates: [listExtraPorts, getData] })
  const ask = ({ name, port }: ExtraPort) =>
    confirm({
      title: t('server.ExtraPortReleaseQuestion', { port: String(port) }),
      body: t('server.ExtraPortReleaseBody'),
      action: t('server.ExtraPortReleaseAction'),
      onConfirm: async () => {
        const isReleased = await release.mutate({ params: { id: server, name } })
        if (isReleased) toast.success(t('server.ExtraPortReleased', { port: String(port) }))
        return isReleased
      },
    })
  if (data.ports.length === 0) return null
  return (
    <RowList label={t('server.ExtraPorts')}>
      {data.ports.map((port) => (
        <Group key={port.name} component="li" px="md" py="xs" gap="sm" wrap="nowrap">
          <Stack gap={0} flex={1} miw={0} style={{ overflowWrap: 'anywhere' }}>
            <Group gap="2xs" wrap="nowrap">
              <CodeText>{port.address}</CodeText>
              <CopyButton value={port.address} label={t('server.ExtraPortCopy', { address: port.address })} />
            </Group>
            {port.note !== '' && <Text component="bdi">{port.note}</Text>}
            <Text variant="caption">
              <CodeText>{`\${${port.name}}`}</CodeText>
              {port.variable !== undefined && <> {t('server.ExtraPortIn', { variable: port.variable })}</>}
            </Text>
          </Stack>
          <Group gap="2xs" wrap="nowrap">
            <IconButton label={t('common.EditNamed', { name: port.address })} onClick={() => onEdit(port)}>
              <IconPencil size={17} aria-hidden />
            </IconButton>
            <IconButton
              label={t('server.ExtraPortRelease', { port: String(port.port) })}
              onClick={() => void ask(port)}
            >
              <IconTrash size={17} aria-hidden />
            </IconButton>
          </Group>
        </Group>
      ))}
    </RowList>
  )
}

interface PortDialogProps {
  readonly server: string
  /** Missing to take one. */
  readonly port: ExtraPort | undefined
  readonly variables: ExtraPorts['variables']
  readonly onClose: () => void
}

/** The value of the choice of no variable. */
const none = ''

/** Takes a port, or changes its note and variable. */
function PortDialog({ server, port, variables, onClose }: PortDialogProps) {
  const t = useT()
  const invalidates = [listExtraPorts, getData]
  const take = useApiMutation(takeExtraPort, { invalidates })
  const edit = useApiMutation(editExtraPort, { invalidates })
  const form = useSubmitForm({
    id: `extra-port-${server}-${port?.name ?? 'new'}`,
    initialValues: { note: port?.note ?? '', variable: port?.variable ?? none },
    getLabel: (field) => t(field === 'note' ? 'server.ExtraPortNote' : 'server.ExtraPortVariable'),
    send: ({ note, variable }) => {
      const body = { note: note.trim(), variable: variable === none ? null : variable }
      return port
        ? edit.mutateAsync({ params: { id: server, name: port.name }, body })
        : take.mutateAsync({ params: { id: server }, body })
    },
    onSaved: (saved) => {
      toast.success(port ? t('common.Saved') : t('server.ExtraPortTaken', { port: String(saved.port) }))
      onClose()
    },
  })
  const choices = [...variables, ...(port?.variable === undefined ? [] : [{ name: port.variable }])]
  return (
    <SubmitDialog
      form={form}
      title={port ? t('server.ExtraPortEdit', { port: String(port.port) }) : t('server.ExtraPortTake')}
      action={t(port ? 'common.Save' : 'server.ExtraPortTake')}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        label={t('server.ExtraPortNote')}
        description={t('server.ExtraPortNoteHelp')}
        maxLength={limits.extraPortNoteMax}
        autoComplete="off"
        {...form.field('note')}
      />
      {choices.length > 0 && (
        <Select
          label={t('server.ExtraPortVariable')}
          description={t('server.ExtraPortVariableHelp')}
          allowDeselect={false}
          {...form.field('variable')}
          onChange={(variable) => form.set({ variable: variable ?? none })}
          data={[
            { value: none, label: t('server.ExtraPortVariableNone') },
            ...choices.map(({ name, ...variable }) => ({ value: name, label: variableLabel(t, name, variable) })),
          ]}
        />
      )}
    </SubmitDialog>
  )
}

interface LimitDialogProps {
  readonly server: ServerView
  readonly limit: number
  readonly onClose: () => void
}

/** How many extra ports the server may have. */
function LimitDialog({ server, limit, onClose }: LimitDialogProps) {
  const t = useT()
  const put = useApiMutation(putExtraPortLimit, { invalidates: [listExtraPorts] })
  const form = useSubmitForm({
    id: `extra-port-limit-${server.id}`,
    initialValues: { limit },
    send: (body) => put.mutateAsync({ params: { id: server.id }, body }),
    onSaved: () => {
      toast.success(t('common.Saved'))
      onClose()
    },
  })
  return (
    <SubmitDialog
      form={form}
      title={t('server.ExtraPortLimitTitle', { name: server.name })}
      action={t('common.Save')}
      onClose={onClose}
    >
      <NumberField
        label={t('server.ExtraPortLimitField')}
        description={t('server.ExtraPortLimitHelp')}
        max={limits.extraPorts}
        {...form.field('limit')}
      />
    </SubmitDialog>
  )
}
