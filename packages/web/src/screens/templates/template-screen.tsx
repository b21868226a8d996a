import { Suspense } from 'react'
import { useParams } from 'react-router'
import { getText } from '../../features/definition-editor/json-path.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { lazyView } from '../../ui/lazy-view.tsx'
import { Page, PageHeader } from '../../ui/page.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { ReadOnlyBadge } from '../../ui/read-only-badge.tsx'
import { scopeNames } from '../../ui/scope-name.ts'
import { TemplateMenu } from './template-menu.tsx'
import { TemplateView } from './template-view.tsx'
import { useTemplate } from './use-template.ts'

const TemplateEditor = lazyView(async () => (await import('./template-editor.tsx')).TemplateEditor)

/** One template: the editor for users who may change it, a read-only view for others. */
export function TemplateScreen() {
  const { name = '' } = useParams()
  // The key resets the editor when the user goes to another template.
  return <TemplatePage key={name} name={name} />
}

function TemplatePage({ name }: { name: string }) {
  const t = useT()
  const canEdit = useCan('templates.edit')
  const template = useTemplate(name)
  const raw = template.data?.raw
  const title = raw ? getText(raw, ['display']) || name : name
  if (template.data && canEdit) {
    return (
      <Page>
        <Suspense fallback={<PageHeader title={title} />}>
          <TemplateEditor name={name} initial={template.data} />
        </Suspense>
      </Page>
    )
  }
  return (
    <Page type="form">
      <PageHeader
        title={title}
        actions={
          raw && (
            <>
              <ReadOnlyBadge permission={t(scopeNames['templates.edit'])} />
              <TemplateMenu name={name} title={title} raw={raw} canEdit={false} />
            </>
          )
        }
      />
      <QueryState query={template} errorTitle={t('templates.OneLoadFailed')} skeletonHeight={320}>
        {(loaded) => <TemplateView name={name} raw={loaded.raw} />}
      </QueryState>
    </Page>
  )
}
