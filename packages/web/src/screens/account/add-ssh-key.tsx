import { addSshKey, listSshKeys, type SshKey } from '@innkeeper/contract/ssh-keys'
import { Button, FileButton, Modal, PasswordInput, Textarea, TextInput } from '@mantine/core'
import { IconFile } from '@tabler/icons-react'
import { type FormEvent, use, useRef, useState } from 'react'
import { ShowErrorContext, useApiMutation } from '../../api/use-api-mutation.ts'
import { useT } from '../../i18n/i18n.tsx'
import classes from './account-screen.module.css'
import { placeOf } from './problems.ts'

const fields = ['key', 'name', 'password'] as const
type Field = (typeof fields)[number]
const nothing: Readonly<Record<Field, string>> = { key: '', name: '', password: '' }
/** No public key is longer. */
const longestFile = 16_384

interface AddSshKeyProps {
  readonly onClose: () => void
  readonly onAdded: (key: SshKey) => void
}

/** Another public key, pasted or from its file, in exchange for the current password. */
export function AddSshKey({ onClose, onAdded }: AddSshKeyProps) {
  const t = useT()
  const tell = use(ShowErrorContext)
  const add = useApiMutation(addSshKey, { silent: true, invalidates: [listSshKeys] })
  const [values, setValues] = useState(nothing)
  const [problems, setProblems] = useState<Partial<Record<Field, string>>>({})
  const form = useRef<HTMLFormElement>(null)

  const show = (found: Partial<Record<Field, string>>) => {
    setProblems(found)
    const first = fields.find((field) => found[field] !== undefined)
    if (first) form.current?.querySelector<HTMLElement>(`[name="${first}"]`)?.focus()
  }
  const type = (name: Field, value: string) => {
    setValues((typed) => ({ ...typed, [name]: value }))
    setProblems(({ [name]: _, ...others }) => others)
  }
  const missing = (name: Field, label: string) =>
    values[name].trim() === '' ? { [name]: t('errors.ErrFieldRequired', { field: label }) } : {}
  const save = async (event: FormEvent) => {
    event.preventDefault()
    const found = {
      ...missing('key', t('account.PublicKey')),
      ...missing('password', t('account.CurrentPassword')),
    }
    show(found)
    if (Object.keys(found).length > 0) return
    const { key, password } = values
    const name = values.name.trim()
    try {
      onAdded(await add.mutateAsync({ body: { key, password, ...(name === '' ? {} : { name }) } }))
    } catch (error) {
      const at = placeOf(t, error, fields)
      if (at) show(at)
      else tell(error)
    }
  }
  const field = (name: Field) => ({
    name,
    value: values[name],
    error: problems[name],
    onChange: (event: { currentTarget: { value: string } }) => type(name, event.currentTarget.value),
  })

  return (
    <Modal opened onClose={onClose} title={t('account.AddKey')}>
      <form ref={form} noValidate onSubmit={save} aria-label={t('account.AddKey')}>
        <div className={classes.fields}>
          <div>
            <Textarea
              {...field('key')}
              label={t('account.PublicKey')}
              description={t('account.PublicKeyHint')}
              minRows={3}
              maxRows={8}
              autosize
              spellCheck={false}
              autoComplete="off"
              data-autofocus
            />
            <FileButton
              accept=".pub,text/plain"
              onChange={(file) => {
                if (file)
                  void file
                    .slice(0, longestFile)
                    .text()
                    .then((content) => type('key', content.trim()))
              }}
            >
              {(props) => (
                <Button {...props} mt="xs" size="xs" variant="default" leftSection={<IconFile size={16} aria-hidden />}>
                  {t('account.ChooseKeyFile')}
                </Button>
              )}
            </FileButton>
          </div>
          <TextInput
            {...field('name')}
            label={t('account.KeyName')}
            description={t('account.KeyNameHint')}
            maxLength={100}
            autoComplete="off"
          />
          <PasswordInput {...field('password')} label={t('account.CurrentPassword')} autoComplete="current-password" />
        </div>
        <div className={classes.buttons}>
          <Button variant="default" onClick={onClose}>
            {t('common.Cancel')}
          </Button>
          <Button type="submit" loading={add.isPending}>
            {t('account.AddKey')}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
