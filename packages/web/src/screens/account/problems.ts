import type { RefusalCode } from '@innkeeper/contract/refusals'
import { isRefusal } from '../../api/request.ts'
import type { Text } from '../../i18n/text.tsx'
import { fieldOf, messageOf } from '../../ui/refusal.tsx'

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
  text: Text,
  error: unknown,
  fields: readonly F[],
): Partial<Record<F, string>> | undefined {
  const named = (isRefusal(error) ? fieldOfCode[error.code] : undefined) ?? fieldOf(error)
  const field = fields.find((name) => name === named)
  const message = isRefusal(error, 'ErrInvalidCredentials') ? text('account.WrongPassword') : messageOf(text, error)
  return field && ({ [field]: message } as Partial<Record<F, string>>)
}
