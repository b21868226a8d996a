import { json, jsonLanguage } from '@codemirror/lang-json'
import { EditorView } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { codeTheme, editingExtensions } from '../../ui/fields/codemirror-setup.ts'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import classes from './definition-editor.module.css'

type SyntaxNode = ReturnType<typeof jsonLanguage.parser.parse>['topNode']

/** Line and column, from 1. */
export interface TextPosition {
  readonly line: number
  readonly column: number
}

interface JsonEditorProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  /** Scrolls to this line when it changes. */
  readonly line?: number | undefined
}

/** A JSON editor with line numbers, syntax colors and search. */
export function JsonEditor({ label, value, onChange, line }: JsonEditorProps) {
  const container = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const latest = useLatest({ value, onChange })

  useEffect(() => {
    if (!container.current) return
    const editor = new EditorView({
      parent: container.current,
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
    // The line height changes when the web font has loaded.
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

  return <div ref={container} className={classes.code} dir="ltr" />
}

/** The position of the first syntax error; `undefined` for valid JSON. */
export function findSyntaxError(text: string): TextPosition | undefined {
  let offset: number | undefined
  jsonLanguage.parser.parse(text).iterate({
    enter: ({ type, from }) => {
      if (type.isError) offset ??= from
    },
  })
  return offset === undefined ? undefined : toTextPosition(text, offset)
}

/** The position of a value by its path (`data.port.type`), or of its nearest ancestor that exists. */
export function findPath(text: string, path: string): TextPosition {
  let node: SyntaxNode | null = jsonLanguage.parser.parse(text).topNode.firstChild
  let offset = 0
  for (const name of path === '' ? [] : path.split('.')) {
    const child: SyntaxNode | undefined = node ? findChild(text, node, name) : undefined
    if (!child) break
    offset = child.from
    node = child.name === 'Property' ? child.lastChild : child
  }
  return toTextPosition(text, offset)
}

function findChild(text: string, node: SyntaxNode, name: string): SyntaxNode | undefined {
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

function toTextPosition(text: string, offset: number): TextPosition {
  const lines = text.slice(0, offset).split('\n')
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}
