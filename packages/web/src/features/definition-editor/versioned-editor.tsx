import { Button } from '@mantine/core'
import { use, useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { TellRefusalContext } from '../../api/use-send.ts'
import { useText } from '../../i18n/text.tsx'
import { Notice } from '../../ui/notice.tsx'
import { DefinitionEditor } from './definition-editor.tsx'
import type { Kind } from './problems.ts'
import type { Raw } from './raw.ts'
import { SaveBar } from './save-bar.tsx'
import { useEditor } from './use-editor.ts'

/** A definition as it came, and the version it had then. */
export interface Versioned {
  readonly raw: Raw
  readonly version: string | undefined
}

interface Needs {
  readonly opened: Versioned
  readonly kind: Kind
  readonly read: () => Promise<Versioned>
  /** Writes it over the version that was seen, or over any; answers the new version. Refused with `ErrStaleVersion`. */
  readonly write: (seen: Versioned, over: boolean) => Promise<string | undefined>
  /** Who was first, where that is known. */
  readonly winnerOf: (refusal: unknown) => Promise<string | undefined> | string | undefined
  readonly onSaved: () => void
  readonly onRefused?: (refusal: unknown) => void
}

/** A definition that is edited while others may save it too. */
export function useVersionedEditor({ opened, kind, read, write, winnerOf, onSaved, onRefused }: Needs) {
  const tell = use(TellRefusalContext)
  const [version, setVersion] = useState(opened.version)
  const [stale, setStale] = useState<{ readonly by: string | undefined }>()
  const [isSaving, setIsSaving] = useState(false)
  const editor = useEditor(opened.raw, kind)
  const { current } = editor

  const load = async () => {
    try {
      const theirs = await read()
      setVersion(theirs.version)
      editor.begin(theirs.raw)
      setStale(undefined)
    } catch (refusal) {
      tell(refusal)
    }
  }
  const save = async (over = false) => {
    if (isSaving || current === undefined) return
    setIsSaving(true)
    try {
      setVersion(await write({ raw: current, version }, over))
      editor.begin(current)
      setStale(undefined)
      onSaved()
    } catch (refusal) {
      if (isRefusal(refusal, 'ErrStaleVersion')) setStale({ by: await winnerOf(refusal) })
      else (onRefused ?? tell)(refusal)
    } finally {
      setIsSaving(false)
    }
  }
  return { editor, stale, isSaving, load, save }
}

interface VersionedEditorProps {
  readonly held: ReturnType<typeof useVersionedEditor>
  /** What its Save button says. */
  readonly action: string
}

/** What was typed stays when somebody else was first, until the person decides. */
export function VersionedEditor({ held, action }: VersionedEditorProps) {
  const text = useText()
  const { editor, stale, isSaving, load, save } = held
  return (
    <>
      {stale && (
        <Notice
          kind="warning"
          urgent
          action={
            <>
              <Button size="xs" variant="default" onClick={() => void load()}>
                {text('definition.LoadTheirs')}
              </Button>
              <Button size="xs" variant="default" loading={isSaving} onClick={() => void save(true)}>
                {text('definition.Overwrite')}
              </Button>
            </>
          }
        >
          {stale.by === undefined ? text('definition.Stale') : text('definition.StaleBy', { by: stale.by })}
        </Notice>
      )}
      <DefinitionEditor editor={editor} />
      <SaveBar
        editor={editor}
        action={action}
        isSaving={isSaving}
        onSave={() => void save()}
        onDiscard={() => editor.begin(editor.base)}
      />
    </>
  )
}
