import { useState } from 'react'
import { tabStorage } from '../../api/storage.ts'
import { useSession } from '../../session/session.tsx'
import { appendCommand, parseCommands } from './command-history.ts'

const historyKey = (userId: number, server: string) => `innkeeper.commands.${userId}.${server}`
const draftKey = (userId: number, server: string) => `innkeeper.command.${userId}.${server}`

/** The commands of one user; `userId` is undefined until the session is loaded. */
interface Commands {
  readonly userId: number | undefined
  readonly history: readonly string[]
  readonly draft: string
}

/**
 * The commands sent to a server and the draft in the input. They are stored per user, in the session storage of the tab
 * only, because commands can contain passwords.
 */
export function useCommands(server: string) {
  const userId = useSession().self?.id
  const [commands, setCommands] = useState(() => loadCommands(userId, server))
  if (commands.userId !== userId) {
    const stored = loadCommands(userId, server)
    // A draft from before the session was loaded belongs to the same user.
    const draft = commands.userId === undefined ? commands.draft : ''
    setCommands({ ...stored, draft: draft || stored.draft })
  }

  const setDraft = (draft: string) => {
    if (userId !== undefined) tabStorage.replace(draftKey(userId, server), draft)
    setCommands((previous) => ({ ...previous, draft }))
  }
  const { history, draft } = commands
  const addToHistory = (command: string) => {
    const updated = appendCommand(history, command)
    if (userId !== undefined) tabStorage.replace(historyKey(userId, server), JSON.stringify(updated))
    setCommands((previous) => ({ ...previous, history: updated }))
  }
  return { history, draft, setDraft, addToHistory }
}

function loadCommands(userId: number | undefined, server: string): Commands {
  if (userId === undefined) return { userId, history: [], draft: '' }
  return {
    userId,
    history: parseCommands(tabStorage.get(historyKey(userId, server))),
    draft: tabStorage.get(draftKey(userId, server)) ?? '',
  }
}
