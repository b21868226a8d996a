import type { CommandContext } from '../command/command.ts'
import { withOperatorContext } from '../command/operator.ts'
import { type PanelClient, PanelError, panelClient } from './panel-client.ts'

export interface PanelAccess {
  readonly client: PanelClient
  /** The administrator whose session is used. */
  readonly userId: number
  readonly username: string
  /** Aborted by Ctrl+C: what is in progress ends, and nothing else begins. */
  readonly signal: AbortSignal
}

/**
 * Calls the running panel of this machine as an administrator. The session is ended afterwards, also after Ctrl+C.
 * @throws PanelError on the machine of a node
 */
export async function withPanel<T>(
  context: CommandContext,
  { who, agent }: { readonly who: string | undefined; readonly agent: string },
  work: (access: PanelAccess) => Promise<T>,
): Promise<T> {
  if (context.config.role === 'node') throw new PanelError('Run this command on the machine of the panel.')
  return await withOperatorContext(context, async ({ openSession }) => {
    await using session = await openSession(who, agent)
    using client = await panelClient({ config: context.config, token: session.token })
    const interruption = new AbortController()
    const removeListener = context.onInterrupt(() => interruption.abort())
    try {
      const { userId, username } = session
      return await work({ client, userId, username, signal: interruption.signal })
    } finally {
      removeListener()
    }
  })
}
