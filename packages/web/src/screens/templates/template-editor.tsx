import { listCatalog } from '@innkeeper/contract/templates/catalog'
import { Badge } from '@mantine/core'
import { useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { ModeSwitch } from '../../features/definition-editor/definition-editor.tsx'
import { getText } from '../../features/definition-editor/json-path.ts'
import {
  useVersionedEditor,
  VersionedEditor,
  type WithVersion,
} from '../../features/definition-editor/versioned-editor.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { PageHeader } from '../../ui/layout/page.tsx'
import { lazyOverlay } from '../../ui/loading/lazy-overlay.tsx'
import { categoryName } from '../../ui/names/category-name.ts'
import { CodeText } from '../../ui/text/code-text.tsx'
import { errorMessage } from '../../ui/text/error-message.ts'
import { toast } from '../../ui/toasts/toast.tsx'
import { CompareButton } from './compare-button.tsx'
import { TemplateMenu } from './template-menu.tsx'
import { readTemplate, useWriteTemplate } from './use-template.ts'

const OverwriteDialog = lazyOverlay(async () => (await import('./overwrite-dialog.tsx')).OverwriteDialog)

/** Edits a template in a form or as JSON. */
export function TemplateEditor({ name, initial }: { name: string; initial: WithVersion }) {
  const t = useT()
  const write = useWriteTemplate()
  const state = useVersionedEditor({
    id: `template-${name}`,
    name,
    initial,
    kind: 'template',
    load: () => readTemplate(name),
    save: ({ raw, version }) => write.mutateAsync({ name, raw, precondition: { version } }),
    getLastEditor: (error) => {
      const user = isRefusal(error) ? error.metadata.by : undefined
      return typeof user === 'string' && user !== '' ? user : undefined
    },
    onSaved: () => toast.success(t('common.Saved')),
    getMessage: (error) => {
      if (!isRefusal(error) || error.status !== 400) return undefined
      const message = t('errors.ErrInvalidJson')
      const reason = errorMessage(t, error)
      return reason === message ? message : t('templates.Problem', { name: message, reason })
    },
  })
  const { editor, discard } = state
  const { base, current, isDirty } = editor
  const catalog = useApiQuery(listCatalog, {})
  const official = catalog.data?.entries.find((entry) => entry.name === name)
  const [isComparing, setIsComparing] = useState(false)
  const title = getText(base, ['display']) || name

  return (
    <>
      <PageHeader
        title={title}
        badges={
          <>
            <Badge radius="sm">{categoryName(t, getText(base, ['type']))}</Badge>
            <Badge radius="sm">
              <CodeText>{name}</CodeText>
            </Badge>
            {/* Importing replaces the definition: not while there are unsaved changes. */}
            {official && !isDirty && <CompareButton entry={official} onClick={() => setIsComparing(true)} />}
          </>
        }
        actions={
          <>
            <ModeSwitch editor={editor} />
            <TemplateMenu
              name={name}
              title={title}
              raw={current ?? base}
              canEdit
              // The navigation that follows must not ask whether to discard changes.
              onDeleted={discard}
            />
          </>
        }
      />
      {official && isComparing && (
        <OverwriteDialog entry={official} onClose={() => setIsComparing(false)} onImported={state.reload} />
      )}
      <VersionedEditor state={state} action={t('templates.Save')} />
    </>
  )
}
