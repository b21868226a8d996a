import { IconDeviceFloppy } from '@tabler/icons-react'
import { useCombination } from '../../hotkeys/hotkeys.tsx'
import { useFormats, useText } from '../../i18n/text.tsx'
import { ChangesBar } from '../../ui/small.tsx'
import { changedSections } from './draft.ts'
import type { Editor } from './use-editor.ts'
import { sectionName } from './words.ts'

interface SaveBarProps {
  readonly editor: Editor
  readonly action: string
  readonly isSaving: boolean
  readonly onSave: () => void
  readonly onDiscard: () => void
}

/** Sticks to the end of the editor while there is something to save, and says where. Ctrl+S saves too. */
export function SaveBar({ editor, action, isSaving, onSave, onDiscard }: SaveBarProps) {
  const text = useText()
  const { list } = useFormats()
  const { kind, base, current, isDirty, isSound } = editor
  const save = () => {
    if (isSaving || !isDirty) return
    if (isSound) onSave()
    else if (editor.mode === 'json') void editor.point()
  }
  useCombination('$mod+s', save)
  if (!isDirty) return null
  const parts = current ? changedSections(base, current).map((section) => sectionName(text, section, kind)) : []
  return (
    <ChangesBar
      label={text('definition.Unsaved')}
      said={parts.length > 0 ? text('definition.UnsavedIn', { parts: list(parts) }) : text('definition.Unsaved')}
      action={action}
      icon={<IconDeviceFloppy size={17} aria-hidden />}
      isSaving={isSaving}
      canSave={editor.mode === 'json' || isSound}
      onDiscard={onDiscard}
      onSave={save}
    />
  )
}
