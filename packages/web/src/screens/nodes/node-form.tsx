import { NewNode, type Node } from '@innkeeper/contract/nodes'
import { Switch, TextInput } from '@mantine/core'
import type { SaveFormOf } from '../../forms/use-save-form.ts'
import { type FieldErrors, schemaErrors } from '../../forms/validation.ts'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import classes from './nodes-screen.module.css'

const nodeFields = ['name', 'publicHost', 'publicPort', 'privateHost', 'privatePort', 'sftpPort'] as const
type NodeField = (typeof nodeFields)[number]

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
  const hasPrivate = node.privateHost !== node.publicHost
  return {
    name: node.name,
    publicHost: node.publicHost,
    publicPort: String(node.publicPort),
    privateHost: hasPrivate ? node.privateHost : '',
    privatePort: String(node.privatePort),
    sftpPort: String(node.sftpPort),
    hasPrivate,
  }
}

/** Without the blanks around what was typed. */
function trimmedDraft(draft: NodeDraft): NodeDraft {
  const texts = nodeFields.map((field) => [field, draft[field].trim()])
  return { ...draft, ...Object.fromEntries(texts) }
}

/** As the panel takes it: ports are numbers, and without a private host the public one counts. */
export function bodyOf(draft: NodeDraft) {
  return {
    name: draft.name,
    publicHost: draft.publicHost,
    publicPort: Number(draft.publicPort),
    privateHost: (draft.hasPrivate && draft.privateHost) || draft.publicHost,
    privatePort: Number(draft.privatePort),
    sftpPort: Number(draft.sftpPort),
  }
}

/** What all forms of a node have in common. */
export function nodeFormOptions(t: TFunction) {
  const labelOf = (field: keyof NodeDraft) => nodeLabel(t, field)
  return {
    labelOf,
    normalize: trimmedDraft,
    byCode: { ErrDuplicateNodeName: 'name', ErrFieldEqual: 'sftpPort' },
    validate: (draft: NodeDraft): FieldErrors<NodeDraft> => {
      const errors = schemaErrors<NodeDraft>(NewNode, bodyOf(draft), { t, labelOf })
      for (const field of ['name', 'publicHost'] as const)
        if (draft[field] === '') errors[field] = t('errors.ErrFieldRequired', { field: labelOf(field) })
      for (const field of ['publicPort', 'privatePort', 'sftpPort'] as const) {
        const port = Number(draft[field])
        if (!Number.isInteger(port) || port < 1 || port > 65_535)
          errors[field] = t('errors.ErrFieldNotBetween', { field: labelOf(field), min: 1, max: 65_535 })
      }
      // What is not shown has the public host's error.
      if (!draft.hasPrivate) delete errors.privateHost
      return errors
    },
  } as const
}

function nodeLabel(t: TFunction, field: keyof NodeDraft): string {
  if (field === 'hasPrivate') return t('nodes.PrivateSwitch')
  return t(`nodes.${field.charAt(0).toUpperCase()}${field.slice(1)}`)
}

/** The fields that describe a node. */
export function NodeInputs({ form }: { form: SaveFormOf<NodeDraft> }) {
  const t = useT()
  const field = (name: NodeField) => ({
    ...form.field(name),
    label: nodeLabel(t, name),
    inputWrapperOrder: ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[],
    autoComplete: 'off',
    spellCheck: false,
  })
  const port = (name: NodeField) => ({ ...field(name), inputMode: 'numeric' as const, dir: 'ltr', required: true })

  return (
    <div className={classes.fields}>
      <TextInput {...field('name')} className={classes.wide ?? ''} required description={t('nodes.NameHint')} />
      <TextInput {...field('publicHost')} dir="ltr" required description={t('nodes.PublicHostHint')} />
      <TextInput {...port('publicPort')} />
      <TextInput {...port('sftpPort')} />
      <Switch
        className={classes.wide ?? ''}
        label={t('nodes.PrivateSwitch')}
        description={t('nodes.PrivateHint')}
        {...form.toggle('hasPrivate')}
        onChange={({ currentTarget: { checked } }) =>
          form.set({ hasPrivate: checked, privateHost: form.values.privateHost || form.values.publicHost })
        }
      />
      {form.values.hasPrivate && <TextInput {...field('privateHost')} dir="ltr" />}
      <TextInput {...port('privatePort')} />
    </div>
  )
}
