import { createNode, listNodes } from '@innkeeper/contract/nodes'
import { Button } from '@mantine/core'
import { type FormEvent, use, useRef, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { TellRefusalContext, useSend } from '../../api/use-send.ts'
import { useText } from '../../i18n/text.tsx'
import { useMay } from '../../session/session.tsx'
import { NoPermission } from '../../ui/no-permission.tsx'
import { Page, PageHead } from '../../ui/page.tsx'
import { Card } from '../../ui/small.tsx'
import { toast } from '../../ui/toast.tsx'
import { bodyOf, NodeInputs, newDraft, useNodeProblems } from './node-form.tsx'
import classes from './nodes-screen.module.css'

/** Describes a new node; its page then says how it joins. */
export function AddNodeScreen() {
  const text = useText()
  const goTo = useNavigate()
  const tell = use(TellRefusalContext)
  const mayEdit = useMay('nodes.edit')
  const form = useRef<HTMLFormElement>(null)
  const [draft, setDraft] = useState(newDraft)
  const check = useNodeProblems(form)
  const create = useSend(createNode, { quiet: true, refreshes: [listNodes] })
  if (!mayEdit) return <NoPermission />

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (create.pending || !check.accepts(draft)) return
    try {
      const { id, name } = await create.send({ body: bodyOf(draft) })
      toast.success(text('nodes.Added', { name }))
      await goTo(`/node/${id}?deploy`)
    } catch (error) {
      if (!check.take(error)) tell(error)
    }
  }
  return (
    <Page kind="form">
      <PageHead title={text('nodes.Add')} />
      <Card className={classes.part ?? ''}>
        <form ref={form} noValidate aria-label={text('nodes.Add')} onSubmit={(event) => void submit(event)}>
          <NodeInputs draft={draft} onChange={setDraft} check={check} />
          <div className={classes.foot}>
            <Button component={Link} to="/node" variant="subtle" color="gray">
              {text('common.Cancel')}
            </Button>
            <Button type="submit" loading={create.pending}>
              {text('nodes.Add')}
            </Button>
          </div>
        </form>
      </Card>
    </Page>
  )
}
