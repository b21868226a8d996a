import { SaveBar } from '../../forms/save-bar.tsx'
import { useShortcut } from '../../hotkeys/hotkeys.tsx'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { changedSections } from './draft.ts'
import { sectionName } from './messages.ts'
import type { Editor } from './use-editor.ts'

interface DefinitionSaveBarProps {
  readonly editor: Editor
  /** Label of the save button. */
  readonly action: string
  readonly isSaving: boolean
  readonly onSave: () => Promise<unknown>
  readonly onDiscard: () => void
}

/** The save bar of a definition, which names the changed sections. Ctrl+S saves too. */
export function DefinitionSaveBar({ editor, action, isSaving, onSave, onDiscard }: DefinitionSaveBarProps) {
  const t = useT()
  const { list } = useFormatters()
  const { kind, base, current, isDirty, isValid, mode } = editor
  const save = async () => {
    if (!isDirty) return
    if (isValid) await onSave()
    else if (mode === 'json') await editor.showJsonError()
  }
  useShortcut('mod+s', () => void save())
  const sections = isDirty && current ? changedSections(base, current) : []
  const names = sections.map((section) => sectionName(t, section, kind))
  return (
    <SaveBar
      form={{ isDirty, edited: sections, isSaving, save, discard: onDiscard }}
      message={
        names.length > 0 ? t('definition.UnsavedIn', { sections: list(names) }) : t('common.UnsavedChangesTitle')
      }
      action={action}
      canSave={mode === 'json' || isValid}
    />
  )
}
