import { refusalOfInput } from '@innkeeper/contract/accept'
import { limits } from '@innkeeper/contract/limits'
import { ServerName } from '@innkeeper/contract/names'
import { z } from 'zod'
import type { TFunction } from '../i18n/i18n.tsx'
import { errorMessage } from './error-message.ts'

const Named = z.object({ name: ServerName })

interface Options {
  /** Everything is judged. Without it only what typing on cannot repair: a name that is too long. */
  readonly isFinished: boolean
}

/** What is wrong with the name of a server, in words; blanks around it do not count. `undefined` when it can be used. */
export function serverNameError(t: TFunction, typed: string, { isFinished }: Options): string | undefined {
  const name = typed.trim()
  const max = limits.serverNameMax
  if (name.length > max) return t('common.NameTooLong', { max, count: name.length })
  const judged = Named.safeParse({ name })
  if (judged.success || !isFinished) return undefined
  return name === '' ? errorMessage(t, refusalOfInput(judged.error)) : t('common.NameCharacters')
}
