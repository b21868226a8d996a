import { type ComponentProps, Suspense } from 'react'
import { lazyView } from '../ui/loading/lazy-view.tsx'
import { SaveNotices } from './save-notices.tsx'
import type { FormState } from './use-save-form.ts'

const FormConflict = lazyView(async () => (await import('./form-conflict.tsx')).FormConflict)

interface SaveFormProps extends Omit<ComponentProps<'form'>, 'ref' | 'onSubmit' | 'noValidate'> {
  readonly form: FormState
  /** Its fields fill a card, which has no padding of its own. */
  readonly isInCard?: boolean
}

/** The `<form>` of `useSaveForm`: Enter saves, and messages about the whole form are shown above the fields. */
export function SaveForm({ form, isInCard = false, children, ...rest }: SaveFormProps) {
  return (
    <form
      {...rest}
      ref={form.root}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void form.save()
      }}
    >
      <FormNotices form={form} isInCard={isInCard} />
      {children}
      {/* Enter in a field saves, also while no other button of the form submits it. */}
      <button type="submit" hidden />
    </form>
  )
}

function FormNotices({ form, isInCard }: { form: FormState; isInCard: boolean }) {
  return (
    <SaveNotices {...form} {...(isInCard ? { px: 'md', pt: 'md' } : { mb: 'sm' })}>
      {form.conflicts.length > 0 && (
        <Suspense>
          <FormConflict form={form} />
        </Suspense>
      )}
    </SaveNotices>
  )
}
