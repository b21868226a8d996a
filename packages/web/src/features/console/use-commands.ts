import { useCallback, useState } from 'react'
import { tabStorage } from '../../api/storage.ts'
import { useSession } from '../../session/session.tsx'
import { parseCommands, withCommand } from './command-history.ts'

const historyKey = (userId: number, server: string) => `innkeeper.commands.${userId}.${server}`
const draftKey = (userId: number, server: string) => `innkeeper.command.${userId}.${server}`

/** The commands of one person; of nobody in particular until the panel has said who is logged in. */
interface Commands {
  readonly userId: number | undefined
  readonly history: readonly string[]
  readonly draft: string
}

/**
 * The commands sent to a server and the one being typed. They stay in this tab's storage under the person's id, also
 * over a reload and a lost session, and nowhere else: commands can hold passwords.
 */
export function useCommands(server: string) {
  const userId = useSession().self?.id
  const [commands, setCommands] = useState(() => commandsOf(userId, server))
  if (commands.userId !== userId) {
    const own = commandsOf(userId, server)
    // What was typed before the panel has said who types is theirs.
    const typed = commands.userId === undefined ? commands.draft : ''
    setCommands({ ...own, draft: typed || own.draft })
  }

  const type = useCallback(
    (draft: string) => {
      if (userId !== undefined) tabStorage.replace(draftKey(userId, server), draft)
      setCommands((before) => ({ ...before, draft }))
    },
    [userId, server],
  )
  const { history, draft } = commands
  const remember = useCallback(
    (command: string) => {
      const now = withCommand(history, command)
      if (userId !== undefined) tabStorage.replace(historyKey(userId, server), JSON.stringify(now))
      setCommands((before) => ({ ...before, history: now }))
    },
    [userId, server, history],
  )
  return { history, draft, type, remember }
}

function commandsOf(userId: number | undefined, server: string): Commands {
  if (userId === undefined) return { userId, history: [], draft: '' }
  return {
    userId,
    history: parseCommands(tabStorage.get(historyKey(userId, server))),
    draft: tabStorage.get(draftKey(userId, server)) ?? '',
  }
}
