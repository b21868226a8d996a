import { isRefusal } from '../../api/request.ts'
import type { TFunction } from '../../i18n/i18n.tsx'
import { errorMessage } from '../text/error-message.ts'

/** Returns the message for a two-factor code that the server rejected. */
export function otpErrorMessage(t: TFunction, error: unknown, type: 'code' | 'recovery' = 'code'): string {
  if (!isRefusal(error, 'ErrInvalidCredentials')) return errorMessage(t, error)
  return t(type === 'code' ? 'two-factor.WrongCode' : 'two-factor.WrongRecoveryCode')
}
