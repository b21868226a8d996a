import { isRefusal } from '../api/request.ts'
import type { TFunction } from '../i18n/i18n.tsx'
import { errorMessage } from './error-message.ts'

/** What is wrong with a two-factor code that was refused: the code itself, unless the refusal says something else. */
export function otpErrorMessage(t: TFunction, refusal: unknown, kind: 'code' | 'recovery' = 'code'): string {
  if (!isRefusal(refusal, 'ErrInvalidCredentials')) return errorMessage(t, refusal)
  return t(kind === 'code' ? 'two-factor.WrongCode' : 'two-factor.WrongRecoveryCode')
}
