import { getTemplate } from '@innkeeper/contract/templates'
import { useState } from 'react'
import { request } from '../../api/request.ts'
import type { PickedItem } from '../../features/uploads/items.ts'
import { useShowError } from '../../ui/toast.tsx'
import { type EditDraft, selectExisting, selectTemplate } from './draft.ts'
import { type ExistingServer, getSettingsValues, readExistingServer, toServerName } from './existing-server.ts'

/** The files of an existing server, which decide template and settings of the draft. A reload forgets them. */
export function useExistingServer(edit: EditDraft) {
  const showError = useShowError()
  const [files, setFiles] = useState<ExistingServer>()
  const [unknown, setUnknown] = useState<string>()
  const [isReading, setIsReading] = useState(false)

  const pick = async (items: readonly PickedItem[]) => {
    setIsReading(true)
    setUnknown(undefined)
    try {
      const found = await readExistingServer(items)
      const { recognized, name } = found
      if (!recognized) return setUnknown(name)
      const template = await request(getTemplate, { params: { name: recognized.template } })
      const existing = { name, recognized }
      const values = getSettingsValues(template, found)
      setFiles(found)
      edit((draft) => {
        const selected = selectExisting(selectTemplate(draft, recognized.template), existing)
        return { ...selected, name: draft.name || toServerName(recognized.folder || name), values }
      })
    } catch (error) {
      showError(error)
    } finally {
      setIsReading(false)
    }
  }
  const discard = () => {
    setFiles(undefined)
    edit((draft) => selectExisting(draft, undefined))
  }
  return { files, unknown, isReading, pick, discard }
}
