import { limits } from '@innkeeper/contract/limits'
import { Email, Password, Username } from '@innkeeper/contract/names'
import type { TFunction } from '../../i18n/i18n.tsx'

/** What a person types to get an account; some forms ask for less. */
export interface NewAccount {
  readonly username: string
  readonly email: string
  readonly password: string
  readonly repeated: string
}
export type AccountField = keyof NewAccount

/** In the order in which they stand, so that the first wrong one gets the focus. */
export const accountFields: readonly AccountField[] = ['username', 'email', 'password', 'repeated']

/** Refusals that are about a field without naming it. */
export const fieldOfCode = {
  ErrDuplicateUsername: 'username',
  ErrUsernameRequirements: 'username',
  ErrDuplicateEmail: 'email',
  ErrPasswordRequirements: 'password',
} as const

/** What stands against a value, in the person's language; `undefined` when nothing does. */
export function objectionTo(t: TFunction, field: AccountField, values: NewAccount): string | undefined {
  const value = values[field]
  switch (field) {
    case 'username':
      return Username.safeParse(value).success ? undefined : t('errors.ErrUsernameRequirements')
    case 'email':
      if (Email.safeParse(value.trim()).success) return undefined
      return t('errors.ErrFieldNotEmail', { field: t('errors.field.email') })
    case 'password':
      if (Password.safeParse(value).success) return undefined
      return value.length < limits.passwordMin
        ? t('errors.ErrPasswordRequirements')
        : t('errors.ErrFieldTooLarge', { field: t('errors.field.password'), max: limits.passwordMax })
    case 'repeated':
      return value === values.password ? undefined : t('errors.ErrPasswordsNotIdentical')
  }
}
