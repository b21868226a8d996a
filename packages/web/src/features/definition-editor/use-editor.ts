import { useMemo, useState } from 'react'
import { useLatest } from '../../ui/use-latest.ts'
import { type Draft, toDefinition, toDraft } from './draft.ts'
import { formatJson, isObject, type JsonObject } from './json-path.ts'
import {
  type DefinitionKind,
  hasField,
  isShownInJson,
  type ValidationIssue,
  validateDefinition,
  validateDraft,
} from './validation.ts'

export type EditorMode = 'editor' | 'json'

/** An error in the JSON text. Without a position it is about the whole text. */
export interface JsonError {
  readonly line?: number
  readonly column?: number
  /** Absent for a syntax error. */
  readonly issue?: ValidationIssue
}

/** Parses JSON; `undefined` when it is invalid or not an object. */
export function parseJson(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    // `showJsonError` finds the position of the error.
    return undefined
  }
}

/** The edited values at one time. */
export interface Snapshot {
  readonly draft: Draft
  readonly json: string
  readonly mode: EditorMode
}

/** The state of a definition that is edited as a form or as JSON. */
export function useEditor(initial: JsonObject, kind: DefinitionKind) {
  const [base, setBase] = useState(initial)
  const [draft, setDraft] = useState<Draft>(() => toDraft(initial))
  const [mode, setMode] = useState<EditorMode>('editor')
  const [json, setJson] = useState('')
  const [jsonError, setJsonError] = useState<JsonError>()
  const [revision, setRevision] = useState(0)

  const current = useMemo(
    () => (mode === 'json' ? parseJson(json) : toDefinition(draft, base)),
    [mode, json, draft, base],
  )
  const issues = useMemo(
    () => (mode === 'json' ? (current ? validateDefinition(current, kind) : []) : validateDraft(draft, base, kind)),
    [mode, current, draft, base, kind],
  )
  const isDirty = useMemo(() => current === undefined || formatJson(current) !== formatJson(base), [current, base])
  const latest = useLatest<Snapshot>({ draft, json, mode })

  const editJson = (text: string) => {
    setJson(text)
    setJsonError(undefined)
  }
  const replaceDraft = (raw: JsonObject) => {
    setDraft(toDraft(raw))
    editJson(formatJson(raw))
    setRevision((count) => count + 1)
  }
  const showJsonError = async () => {
    const { findSyntaxError, findPath } = await import('./json-editor.tsx')
    const [issue] = issues
    setJsonError(issue ? { ...findPath(json, issue.path), issue } : { ...findSyntaxError(json) })
  }
  return {
    kind,
    /** The definition as it is saved. */
    base,
    draft,
    mode,
    json,
    jsonError,
    /** Changes when the draft is replaced. As a React key it resets state that cards keep beside the draft. */
    revision,
    /** The definition that would be saved; `undefined` while the JSON is invalid. */
    current,
    issues,
    isDirty,
    isValid: current !== undefined && !issues.some(({ isBlocking }) => isBlocking),
    edit: (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes })),
    editJson,
    /** Switches between form and JSON, unless the other one cannot represent the current definition. */
    changeMode: (next: EditorMode) => {
      if (next === mode) return
      if (next === 'editor' && (current === undefined || issues.some((issue) => !hasField(issue)))) {
        void showJsonError()
        return
      }
      if (next === 'json' && issues.some((issue) => issue.isBlocking && !isShownInJson(issue))) return
      if (current) replaceDraft(current)
      setMode(next)
    },
    /** Shows the first error of the JSON and scrolls to it. */
    showJsonError,
    /** Starts from another saved definition and drops the draft. */
    reset: (raw: JsonObject) => {
      setBase(raw)
      replaceDraft(raw)
    },
    /** Replaces the draft with unsaved values. */
    restore: replaceDraft,
    /** Replaces the draft with unsaved JSON text, which may be invalid. */
    restoreJson: (text: string) => {
      setMode('json')
      editJson(text)
    },
    /** Returns the edited values now, also inside asynchronous work. */
    getSnapshot: (): Snapshot => latest.current,
    /** Marks a definition as saved. Edits made since the snapshot was taken stay. */
    markSaved: (raw: JsonObject, saved: Snapshot) => {
      setBase(raw)
      // The form shows the definition without its blank rows; the JSON keeps its formatting.
      if (latest.current.mode === 'editor' && latest.current.draft === saved.draft) replaceDraft(raw)
    },
  }
}
export type Editor = ReturnType<typeof useEditor>
