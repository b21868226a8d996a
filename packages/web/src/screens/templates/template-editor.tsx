import { use, useState } from 'react'
import { flushSync } from 'react-dom'
import { isRefusal } from '../../api/request.ts'
import { TellRefusalContext } from '../../api/use-send.ts'
import { DefinitionEditor, ModeSwitch } from '../../features/definition-editor/definition-editor.tsx'
import { textAt } from '../../features/definition-editor/raw.ts'
import { SaveBar } from '../../features/definition-editor/save-bar.tsx'
import { StaleNotice } from '../../features/definition-editor/stale-notice.tsx'
import { useEditor } from '../../features/definition-editor/use-editor.ts'
import { useText } from '../../i18n/text.tsx'
import { useLeaveGuard } from '../../ui/leave-guard.ts'
import { PageHead } from '../../ui/page.tsx'
import { Badge, Mono } from '../../ui/small.tsx'
import { toast } from '../../ui/toast.tsx'
import { TemplateMenu } from './template-menu.tsx'
import classes from './template-screen.module.css'
import { readTemplate, useWriteTemplate, type VersionedTemplate } from './use-template.ts'

interface TemplateEditorProps {
  readonly name: string
  readonly opened: VersionedTemplate
}

/** A template and everything that can be changed about it. */
export function TemplateEditor({ name, opened }: TemplateEditorProps) {
  const text = useText()
  const tell = use(TellRefusalContext)
  const write = useWriteTemplate()
  const [version, setVersion] = useState(opened.version)
  const [stale, setStale] = useState<{ by: string | undefined }>()
  const [isSaving, setIsSaving] = useState(false)
  const [isDeleted, setIsDeleted] = useState(false)
  const editor = useEditor(opened.raw, 'template')
  const { base, current, isDirty } = editor
  const title = textAt(base, ['display']) || name
  useLeaveGuard(isDirty && !isDeleted)

  const load = async () => {
    try {
      const theirs = await readTemplate(name)
      setVersion(theirs.version)
      editor.begin(theirs.raw)
      setStale(undefined)
    } catch (refusal) {
      tell(refusal)
    }
  }
  const save = async (over = false) => {
    if (isSaving || current === undefined) return
    setIsSaving(true)
    try {
      setVersion(await write(name, current, { version: over ? undefined : version }))
      editor.begin(current)
      setStale(undefined)
      toast.success(text('common.Saved'))
    } catch (refusal) {
      if (isRefusal(refusal, 'ErrStaleVersion')) setStale({ by: nameIn(refusal.metadata.by) })
      else if (isRefusal(refusal) && refusal.status === 400) toast.error(text('errors.ErrInvalidJson'))
      else tell(refusal)
    } finally {
      setIsSaving(false)
    }
  }
  return (
    <>
      <PageHead
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
        <Badge square>{textAt(base, ['type'])}</Badge>
        <Badge square>
          <Mono>{name}</Mono>
        </Badge>
      </div>
      {stale && (
        <StaleNotice by={stale.by} isSaving={isSaving} onLoad={() => void load()} onOverwrite={() => void save(true)} />
      )}
      <DefinitionEditor editor={editor} />
      <SaveBar
        editor={editor}
        action={text('templates.Save')}
        isSaving={isSaving}
        onSave={() => void save()}
        onDiscard={() => editor.begin(base)}
      />
    </>
  )
}

const nameIn = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
