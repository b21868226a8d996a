import { json, jsonLanguage } from '@codemirror/lang-json'
import { EditorView } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { codeEditing, codeLook } from '../../ui/code.ts'
import classes from './server-admin.module.css'

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
  const latest = useRef({ value, onChange })
  latest.current = { value, onChange }

  useEffect(() => {
    if (!place.current) return
    const editor = new EditorView({
      parent: place.current,
      doc: latest.current.value,
      extensions: [
        codeEditing,
        json(),
        codeLook,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) latest.current.onChange(update.state.doc.toString())
        }),
      ],
    })
    view.current = editor
    editor.focus()
    return () => editor.destroy()
  }, [label])

  useEffect(() => {
    const editor = view.current
    if (!editor || line === undefined || line > editor.state.doc.lines) return
    const { from } = editor.state.doc.line(line)
    editor.dispatch({ selection: { anchor: from }, scrollIntoView: true })
    editor.focus()
  }, [line])

  return <div ref={place} className={classes.code} dir="ltr" />
}

/** The line of the first mistake, from 1; `undefined` when the text is JSON. */
export function mistakeIn(text: string): number | undefined {
  let at: number | undefined
  jsonLanguage.parser.parse(text).iterate({
    enter: ({ type, from }) => {
      if (type.isError) at ??= from
    },
  })
  return at === undefined ? undefined : text.slice(0, at).split('\n').length
}
