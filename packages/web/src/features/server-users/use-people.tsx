import { Email } from '@innkeeper/contract/names'
import { type ServerFlag, serverFlags } from '@innkeeper/contract/permissions'
import { deleteServerUser, listServerUsers, putServerUser } from '@innkeeper/contract/server-users'
import { getServer, type ServerView } from '@innkeeper/contract/servers'
import { useQueryClient } from '@tanstack/react-query'
import { use, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useNavigate } from 'react-router'
import { z } from 'zod'
import { isRefusal } from '../../api/request.ts'
import { ShowErrorContext, useApiMutation } from '../../api/use-api-mutation.ts'
import { getQueryKey, useApiQuery } from '../../api/use-api-query.ts'
import type { StoredDraft } from '../../forms/draft-storage.ts'
import { useLatestState } from '../../forms/use-latest-state.ts'
import { useStoredDraft } from '../../forms/use-stored-draft.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { ErrorDetailsContext, errorField, errorMessage, isUnknownError } from '../../ui/error-message.ts'
import { toast } from '../../ui/toast.tsx'
import {
  differences,
  type Edits,
  editsBetween,
  editsLeft,
  type Flags,
  flagsOf,
  type MayGive,
  withEdits,
  withPreset,
} from './flags.ts'

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
  readonly problem?: string | undefined
  readonly isSaving: boolean
}

