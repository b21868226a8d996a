import { json, jsonLanguage } from '@codemirror/lang-json'
import { EditorView } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { codeTheme, editingExtensions } from '../../ui/codemirror-setup.ts'
import { useLatest } from '../../ui/use-latest.ts'
import classes from './definition-editor.module.css'

type SyntaxNode = ReturnType<typeof jsonLanguage.parser.parse>['topNode']

/** A place in a text, from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

interface JsonEditorProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  /** Goes there when it changes. */
  readonly line?: number
}

/** JSON with line numbers, colours and search. Loaded when it is first shown. */
export function JsonEditor({ label, value, onChange, line }: JsonEditorProps) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const latest = useLatest({ value, onChange })

  useEffect(() => {
    if (!place.current) return
    const editor = new EditorView({
      parent: place.current,
      doc: latest.current.value,
      extensions: [
        editingExtensions,
        json(),
        codeTheme,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) latest.current.onChange(update.state.doc.toString())
        }),
      ],
    })
    view.current = editor
    editor.focus()
    // Lines are as high as their font makes them, which may come later.
    void document.fonts.ready.then(() => editor.requestMeasure())
    return () => editor.destroy()
  }, [label, latest])

  useEffect(() => {
    const editor = view.current
    if (!editor || line === undefined || line > editor.state.doc.lines) return
    const { from } = editor.state.doc.line(line)
    editor.dispatch({ selection: { anchor: from }, scrollIntoView: true })
    editor.focus()
  }, [line])

  return <div ref={place} className={classes.code} dir="ltr" />
}

/** Where the first mistake is; `undefined` when the text is JSON. */
export function mistakeIn(text: string): Place | undefined {
  let at: number | undefined
  jsonLanguage.parser.parse(text).iterate({
    enter: ({ type, from }) => {
      if (type.isError) at ??= from
    },
  })
  return at === undefined ? undefined : placeAt(text, at)
}

/** Where a part of a JSON text stands, by its path (`data.port.type`), or the nearest part around it that there is. */
export function placeOfPath(text: string, path: string): Place {
  let node: SyntaxNode | null = jsonLanguage.parser.parse(text).topNode.firstChild
  let at = 0
  for (const name of path === '' ? [] : path.split('.')) {
    const found: SyntaxNode | undefined = node ? childOf(text, node, name) : undefined
    if (!found) break
    at = found.from
    node = found.name === 'Property' ? found.lastChild : found
  }
  return placeAt(text, at)
}

function childOf(text: string, node: SyntaxNode, name: string): SyntaxNode | undefined {
  if (node.name === 'Object') {
    return node
      .getChildren('Property')
      .find(({ firstChild }) => firstChild && text.slice(firstChild.from, firstChild.to) === JSON.stringify(name))
  }
  if (node.name !== 'Array') return undefined
  const items: SyntaxNode[] = []
  for (let item = node.firstChild; item; item = item.nextSibling) if (/^\w+$/.test(item.name)) items.push(item)
  return items[Number(name)]
}

function placeAt(text: string, at: number): Place {
  const lines = text.slice(0, at).split('\n')
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}
