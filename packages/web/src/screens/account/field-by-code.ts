import type { FieldByCode } from '../../forms/apply-error.ts'

/** Error codes that concern a field without naming it. */
export const fieldByCode: FieldByCode = {
  ErrDuplicateUsername: 'username',
  ErrUsernameRequirements: 'username',
  ErrDuplicateEmail: 'email',
  ErrFieldNotEmail: 'email',
  // The only credential in these forms is the current password.
  ErrInvalidCredentials: 'password',
  ErrPasswordRequirements: 'newPassword',
  ErrSshKeyInvalid: 'key',
  ErrDuplicateSshKey: 'key',
}
