import { useCallback, useState } from 'react'
import { parseCommands, withCommand } from './command-history.ts'

const historyKey = (server: string) => `innkeeper.commands.${server}`
const draftKey = (server: string) => `innkeeper.draft.${server}`

/**
 * The commands sent to a server and the one being typed. They stay in this tab's storage, also over a reload, and
 * nowhere else: commands can hold passwords.
 */
export function useCommands(server: string) {
  const [history, setHistory] = useState(() => parseCommands(sessionStorage.getItem(historyKey(server))))
  const [draft, setDraft] = useState(() => sessionStorage.getItem(draftKey(server)) ?? '')

  const type = useCallback(
    (text: string) => {
      sessionStorage.setItem(draftKey(server), text)
      setDraft(text)
    },
    [server],
  )
  const remember = useCallback(
    (command: string) => {
      const now = withCommand(history, command)
      sessionStorage.setItem(historyKey(server), JSON.stringify(now))
      setHistory(now)
    },
    [server, history],
  )
  return { history, draft, type, remember }
}
