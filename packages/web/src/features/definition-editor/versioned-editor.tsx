import isEqual from 'fast-deep-equal'
import { Suspense, useMemo } from 'react'
import { ConflictAlert } from '../../forms/conflict-alert.tsx'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveNotices } from '../../forms/save-notices.tsx'
import type { UnsavedChanges } from '../../forms/unsaved-changes.tsx'
import { useSaveDocument } from '../../forms/use-save-document.ts'
import type { StoredDraft } from '../../forms/use-stored-draft.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { lazyView } from '../../ui/loading/lazy-view.tsx'
import { DefinitionEditor } from './definition-editor.tsx'
import { changedSections } from './draft.ts'
import { formatJson, isObject, type JsonObject } from './json-path.ts'
import { type DefinitionEdit, useEditor } from './use-editor.ts'
import { type DefinitionKind, sectionName } from './validation.ts'

const CompareView = lazyView(async () => (await import('../compare/compare-view.tsx')).CompareView)

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
   * version.
   */
  readonly save: (definition: WithVersion) => Promise<string | undefined>
  /** The name of the user who changed the definition first, if known. */
  readonly getLastEditor: (error: unknown) => Promise<string | undefined> | string | undefined
  /** `isClean` unless the user edited the definition during the save. */
  readonly onSaved: (isClean: boolean) => void
  /** The message of an error, instead of its own. */
  readonly getMessage?: (error: unknown) => string | undefined
  /** When leaving asks about unsaved changes. */
  readonly guard?: Pick<UnsavedChanges, 'lostOn'>
}

/** What another user saved since, and who, if known. */
interface TheirVersion extends WithVersion {
  readonly user: string | undefined
}

const noDraft: StoredDraft = { saved: {}, edits: {} }

/** The state of a definition that several users may edit at the same time. */
export function useVersionedEditor(options: VersionedEditorOptions) {
  const { id, name, initial, kind, guard, load, save, getLastEditor, getMessage, onSaved } = options
  const editor = useEditor(initial.raw, kind)
  const { base, current, json, isDirty } = editor
  // Invalid JSON is stored as text.
  const draft = useMemo(
    () => (isDirty ? { saved: { definition: base }, edits: current ? { definition: current } : { json } } : noDraft),
    [isDirty, base, current, json],
  )
  const saving = useSaveDocument<DefinitionEdit, string | undefined, TheirVersion>({
    version: initial.version,
    isDirty: editor.isDirtyNow,
    reset: () => editor.reset(base),
    guard,
    stored: { id, draft, current: useMemo(() => ({ definition: base }), [base]) },
    restore: ({ saved, edits }, version) => {
      if (isObject(edits.definition)) editor.restore(edits.definition)
      else if (typeof edits.json === 'string') editor.restoreJson(edits.json)
      // Another user saved the definition after the draft was stored.
      return isEqual(saved.definition, base) ? undefined : { raw: base, version, user: undefined }
    },
    getEdit: (_, replacesTheirs) => editor.getEdit(replacesTheirs),
    send: ({ raw }, version) => save({ raw, version }),
    markSaved: editor.markSaved,
    reload: async (refusal) => ({ ...(await load()), user: await getLastEditor(refusal) }),
    replace: ({ raw }) => editor.reset(raw),
    getMessage,
    onSaved: (_, isClean) => onSaved(isClean),
  })
  return {
    ...saving,
    editor,
    name,
    /** Reads the definition again, which this page has changed. */
    reload: () => void saving.run(async () => saving.takeTheirs({ ...(await load()), user: undefined })),
  }
}

interface VersionedEditorProps {
  readonly state: ReturnType<typeof useVersionedEditor>
  /** Label of the save button. */
  readonly action: string
}

/** The editor with its save bar. On a conflict the user compares both versions, loads theirs or overwrites it. */
export function VersionedEditor({ state, action }: VersionedEditorProps) {
  const { editor } = state
  return (
    <div ref={state.root}>
      <SaveNotices {...state}>
        {state.conflict && <Conflict state={state} theirs={state.conflict.latest} />}
      </SaveNotices>
      <DefinitionEditor editor={editor} />
      <DefinitionSaveBar state={state} action={action} />
    </div>
  )
}

interface ConflictProps {
  readonly state: VersionedEditorProps['state']
  readonly theirs: TheirVersion
}

function Conflict({ state, theirs }: ConflictProps) {
  const t = useT()
  const { editor, name, conflictId, keepMine, takeTheirs } = state
  const { user, raw } = theirs
  const { mode, json, current, base } = editor
  const mine = mode === 'json' ? json : formatJson(current ?? base)
  return (
    <ConflictAlert
      id={conflictId}
      message={user === undefined ? t('definition.Conflict') : t('definition.ConflictWith', { user })}
      theirs={{ label: t('definition.LoadTheirs'), onChoose: () => takeTheirs(theirs) }}
      mine={{ label: t('common.Overwrite'), onChoose: keepMine }}
      comparison={{
        title: t('common.CompareOf', { name }),
        view: () => (
          <Suspense>
            <CompareView theirs={formatJson(raw).split('\n')} mine={mine.split('\n')} name={`${name}.json`} />
          </Suspense>
        ),
      }}
    />
  )
}

/** The save bar of a definition, which names the changed sections. */
function DefinitionSaveBar({ state, action }: VersionedEditorProps) {
  const t = useT()
  const { list } = useFormatters()
  const { editor, isSaving, save, discard } = state
  const { kind, base, current, isDirty, isValid, mode } = editor
  const sections = isDirty && current ? changedSections(base, current) : []
  const names = sections.map((section) => sectionName(t, section, kind))
  return (
    <SaveBar
      form={{ isDirty, edited: sections, isSaving, save, discard }}
      message={
        names.length > 0 ? t('definition.UnsavedIn', { sections: list(names) }) : t('common.UnsavedChangesTitle')
      }
      action={action}
      canSave={mode === 'json' || isValid}
    />
  )
}
