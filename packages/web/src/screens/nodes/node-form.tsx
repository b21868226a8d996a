import type { Node } from '@innkeeper/contract/nodes'
import { Switch, TextInput } from '@mantine/core'
import { type RefObject, useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { useText } from '../../i18n/text.tsx'
import { fieldOf, messageOf } from '../../ui/refusal.tsx'
import classes from './nodes-screen.module.css'

export const nodeFields = ['name', 'publicHost', 'publicPort', 'privateHost', 'privatePort', 'sftpPort'] as const
export type NodeField = (typeof nodeFields)[number]

/** What is typed, as text; `hasPrivate` opens the fields of the private address. */
export interface NodeDraft extends Readonly<Record<NodeField, string>> {
  readonly hasPrivate: boolean
}

export const newDraft: NodeDraft = {
  name: '',
  publicHost: '',
  publicPort: '8080',
  privateHost: '',
  privatePort: '5656',
  sftpPort: '5657',
  hasPrivate: false,
}

export function draftOf(node: Node): NodeDraft {
  return {
    name: node.name,
    publicHost: node.publicHost,
    publicPort: String(node.publicPort),
    privateHost: node.privateHost,
    privatePort: String(node.privatePort),
    sftpPort: String(node.sftpPort),
    hasPrivate: node.privateHost !== node.publicHost,
  }
}

/** As the panel takes it: ports are numbers, and without a private host the public one counts. */
export function bodyOf(draft: NodeDraft) {
  return {
    name: draft.name.trim(),
    publicHost: draft.publicHost.trim(),
    publicPort: Number(draft.publicPort),
    privateHost: draft.hasPrivate ? draft.privateHost.trim() : draft.publicHost.trim(),
    privatePort: Number(draft.privatePort),
    sftpPort: Number(draft.sftpPort),
  }
}

type Problems = Partial<Record<NodeField, string>>

/** What is wrong at which field; a refusal of the panel finds its field, too. */
export function useNodeProblems(form: RefObject<HTMLFormElement | null>) {
  const text = useText()
  const [problems, setProblems] = useState<Problems>({})
  const show = (found: Problems) => {
    setProblems(found)
    const first = nodeFields.find((field) => found[field] !== undefined)
    if (first) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus()
  }
  return {
    problems,
    forget: (field: NodeField) => setProblems(({ [field]: _, ...others }) => others),
    /** Whether the draft can be sent at all. */
    accepts(draft: NodeDraft): boolean {
      const found: Problems = {}
      for (const field of ['name', 'publicHost'] as const)
        if (draft[field].trim() === '') found[field] = text('errors.ErrFieldRequired', { field: labelOf(text, field) })
      for (const field of ['publicPort', 'privatePort', 'sftpPort'] as const) {
        const port = Number(draft[field])
        if (!Number.isInteger(port) || port < 1 || port > 65_535)
          found[field] = text('errors.ErrFieldNotBetween', { field: labelOf(text, field), min: 1, max: 65_535 })
      }
      show(found)
      return Object.keys(found).length === 0
    },
    /** Shows a refusal at its field; answers whether it has one. */
    take(error: unknown): boolean {
      const named = isRefusal(error, 'ErrDuplicateNodeName')
        ? 'name'
        : isRefusal(error, 'ErrFieldEqual')
          ? 'sftpPort'
          : fieldOf(error)
      const field = nodeFields.find((name) => name === named)
      if (field) show({ [field]: messageOf(text, error) })
      return field !== undefined
    },
  }
}

const labelOf = (text: ReturnType<typeof useText>, field: NodeField) =>
  text(`nodes.${field.charAt(0).toUpperCase()}${field.slice(1)}`)

interface NodeInputsProps {
  readonly draft: NodeDraft
  readonly onChange: (draft: NodeDraft) => void
  readonly check: ReturnType<typeof useNodeProblems>
}

/** The fields that describe a node. */
export function NodeInputs({ draft, onChange, check }: NodeInputsProps) {
  const text = useText()
  const field = (name: NodeField) => ({
    name,
    label: labelOf(text, name),
    value: draft[name],
    error: check.problems[name],
    inputWrapperOrder: ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[],
    autoComplete: 'off',
    spellCheck: false,
    onChange: (event: { currentTarget: { value: string } }) => {
      onChange({ ...draft, [name]: event.currentTarget.value })
      check.forget(name)
    },
  })
  const port = (name: NodeField) => ({ ...field(name), inputMode: 'numeric' as const, dir: 'ltr' })

  return (
    <div className={classes.fields}>
      <TextInput {...field('name')} className={classes.wide ?? ''} autoCapitalize="none" />
      <TextInput {...field('publicHost')} dir="ltr" description={text('nodes.PublicHostHint')} />
      <TextInput {...port('publicPort')} />
      <TextInput {...port('sftpPort')} />
      <Switch
        className={classes.wide ?? ''}
        label={text('nodes.PrivateSwitch')}
        description={text('nodes.PrivateHint')}
        checked={draft.hasPrivate}
        onChange={(event) => onChange({ ...draft, hasPrivate: event.currentTarget.checked })}
      />
      {draft.hasPrivate && <TextInput {...field('privateHost')} dir="ltr" />}
      <TextInput {...port('privatePort')} />
    </div>
  )
}
