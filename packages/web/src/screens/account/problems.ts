import type { RefusalCode } from '@innkeeper/contract/refusals'
import { isRefusal } from '../../api/request.ts'
import type { TFunction } from '../../i18n/i18n.tsx'
import { errorField, errorMessage } from '../../ui/error-message.ts'

/** Refusals that are about a field without naming it. */
export const fieldOfCode: Partial<Record<RefusalCode, string>> = {
  ErrDuplicateUsername: 'username',
  ErrUsernameRequirements: 'username',
  ErrDuplicateEmail: 'email',
  ErrFieldNotEmail: 'email',
  // The only credential that these forms send is the current password.
  ErrInvalidCredentials: 'password',
  ErrPasswordRequirements: 'newPassword',
  ErrSshKeyInvalid: 'key',
  ErrDuplicateSshKey: 'key',
}

/** The message of a refusal at the field that it is about; `undefined` when it is about none of these. */
export function placeOf<F extends string>(
  t: TFunction,
  error: unknown,
  fields: readonly F[],
): Partial<Record<F, string>> | undefined {
  const named = (isRefusal(error) ? fieldOfCode[error.code] : undefined) ?? errorField(error)
  const field = fields.find((name) => name === named)
  const message = isRefusal(error, 'ErrInvalidCredentials') ? t('account.WrongPassword') : errorMessage(t, error)
  return field && ({ [field]: message } as Partial<Record<F, string>>)
}
