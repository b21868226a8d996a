import { type OperatorContext, openOperatorContext } from '@innkeeper/panel/operator-context'
import type { Desk } from './command.ts'

/** Works with the people of the panel that the configuration names. */
export async function withPeople<T>(desk: Desk, work: (people: OperatorContext['people']) => Promise<T>): Promise<T> {
  return await withCaretaking(desk, ({ people }) => work(people))
}

/** Works on the panel that the configuration names, and closes its database afterwards. */
export async function withCaretaking<T>(desk: Desk, work: (caretaking: OperatorContext) => Promise<T>): Promise<T> {
  const { databaseUrl, masterUrl } = desk.config
  const caretaking = await openOperatorContext({ databaseUrl, masterUrl, log: desk.log })
  try {
    return await work(caretaking)
  } finally {
    await caretaking.close()
  }
}

/** How a person can be named. */
export const who = '<who>'
export const whoIs = '<who> is a username, an email address, or a number as #1.'
