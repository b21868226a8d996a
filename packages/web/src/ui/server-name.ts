import { refusalOfInput } from '@innkeeper/contract/accept'
import { limits } from '@innkeeper/contract/limits'
import { ServerName } from '@innkeeper/contract/names'
import { z } from 'zod'
import type { Text } from '../i18n/text.tsx'
import { messageOf } from './refusal.tsx'

const Named = z.object({ name: ServerName })

interface Options {
  /** Everything is judged. Without it only what typing on cannot repair: a name that is too long. */
  readonly isFinished: boolean
}

/** What is wrong with the name of a server, in words; blanks around it do not count. `undefined` when it can be used. */
export function serverNameProblem(text: Text, typed: string, { isFinished }: Options): string | undefined {
  const name = typed.trim()
  const max = limits.serverNameMax
  if (name.length > max) return text('common.NameTooLong', { max, count: name.length })
  const judged = Named.safeParse({ name })
  if (judged.success || !isFinished) return undefined
  return name === '' ? messageOf(text, refusalOfInput(judged.error)) : text('common.NameCharacters')
}
