import { createNode, listNodes, type Node } from '@innkeeper/contract/nodes'
import { Button } from '@mantine/core'
import { Link, useNavigate } from 'react-router'
import { useSend } from '../../api/use-send.ts'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { useText } from '../../i18n/text.tsx'
import { useMay } from '../../session/session.tsx'
import { NoPermission } from '../../ui/no-permission.tsx'
import { Page, PageHead } from '../../ui/page.tsx'
import { Card } from '../../ui/small.tsx'
import { toast } from '../../ui/toast.tsx'
import { bodyOf, type NodeDraft, NodeInputs, newDraft, nodeFormOptions } from './node-form.tsx'
import classes from './nodes-screen.module.css'

/** Describes a new node; its page then says how it joins. */
export function AddNodeScreen() {
  const mayEdit = useMay('nodes.edit')
  return mayEdit ? <AddNode /> : <NoPermission />
}

function AddNode() {
  const text = useText()
  const goTo = useNavigate()
  const create = useSend(createNode, { quiet: true, refreshes: [listNodes] })
  const form = useSaveForm<NodeDraft, string, Node>({
    ...nodeFormOptions(text),
    id: 'add-node',
    isNew: true,
    saved: { values: newDraft },
    send: ({ values }) => create.send({ body: bodyOf(values) }),
    onSaved: ({ id, name }) => {
      toast.success(text('nodes.Added', { name }))
      return goTo(`/node/${id}?deploy`)
    },
  })
  return (
    <Page kind="form">
      <PageHead title={text('nodes.Add')} />
      <Card className={classes.part ?? ''}>
        <SaveForm form={form} aria-label={text('nodes.Add')}>
          <NodeInputs form={form} />
          <div className={classes.foot}>
            <Button component={Link} to="/node" variant="subtle" color="gray">
              {text('common.Cancel')}
            </Button>
            <Button type="submit" loading={form.isSaving}>
              {text('nodes.Add')}
            </Button>
          </div>
        </SaveForm>
      </Card>
    </Page>
  )
}
