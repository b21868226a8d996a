import { Paper, Skeleton } from '@mantine/core'
import { Suspense } from 'react'
import { useParams } from 'react-router'
import { textAt } from '../../features/definition-editor/raw.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { QueryError } from '../../ui/empty-state.tsx'
import { lazyView } from '../../ui/lazy-view.tsx'
import { Page, PageHeader } from '../../ui/page.tsx'
import { ReadOnlyBadge } from '../../ui/read-only-badge.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
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
  const t = useT()
  const mayEdit = useCan('templates.edit')
  const template = useTemplate(name)
  const isLate = useDelayed(template.isPending)
  if (template.data && mayEdit) {
    return (
      <Page>
        <Suspense fallback={<PageHeader title={textAt(template.data.raw, ['display']) || name} />}>
          <TemplateEditor name={name} opened={template.data} />
        </Suspense>
      </Page>
    )
  }
  const raw = template.data?.raw
  const title = raw ? textAt(raw, ['display']) || name : name
  return (
    <Page type="form">
      <PageHeader
        title={title}
        actions={
          raw && (
            <div className={classes.actions}>
              <ReadOnlyBadge permission="templates.edit" />
              <TemplateMenu name={name} title={title} raw={raw} mayEdit={false} />
            </div>
          )
        }
      />
      {raw ? (
        <TemplateView name={name} raw={raw} />
      ) : template.error ? (
        <Paper>
          <QueryError
            title={t('templates.OneLoadFailed')}
            error={template.error}
            retry={() => void template.refetch()}
          />
        </Paper>
      ) : (
        isLate && <Skeleton h={320} radius="lg" aria-label={t('common.Loading')} />
      )}
    </Page>
  )
}
