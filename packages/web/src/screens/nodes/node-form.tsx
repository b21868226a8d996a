import { NewNode, type Node } from '@innkeeper/contract/nodes/nodes'
import { SimpleGrid, Switch, TextInput } from '@mantine/core'
import type { SaveFormOf } from '../../forms/use-save-form.ts'
import { type FieldErrors, schemaErrors } from '../../forms/validation.ts'
import { type TFunction, type TranslationKey, useT } from '../../i18n/i18n.tsx'

const textFields = ['name', 'publicHost', 'publicPort', 'privateHost', 'privatePort', 'sftpPort'] as const
type TextField = (typeof textFields)[number]

/** The values of the inputs. `hasPrivate` shows the input of the private host; a machine behind NAT has none. */
export interface NodeDraft extends Readonly<Record<TextField, string>> {
  readonly hasPrivate: boolean
  readonly isBehindNat: boolean
}

export const newNodeDraft: NodeDraft = {
  name: '',
  publicHost: '',
  publicPort: '8080',
  privateHost: '',
  privatePort: '5656',
  sftpPort: '5657',
  hasPrivate: false,
  isBehindNat: false,
}

export function toNodeDraft(node: Node): NodeDraft {
  const isBehindNat = node.privateHost === ''
  const hasPrivate = !isBehindNat && node.privateHost !== node.publicHost
  return {
    name: node.name,
    publicHost: node.publicHost,
    publicPort: String(node.publicPort),
    privateHost: hasPrivate ? node.privateHost : '',
    privatePort: String(node.privatePort),
    sftpPort: String(node.sftpPort),
    hasPrivate,
    isBehindNat,
  }
}

function trimDraft(draft: NodeDraft): NodeDraft {
  const trimmed = textFields.map((field) => [field, draft[field].trim()])
  return { ...draft, ...Object.fromEntries(trimmed) }
}

/** The body of the request. Without a private host the node is reached at the public one. */
export function toNodeBody(draft: NodeDraft) {
  return {
    name: draft.name,
    publicHost: draft.publicHost,
    publicPort: Number(draft.publicPort),
    privateHost: (draft.hasPrivate && draft.privateHost) || draft.publicHost,
    privatePort: Number(draft.privatePort),
    sftpPort: Number(draft.sftpPort),
    isBehindNat: draft.isBehindNat,
  }
}

const labels: Readonly<Record<keyof NodeDraft, TranslationKey>> = {
  name: 'common.Name',
  publicHost: 'nodes.PublicHost',
  publicPort: 'nodes.PublicPort',
  privateHost: 'nodes.PrivateHost',
  privatePort: 'nodes.PrivatePort',
  sftpPort: 'nodes.SftpPort',
  hasPrivate: 'nodes.PrivateSwitch',
  isBehindNat: 'nodes.BehindNat',
}

/** `useSaveForm` options of the forms that add and edit a node. */
export function nodeFormOptions(t: TFunction) {
  const getLabel = (field: keyof NodeDraft) => t(labels[field])
  return {
    getLabel,
    normalize: trimDraft,
    fieldByCode: { ErrDuplicateNodeName: 'name', ErrFieldEqual: 'sftpPort' },
    validate: (draft: NodeDraft): FieldErrors<NodeDraft> => {
      const errors = schemaErrors<NodeDraft>(NewNode, toNodeBody(draft), { t, getLabel })
      for (const field of ['name', 'publicHost'] as const)
        if (draft[field] === '') errors[field] = t('errors.ErrFieldRequired', { field: getLabel(field) })
      for (const field of ['publicPort', 'privatePort', 'sftpPort'] as const) {
        const port = Number(draft[field])
        if (!Number.isInteger(port) || port < 1 || port > 65_535)
          errors[field] = t('errors.ErrFieldNotBetween', { field: getLabel(field), min: 1, max: '65535' })
      }
      // The hidden input has the value of the public host, which shows the error.
      if (!draft.hasPrivate) delete errors.privateHost
      return errors
    },
  } as const
}

/** The inputs that describe a node. */
export function NodeInputs({ form }: { form: SaveFormOf<NodeDraft> }) {
  const t = useT()
  const field = (name: TextField) => ({
    ...form.field(name),
    label: t(labels[name]),
    autoComplete: 'off',
    spellCheck: false,
  })
  const port = (name: TextField) => ({ ...field(name), inputMode: 'numeric' as const, dir: 'ltr', required: true })

  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md" verticalSpacing="sm">
      <TextInput {...field('name')} style={wholeRow} required description={t('nodes.NameHint')} />
      <TextInput {...field('publicHost')} dir="ltr" required description={t('nodes.PublicHostHint')} />
      <TextInput {...port('publicPort')} />
      <TextInput {...port('sftpPort')} />
      <Switch
        style={wholeRow}
        label={t('nodes.BehindNat')}
        description={t('nodes.BehindNatHint')}
        {...form.switchField('isBehindNat')}
      />
      {!form.values.isBehindNat && (
        <>
          <Switch
            style={wholeRow}
            label={t('nodes.PrivateSwitch')}
            description={t('nodes.PrivateHint')}
            {...form.switchField('hasPrivate')}
            onChange={({ currentTarget: { checked } }) =>
              form.set({ hasPrivate: checked, privateHost: form.values.privateHost || form.values.publicHost })
            }
          />
          {form.values.hasPrivate && <TextInput {...field('privateHost')} dir="ltr" />}
          <TextInput {...port('privatePort')} />
        </>
      )}
    </SimpleGrid>
  )
}

const wholeRow = { gridColumn: '1 / -1' }
