import { Button } from '@mantine/core'
import isEqual from 'fast-deep-equal'
import { use, useMemo, useRef, useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { ShowErrorContext } from '../../api/use-api-mutation.ts'
import type { StoredDraft } from '../../forms/draft-storage.ts'
import { DraftOffer } from '../../forms/save-form.tsx'
import { useStoredDraft } from '../../forms/use-stored-draft.ts'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { DefinitionEditor } from './definition-editor.tsx'
import type { Kind } from './problems.ts'
import { isObject, type Raw } from './raw.ts'
import { DefinitionSaveBar } from './save-bar.tsx'
import { useEditor } from './use-editor.ts'

/** A definition as it came, and the version it had then. */
export interface Versioned {
  readonly raw: Raw
  readonly version: string | undefined
}

interface VersionedEditorOptions {
  /** Names the definition among all of the app, to keep its draft over a lost session. */
  readonly id: string
  readonly opened: Versioned
  readonly kind: Kind
  readonly read: () => Promise<Versioned>
  /** Writes it over the version that was seen, or over any; answers the new version. Refused with `ErrStaleVersion`. */
  readonly write: (seen: Versioned, over: boolean) => Promise<string | undefined>
  /** Who was first, where that is known. */
  readonly winnerOf: (refusal: unknown) => Promise<string | undefined> | string | undefined
  /** `isClean` unless something was typed while it was saved. */
  readonly onSaved: (isClean: boolean) => void
  readonly onRefused?: (refusal: unknown) => void
}

/** A definition that is edited while others may save it too. */
export function useVersionedEditor({
  id,
  opened,
  kind,
  read,
  write,
  winnerOf,
  onSaved,
  onRefused,
}: VersionedEditorOptions) {
  const tell = use(ShowErrorContext)
  const [version, setVersion] = useState(opened.version)
  const [stale, setStale] = useState<{ readonly by: string | undefined }>()
  const [isSaving, setIsSaving] = useState(false)
  const editor = useEditor(opened.raw, kind)
  const { base, current, json, isDirty } = editor
  const underWay = useRef(false)
  // JSON that is being typed is often none: its text is kept then.
  const draft = useMemo(
    () => (isDirty ? { saved: { definition: base }, edits: current ? { definition: current } : { json } } : noDraft),
    [isDirty, base, current, json],
  )
  const stored = useStoredDraft({ id, draft, current: useMemo(() => ({ definition: base }), [base]) })

  const load = async () => {
    try {
      const theirs = await read()
      setVersion(theirs.version)
      editor.begin(theirs.raw)
      setStale(undefined)
    } catch (error) {
      tell(error)
    }
  }
  const save = async (over = false) => {
    if (underWay.current || current === undefined) return
    underWay.current = true
    setIsSaving(true)
    const before = editor.snapshot()
    try {
      setVersion(await write({ raw: current, version }, over))
      editor.markSaved(current, before)
      setStale(undefined)
      const now = editor.snapshot()
      const isClean = now.draft === before.draft && now.json === before.json
      if (isClean) stored.drop()
      onSaved(isClean)
    } catch (error) {
      if (isRefusal(error, 'ErrStaleVersion')) setStale({ by: await winnerOf(error) })
      else (onRefused ?? tell)(error)
    } finally {
      underWay.current = false
      setIsSaving(false)
    }
  }
  const discard = () => {
    editor.begin(base)
    stored.drop()
  }
  const restore = () => {
    const { saved, edits } = stored.offered ?? noDraft
    if (isObject(edits.definition)) editor.restore(edits.definition)
    else if (typeof edits.json === 'string') editor.restoreJson(edits.json)
    // Somebody else saved another definition since.
    if (!isEqual(saved.definition, base)) setStale({ by: undefined })
    stored.endOffer()
  }
  return {
    editor,
    stale,
    isSaving,
    load,
    save,
    discard,
    offered: stored.offered,
    restore,
    forgetOffer: stored.endOffer,
  }
}

const noDraft: StoredDraft = { saved: {}, edits: {} }

interface VersionedEditorProps {
  readonly held: ReturnType<typeof useVersionedEditor>
  /** What its Save button says. */
  readonly action: string
}

/** What was typed stays when somebody else was first, until the person decides. */
export function VersionedEditor({ held, action }: VersionedEditorProps) {
  const t = useT()
  const { editor, stale, isSaving, load, save, discard } = held
  return (
    <>
      {held.offered && <DraftOffer onRestore={held.restore} onForget={held.forgetOffer} />}
      {stale && (
        <Alert
          type="warning"
          urgent
          action={
            <>
              <Button size="xs" variant="default" onClick={() => void load()}>
                {t('definition.LoadTheirs')}
              </Button>
              <Button size="xs" variant="default" loading={isSaving} onClick={() => void save(true)}>
                {t('definition.Overwrite')}
              </Button>
            </>
          }
        >
          {stale.by === undefined ? t('definition.Stale') : t('definition.StaleBy', { by: stale.by })}
        </Alert>
      )}
      <DefinitionEditor editor={editor} />
      <DefinitionSaveBar editor={editor} action={action} isSaving={isSaving} onSave={save} onDiscard={discard} />
    </>
  )
}
