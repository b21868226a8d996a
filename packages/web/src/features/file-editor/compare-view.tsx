import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState, type Extension, Text } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { codeTheme } from '../../ui/codemirror-setup.ts'
import { useLatest } from '../../ui/use-latest.ts'
import classes from './file-editor.module.css'
import { coloursOf, languageOf } from './languages.ts'

interface CompareViewProps {
  readonly theirs: readonly string[]
  readonly mine: readonly string[]
  readonly name: string
  /** Beside each other, or one below the other in one column. */
  readonly isSideBySide: boolean
  /** What the two are called, where they are not a file and what somebody made of it. */
  readonly labels?: { readonly theirs: string; readonly mine: string }
}

/** Two versions of a text, to be looked at. Long stretches without a difference are folded. */
export function CompareView({ theirs, mine, name, isSideBySide, labels }: CompareViewProps) {
  const t = useT()
  const { theirs: theirText, mine: myText } = labels ?? {
    theirs: t('file-editor.Theirs'),
    mine: t('file-editor.Mine'),
  }
  const place = useRef<HTMLDivElement>(null)
  const latest = useLatest({ theirs, mine, name, text: t, theirText, myText })

  useEffect(() => {
    let compared: { destroy: () => void } | undefined
    let isHere = true
    void (async () => {
      const { theirs, mine, name, text, theirText, myText } = latest.current
      // Without its colours a difference is as plain as before.
      const known = languageOf(name)
      const language = await known?.load().catch(() => undefined)
      if (!isHere || !place.current) return
      const look: Extension = [
        codeTheme,
        lineNumbers(),
        EditorView.lineWrapping,
        EditorState.readOnly.of(true),
        EditorState.phrases.of({ '$ unchanged lines': text('file-editor.UnchangedLines') }),
        known && language ? [language, coloursOf(known)] : [],
      ]
      const side = (lines: readonly string[], label: string) => ({
        doc: Text.of([...lines]),
        extensions: [look, EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' })],
      })
      const parent = place.current
      const collapseUnchanged = { margin: 3, minSize: 6 }
      compared = isSideBySide
        ? new MergeView({ parent, a: side(theirs, theirText), b: side(mine, myText), collapseUnchanged })
        : new EditorView({
            parent,
            doc: Text.of([...mine]),
            extensions: [
              side(mine, myText).extensions,
              unifiedMergeView({ original: Text.of([...theirs]), mergeControls: false, collapseUnchanged }),
            ],
          })
    })()
    return () => {
      isHere = false
      compared?.destroy()
    }
  }, [isSideBySide, latest])

  return (
    <div className={classes.compare}>
      {isSideBySide && (
        <div className={classes.sides}>
          <span>{theirText}</span>
          <span>{myText}</span>
        </div>
      )}
      <div ref={place} className={classes.compared} dir="ltr" />
    </div>
  )
}
