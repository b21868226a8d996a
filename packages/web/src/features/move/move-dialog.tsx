import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { getMove, type Move, type MovePlan, moveServer, planMove } from '@innkeeper/contract/moves/moves'
import { listNodeChoices } from '@innkeeper/contract/nodes/nodes'
import type { ServerView } from '@innkeeper/contract/servers/servers'
import { List, Modal, Select, Stack, Switch, Text } from '@mantine/core'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { DialogForm, useCloseDialog } from '../../forms/form-dialogs.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { errorMessage } from '../../ui/text/error-message.ts'
import { nodeOption } from '../../ui/text/node-availability.ts'

interface MoveDialogProps {
  readonly server: ServerView
  readonly onClose: () => void
}

interface MoveValues {
  /** Empty while none is selected. */
  readonly node: string
  readonly leaveBackups: boolean
}

/** Chooses the node, shows what changes, and begins the move. */
export function MoveDialog({ server, onClose }: MoveDialogProps) {
  const t = useT()
  const params = { id: server.id }
  const nodes = useApiQuery(listNodeChoices, {}, { refetchOnMount: 'always' })
  const start = useApiMutation(moveServer, { invalidates: [getMove] })
  const form = useSubmitForm<MoveValues, Move>({
    initialValues: { node: '', leaveBackups: false },
    isGuarded: false,
    send: ({ node, leaveBackups }) => start.mutateAsync({ params, body: { node: Number(node), leaveBackups } }),
    onSaved: onClose,
  })
  const { node, leaveBackups } = form.values
  const plan = useApiQuery(
    planMove,
    { params, query: { node: Number(node) } },
    { refetchOnMount: 'always', staleTime: 0, enabled: node !== '' },
  )
  const canMove = plan.data !== undefined && !plan.data.error && (plan.data.backups === 0 || leaveBackups)
  const close = useCloseDialog(form, onClose)
  return (
    <Modal opened onClose={close} title={t('server.MoveTitle', { name: server.name })}>
      <DialogForm form={form} action={t('server.Move')} canSave={node !== '' && canMove} onCancel={close}>
        <Text c="dimmed">{t('server.MoveAbout')}</Text>
        {/* It is there while the nodes are loaded, so that it gets the focus. */}
        <Select
          data-autofocus
          label={t('common.Node')}
          allowDeselect={false}
          {...form.field('node')}
          value={node || null}
          onChange={(selected) => form.set({ node: selected ?? node, leaveBackups: false })}
          data={(nodes.data ?? []).filter(({ id }) => id !== server.node.id).map((choice) => nodeOption(t, choice))}
        />
        <QueryState query={nodes} errorTitle={t('common.NodesNotLoaded')} skeleton={null}>
          {() => null}
        </QueryState>
        {node !== '' && (
          <QueryState query={plan} errorTitle={t('server.MoveNotPlanned')}>
            {(planned) => <Plan server={server} plan={planned} />}
          </QueryState>
        )}
        {plan.data !== undefined && plan.data.backups > 0 && !plan.data.error && (
          <Switch
            label={t('server.MoveLeaveBackups', { count: plan.data.backups })}
            {...form.switchField('leaveBackups')}
          />
        )}
      </DialogForm>
    </Modal>
  )
}

/** What the move changes, and what it needs. */
function Plan({ server, plan }: { readonly server: ServerView; readonly plan: MovePlan }) {
  const t = useT()
  const { values, backups, running, error } = plan
  if (error) return <Alert type="error">{errorMessage(t, refusalFrom({ error }))}</Alert>
  return (
    <Stack gap="sm">
      {running && <Text>{t('server.MoveStops')}</Text>}
      {values.length === 0 ? (
        <Text>{t('server.MoveKeepsPorts')}</Text>
      ) : (
        <>
          <Text>{t('server.MoveChangesValues')}</Text>
          <List>
            {values.map(({ name, from, to }) => (
              <List.Item key={name}>{t('server.MoveValue', { name, from, to })}</List.Item>
            ))}
          </List>
        </>
      )}
      {backups > 0 && (
        <Alert type="warning">{t('server.MoveBackups', { count: backups, node: server.node.name })}</Alert>
      )}
    </Stack>
  )
}
