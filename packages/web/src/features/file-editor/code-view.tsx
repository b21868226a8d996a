import { indentLess, indentMore, isolateHistory } from '@codemirror/commands'
import { indentUnit } from '@codemirror/language'
import { openSearchPanel } from '@codemirror/search'
import { Compartment, EditorState, Prec, StateEffect, Text } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import { useT, type TFunction as Words } from '../../i18n/i18n.tsx'
import { codeTheme, editingExtensions } from '../../ui/codemirror-setup.ts'
import { useLatest } from '../../ui/use-latest.ts'
import type * as Changes from './changes.ts'
import classes from './file-editor.module.css'
import { coloursOf, languageOf } from './languages.ts'
import { indentationOf, type LineEnding } from './text-file.ts'

/** What the frame around the code shows of it. */
export interface CodeStatus {
  /** Whether it differs from what was saved. */
  readonly isModified: boolean
  readonly line: number
  readonly column: number
}

/** What can be done to the code from outside. */
export interface CodeHandle {
  readonly lines: () => readonly string[]
  /** Puts other lines there, as one step that can be undone. */
  readonly replace: (lines: readonly string[]) => void
  /** Says what the file on the server holds now. */
  readonly markSaved: (lines: readonly string[]) => void
  readonly changedLines: () => number
  readonly find: () => void
  readonly focus: () => void
}

interface CodeViewProps {
  readonly ref: Ref<CodeHandle>
  /** What it begins with; later changes come by `replace`. */
  readonly lines: readonly string[]
  /** Unsaved lines from before, put there as if they had been typed. */
  readonly draft: readonly string[] | undefined
  readonly name: string
  readonly label: string
  readonly lineEnding: LineEnding
  readonly isReadOnly: boolean
  readonly isWrapped: boolean
  readonly onStatus: (status: CodeStatus) => void
  readonly onFocus: (isInside: boolean) => void
  /** It is taken away with these unsaved lines in it. */
  readonly onTakenAway: (unsaved: readonly string[]) => void
}

