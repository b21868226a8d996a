import { createNode, listNodes, type Node } from '@innkeeper/contract/nodes/nodes'
import { Box, Paper } from '@mantine/core'
import { useNavigate } from 'react-router'
import { useApiMutation } from '../../api/use-action.ts'
import { CreateBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { NoPermission } from '../../ui/feedback/no-permission.tsx'
import { Page, PageHeader } from '../../ui/layout/page.tsx'
import { toast } from '../../ui/toasts/toast.tsx'
import { type NodeDraft, NodeInputs, newNodeDraft, nodeFormOptions, toNodeBody } from './node-form.tsx'

/** Adds a node and opens its page with the deployment steps. */
export function AddNodeScreen() {
  const t = useT()
  if (useCan('nodes.edit')) return <AddNode />
  return (
    <Page>
      <PageHeader title={t('nodes.Add')} />
      <NoPermission scope="nodes.edit" />
    </Page>
  )
}

function AddNode() {
  const t = useT()
  const navigate = useNavigate()
  const create = useApiMutation(createNode, { invalidates: [listNodes] })
  const form = useSaveForm<NodeDraft, string, Node>({
    ...nodeFormOptions(t),
    id: 'add-node',
    allowUnchanged: true,
    saved: { values: newNodeDraft },
    send: ({ values }) => create.mutateAsync({ body: toNodeBody(values) }),
    onSaved: ({ id, name }) => {
      toast.success(t('common.Added', { name }))
      return navigate(`/node/${id}?deploy`)
    },
  })
  return (
    <Page type="form">
      <PageHeader title={t('nodes.Add')} />
      <Paper>
        <SaveForm form={form} isInCard aria-label={t('nodes.Add')}>
          <Box p="md">
            <NodeInputs form={form} />
          </Box>
          <CreateBar action={t('nodes.Add')} isSaving={form.isSaving} cancelTo="/node" />
        </SaveForm>
      </Paper>
    </Page>
  )
}
