import { environmentsOf } from '@innkeeper/contract/definition'
import { deleteTemplate, getTemplate, listTemplates } from '@innkeeper/contract/templates'
import { Button, Skeleton } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useNavigate, useParams } from 'react-router'
import { useCall } from '../../api/use-call.ts'
import { useSend } from '../../api/use-send.ts'
import { useText } from '../../i18n/text.tsx'
import { useMay } from '../../session/session.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { LoadFailure } from '../../ui/empty-state.tsx'
import { Page, PageHead } from '../../ui/page.tsx'
import { Readme } from '../../ui/readme.tsx'
import { Badge, Card, CopyButton, Mono } from '../../ui/small.tsx'
import { toast } from '../../ui/toast.tsx'
import { useIsLate } from '../../ui/use-late.ts'
import classes from './template-screen.module.css'

/** One template: what it says about itself, and the whole of it as JSON. */
export function TemplateScreen() {
  const text = useText()
  const goTo = useNavigate()
  const confirm = useConfirm()
  const { name = '' } = useParams()
  const mayEdit = useMay('templates.edit')
  const template = useCall(getTemplate, { params: { name } })
  const remove = useSend(deleteTemplate, { refreshes: [listTemplates] })
  const isLate = useIsLate(template.isPending)
  const title = template.data?.display || name
  const json = template.data ? JSON.stringify(template.data, null, 2) : ''
  const again = () => void template.refetch()

  const askAndRemove = async () => {
    const yes = await confirm({
      title: text('templates.DeleteTitle', { name: title }),
      body: text('templates.DeleteBody'),
      action: text('templates.Delete'),
      danger: true,
      typeToConfirm: name,
    })
    if (!yes) return
    try {
      await remove.send({ params: { name } })
    } catch {
      // It was told already, and the template is still there.
      return
    }
    toast.success(text('templates.Deleted', { name: title }))
    void goTo('/template')
  }

  return (
    <Page kind="form">
      <PageHead
        title={title}
        actions={
          mayEdit &&
          template.data && (
            <Button
              variant="default"
              c="var(--ik-offline)"
              leftSection={<IconTrash size={17} aria-hidden />}
              loading={remove.pending}
              onClick={() => void askAndRemove()}
            >
              {text('templates.Delete')}
            </Button>
          )
        }
      />
      {template.error ? (
        <Card>
          <LoadFailure title={text('templates.OneLoadFailed')} error={template.error} again={again} />
        </Card>
      ) : template.isPending ? (
        isLate && <Skeleton h={320} radius="lg" aria-label={text('common.Loading')} />
      ) : (
        <>
          <Card className={classes.part ?? ''}>
            <div className={classes.facts}>
              <Mono>{name}</Mono>
              <span>{template.data.type}</span>
              {environmentsOf(template.data).map(({ type }) => (
                <Badge key={type} square>
                  {type}
                </Badge>
              ))}
            </div>
            {template.data.readme ? (
              <Readme markdown={template.data.readme} headings="h2" />
            ) : (
              <p className={classes.quiet}>{text('templates.NoReadme')}</p>
            )}
          </Card>
          <Card className={classes.part ?? ''}>
            <div className={classes.head}>
              <h2>{text('templates.Definition')}</h2>
              <CopyButton value={json} label={text('templates.CopyJson')} />
            </div>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
            <pre className={classes.json} dir="ltr" tabIndex={0}>
              {json}
            </pre>
          </Card>
        </>
      )}
    </Page>
  )
}
