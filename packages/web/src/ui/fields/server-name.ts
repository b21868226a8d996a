import { validationError } from '@innkeeper/contract/definitions/validate'
import { limits } from '@innkeeper/contract/text/limits'
import { ServerName, serverNameSymbols } from '@innkeeper/contract/text/names'
import { z } from 'zod/mini'
import type { TFunction } from '../../i18n/i18n.tsx'
import { errorMessage } from '../text/error-message.ts'

const Named = z.object({ name: ServerName })

interface Options {
  /** The user has finished typing. Before that, only an error that more typing cannot fix is returned: a name that is too long. */
  readonly isComplete: boolean
}

/** Validates the name of a server, ignoring surrounding spaces. Returns the error message, if any. */
export function serverNameError(t: TFunction, input: string, { isComplete }: Options): string | undefined {
  const name = input.trim()
  const max = limits.serverNameMax
  if (name.length > max) return t('common.NameTooLong', { max, count: name.length })
  const result = Named.safeParse({ name })
  if (result.success || !isComplete) return undefined
  return name === ''
    ? errorMessage(t, validationError(result.error))
    : t('common.NameCharacters', { symbols: serverNameSymbols })
}
