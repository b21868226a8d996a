import { useMemo, useState } from 'react'
import { useLatestState } from '../../forms/use-latest-state.ts'
import { type DefinitionDraft, toDefinition, toDraft } from './draft.ts'
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

interface EditorState {
  /** The definition as it is saved. */
  readonly base: JsonObject
  readonly draft: DefinitionDraft
  readonly mode: EditorMode
  readonly json: string
}

/** The definition that would be saved; `undefined` while the JSON is invalid. */
function toCurrent({ mode, json, draft, base }: EditorState): JsonObject | undefined {
  return mode === 'json' ? parseJson(json) : toDefinition(draft, base)
}

function isEdited(current: JsonObject | undefined, base: JsonObject): boolean {
  return current === undefined || formatJson(current) !== formatJson(base)
}

/** What is to be saved, and the state that it was taken from. */
export interface DefinitionEdit {
  readonly raw: JsonObject
  readonly state: EditorState
}

/** The state of a definition that is edited as a form or as JSON. */
export function useEditor(initial: JsonObject, kind: DefinitionKind) {
  const [state, setState, getState] = useLatestState<EditorState>(() => ({
    base: initial,
    draft: toDraft(initial),
    mode: 'editor',
    json: '',
  }))
  const [jsonError, setJsonError] = useState<JsonError>()
  const [revision, setRevision] = useState(0)
  const { base, draft, mode, json } = state

  const current = useMemo(() => toCurrent(state), [state])
  const issues = useMemo(
    () => (mode === 'json' ? (current ? validateDefinition(current, kind) : []) : validateDraft(draft, base, kind)),
    [mode, current, draft, base, kind],
  )
  const isDirty = useMemo(() => isEdited(current, base), [current, base])
  const isValid = current !== undefined && !issues.some(({ isBlocking }) => isBlocking)

  const change = (changes: Partial<EditorState>) => setState((before) => ({ ...before, ...changes }))
  const editJson = (text: string) => {
    change({ json: text })
    setJsonError(undefined)
  }
  const replaceDraft = (raw: JsonObject) => {
    change({ draft: toDraft(raw) })
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
    /** `isDirty` outside of rendering. */
    isDirtyNow: () => isEdited(toCurrent(getState()), getState().base),
    isValid,
    edit: (changes: Partial<DefinitionDraft>) =>
      setState((before) => ({ ...before, draft: { ...before.draft, ...changes } })),
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
      change({ mode: next })
    },
    /** Shows the first error of the JSON and scrolls to it. */
    showJsonError,
    /** Starts from another saved definition and drops the draft. */
    reset: (raw: JsonObject) => {
      change({ base: raw })
      replaceDraft(raw)
    },
    /** Replaces the draft with unsaved values. */
    restore: replaceDraft,
    /** Replaces the draft with unsaved JSON text, which may be invalid. */
    restoreJson: (text: string) => {
      change({ mode: 'json' })
      editJson(text)
    },
    /** What is to be saved now; `undefined` when it is invalid, or not edited and does not replace another version. */
    getEdit: (replacesTheirs: boolean): DefinitionEdit | undefined => {
      const now = getState()
      const raw = toCurrent(now)
      if (!isEdited(raw, now.base) && !replacesTheirs) return undefined
      if (raw && isValid) return { raw, state: now }
      if (now.mode === 'json') void showJsonError()
      return undefined
    },
    /** Marks an edit as saved. What was edited since then stays. */
    markSaved: ({ raw, state: sent }: DefinitionEdit) => {
      change({ base: raw })
      // The form shows the definition without its blank rows; the JSON keeps its formatting.
      const now = getState()
      if (now.mode === 'editor' && now.draft === sent.draft) replaceDraft(raw)
    },
  }
}
export type Editor = ReturnType<typeof useEditor>
