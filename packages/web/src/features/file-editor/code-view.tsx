import { indentLess, indentMore, isolateHistory } from '@codemirror/commands'
import { indentUnit } from '@codemirror/language'
import { openSearchPanel } from '@codemirror/search'
import { Compartment, EditorState, Prec, StateEffect, Text } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import { codeTheme, editingExtensions } from '../../ui/fields/codemirror-setup.ts'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { getHighlighting, getLanguage } from '../compare/languages.ts'
import type * as DiffGutter from './diff-gutter.ts'
import classes from './file-editor.module.css'
import { detectIndentation, type LineEnding } from './text-file.ts'

/** State of the code that other parts of the editor show. */
export interface CodeStatus {
  /** Whether the text differs from the baseline. */
  readonly isModified: boolean
  readonly line: number
  readonly column: number
}

/** Imperative methods of the code view. */
export interface CodeHandle {
  readonly getLines: () => readonly string[]
  /** Replaces the text, as one undo step. */
  readonly replace: (lines: readonly string[]) => void
  /** Sets the saved text that changes are compared with. */
  readonly setBaseline: (lines: readonly string[]) => void
  /** Whether the text differs from the saved one. */
  readonly isModified: () => boolean
  readonly countChangedLines: () => number
  readonly find: () => void
  readonly focus: () => void
}

interface CodeViewProps {
  readonly ref: Ref<CodeHandle>
  /** The initial text and baseline; later changes use `replace`. */
  readonly lines: readonly string[]
  /** Unsaved lines to restore, as an edit of `lines`. */
  readonly draft: readonly string[] | undefined
  readonly name: string
  readonly label: string
  readonly lineEnding: LineEnding
  readonly isReadOnly: boolean
  readonly isWrapped: boolean
  readonly onStatus: (status: CodeStatus) => void
  readonly onFocus: (isInside: boolean) => void
  /** Called with the unsaved lines when it is unmounted. */
  readonly onUnmountDirty: (unsaved: readonly string[]) => void
}

