import type { ClientCredentials } from '@innkeeper/contract/oauth2'
import { Button, Modal, PasswordInput, Textarea, TextInput } from '@mantine/core'
import { use, useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { ShowErrorContext } from '../../api/use-api-mutation.ts'
import { useT } from '../../i18n/i18n.tsx'
import { errorField, errorMessage } from '../../ui/error-message.ts'
import type { NewClient } from './client-manager.tsx'
import classes from './oauth-clients.module.css'

interface CreateDialogProps {
  readonly create: (client: NewClient) => Promise<ClientCredentials>
  readonly onClose: () => void
  readonly onCreated: (credentials: ClientCredentials) => void
}

/** What the new client is for. Both may stay empty. */
export function CreateDialog({ create, onClose, onCreated }: CreateDialogProps) {
  const t = useT()
  const tell = use(ShowErrorContext)
  const [client, setClient] = useState<NewClient>({ name: '', description: '' })
  const [isPasswordAsked, setIsPasswordAsked] = useState(false)
  const [problem, setProblem] = useState<{ readonly field: string; readonly message: string }>()
  const [isPending, setIsPending] = useState(false)

  const submit = async () => {
    setIsPending(true)
    setProblem(undefined)
    try {
      onCreated(await create(client))
    } catch (error) {
      const field = isRefusal(error, 'ErrInvalidCredentials') ? 'password' : errorField(error)
      if (isRefusal(error, 'ErrPasswordRequired')) setIsPasswordAsked(true)
      else if (field === 'password') setProblem({ field, message: t('account.WrongPassword') })
      else if (field === 'name' || field === 'description') setProblem({ field, message: errorMessage(t, error) })
      else tell(error)
    } finally {
      setIsPending(false)
    }
  }
  const field = (name: keyof NewClient) => ({
    value: client[name] ?? '',
    error: problem?.field === name ? problem.message : undefined,
    onChange: (event: { currentTarget: { value: string } }) =>
      setClient({ ...client, [name]: event.currentTarget.value }),
  })

  return (
    <Modal opened onClose={onClose} title={t('oauth.CreateTitle')}>
      <form
        noValidate
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <TextInput {...field('name')} data-autofocus label={t('oauth.Name')} maxLength={100} autoComplete="off" />
        <Textarea
          {...field('description')}
          label={t('oauth.Description')}
          placeholder={t('oauth.DescriptionHint')}
          maxLength={500}
          rows={3}
        />
        {isPasswordAsked && (
          <PasswordInput
            {...field('password')}
            autoFocus
            label={t('account.CurrentPassword')}
            description={t('oauth.PasswordWhy')}
            autoComplete="current-password"
          />
        )}
        <div className={classes.buttons}>
          <Button variant="subtle" color="gray" onClick={onClose}>
            {t('common.Cancel')}
          </Button>
          <Button type="submit" loading={isPending}>
            {t('oauth.Create')}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
