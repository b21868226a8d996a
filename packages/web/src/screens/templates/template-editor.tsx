import { Badge } from '@mantine/core'
import { use, useState } from 'react'
import { flushSync } from 'react-dom'
import { isRefusal } from '../../api/request.ts'
import { ShowErrorContext } from '../../api/use-api-mutation.ts'
import { ModeSwitch } from '../../features/definition-editor/definition-editor.tsx'
import { textAt } from '../../features/definition-editor/raw.ts'
import {
  useVersionedEditor,
  type Versioned,
  VersionedEditor,
} from '../../features/definition-editor/versioned-editor.tsx'
import { useUnsavedChanges } from '../../forms/unsaved-changes.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { categoryName } from '../../ui/category-name.ts'
import { CodeText } from '../../ui/code-text.tsx'
import { PageHeader } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import { TemplateMenu } from './template-menu.tsx'
import classes from './template-screen.module.css'
import { readTemplate, useWriteTemplate } from './use-template.ts'

interface TemplateEditorProps {
  readonly name: string
  readonly opened: Versioned
}

/** A template and everything that can be changed about it. */
export function TemplateEditor({ name, opened }: TemplateEditorProps) {
  const t = useT()
  const tell = use(ShowErrorContext)
  const write = useWriteTemplate()
  const [isDeleted, setIsDeleted] = useState(false)
  const held = useVersionedEditor({
    id: `template-${name}`,
    opened,
    kind: 'template',
    read: () => readTemplate(name),
    write: ({ raw, version }, over) => write(name, raw, { version: over ? undefined : version }),
    winnerOf: (refusal) => (isRefusal(refusal) ? nameIn(refusal.metadata.by) : undefined),
    onSaved: () => toast.success(t('common.Saved')),
    onRefused: (refusal) => {
      if (isRefusal(refusal) && refusal.status === 400) toast.error(t('errors.ErrInvalidJson'))
      else tell(refusal)
    },
  })
  const { editor } = held
  const { base, current, isDirty } = editor
  const title = textAt(base, ['display']) || name
  useUnsavedChanges({ isDirty: () => isDirty && !isDeleted, onLeave: held.discard })

  return (
    <>
      <PageHeader
        title={title}
        actions={
          <div className={classes.actions}>
            <ModeSwitch editor={editor} />
            <TemplateMenu
              name={name}
              title={title}
              raw={current ?? base}
              mayEdit
              onDeleted={() => flushSync(() => setIsDeleted(true))}
            />
          </div>
        }
      />
      <div className={classes.tags}>
        <Badge radius="sm">{categoryName(t, textAt(base, ['type']))}</Badge>
        <Badge radius="sm">
          <CodeText>{name}</CodeText>
        </Badge>
      </div>
      <VersionedEditor held={held} action={t('templates.Save')} />
    </>
  )
}

const nameIn = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
