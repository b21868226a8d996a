import { useT } from '../i18n/i18n.tsx'
import { useConfirm } from '../ui/overlays/confirm.ts'

interface DialogForm {
  readonly isDirty: boolean
  readonly discard: () => void
}

/** Closes the dialog of a form. Unsaved input is discarded after a question. */
export function useCloseDialog(form: DialogForm, onClose: () => void): () => void {
  const t = useT()
  const confirm = useConfirm()
  const close = async () => {
    const question = { title: t('common.LeaveTitle'), body: t('common.LeaveBody'), action: t('common.LeaveAction') }
    if (form.isDirty && !(await confirm(question))) return
    form.discard()
    onClose()
  }
  return () => void close()
}
