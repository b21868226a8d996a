import { type OperatorContext, openOperatorContext } from '@innkeeper/panel/operator-context'
import type { CommandContext } from './command.ts'

/** Runs `work` with the user administration of the configured database. */
export async function withUsers<T>(
  context: CommandContext,
  work: (users: OperatorContext['users']) => Promise<T>,
): Promise<T> {
  return await withOperatorContext(context, ({ users }) => work(users))
}

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
