import { useEffect, useMemo, useRef, useState } from 'react'
import { type Draft, draftOf, rawOf } from './draft.ts'
import { hasFieldFor, isInJson, type Kind, type Problem, problemsIn, problemsOfWhole } from './problems.ts'
import { formatRaw, isObject, type Raw } from './raw.ts'

export type Mode = 'editor' | 'json'

/** Where JSON is wrong, from 1. Without a place: the whole of it. */
export interface Mistake {
  readonly line?: number
  readonly column?: number
  /** What is wrong with a text that is JSON. */
  readonly problem?: Problem
}

/** Reads JSON that a person wrote; `undefined` when it is no object. */
export function parseRaw(text: string): Raw | undefined {
  try {
    const read: unknown = JSON.parse(text)
    return isObject(read) ? read : undefined
  } catch {
    // The editor shows where.
    return undefined
  }
}

/** What was typed at a moment. */
export interface Snapshot {
  readonly draft: Draft
  readonly json: string
  readonly mode: Mode
}

/** A definition that is edited: as a form or as JSON, each of which says what would be saved. */
export function useEditor(opened: Raw, kind: Kind) {
  const [base, setBase] = useState(opened)
  const [draft, setDraft] = useState<Draft>(() => draftOf(opened))
  const [mode, setMode] = useState<Mode>('editor')
  const [json, setJson] = useState('')
  const [mistake, setMistake] = useState<Mistake>()
  // What the form keeps for itself, such as a row without a name, ends with the definition that it was opened with.
  const [generation, setGeneration] = useState(0)

  /** What would be saved now; `undefined` while the JSON is none. */
  const current = useMemo(() => (mode === 'json' ? parseRaw(json) : rawOf(draft, base)), [mode, json, draft, base])
  const problems = useMemo(
    () => (mode === 'json' ? (current ? problemsOfWhole(current, kind) : []) : problemsIn(draft, base, kind)),
    [mode, current, draft, base, kind],
  )
  const isDirty = useMemo(() => current === undefined || formatRaw(current) !== formatRaw(base), [current, base])

  const latest = useRef<Snapshot>({ draft, json, mode })
  useEffect(() => {
    latest.current = { draft, json, mode }
  }, [draft, json, mode])

  const show = (raw: Raw) => {
    setDraft(draftOf(raw))
    setJson(formatRaw(raw))
    setMistake(undefined)
    setGeneration((now) => now + 1)
  }
  const point = async () => {
    const { mistakeIn, placeOfPath } = await import('./json-editor.tsx')
    const [problem] = problems
    const place = problem ? placeOfPath(json, problem.at) : mistakeIn(json)
    setMistake({ ...place, ...(problem ? { problem } : {}) })
  }
  return {
    kind,
    base,
    draft,
    mode,
    json,
    mistake,
    generation,
    current,
    problems,
    isDirty,
    /** Whether it can be saved: the server would take it. */
    isSound: current !== undefined && !problems.some(({ isBlocking }) => isBlocking),
    edit: (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part })),
    write: (value: string) => {
      setJson(value)
      setMistake(undefined)
    },
    /** Goes to the other view of the same definition; stays when this one cannot be shown there. */
    change: (next: Mode) => {
      if (next === mode) return
      if (next === 'editor' && (current === undefined || problems.some((problem) => !hasFieldFor(problem)))) {
        void point()
        return
      }
      if (next === 'json' && problems.some((problem) => problem.isBlocking && !isInJson(problem))) return
      if (current) show(current)
      setMode(next)
    },
    /** Shows the place of what is wrong in the JSON. */
    point,
    /** Goes on from another definition: what was typed is gone. */
    begin: (raw: Raw) => {
      setBase(raw)
      show(raw)
    },
    /** Puts other values in, not saved yet. */
    restore: show,
    /** The same with JSON as somebody typed it, which may be no object. */
    restoreJson: (text: string) => {
      setMode('json')
      setJson(text)
      setMistake(undefined)
    },
    /** What was typed now, to be told apart from what is typed while it is saved. */
    snapshot: (): Snapshot => latest.current,
    /** A definition was saved as it was at a snapshot: what was typed since then stays. */
    markSaved: (raw: Raw, saved: Snapshot) => {
      setBase(raw)
      // The form drops what was left empty; the JSON stays as it was written, and where one was in it.
      const { draft: now, mode: view } = latest.current
      if (view === 'editor' && now === saved.draft) show(raw)
    },
  }
}
export type Editor = ReturnType<typeof useEditor>
