import { SaveBar } from '../../forms/save-bar.tsx'
import { useCombination } from '../../hotkeys/hotkeys.tsx'
import { useFormats, useText } from '../../i18n/text.tsx'
import { changedSections } from './draft.ts'
import type { Editor } from './use-editor.ts'
import { sectionName } from './words.ts'

interface DefinitionSaveBarProps {
  readonly editor: Editor
  readonly action: string
  readonly isSaving: boolean
  readonly onSave: () => Promise<unknown>
  readonly onDiscard: () => void
}

/** The save bar of a definition: it says in which parts something is unsaved. Ctrl+S saves too. */
export function DefinitionSaveBar({ editor, action, isSaving, onSave, onDiscard }: DefinitionSaveBarProps) {
  const text = useText()
  const { list } = useFormats()
  const { kind, base, current, isDirty, isSound } = editor
  const save = async () => {
    if (!isDirty) return
    if (isSound) await onSave()
    else if (editor.mode === 'json') await editor.point()
  }
  useCombination('$mod+s', () => void save())
  const parts = isDirty && current ? changedSections(base, current) : []
  const names = parts.map((section) => sectionName(text, section, kind))
  return (
    <SaveBar
      form={{ isDirty, edited: parts, isSaving, save, discard: onDiscard }}
      message={names.length > 0 ? text('definition.UnsavedIn', { parts: list(names) }) : text('definition.Unsaved')}
      action={action}
      canSave={editor.mode === 'json' || isSound}
    />
  )
}
