import { Email } from '@innkeeper/contract/names'
import type { ServerFlag } from '@innkeeper/contract/permissions'
import { deleteServerUser, listServerUsers, putServerUser } from '@innkeeper/contract/server-users'
import { getServer, type ServerView } from '@innkeeper/contract/servers'
import { useQueryClient } from '@tanstack/react-query'
import { use, useState } from 'react'
import { flushSync } from 'react-dom'
import { useNavigate } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { keyOf, useCall } from '../../api/use-call.ts'
import { TellRefusalContext, useSend } from '../../api/use-send.ts'
import { useText } from '../../i18n/text.tsx'
import { useSession } from '../../session/session.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { ErrorDetailsContext, fieldOf, isUnexplained, messageOf } from '../../ui/refusal.tsx'
import { toast } from '../../ui/toast.tsx'
import { differences, type Flags, flagsOf, type MayGive, withPreset } from './flags.ts'

/** Somebody with access to the server, with what was changed about their rights and not saved yet. */
export interface Person {
  readonly email: string
  readonly name: string
  readonly saved: Flags
  readonly flags: Flags
  /** How many rights differ from what the panel has. */
  readonly changes: number
  readonly isSelf: boolean
  /** Invited by mail, and not here yet. */
  readonly isInvited: boolean
  readonly isSaving: boolean
  readonly mayGive: MayGive
}

/** Somebody who is being added. */
export interface Newcomer {
  readonly email: string
  readonly flags: Flags
  readonly problem?: string
  readonly isSaving: boolean
}

