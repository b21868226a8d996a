import { createNode, listNodes, type Node } from '@innkeeper/contract/nodes'
import { Button, Paper } from '@mantine/core'
import { Link, useNavigate } from 'react-router'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { NoPermission } from '../../ui/no-permission.tsx'
import { Page, PageHeader } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import { bodyOf, type NodeDraft, NodeInputs, newDraft, nodeFormOptions } from './node-form.tsx'
import classes from './nodes-screen.module.css'

/** Describes a new node; its page then says how it joins. */
export function AddNodeScreen() {
  const mayEdit = useCan('nodes.edit')
  return mayEdit ? <AddNode /> : <NoPermission />
}

function AddNode() {
  const t = useT()
  const goTo = useNavigate()
  const create = useApiMutation(createNode, { silent: true, invalidates: [listNodes] })
  const form = useSaveForm<NodeDraft, string, Node>({
    ...nodeFormOptions(t),
    id: 'add-node',
    isNew: true,
    saved: { values: newDraft },
    send: ({ values }) => create.mutateAsync({ body: bodyOf(values) }),
    onSaved: ({ id, name }) => {
      toast.success(t('nodes.Added', { name }))
      return goTo(`/node/${id}?deploy`)
    },
  })
  return (
    <Page type="form">
      <PageHeader title={t('nodes.Add')} />
      <Paper className={classes.part ?? ''}>
        <SaveForm form={form} aria-label={t('nodes.Add')}>
          <NodeInputs form={form} />
          <div className={classes.foot}>
            <Button component={Link} to="/node" variant="subtle" color="gray">
              {t('common.Cancel')}
            </Button>
            <Button type="submit" loading={form.isSaving}>
              {t('nodes.Add')}
            </Button>
          </div>
        </SaveForm>
      </Paper>
    </Page>
  )
}
