import type { RefusalCode } from '@innkeeper/contract/refusals'
import { type FormEvent, useRef, useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { useT } from '../../i18n/i18n.tsx'
import { errorField, errorMessage } from '../../ui/error-message.ts'
import { type AccountField, accountFields, fieldOfCode, type NewAccount, objectionTo } from './rules.ts'

const nothingTyped: NewAccount = { username: '', email: '', password: '', repeated: '' }

const byCode: Partial<Record<RefusalCode, AccountField>> = fieldOfCode

interface Asking {
  /** The fields that this form asks for. */
  readonly asks: readonly AccountField[]
  /** Sends what was typed; what it throws is shown at its field, or above the form. */
  readonly send: (values: NewAccount) => Promise<void>
  /** Takes a refusal that is neither a field's nor the form's; answers whether it did. */
  readonly take?: (refusal: unknown) => boolean
}

/** The values of a form that makes or repairs an account, judged here before the panel is asked. */
export function useNewAccount({ asks, send, take = () => false }: Asking) {
  const t = useT()
  const form = useRef<HTMLFormElement>(null)
  const [values, setValues] = useState(nothingTyped)
  const [problems, setProblems] = useState<Partial<Record<AccountField, string>>>({})
  const [refusal, setRefusal] = useState<unknown>()
  const [isPending, setIsPending] = useState(false)

  const show = (found: Partial<Record<AccountField, string>>) => {
    setProblems(found)
    const first = accountFields.find((field) => found[field] !== undefined)
    if (first) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus()
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isPending) return
    setRefusal(undefined)
    const found = asks.flatMap((field) => {
      const objection = objectionTo(t, field, values)
      return objection === undefined ? [] : [[field, objection] as const]
    })
    show(Object.fromEntries(found))
    if (found.length > 0) return
    setIsPending(true)
    try {
      await send({ ...values, email: values.email.trim() })
    } catch (error) {
      const named = isRefusal(error) ? (byCode[error.code] ?? errorField(error)) : undefined
      const field = asks.find((name) => name === named)
      if (field) show({ [field]: errorMessage(t, error) })
      else if (!take(error)) setRefusal(error)
    } finally {
      setIsPending(false)
    }
  }
  const leave = (name: AccountField) => {
    if (values[name] === '') return
    const objection = objectionTo(t, name, values)
    setProblems(({ [name]: _, ...others }) => (objection ? { ...others, [name]: objection } : others))
  }

  return {
    form,
    values,
    /** Why the panel refused it, where that belongs to no field. */
    refusal,
    /** The same in words. */
    problem: refusal === undefined ? undefined : errorMessage(t, refusal),
    isPending,
    submit,
    /** What an input of the form needs. */
    field: (name: AccountField) => ({
      name,
      value: values[name],
      error: problems[name],
      required: true,
      withAsterisk: false,
      onBlur: () => leave(name),
      onChange: (event: { currentTarget: { value: string } }) => {
        const { value } = event.currentTarget
        setValues((before) => ({ ...before, [name]: value }))
        setProblems(({ [name]: _, ...others }) => others)
      },
    }),
  }
}
export type NewAccountForm = ReturnType<typeof useNewAccount>