/** The people of a server, and everything that can be done about them. */
export function usePeople(server: ServerView, mayGive: (flag: ServerFlag) => boolean) {
  const text = useText()
  const tell = use(TellRefusalContext)
  const showDetails = use(ErrorDetailsContext)
  const confirm = useConfirm()
  const queries = useQueryClient()
  const goTo = useNavigate()
  const { self } = useSession()
  const list = useCall(listServerUsers, { params: { id: server.id }, query: { self: '' } })
  const put = useSend(putServerUser, { quiet: true })
  const take = useSend(deleteServerUser, { quiet: true })
  const [drafts, setDrafts] = useState<ReadonlyMap<string, Flags>>(new Map())
  const [saving, setSaving] = useState<ReadonlySet<string>>(new Set())
  const [newcomer, setNewcomer] = useState<Newcomer>()

  const people: readonly Person[] = (list.data ?? []).map((user) => {
    const saved = flagsOf(user)
    const flags = drafts.get(user.email) ?? saved
    return {
      email: user.email,
      name: user.isInvited ? user.email : user.username,
      saved,
      flags,
      changes: differences(saved, flags),
      isSelf: user.email === self?.email,
      isInvited: user.isInvited === true,
      isSaving: saving.has(user.email),
      mayGive: (flag) => saved.has(flag) || mayGive(flag),
    }
  })

  const complain = (error: unknown) => {
    if (!isUnexplained(error)) return tell(error)
    toast.error(text('server-users.UpdateFailed'), {
      action: { label: text('common.Details'), run: () => showDetails(error) },
    })
  }
  const refresh = async (wasSelf: boolean) => {
    // Own rights decide whether this list may be asked for at all: the server's page learns of them first.
    if (wasSelf) await queries.invalidateQueries({ queryKey: keyOf(getServer) })
    else await queries.invalidateQueries({ queryKey: keyOf(listServerUsers) })
  }
  const undo = ({ email }: Person) => setDrafts((before) => new Map([...before].filter(([whose]) => whose !== email)))
  const whileSaving = async (email: string, work: () => Promise<void>) => {
    setSaving((before) => new Set([...before, email]))
    try {
      await work()
    } catch (error) {
      complain(error)
    } finally {
      setSaving((before) => new Set([...before].filter((whose) => whose !== email)))
    }
  }

  const save = async (person: Person) => {
    if (person.changes === 0 || person.isSaving) return
    const givesUp = person.isSelf && person.saved.has('editServerUsers') && !person.flags.has('editServerUsers')
    const isWanted =
      !givesUp ||
      (await confirm({
        title: text('server-users.GiveUpTitle', { server: server.name }),
        body: text('server-users.GiveUpBody'),
        action: text('server-users.GiveUp'),
        understand: text('server-users.Understood'),
        danger: true,
      }))
    if (!isWanted) return
    await whileSaving(person.email, async () => {
      await put.send({ params: { id: server.id, email: person.email }, body: bodyOf(person.flags) })
      await refresh(person.isSelf)
      undo(person)
      toast.success(text('common.Saved'))
    })
  }

  const giveBack = (person: Person) =>
    whileSaving(person.email, async () => {
      await put.send({ params: { id: server.id, email: person.email }, body: bodyOf(person.saved) })
      await refresh(false)
    })

  const remove = async (person: Person) => {
    await whileSaving(person.email, async () => {
      await take.send({ params: { id: server.id, email: person.email } })
      undo(person)
      if (person.isSelf) {
        // Without access nothing of it can be saved any more: leaving asks nothing.
        flushSync(() => {
          setDrafts(new Map())
          setNewcomer(undefined)
        })
        await goTo('/server')
        toast.success(text('server-users.Removed', { name: person.name }))
        return
      }
      await refresh(false)
      toast.success(text('server-users.Removed', { name: person.name }), {
        action: { label: text('server-users.Undo'), run: () => void giveBack(person) },
      })
    })
  }

  /** Removing oneself cannot be undone by oneself, so it is asked in a dialog; for others a short question is enough. */
  const leave = async (person: Person) => {
    const isWanted = await confirm({
      title: text('server-users.LeaveTitle', { server: server.name }),
      body: text('server-users.LeaveBody'),
      action: text('server-users.Leave'),
      understand: text('server-users.Understood'),
      danger: true,
    })
    if (isWanted) await remove(person)
  }

  const problemWith = (email: string): string | undefined => {
    if (email === '') return text('server-users.EmailNeeded')
    if (!Email.safeParse(email).success) return text('errors.ErrFieldNotEmail', { field: text('server-users.Email') })
    const isKnown = people.some((person) => person.email.toLowerCase() === email.toLowerCase())
    return isKnown ? text('server-users.AlreadyHere', { email }) : undefined
  }

  /** Answers whether the newcomer is in. */
  const add = async (): Promise<boolean> => {
    if (!newcomer || newcomer.isSaving) return false
    const email = newcomer.email.trim()
    const problem = problemWith(email)
    if (problem !== undefined) {
      setNewcomer({ ...newcomer, problem })
      return false
    }
    setNewcomer({ email: newcomer.email, flags: newcomer.flags, isSaving: true })
    try {
      await put.send({ params: { id: server.id, email }, body: bodyOf(newcomer.flags) })
      await refresh(false)
      setNewcomer(undefined)
      toast.success(text('common.Saved'))
      return true
    } catch (error) {
      const isAboutEmail = fieldOf(error) === 'email' || isRefusal(error, 'ErrEmailNotConfigured', 'ErrUserNotFound')
      const told = isRefusal(error, 'ErrEmailNotConfigured')
        ? text('server-users.NobodyAndNoMail')
        : messageOf(text, error)
      setNewcomer({ ...newcomer, isSaving: false, ...(isAboutEmail ? { problem: told } : {}) })
      if (!isAboutEmail) complain(error)
      return false
    }
  }

  return {
    list,
    people,
    newcomer,
    mayGive,
    change: (person: Person, flags: Flags) => setDrafts((before) => new Map([...before, [person.email, flags]])),
    undo,
    save,
    saveAll: async () => {
      for (const person of people) await save(person)
    },
    remove,
    leave,
    beginAdding: () =>
      setNewcomer(
        (before) => before ?? { email: '', flags: withPreset(new Set(), 'Viewer', mayGive), isSaving: false },
      ),
    changeNewcomer: (changes: Partial<Pick<Newcomer, 'email' | 'flags'>>) =>
      setNewcomer((before) => before && { email: before.email, flags: before.flags, isSaving: false, ...changes }),
    cancelAdding: () => setNewcomer(undefined),
    add,
  }
}

export type People = ReturnType<typeof usePeople>

/** The flags as the wire takes them: what is not there is taken away. */
function bodyOf(flags: Flags): Partial<Record<ServerFlag, true>> {
  return Object.fromEntries([...flags].map((flag) => [flag, true as const]))
}
