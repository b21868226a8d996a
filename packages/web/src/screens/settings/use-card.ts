import { getConfig } from '@innkeeper/contract/panel'
import { Refusal } from '@innkeeper/contract/refusals'
import { listSettings, postSettings, type SettingKey } from '@innkeeper/contract/settings'
import { use, useRef, useState } from 'react'
import { useBeforeUnload } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { TellRefusalContext, useSend } from '../../api/use-send.ts'
import { useCombination } from '../../hotkeys/hotkeys.tsx'
import { useText } from '../../i18n/text.tsx'
import { fieldOf, messageOf } from '../../ui/refusal.tsx'
import { toast } from '../../ui/toast.tsx'
import { changesOf, type Draft, type Held, named, objectionTo } from './draft.ts'

interface Card {
  readonly held: Held
  /** The settings that stand on it. */
  readonly keys: readonly SettingKey[]
  /** What a field is called. */
  readonly labelOf: (key: SettingKey) => string
  /** The fields that may not be empty and are. */
  readonly missing?: (draft: Draft) => readonly SettingKey[]
}

/** A card of settings that saves by itself: what was changed, what stands against it, and the way to the panel. */
export function useCard({ held, keys, labelOf, missing = () => [] }: Card) {
  const text = useText()
  const tell = use(TellRefusalContext)
  const card = useRef<HTMLFormElement>(null)
  const [draft, setDraft] = useState<Draft>({})
  const [objections, setObjections] = useState<Readonly<Partial<Record<SettingKey, string>>>>({})
  const [version, setVersion] = useState(0)
  const { send, pending } = useSend(postSettings, { quiet: true, refreshes: [listSettings, getConfig] })
  const changes = changesOf(held, draft, keys)
  const count = Object.keys(changes).length

  const begin = () => {
    setDraft({})
    setObjections({})
    setVersion((before) => before + 1)
  }
  const show = (found: Readonly<Partial<Record<SettingKey, string>>>) => {
    setObjections(found)
    const first = keys.find((key) => found[key] !== undefined)
    if (first) card.current?.querySelector<HTMLElement>(`[name="${CSS.escape(first)}"]`)?.focus()
  }
  const required = (key: SettingKey) => messageOf(text, new Refusal('ErrFieldRequired', { field: labelOf(key) }))
  const objectionOf = (key: SettingKey, value: string | boolean) => {
    const objection = objectionTo(key, value, labelOf(key))
    return objection && messageOf(text, objection)
  }
  /** Answers whether the panel holds it now. */
  const save = async (): Promise<boolean> => {
    if (pending || count === 0) return false
    const wrong = Object.entries(changes).flatMap(([key, value]) => {
      const objection = objectionOf(key as SettingKey, value ?? '')
      return objection === undefined ? [] : [[key, objection]]
    })
    const found = {
      ...Object.fromEntries(wrong),
      ...Object.fromEntries(missing(draft).map((key) => [key, required(key)])),
    }
    show(found)
    if (Object.keys(found).length > 0) return false
    try {
      await send({ body: postSettings.body.parse(changes) })
      begin()
      toast.success(text('common.Saved'))
      return true
    } catch (refusal) {
      const key = keys.find((one) => one === fieldOf(refusal))
      if (key && isRefusal(refusal)) show({ [key]: messageOf(text, named(refusal, labelOf(key))) })
      else tell(refusal)
      return false
    }
  }
  useCombination('$mod+s', () => void save())
  useBeforeUnload((event) => {
    if (count > 0) event.preventDefault()
  })

  return {
    card,
    draft,
    objections,
    count,
    pending,
    /** Another one after each saving and discarding. */
    version,
    save,
    change: (key: SettingKey, value: string | boolean | undefined) => {
      setDraft(({ [key]: _, ...others }) => (value === undefined ? others : { ...others, [key]: value }))
      setObjections(({ [key]: _, ...others }) => others)
    },
    replace: (next: Draft) => {
      setDraft(next)
      setObjections({})
    },
    /** Judges a field that was left. */
    leave: (key: SettingKey) => {
      const value = changes[key]
      const objection = value === undefined ? undefined : objectionOf(key, value)
      if (objection !== undefined) setObjections((before) => ({ ...before, [key]: objection }))
    },
    discard: begin,
  }
}
export type CardState = ReturnType<typeof useCard>