/** CodeMirror with line numbers, highlighting by file name, search, and a gutter that marks unsaved changes. */
export function CodeView({ ref, ...props }: CodeViewProps) {
  const t = useT()
  const { isReadOnly, isWrapped } = props
  const container = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const baseline = useRef(Text.of([...props.lines]))
  // Loaded later: diffing is a large part of the editor's code, and not needed before the first edit.
  const diffGutter = useRef<typeof DiffGutter>(undefined)
  const compartments = useRef({ wrap: new Compartment(), readOnly: new Compartment(), language: new Compartment() })
  const latest = useLatest({ ...props, t })

  useEffect(() => {
    const { lines, name, label, lineEnding } = latest.current
    if (!container.current) return
    const { wrap, readOnly, language } = compartments.current
    const reportStatus = ({ doc, selection }: EditorState) => {
      const line = doc.lineAt(selection.main.head)
      const column = selection.main.head - line.from + 1
      latest.current.onStatus({ isModified: !doc.eq(baseline.current), line: line.number, column })
    }
    const editor = new EditorView({
      parent: container.current,
      doc: Text.of([...lines]),
      extensions: [
        // Takes precedence over the default keymap, and keeps the event from the overlay's focus trap.
        Prec.high(keymap.of([{ key: 'Tab', run: indentMore, shift: indentLess, stopPropagation: true }])),
        editingExtensions,
        codeTheme,
        lineEndingExtension(lineEnding),
        indentationExtension(lines),
        wrap.of(latest.current.isWrapped ? EditorView.lineWrapping : []),
        readOnly.of(readOnlyExtension(latest.current.isReadOnly)),
        language.of([]),
        EditorState.phrases.of(getPhrases(latest.current.t)),
        // A read-only editor has no tab stop of its own.
        EditorView.contentAttributes.of({
          'aria-label': label,
          tabindex: '0',
          'data-autofocus': '',
          spellcheck: 'false',
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged || update.selectionSet) reportStatus(update.state)
          if (update.focusChanged) latest.current.onFocus(update.view.hasFocus)
        }),
      ],
    })
    view.current = editor
    const { draft } = latest.current
    if (draft) editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: Text.of([...draft]) } })
    editor.focus()
    const description = getLanguage(name)
    let isMounted = true
    // The editor works without the gutter if loading fails.
    void import('./diff-gutter.ts').then(
      (loaded) => {
        if (!isMounted) return
        diffGutter.current = loaded
        const gutter = StateEffect.appendConfig.of(loaded.diffGutter)
        editor.dispatch({ effects: gutter })
        editor.dispatch({ effects: loaded.setBaselineEffect.of(baseline.current) })
      },
      () => undefined,
    )
    // The editor works without highlighting if loading fails; the next file tries again.
    void description?.load().then(
      (support) =>
        isMounted && editor.dispatch({ effects: language.reconfigure([support, getHighlighting(description)]) }),
      () => undefined,
    )
    return () => {
      isMounted = false
      if (!editor.state.doc.eq(baseline.current)) latest.current.onUnmountDirty(editor.state.doc.toJSON())
      editor.destroy()
    }
  }, [latest])

  useEffect(() => {
    const { wrap } = compartments.current
    view.current?.dispatch({ effects: wrap.reconfigure(isWrapped ? EditorView.lineWrapping : []) })
  }, [isWrapped])
  useEffect(() => {
    view.current?.dispatch({ effects: compartments.current.readOnly.reconfigure(readOnlyExtension(isReadOnly)) })
  }, [isReadOnly])

  useImperativeHandle(
    ref,
    () => ({
      getLines: () => view.current?.state.doc.toJSON() ?? [],
      replace(lines) {
        const editor = view.current
        if (!editor) return
        editor.dispatch({
          changes: { from: 0, to: editor.state.doc.length, insert: Text.of([...lines]) },
          annotations: isolateHistory.of('full'),
        })
      },
      setBaseline(lines) {
        const editor = view.current
        if (!editor) return
        baseline.current = Text.of([...lines])
        const effects = diffGutter.current?.setBaselineEffect.of(baseline.current) ?? []
        editor.dispatch({ effects, selection: editor.state.selection })
      },
      isModified: () => view.current !== undefined && !view.current.state.doc.eq(baseline.current),
      countChangedLines: () => (view.current && diffGutter.current?.countChangedLines(view.current.state)) ?? 1,
      find: () => view.current && openSearchPanel(view.current),
      focus: () => view.current?.focus(),
    }),
    [],
  )
  return <div ref={container} className={classes.code} dir="ltr" />
}

function readOnlyExtension(isReadOnly: boolean) {
  return EditorState.readOnly.of(isReadOnly)
}

function indentationExtension(lines: readonly string[]) {
  const { type, width } = detectIndentation(lines)
  return [EditorState.tabSize.of(4), indentUnit.of(type === 'tabs' ? '\t' : ' '.repeat(width))]
}

/** With mixed line endings only LF separates lines; pasted text is converted to LF. */
function lineEndingExtension(lineEnding: LineEnding) {
  if (lineEnding !== 'mixed') return []
  return [
    EditorState.lineSeparator.of('\n'),
    EditorView.clipboardInputFilter.of((text) => text.replaceAll(/\r\n?/g, '\n')),
  ]
}

/** The texts of the search panel. */
function getPhrases(t: TFunction): Record<string, string> {
  return {
    Find: t('file-editor.Find'),
    Replace: t('common.Replace'),
    next: t('file-editor.Next'),
    previous: t('file-editor.Previous'),
    all: t('file-editor.All'),
    'match case': t('file-editor.MatchCase'),
    'by word': t('file-editor.ByWord'),
    regexp: t('file-editor.Regexp'),
    replace: t('file-editor.ReplaceOne'),
    'replace all': t('file-editor.ReplaceAll'),
    close: t('file-editor.CloseSearch'),
    'current match': t('file-editor.CurrentMatch'),
    'on line': t('file-editor.OnLine'),
    'Go to line': t('file-editor.GoToLine'),
    go: t('file-editor.Go'),
  }
}
