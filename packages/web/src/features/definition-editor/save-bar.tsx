import { SaveBar } from '../../forms/save-bar.tsx'
import { useShortcut } from '../../hotkeys/hotkeys.tsx'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
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
  const t = useT()
  const { list } = useFormatters()
  const { kind, base, current, isDirty, isSound } = editor
  const save = async () => {
    if (!isDirty) return
    if (isSound) await onSave()
    else if (editor.mode === 'json') await editor.point()
  }
  useShortcut('$mod+s', () => void save())
  const parts = isDirty && current ? changedSections(base, current) : []
  const names = parts.map((section) => sectionName(t, section, kind))
  return (
    <SaveBar
      form={{ isDirty, edited: parts, isSaving, save, discard: onDiscard }}
      message={names.length > 0 ? t('definition.UnsavedIn', { parts: list(names) }) : t('definition.Unsaved')}
      action={action}
      canSave={editor.mode === 'json' || isSound}
    />
  )
}
