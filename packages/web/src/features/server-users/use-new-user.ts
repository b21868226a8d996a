import { Email } from '@innkeeper/contract/names'
import { useRef } from 'react'
import { isRefusal } from '../../api/request.ts'
import { useLatestState } from '../../forms/use-latest-state.ts'
import { useT } from '../../i18n/i18n.tsx'
import { errorField, errorMessage } from '../../ui/error-message.ts'
import { toast } from '../../ui/toast.tsx'
import { applyPreset, diffFlags, type FlagEdits, type FlagSet, type PermissionCheck } from './permissions.ts'

/** The user who is being added. */
export interface NewUserDraft {
  readonly email: string
  readonly flags: FlagSet
  /** Message at the email field. */
  readonly error?: string | undefined
  readonly isSaving: boolean
}

interface NewUserOptions {
  /** Email addresses of the users of the server. */
  readonly emails: readonly string[]
  readonly canGrant: PermissionCheck
  readonly save: (email: string, flags: FlagSet) => Promise<void>
  /** Called after the user was added, with what was edited during the request. */
  readonly onAdded: (email: string, edits: FlagEdits) => void
  readonly onError: (error: unknown) => void
}

/** Error codes that are about the email address. */
const emailCodes = ['ErrEmailNotConfigured', 'ErrEmailNotConfirmed', 'ErrUserNotFound'] as const

/** The row that adds a user to a server. */
export function useNewUser({ emails, canGrant, save, onAdded, onError }: NewUserOptions) {
  const t = useT()
  const [draft, setDraft, getDraft] = useLatestState<NewUserDraft | undefined>(undefined)
  const isAdding = useRef(false)

  const validate = (email: string): string | undefined => {
    if (email === '') return t('server-users.EmailRequired')
    if (!Email.safeParse(email).success) return t('errors.ErrFieldNotEmail', { field: t('common.Email') })
    const isKnown = emails.some((known) => known.toLowerCase() === email.toLowerCase())
    return isKnown ? t('server-users.AlreadyHasAccess', { email }) : undefined
  }
  const showError = (refusal: unknown) => {
    const isAboutEmail = errorField(refusal) === 'email' || isRefusal(refusal, ...emailCodes)
    if (!isAboutEmail) onError(refusal)
    const error = isRefusal(refusal, 'ErrEmailNotConfigured')
      ? t('server-users.UnknownAndNoMail')
      : errorMessage(t, refusal)
    setDraft((now) => now && { ...now, isSaving: false, ...(isAboutEmail && { error }) })
  }
  const add = async (): Promise<void> => {
    if (!draft || isAdding.current) return
    const email = draft.email.trim()
    const error = validate(email)
    setDraft({ ...draft, error, isSaving: error === undefined })
    if (error !== undefined) return
    isAdding.current = true
    try {
      await save(email, draft.flags)
      const now = getDraft()
      // The address was edited during the request: the row stays open for the second user.
      const isSameUser = now?.email === draft.email
      if (isSameUser) onAdded(email, diffFlags(draft.flags, now.flags))
      setDraft(isSameUser ? undefined : now && { ...now, isSaving: false })
      toast.success(t('common.Saved'))
    } catch (refusal) {
      showError(refusal)
    } finally {
      isAdding.current = false
    }
  }

  return {
    draft,
    getDraft,
    open: () =>
      setDraft((now) => now ?? { email: '', flags: applyPreset(new Set(), 'Viewer', canGrant), isSaving: false }),
    restore: (stored: Pick<NewUserDraft, 'email' | 'flags'>) => setDraft({ ...stored, isSaving: false }),
    change: (changes: Partial<Pick<NewUserDraft, 'email' | 'flags'>>) =>
      setDraft((now) => now && { ...now, error: undefined, ...changes }),
    /** Validates the address when its field is left; an empty one is no error yet. */
    validateEmail: () =>
      setDraft((now) => {
        const email = now?.email.trim() ?? ''
        return now && email !== '' && !now.isSaving ? { ...now, error: validate(email) } : now
      }),
    cancel: () => setDraft(undefined),
    add,
  }
}
