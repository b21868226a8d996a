import { type OperatorContext, openOperatorContext } from '@innkeeper/panel/operator-context'
import type { CommandContext } from './command.ts'

/** Opens the configured database, runs `work` and closes the database. */
export async function withOperatorContext<T>(
  context: Pick<CommandContext, 'config' | 'log'>,
  work: (operator: OperatorContext) => Promise<T>,
): Promise<T> {
  const { databaseUrl, masterUrl } = context.config
  const operator = await openOperatorContext({ databaseUrl, masterUrl, log: context.log })
  try {
    return await work(operator)
  } finally {
    await operator.close()
  }
}

/** How to specify a user. */
export const userArgument = '<who>'
export const userArgumentHelp = '<who> is a username, an email address, or an ID like #1.'
