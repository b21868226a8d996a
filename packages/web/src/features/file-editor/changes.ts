import { Chunk } from '@codemirror/merge'
import {
  type EditorState,
  type Extension,
  RangeSetBuilder,
  StateEffect,
  StateField,
  type Text,
} from '@codemirror/state'
import { GutterMarker, gutterLineClass } from '@codemirror/view'

/** Long differences are told roughly rather than late. */
const care = { scanLimit: 500, timeout: 50 }

interface Changes {
  readonly saved: Text
  readonly chunks: readonly Chunk[]
}

/** From now on changes are counted from this text. */
export const savedAs = StateEffect.define<Text>()

const changes = StateField.define<Changes | undefined>({
  create: () => undefined,
  update(before, transaction) {
    const { startState, newDoc } = transaction
    for (const effect of transaction.effects) {
      if (effect.is(savedAs)) return { saved: effect.value, chunks: Chunk.build(effect.value, newDoc, care) }
    }
    if (!before || !transaction.docChanged) return before
    if (startState.doc.length === 0) return { ...before, chunks: Chunk.build(before.saved, newDoc, care) }
    return { ...before, chunks: Chunk.updateB(before.chunks, before.saved, newDoc, transaction.changes, care) }
  },
})

class Mark extends GutterMarker {
  override readonly elementClass: string
  constructor(name: string) {
    super()
    this.elementClass = name
  }
}
const changed = new Mark('cm-changed')
const removedHere = new Mark('cm-removed')

const marks = gutterLineClass.compute([changes], (state) => {
  const builder = new RangeSetBuilder<GutterMarker>()
  for (const { fromB, toB } of state.field(changes)?.chunks ?? []) {
    const first = state.doc.lineAt(Math.min(fromB, state.doc.length))
    if (fromB === toB) builder.add(first.from, first.from, removedHere)
    for (let line = first; line.from < toB; line = state.doc.line(line.number + 1)) {
      builder.add(line.from, line.from, changed)
      if (line.number === state.doc.lines) break
    }
  }
  return builder.finish()
})

/** Marks lines at the edge that differ from what was saved. */
export const changeMarks: Extension = [changes, marks]

/** How many lines differ from what was saved; where there are fewer now, those that were there count. */
export function changedLines(state: EditorState): number {
  const known = state.field(changes, false)
  if (!known) return 0
  return known.chunks.reduce((sum, { fromA, toA, fromB, toB }) => {
    return sum + Math.max(linesIn(known.saved, fromA, toA), linesIn(state.doc, fromB, toB))
  }, 0)
}

function linesIn(text: Text, from: number, to: number): number {
  if (from === to) return 0
  const end = Math.min(to - 1, text.length)
  return text.lineAt(end).number - text.lineAt(Math.min(from, text.length)).number + 1
}
