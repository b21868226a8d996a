import { getTemplate } from '@innkeeper/contract/templates/templates'
import { toServerName } from '@innkeeper/contract/text/names'
import { useEffect, useEffectEvent, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { request } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { type ExistingServer, getSettingsValues, readExistingServer } from '../../features/uploads/existing-server.ts'
import type { PickedItem } from '../../features/uploads/items.ts'
import { useUploads } from '../../features/uploads/use-uploads.tsx'
import { type EditDraft, selectExisting, selectTemplate } from './draft.ts'

/** The files of an existing server, which decide template and settings of the draft. A reload forgets them. */
export function useExistingServer(edit: EditDraft) {
  const [files, setFiles] = useState<ExistingServer>()
  const [unknown, setUnknown] = useState<string>()

  const { mutate: pick, isPending: isReading } = useAction(async (items: readonly PickedItem[]) => {
    setUnknown(undefined)
    const found = await readExistingServer(items)
    const { recognized, name } = found
    if (!recognized) return setUnknown(name)
    const template = await request(getTemplate, { params: { name: recognized.template } })
    const existing = { name, recognized }
    const values = getSettingsValues(template, found)
    setFiles(found)
    edit((draft) => {
      const selected = selectExisting(selectTemplate(draft, recognized.template), existing)
      return { ...selected, name: draft.name || toServerName(recognized.folder || name.replace(/\.zip$/i, '')), values }
    })
  })
  const discard = () => {
    setFiles(undefined)
    edit((draft) => selectExisting(draft, undefined))
  }
  usePrefill(edit, pick)
  return { files, unknown, isReading, pick, discard }
}

/** Selects the template that the address names, and the files that the previous screen kept. */
function usePrefill(edit: EditDraft, pick: (items: readonly PickedItem[]) => Promise<unknown>): void {
  const [params] = useSearchParams()
  const navigate = useNavigate()
  const { takeSelection } = useUploads()
  const template = params.get('template')
  const prefill = useEffectEvent((name: string) => {
    // After a reload the template may be another one.
    void navigate('/addserver', { replace: true })
    edit((draft) => selectTemplate(draft, name))
    const items = takeSelection()
    if (items.length > 0) void pick(items)
  })
  useEffect(() => {
    if (template !== null) prefill(template)
  }, [template])
}