/** Code with line numbers, colours by the name of the file, search, and marks on what differs from what was saved. */
export function CodeView({ ref, ...props }: CodeViewProps) {
  const t = useT()
  const { isReadOnly, isWrapped } = props
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const saved = useRef(Text.of([...props.lines]))
  // Comparing is a good part of the editor's code, and nothing is changed in the first moment.
  const changes = useRef<typeof Changes>(undefined)
  const parts = useRef({ wrap: new Compartment(), access: new Compartment(), language: new Compartment() })
  const latest = useLatest({ ...props, text: t })

  useEffect(() => {
    const { lines, name, label, lineEnding } = latest.current
    if (!place.current) return
    const { wrap, access, language } = parts.current
    const tell = ({ doc, selection }: EditorState) => {
      const line = doc.lineAt(selection.main.head)
      const column = selection.main.head - line.from + 1
      latest.current.onStatus({ isModified: !doc.eq(saved.current), line: line.number, column })
    }
    const editor = new EditorView({
      parent: place.current,
      doc: Text.of([...lines]),
      extensions: [
        // Before the setup's own keys. What it takes, the trap of the overlay must not take as well.
        Prec.high(keymap.of([{ key: 'Tab', run: indentMore, shift: indentLess, stopPropagation: true }])),
        editingExtensions,
        codeTheme,
        lineEndingRules(lineEnding),
        indentation(lines),
        wrap.of(latest.current.isWrapped ? EditorView.lineWrapping : []),
        access.of(accessOf(latest.current.isReadOnly)),
        language.of([]),
        EditorState.phrases.of(phrasesOf(latest.current.text)),
        // Without a tab stop it could not be reached while it is read-only.
        EditorView.contentAttributes.of({
          'aria-label': label,
          tabindex: '0',
          'data-autofocus': '',
          spellcheck: 'false',
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged || update.selectionSet) tell(update.state)
          if (update.focusChanged) latest.current.onFocus(update.view.hasFocus)
        }),
      ],
    })
    view.current = editor
    const { draft } = latest.current
    if (draft) editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: Text.of([...draft]) } })
    editor.focus()
    const known = languageOf(name)
    let isHere = true
    // Without the marks the text is edited and saved all the same.
    void import('./changes.ts').then(
      (loaded) => {
        if (!isHere) return
        changes.current = loaded
        const marks = StateEffect.appendConfig.of(loaded.changeMarks)
        editor.dispatch({ effects: marks })
        editor.dispatch({ effects: loaded.savedAs.of(saved.current) })
      },
      () => undefined,
    )
    // Without its colours the code is as good as before; the next file asks again.
    void known?.load().then(
      (support) => isHere && editor.dispatch({ effects: language.reconfigure([support, coloursOf(known)]) }),
      () => undefined,
    )
    return () => {
      isHere = false
      if (!editor.state.doc.eq(saved.current)) latest.current.onTakenAway(editor.state.doc.toJSON())
      editor.destroy()
    }
  }, [latest])

  useEffect(() => {
    const { wrap } = parts.current
    view.current?.dispatch({ effects: wrap.reconfigure(isWrapped ? EditorView.lineWrapping : []) })
  }, [isWrapped])
  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.access.reconfigure(accessOf(isReadOnly)) })
  }, [isReadOnly])

  useImperativeHandle(
    ref,
    () => ({
      lines: () => view.current?.state.doc.toJSON() ?? [],
      replace(lines) {
        const editor = view.current
        if (!editor) return
        editor.dispatch({
          changes: { from: 0, to: editor.state.doc.length, insert: Text.of([...lines]) },
          annotations: isolateHistory.of('full'),
        })
      },
      markSaved(lines) {
        const editor = view.current
        if (!editor) return
        saved.current = Text.of([...lines])
        const effects = changes.current?.savedAs.of(saved.current) ?? []
        editor.dispatch({ effects, selection: editor.state.selection })
      },
      changedLines: () => (view.current && changes.current?.changedLines(view.current.state)) ?? 1,
      find: () => view.current && openSearchPanel(view.current),
      focus: () => view.current?.focus(),
    }),
    [],
  )
  return <div ref={place} className={classes.code} dir="ltr" />
}

function accessOf(isReadOnly: boolean) {
  return EditorState.readOnly.of(isReadOnly)
}

function indentation(lines: readonly string[]) {
  const { kind, width } = indentationOf(lines)
  return [EditorState.tabSize.of(4), indentUnit.of(kind === 'tabs' ? '\t' : ' '.repeat(width))]
}

/** Where a carriage return is part of a line, only LF ends one; what is pasted keeps to that. */
function lineEndingRules(lineEnding: LineEnding) {
  if (lineEnding !== 'mixed') return []
  return [
    EditorState.lineSeparator.of('\n'),
    EditorView.clipboardInputFilter.of((pasted) => pasted.replaceAll(/\r\n?/g, '\n')),
  ]
}

/** The words of the search panel, in the person's language. */
function phrasesOf(text: Words): Record<string, string> {
  return {
    Find: text('file-editor.Find'),
    Replace: text('file-editor.Replace'),
    next: text('file-editor.Next'),
    previous: text('file-editor.Previous'),
    all: text('file-editor.All'),
    'match case': text('file-editor.MatchCase'),
    'by word': text('file-editor.ByWord'),
    regexp: text('file-editor.Regexp'),
    replace: text('file-editor.ReplaceOne'),
    'replace all': text('file-editor.ReplaceAll'),
    close: text('file-editor.CloseSearch'),
    'current match': text('file-editor.CurrentMatch'),
    'on line': text('file-editor.OnLine'),
    'Go to line': text('file-editor.GoToLine'),
    go: text('file-editor.Go'),
  }
}
