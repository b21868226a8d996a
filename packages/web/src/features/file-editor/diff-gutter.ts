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

/** Long diffs are approximated rather than slow. */
const diffConfig = { scanLimit: 500, timeout: 50 }

interface Diff {
  readonly baseline: Text
  readonly chunks: readonly Chunk[]
}

/** Sets the text that the document is compared with. */
export const setBaselineEffect = StateEffect.define<Text>()

const diffField = StateField.define<Diff | undefined>({
  create: () => undefined,
  update(before, transaction) {
    const { startState, newDoc } = transaction
    for (const effect of transaction.effects) {
      if (effect.is(setBaselineEffect))
        return { baseline: effect.value, chunks: Chunk.build(effect.value, newDoc, diffConfig) }
    }
    if (!before || !transaction.docChanged) return before
    if (startState.doc.length === 0) return { ...before, chunks: Chunk.build(before.baseline, newDoc, diffConfig) }
    return { ...before, chunks: Chunk.updateB(before.chunks, before.baseline, newDoc, transaction.changes, diffConfig) }
  },
})

class LineMarker extends GutterMarker {
  override readonly elementClass: string
  constructor(name: string) {
    super()
    this.elementClass = name
  }
}
const changedMarker = new LineMarker('cm-changed')
const removedMarker = new LineMarker('cm-removed')

const gutterMarkers = gutterLineClass.compute([diffField], (state) => {
  const builder = new RangeSetBuilder<GutterMarker>()
  for (const { fromB, toB } of state.field(diffField)?.chunks ?? []) {
    const first = state.doc.lineAt(Math.min(fromB, state.doc.length))
    if (fromB === toB) builder.add(first.from, first.from, removedMarker)
    for (let line = first; line.from < toB; line = state.doc.line(line.number + 1)) {
      builder.add(line.from, line.from, changedMarker)
      if (line.number === state.doc.lines) break
    }
  }
  return builder.finish()
})

/** Marks the lines that differ from the baseline. */
export const diffGutter: Extension = [diffField, gutterMarkers]

/** The number of lines that differ from the baseline. Of a chunk that became shorter, the removed lines count. */
export function countChangedLines(state: EditorState): number {
  const diff = state.field(diffField, false)
  if (!diff) return 0
  return diff.chunks.reduce((sum, { fromA, toA, fromB, toB }) => {
    return sum + Math.max(countLines(diff.baseline, fromA, toA), countLines(state.doc, fromB, toB))
  }, 0)
}

function countLines(text: Text, from: number, to: number): number {
  if (from === to) return 0
  const end = Math.min(to - 1, text.length)
  return text.lineAt(end).number - text.lineAt(Math.min(from, text.length)).number + 1
}