/** The people of a server, and everything that can be done about them. */
export function usePeople(server: ServerView, mayGive: (flag: ServerFlag) => boolean) {
  const t = useT()
  const tell = use(ShowErrorContext)
  const showDetails = use(ErrorDetailsContext)
  const confirm = useConfirm()
  const queries = useQueryClient()
  const goTo = useNavigate()
  const { self } = useSession()
  const list = useApiQuery(listServerUsers, { params: { id: server.id }, query: { self: '' } })
  const put = useApiMutation(putServerUser, { silent: true })
  const take = useApiMutation(deleteServerUser, { silent: true })
  /** What was switched and is not saved, by email address. */
  const [drafts, setDrafts, draftsNow] = useLatestState<Drafts>({})
  const [saving, setSaving] = useState<ReadonlySet<string>>(new Set())
  const [newcomer, setNewcomer, newcomerNow] = useLatestState<Newcomer | undefined>(undefined)
  /** Whoever is being saved or added: nobody is twice at the same time. */
  const underWay = useRef(new Set<string>())

  const people: readonly Person[] = (list.data ?? []).map((user) => {
    const saved = flagsOf(user)
    const flags = withEdits(saved, drafts[user.email] ?? {})
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

  const unsaved = useMemo(() => draftOf(people, drafts, newcomer), [people, drafts, newcomer])
  const stored = useStoredDraft({ id: `server-${server.id}-users`, draft: unsaved, current: nothing })
  const discardAll = () => {
    setDrafts(() => ({}))
    setNewcomer(() => undefined)
    stored.drop()
  }
  const restore = () => {
    const draft = StoredPeople.safeParse(stored.offered?.edits).data
    if (draft) {
      setDrafts(() => draft.drafts)
      const { newcomer } = draft
      if (newcomer) setNewcomer(() => ({ ...newcomer, flags: new Set(newcomer.flags), isSaving: false }))
    }
    stored.endOffer()
  }

  const complain = (error: unknown) => {
    if (!isUnknownError(error)) return tell(error)
    toast.error(t('server-users.UpdateFailed'), {
      action: { label: t('common.Details'), run: () => showDetails(error) },
    })
  }
  const refresh = async (wasSelf: boolean) => {
    // Own rights decide whether this list may be asked for at all: the server's page learns of them first.
    if (wasSelf) await queries.invalidateQueries({ queryKey: getQueryKey(getServer) })
    else await queries.invalidateQueries({ queryKey: getQueryKey(listServerUsers) })
  }
  const undo = ({ email }: Person) => setDrafts(({ [email]: _, ...others }) => others)
  const whileSaving = async (email: string, work: () => Promise<void>) => {
    if (underWay.current.has(email)) return
    underWay.current.add(email)
    setSaving((before) => new Set([...before, email]))
    try {
      await work()
    } catch (error) {
      complain(error)
    } finally {
      underWay.current.delete(email)
      setSaving((before) => new Set([...before].filter((whose) => whose !== email)))
    }
  }

  const save = async (person: Person) => {
    if (person.changes === 0 || person.isSaving) return
    const givesUp = person.isSelf && person.saved.has('editServerUsers') && !person.flags.has('editServerUsers')
    const isWanted =
      !givesUp ||
      (await confirm({
        title: t('server-users.GiveUpTitle', { server: server.name }),
        body: t('server-users.GiveUpBody'),
        action: t('server-users.GiveUp'),
        acknowledgement: t('server-users.Understood'),
        danger: true,
      }))
    if (!isWanted) return
    await whileSaving(person.email, async () => {
      const { email, saved, flags } = person
      const sent = editsBetween(saved, flags)
      await put.mutateAsync({ params: { id: server.id, email }, body: bodyOf(flags) })
      await refresh(person.isSelf)
      // What was switched meanwhile is not saved.
      setDrafts((before) => ({ ...before, [email]: editsLeft(before[email] ?? {}, sent) }))
      toast.success(t('common.Saved'))
    })
  }

  const giveBack = (person: Person) =>
    whileSaving(person.email, async () => {
      await put.mutateAsync({ params: { id: server.id, email: person.email }, body: bodyOf(person.saved) })
      await refresh(false)
    })

  const remove = async (person: Person) => {
    await whileSaving(person.email, async () => {
      await take.mutateAsync({ params: { id: server.id, email: person.email } })
      undo(person)
      if (person.isSelf) {
        // Without access nothing of it can be saved any more: leaving asks nothing.
        flushSync(discardAll)
        await goTo('/server')
        toast.success(t('server-users.Removed', { name: person.name }))
        return
      }
      await refresh(false)
      toast.success(t('server-users.Removed', { name: person.name }), {
        action: { label: t('server-users.Undo'), run: () => void giveBack(person) },
      })
    })
  }

  /** Removing oneself cannot be undone by oneself, so it is asked in a dialog; for others a short question is enough. */
  const leave = async (person: Person) => {
    const isWanted = await confirm({
      title: t('server-users.LeaveTitle', { server: server.name }),
      body: t('server-users.LeaveBody'),
      action: t('server-users.Leave'),
      acknowledgement: t('server-users.Understood'),
      danger: true,
    })
    if (isWanted) await remove(person)
  }

  const problemWith = (email: string): string | undefined => {
    if (email === '') return t('server-users.EmailNeeded')
    if (!Email.safeParse(email).success) return t('errors.ErrFieldNotEmail', { field: t('server-users.Email') })
    const isKnown = people.some((person) => person.email.toLowerCase() === email.toLowerCase())
    return isKnown ? t('server-users.AlreadyHere', { email }) : undefined
  }

  /** Answers whether the newcomer is in. */
  const add = async (): Promise<boolean> => {
    if (!newcomer || underWay.current.has(newcomerKey)) return false
    const sent = newcomer
    const email = sent.email.trim()
    const problem = problemWith(email)
    if (problem !== undefined) {
      setNewcomer(() => ({ ...sent, problem }))
      return false
    }
    underWay.current.add(newcomerKey)
    setNewcomer(() => ({ email: sent.email, flags: sent.flags, isSaving: true }))
    try {
      await put.mutateAsync({ params: { id: server.id, email }, body: bodyOf(sent.flags) })
      await refresh(false)
      const now = newcomerNow()
      // What was switched meanwhile is not saved; another address is somebody else, who is not added yet.
      if (now?.email === sent.email) {
        setDrafts((before) => ({ ...before, [email]: editsBetween(sent.flags, now.flags) }))
        setNewcomer(() => undefined)
      } else setNewcomer(() => now && { ...now, isSaving: false })
      toast.success(t('common.Saved'))
      return true
    } catch (error) {
      const isAboutEmail = errorField(error) === 'email' || isRefusal(error, ...emailCodes)
      const message = isRefusal(error, 'ErrEmailNotConfigured')
        ? t('server-users.NobodyAndNoMail')
        : errorMessage(t, error)
      setNewcomer((now) => now && { ...now, isSaving: false, ...(isAboutEmail ? { problem: message } : {}) })
      if (!isAboutEmail) complain(error)
      return false
    } finally {
      underWay.current.delete(newcomerKey)
    }
  }

  return {
    list,
    people,
    newcomer,
    mayGive,
    change: ({ email, saved }: Person, flags: Flags) =>
      setDrafts((before) => ({ ...before, [email]: editsBetween(saved, flags) })),
    /** Whether anything would be lost by leaving now; also while this is hidden, and therefore not rendered. */
    hasChanges: () =>
      newcomerNow() !== undefined ||
      people.some(({ email, saved }) => differences(saved, withEdits(saved, draftsNow()[email] ?? {})) > 0),
    discardAll,
    offered: stored.offered,
    restore,
    forgetOffer: stored.endOffer,
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
      setNewcomer((before) => before && { ...before, problem: undefined, ...changes }),
    /** Judges the address once its field is left; an empty one is just not there yet. */
    checkEmail: () =>
      setNewcomer((now) => {
        const email = now?.email.trim() ?? ''
        return now && email !== '' && !now.isSaving ? { ...now, problem: problemWith(email) } : now
      }),
    cancelAdding: () => setNewcomer(() => undefined),
    add,
  }
}

export type People = ReturnType<typeof usePeople>

/** The flags as the wire takes them: what is not there is taken away. */
function bodyOf(flags: Flags): Partial<Record<ServerFlag, true>> {
  return Object.fromEntries([...flags].map((flag) => [flag, true as const]))
}

type Drafts = Readonly<Record<string, Edits>>

/** Refusals that are about the address of the person who is added. */
const emailCodes = ['ErrEmailNotConfigured', 'ErrEmailNotConfirmed', 'ErrUserNotFound'] as const
/** Stands for the newcomer among those who are being saved; no address is empty. */
const newcomerKey = ''
const nothing = {}

const Flag = z.enum(serverFlags)
/** What is kept of unsaved changes. */
const StoredPeople = z.object({
  drafts: z.record(z.string(), z.partialRecord(Flag, z.boolean())),
  newcomer: z.object({ email: z.string(), flags: z.array(Flag) }).optional(),
})

/** What is unsaved, to be kept over a lost session. */
function draftOf(people: readonly Person[], drafts: Drafts, newcomer: Newcomer | undefined): StoredDraft {
  const changed = people.filter(({ changes }) => changes > 0).map(({ email }) => [email, drafts[email]] as const)
  if (changed.length === 0 && !newcomer) return { saved: {}, edits: {} }
  const kept = newcomer && { email: newcomer.email, flags: [...newcomer.flags] }
  return { saved: {}, edits: { drafts: Object.fromEntries(changed), ...(kept ? { newcomer: kept } : {}) } }
}
