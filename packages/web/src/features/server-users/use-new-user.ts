import { type ServerPermission, serverPermissionNames } from '@innkeeper/contract/api/permissions'
import { Email } from '@innkeeper/contract/text/names'
import { useState } from 'react'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { fromLocalTime } from '../../ui/fields/local-time.ts'
import { toast } from '../../ui/toasts/toast.tsx'
import { findEndError } from './end-dialog.tsx'
import type { InviteLink } from './invite-link-dialog.tsx'
import { applyPreset, type PermissionCheck, type PermissionSet } from './permissions.ts'

export interface NewUser {
  readonly email: string
  readonly permissions: readonly ServerPermission[]
  /** When the access ends, as a `datetime-local`; empty for never. */
  readonly until: string
}

interface NewUserOptions {
  /** The id of the server. */
  readonly server: string
  /** Email addresses of its users. */
  readonly emails: readonly string[]
  readonly canGrant: PermissionCheck
  readonly add: (
    email: string,
    permissions: PermissionSet,
    options: { readonly until: string | undefined },
  ) => Promise<void>
  /** Creates an invitation by link. */
  readonly createLink: (email: string, permissions: PermissionSet, until: string | undefined) => Promise<InviteLink>
  /** Called after a user was added whose permissions were edited during the request. */
  readonly onEditedSince: (email: string, permissions: PermissionSet) => Promise<void>
}

/** The row that adds a user to a server. */
export function useNewUser({ server, emails, canGrant, add, createLink, onEditedSince }: NewUserOptions) {
  const t = useT()
  const [isOpened, setIsOpened] = useState(false)
  const [link, setLink] = useState<InviteLink>()
  const validate = (email: string): string | undefined => {
    if (email === '') return t('server-users.EmailRequired')
    if (!Email.safeParse(email).success) return t('errors.ErrFieldNotEmail', { field: t('common.Email') })
    const isKnown = emails.some((known) => known.toLowerCase() === email.toLowerCase())
    return isKnown ? t('server-users.AlreadyHasAccess', { email }) : undefined
  }
  const form = useSaveForm<NewUser, string, string>({
    id: `server-${server}-new-user`,
    saved: { values: { email: '', permissions: toList(applyPreset(new Set(), 'Viewer', canGrant)), until: '' } },
    allowUnchanged: isOpened,
    startsOver: true,
    normalize: ({ email, ...others }) => ({ email: email.trim(), ...others }),
    validate: ({ email, until }) => ({ email: validate(email), until: findEndError(t, until) }),
    getLabel: (field) => t(field === 'until' ? 'server-users.EndsAt' : 'common.Email'),
    fieldByCode: {
      ErrEmailNotConfigured: 'email',
      ErrEmailNotConfirmed: 'email',
      ErrInvitePending: 'email',
      ErrUserNotFound: 'email',
    },
    messages: { ErrEmailNotConfigured: t('server-users.UnknownAndNoMail') },
    failure: t('common.PermissionsFailed'),
    send: async ({ values: { email, permissions, until } }) => {
      await add(email, new Set(permissions), { until: toEnd(until) })
      return email
    },
    onSaved: async (added, isClean) => {
      toast.success(t('common.Saved'))
      const { email, permissions } = form.getValues()
      // Another address was entered during the request: the row stays open for that user.
      if (email !== '') return
      if (!isClean) await onEditedSince(added, new Set(permissions))
      close()
    },
  })
  const close = () => {
    form.discard()
    setIsOpened(false)
  }
  return {
    form,
    isOpen: isOpened || form.isDirty,
    permissions: new Set(form.values.permissions) as PermissionSet,
    setPermissions: (permissions: PermissionSet) => form.set({ permissions: toList(permissions) }),
    open: () => setIsOpened(true),
    close,
    /** The link that was created last, until its dialog is closed. */
    link,
    closeLink: () => setLink(undefined),
    createLink: () =>
      form.submitWith(async ({ email, permissions, until }) => {
        setLink(await createLink(email, new Set(permissions), toEnd(until)))
        close()
      }),
  }
}
export type NewUserState = ReturnType<typeof useNewUser>

const toEnd = (until: string) => (until === '' ? undefined : fromLocalTime(until))

/** The permissions in a fixed order, so that equal sets are equal lists. */
function toList(permissions: PermissionSet): readonly ServerPermission[] {
  return serverPermissionNames.filter((permission) => permissions.has(permission))
}
