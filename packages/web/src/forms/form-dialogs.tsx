import type { Refusal } from '@innkeeper/contract/errors/refusals'
import { Modal, type ModalProps, Stack } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { VersionedResponse } from '../api/request.ts'
import { refetchOrThrow } from '../api/use-api.ts'
import { useT } from '../i18n/i18n.tsx'
import { QueryState } from '../ui/loading/query-state.tsx'
import { useConfirm } from '../ui/overlays/confirm.ts'
import { DialogButtons } from '../ui/overlays/dialog-buttons.tsx'
import { SaveForm } from './save-form.tsx'
import { type FormState, type SaveFormOptions, useSaveForm } from './use-save-form.ts'

type VersionedQuery<A> = UseQueryResult<VersionedResponse<A>, Refusal>

interface DialogFormOptions<V extends object, A>
  extends Omit<SaveFormOptions<V>, 'saved' | 'reload' | 'allowUnchanged' | 'onSaved'> {
  readonly id: string
  /** Reads what is saved. */
  readonly query: VersionedQuery<A>
  readonly toValues: (response: A) => V
  /** The values until they are read. */
  readonly initialValues: V
  /** Called after each save. */
  readonly onSaved?: () => void
  readonly onClose: () => void
}

/** The form of a `SaveDialog`. Save closes it, also when nothing was edited; edits made during the save keep it open. */
export function useDialogForm<V extends object, A>(options: DialogFormOptions<V, A>) {
  const { id, query, toValues, initialValues, onSaved, onClose, ...others } = options
  const toSaved = ({ response, version }: VersionedResponse<A>) => ({ values: toValues(response), version })
  const form = useSaveForm<V>({
    ...others,
    // Until it is known what is saved, there is nothing to compare a draft with.
    ...(query.data && { id }),
    saved: query.data ? toSaved(query.data) : { values: initialValues },
    reload: async () => toSaved(await refetchOrThrow(query)),
    allowUnchanged: query.data !== undefined,
    onSaved: (_, isClean) => {
      onSaved?.()
      if (isClean) onClose()
    },
  })
  return { form, query, close: useCloseDialog(form, onClose) }
}

interface SaveDialogProps<A> extends Pick<ModalProps, 'size'> {
  readonly state: {
    readonly form: FormState
    readonly query: VersionedQuery<A>
    readonly close: () => void
  }
  readonly title: string
  readonly errorTitle: string
  readonly skeletonHeight?: string
  /** Whether saving deletes something. */
  readonly isDestructive?: (response: A) => boolean
  readonly children: (response: A) => ReactNode
}

/** A dialog that edits what is saved on the server. It asks before it discards edits. */
export function SaveDialog<A>(props: SaveDialogProps<A>) {
  const { state, size, title, errorTitle, skeletonHeight = '6rem', isDestructive, children } = props
  const { form, query, close } = state
  const t = useT()
  return (
    <Modal opened onClose={close} title={title} {...(size !== undefined && { size })}>
      <QueryState query={query} errorTitle={errorTitle} skeletonHeight={skeletonHeight}>
        {({ response }) => (
          <DialogForm form={form} action={t('common.Save')} isDestructive={isDestructive?.(response)} onCancel={close}>
            {children(response)}
          </DialogForm>
        )}
      </QueryState>
    </Modal>
  )
}

/** Closes the dialog of a form. Unsaved input is discarded after a question. */
export function useCloseDialog(form: Pick<FormState, 'isDirty' | 'discard'>, onClose: () => void): () => void {
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

interface DialogFormProps {
  readonly form: FormState
  /** Label of the button that sends the form. */
  readonly action: string
  readonly canSave?: boolean
  /** Whether it deletes or overwrites something. */
  readonly isDestructive?: boolean | undefined
  /** Closes the dialog, after asking about what was entered. */
  readonly onCancel: () => void
  readonly children: ReactNode
}

/** The form that fills a dialog. Its last line has the buttons. */
export function DialogForm(props: DialogFormProps) {
  const { form, action, canSave = true, isDestructive = false, onCancel, children } = props
  return (
    <SaveForm form={form}>
      <Stack gap="md">
        {children}
        <DialogButtons
          type="submit"
          onCancel={onCancel}
          {...(isDestructive && { color: 'red' })}
          disabled={!canSave}
          loading={form.isSaving}
        >
          {action}
        </DialogButtons>
      </Stack>
    </SaveForm>
  )
}

interface SubmitDialogProps extends Omit<DialogFormProps, 'onCancel'>, Pick<ModalProps, 'size'> {
  readonly title: string
  readonly onClose: () => void
}

/** The dialog of `useSubmitForm`. It asks before it closes with input that was not sent. */
export function SubmitDialog({ title, size, onClose, ...form }: SubmitDialogProps) {
  const close = useCloseDialog(form.form, onClose)
  return (
    <Modal opened onClose={close} title={title} {...(size !== undefined && { size })}>
      <DialogForm {...form} onCancel={close} />
    </Modal>
  )
}
