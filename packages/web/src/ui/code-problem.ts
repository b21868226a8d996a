import { isRefusal } from '../api/request.ts'
import type { Text } from '../i18n/text.tsx'
import { messageOf } from './refusal.tsx'

/** What is wrong with a two-factor code that was refused: the code itself, unless the refusal says something else. */
export function codeProblem(text: Text, refusal: unknown, kind: 'code' | 'recovery' = 'code'): string {
  if (!isRefusal(refusal, 'ErrInvalidCredentials')) return messageOf(text, refusal)
  return text(kind === 'code' ? 'two-factor.WrongCode' : 'two-factor.WrongRecoveryCode')
}
