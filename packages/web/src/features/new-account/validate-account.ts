import { limits } from '@innkeeper/contract/text/limits'
import { Email, Password, Username } from '@innkeeper/contract/text/names'
import type { TFunction } from '../../i18n/i18n.tsx'

/** Values of the forms that create or recover an account; a form shows some of them. */
export interface AccountValues {
  /** The code that allows creating the first administrator. */
  readonly code: string
  readonly username: string
  readonly email: string
  readonly password: string
  readonly repeated: string
  /** Whether others may create an account too; the first administrator decides. */
  readonly registrationEnabled: boolean
}
export type AccountField = Exclude<keyof AccountValues, 'registrationEnabled'>

/** Error codes that concern a field without naming it. */
export const fieldByCode = {
  ErrSetupCode: 'code',
  ErrDuplicateUsername: 'username',
  ErrUsernameRequirements: 'username',
  ErrDuplicateEmail: 'email',
  ErrPasswordRequirements: 'password',
} as const

/** Returns the error message of a field, or `undefined` when its value is valid. */
export function validateAccountField(
  t: TFunction,
  field: AccountField,
  values: Partial<AccountValues>,
): string | undefined {
  const value = values[field] ?? ''
  switch (field) {
    case 'code':
      return value.trim() === '' ? t('errors.ErrFieldRequired', { field: t('setup.Code') }) : undefined
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
