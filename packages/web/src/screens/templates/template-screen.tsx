import { Skeleton } from '@mantine/core'
import { Suspense } from 'react'
import { useParams } from 'react-router'
import { textAt } from '../../features/definition-editor/raw.ts'
import { useText } from '../../i18n/text.tsx'
import { useMay } from '../../session/session.tsx'
import { LoadFailure } from '../../ui/empty-state.tsx'
import { lazyView } from '../../ui/lazy-view.tsx'
import { Page, PageHead } from '../../ui/page.tsx'
import { Card, ViewOnlyBadge } from '../../ui/small.tsx'
import { useIsLate } from '../../ui/use-late.ts'
import { TemplateMenu } from './template-menu.tsx'
import classes from './template-screen.module.css'
import { TemplateView } from './template-view.tsx'
import { useTemplate } from './use-template.ts'

const TemplateEditor = lazyView(async () => (await import('./template-editor.tsx')).TemplateEditor)

/** One template: in the editor for those who may change it, else to be looked at. */
export function TemplateScreen() {
  const { name = '' } = useParams()
  // Another template is another page: nothing of one is left in the editor of the other.
  return <OneTemplate key={name} name={name} />
}

function OneTemplate({ name }: { name: string }) {
  const text = useText()
  const mayEdit = useMay('templates.edit')
  const template = useTemplate(name)
  const isLate = useIsLate(template.isPending)
  if (template.data && mayEdit) {
    return (
      <Page>
        <Suspense fallback={<PageHead title={textAt(template.data.raw, ['display']) || name} />}>
          <TemplateEditor name={name} opened={template.data} />
        </Suspense>
      </Page>
    )
  }
  const raw = template.data?.raw
  const title = raw ? textAt(raw, ['display']) || name : name
  return (
    <Page kind="form">
      <PageHead
        title={title}
        actions={
          raw && (
            <div className={classes.actions}>
              <ViewOnlyBadge right="templates.edit" />
              <TemplateMenu name={name} title={title} raw={raw} mayEdit={false} />
            </div>
          )
        }
      />
      {raw ? (
        <TemplateView name={name} raw={raw} />
      ) : template.error ? (
        <Card>
          <LoadFailure
            title={text('templates.OneLoadFailed')}
            error={template.error}
            again={() => void template.refetch()}
          />
        </Card>
      ) : (
        isLate && <Skeleton h={320} radius="lg" aria-label={text('common.Loading')} />
      )}
    </Page>
  )
}
