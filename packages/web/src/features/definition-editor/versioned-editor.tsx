import isEqual from 'fast-deep-equal'
import { useMemo, useRef, useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import type { StoredDraft } from '../../forms/draft-storage.ts'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveNotices } from '../../forms/save-notices.tsx'
import { useStoredDraft } from '../../forms/use-stored-draft.ts'
import { useShortcut } from '../../hotkeys/hotkeys.tsx'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { useShowError } from '../../ui/toast.tsx'
import { ConflictAlert } from './conflict-alert.tsx'
import { DefinitionEditor } from './definition-editor.tsx'
import { changedSections } from './draft.ts'
import { isObject, type JsonObject } from './json-path.ts'
import { sectionName } from './messages.ts'
import { type Editor, useEditor } from './use-editor.ts'
import type { DefinitionKind } from './validation.ts'

/** A definition with the version that it was read with (`ETag`). */
export interface WithVersion {
  readonly raw: JsonObject
  readonly version: string | undefined
}

interface VersionedEditorOptions {
  /** Unique name of the definition in the app, to store its draft while the user signs in again. */
  readonly id: string
  /** The name of the template or server. */
  readonly name: string
  readonly initial: WithVersion
  readonly kind: DefinitionKind
  readonly load: () => Promise<WithVersion>
  /**
   * Saves the definition and resolves with its new version. Rejects with `ErrStaleVersion` when it was changed since its
   * version, unless `overwrite`.
   */
  readonly save: (definition: WithVersion, overwrite: boolean) => Promise<string | undefined>
  /** The name of the user who changed the definition first, if known. */
  readonly getLastEditor: (error: unknown) => Promise<string | undefined> | string | undefined
  /** `isClean` unless the user edited the definition during the save. */
  readonly onSaved: (isClean: boolean) => void
  readonly onError?: (error: unknown) => void
}

/** The state of a definition that several users may edit at the same time. */
export function useVersionedEditor(options: VersionedEditorOptions) {
  const { id, name, initial, kind, load, getLastEditor, onSaved } = options
  const showError = useShowError()
  const [version, setVersion] = useState(initial.version)
  const [conflict, setConflict] = useState<{ readonly user: string | undefined }>()
  const [isSaving, setIsSaving] = useState(false)
  const editor = useEditor(initial.raw, kind)
  const { base, current, json, isDirty } = editor
  const isRequestPending = useRef(false)
  // Invalid JSON is stored as text.
  const draft = useMemo(
    () => (isDirty ? { saved: { definition: base }, edits: current ? { definition: current } : { json } } : noDraft),
    [isDirty, base, current, json],
  )
  const stored = useStoredDraft({ id, draft, current: useMemo(() => ({ definition: base }), [base]) })

  const reload = async () => {
    try {
      const latest = await load()
      setVersion(latest.version)
      editor.reset(latest.raw)
      setConflict(undefined)
    } catch (error) {
      showError(error)
    }
  }
  const save = async (overwrite = false) => {
    if (isRequestPending.current || current === undefined) return
    isRequestPending.current = true
    setIsSaving(true)
    const sent = editor.getSnapshot()
    try {
      setVersion(await options.save({ raw: current, version }, overwrite))
      editor.markSaved(current, sent)
      setConflict(undefined)
      const now = editor.getSnapshot()
      const isClean = now.draft === sent.draft && now.json === sent.json
      if (isClean) stored.drop()
      onSaved(isClean)
    } catch (error) {
      if (isRefusal(error, 'ErrStaleVersion')) setConflict({ user: await getLastEditor(error) })
      else (options.onError ?? showError)(error)
    } finally {
      isRequestPending.current = false
      setIsSaving(false)
    }
  }
  const discard = () => {
    editor.reset(base)
    stored.drop()
  }
  const restoreDraft = () => {
    const { saved, edits } = stored.offered ?? noDraft
    if (isObject(edits.definition)) editor.restore(edits.definition)
    else if (typeof edits.json === 'string') editor.restoreJson(edits.json)
    // Another user saved the definition after the draft was stored.
    if (!isEqual(saved.definition, base)) setConflict({ user: undefined })
    stored.dismiss()
  }
  return {
    editor,
    name,
    conflict,
    isSaving,
    load,
    reload,
    save,
    discard,
    storedDraft: stored.offered,
    restoreDraft,
    dismissDraft: stored.dismiss,
  }
}

const noDraft: StoredDraft = { saved: {}, edits: {} }

interface VersionedEditorProps {
  readonly state: ReturnType<typeof useVersionedEditor>
  /** Label of the save button. */
  readonly action: string
}

/** The editor with its save bar. On a conflict the user compares both versions, loads theirs or overwrites it. */
export function VersionedEditor({ state, action }: VersionedEditorProps) {
  const { editor, conflict, isSaving, reload, save, discard } = state
  return (
    <>
      <SaveNotices {...state} failure={undefined} />
      {conflict && (
        <ConflictAlert
          editor={editor}
          name={state.name}
          user={conflict.user}
          load={state.load}
          isSaving={isSaving}
          onReload={() => void reload()}
          onOverwrite={() => void save(true)}
        />
      )}
      <DefinitionEditor editor={editor} />
      <DefinitionSaveBar editor={editor} action={action} isSaving={isSaving} onSave={save} onDiscard={discard} />
    </>
  )
}

interface DefinitionSaveBarProps {
  readonly editor: Editor
  /** Label of the save button. */
  readonly action: string
  readonly isSaving: boolean
  readonly onSave: () => Promise<unknown>
  readonly onDiscard: () => void
}

/** The save bar of a definition, which names the changed sections. Ctrl+S saves too. */
function DefinitionSaveBar({ editor, action, isSaving, onSave, onDiscard }: DefinitionSaveBarProps) {
  const t = useT()
  const { list } = useFormatters()
  const { kind, base, current, isDirty, isValid, mode } = editor
  const save = async () => {
    if (!isDirty) return
    if (isValid) await onSave()
    else if (mode === 'json') await editor.showJsonError()
  }
  useShortcut('mod+s', () => void save())
  const sections = isDirty && current ? changedSections(base, current) : []
  const names = sections.map((section) => sectionName(t, section, kind))
  return (
    <SaveBar
      form={{ isDirty, edited: sections, isSaving, save, discard: onDiscard }}
      message={
        names.length > 0 ? t('definition.UnsavedIn', { sections: list(names) }) : t('common.UnsavedChangesTitle')
      }
      action={action}
      canSave={mode === 'json' || isValid}
    />
  )
}
